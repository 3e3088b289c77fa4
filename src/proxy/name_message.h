// proxy/name_message.h: questions for the address of a name and their answers, as DNS has them (RFC 1035). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/address.h"

namespace pale::proxy {

inline constexpr std::uint16_t kTypeA = 1;
inline constexpr std::uint16_t kTypeAaaa = 28;
inline constexpr std::uint16_t kClassInternet = 1;

enum class NameCode : std::uint8_t {
  Fine = 0,
  Malformed = 1,
  Failed = 2,
  NoSuchName = 3,
  NotImplemented = 4,
  Refused = 5
};

struct NameQuestion {
  std::uint16_t id = 0;
  bool recursion = false;  // the asker wants the whole answer, as all do
  bool standard = false;   // a question, and not an order
  std::string name;        // labels with dots between them; empty: of bytes that no host's name has
  std::uint16_t type = 0;
  std::uint16_t klass = 0;
  std::string asked;  // the question's own bytes, for the answer
};

// Nothing: it is no question, and not answered.
std::optional<NameQuestion> parse_question(std::string_view message);
// At most as many addresses as fit into 512 bytes. Those of another family than the question's are left out.
std::string answer_to(const NameQuestion& question, NameCode code, const std::vector<Address>& addresses);

// The name is normal.
std::string question_for(std::uint16_t id, std::string_view name, std::uint16_t type);

struct NameAnswer {
  NameCode code = NameCode::Fine;
  bool cut = false;  // ask again over TCP
  std::vector<Address> addresses;
};
// Of that very question, through whatever other names it leads. Nothing: it is not its answer.
std::optional<NameAnswer> parse_answer(std::string_view message, std::uint16_t id, std::string_view name,
                                       std::uint16_t type);

}  // namespace pale::proxy
