// history/access.h: what the scopes of a token allow. Pure: knows no token and no disk.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::history {

// Nothing, until scopes say otherwise.
//   admin              everything, in every project and beside them
//   admin:ro           looking at everything
//   project:<id>       looking and working in one project; several add up
//   project:<id>:ro    looking at one project
class Access {
 public:
  static Result<Access> from_scopes(std::span<const std::string> scopes);

  // The project, its workspaces, sessions and stages.
  bool may_read(std::string_view project) const noexcept;
  bool may_write(std::string_view project) const noexcept;
  // All projects there are, by whatever name: lists of everything, and whether a project exists.
  bool may_read_all() const noexcept { return reads_all_; }
  // Making and removing projects.
  bool may_manage() const noexcept { return writes_all_; }

  // The projects that are named, each once, in order. For lists: what may_read() says yes to, where not all may be read.
  std::vector<std::string> projects() const;

  bool operator==(const Access&) const = default;

 private:
  struct Grant {
    std::string project;
    bool write = false;
    bool operator==(const Grant&) const = default;
  };
  bool reads_all_ = false;
  bool writes_all_ = false;
  std::vector<Grant> grants_;  // sorted by project
};

// Whether it is one; the error says what there is.
Status check_scope(std::string_view scope);
// The project that it names; empty for the others.
std::string_view project_of_scope(std::string_view scope) noexcept;

}  // namespace pale::history
