// cli/tenant.h: what the commands of managed projects and workspaces share.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "service/request.h"
#include "service/tenants.h"

namespace pale::cli {

// A command line of `pale project create`, `pale workspace list` …, read as far as all of them are alike.
struct TenantCall {
  Arguments arguments;
  Path pale_home;
  Format format = Format::Text;

  static Result<TenantCall> parse(std::string_view name, const CommandLine& line, std::size_t least, std::size_t most);
  // -p; without one it is an error.
  Result<std::string> project() const;
  // Says no without a terminal, unless --yes was said. `again`: the command that would do it.
  Status may_destroy(const std::string& question, const std::string& what, const std::string& again) const;
};

// "name         value", for pages that show one thing.
std::string shown_line(std::string_view name, const std::string& value);

// A managed project among others, and on a page of its own.
void write_managed(JsonWriter& out, const service::ManagedProject& project);
std::string managed_json(const service::ManagedProject& project);
std::string managed_lines(const service::ManagedProject& managed, std::int64_t now);

// Those that cannot be read are named, and stop nobody.
void print_damaged(const std::vector<Error>& damaged);

}  // namespace pale::cli
