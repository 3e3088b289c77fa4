// service/approval_place.h: PALE_HOME/approvals: a socket for each question that waits, named by its id; a key; the record of
// what was decided.
//
// The key is a secret that only files of this directory hold. No boundary can be given PALE_HOME, but where Landlock alone makes
// one, the sockets have names inside, and the filter alone keeps them from being connected to; and an agent shall not answer its
// own questions. A file it cannot open either, so whoever knows the key is not inside.
#pragma once

#include <optional>
#include <string>

#include "base/path.h"
#include "sys/fd.h"

namespace pale::service {

struct ApprovalPlace {
  sys::Fd directory;
  std::string key;
};

// Of one who looks. Nothing, if nobody ever asked here.
Result<std::optional<ApprovalPlace>> find_approval_place(const Path& pale_home);
// Of one who asks: it is made where it is missing.
Result<ApprovalPlace> make_approval_place(const Path& pale_home);

// Held while a socket is made, or one is removed at which nobody listens: in between, one looks like the other.
Result<sys::Fd> lock_approval_place(const ApprovalPlace& place);

// Eight letters and digits, none of which is mistaken for another.
Result<std::string> make_question_id();

}  // namespace pale::service
