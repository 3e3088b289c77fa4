#include "cli/request.h"

#include "base/text.h"

namespace pale::cli {
namespace {

std::unexpected<Error> bad_value(std::string_view option, const std::string& value, std::string hint) {
  return fail(ErrorKind::Usage, "not a value for " + std::string(option) + ":", value, std::move(hint));
}

Result<std::uint64_t> positive(std::string_view option, const std::string& text, std::optional<std::uint64_t> number,
                               const char* example) {
  if (!number || *number == 0) return bad_value(option, text, std::string(option) + " " + example);
  return *number;
}

Status apply(service::Request& request, std::string_view name, const std::string& value) {
  using service::PathRule;
  if (name == "--project-root") request.project_root = value;
  if (name == "--rw") request.paths.push_back({PathRule::ReadWrite, value});
  if (name == "--ro") request.paths.push_back({PathRule::ReadOnly, value});
  if (name == "--protect") request.paths.push_back({PathRule::Protect, value});
  if (name == "--hide") request.paths.push_back({PathRule::Hide, value});
  if (name == "--env") request.environment.push_back(value);
  if (name == "--receipt") request.receipt_path = value;
  if (name == "--unsafe-weak-protection") request.weakening = plan::Weakening::Accepted;
  if (name == "--network") {
    if (value != "none" && value != "open") return bad_value(name, value, "--network none, or --network open");
    request.network = value == "open" ? Network::Open : Network::None;
  }
  if (name == "--backend") {
    if (value == "auto")
      request.backend = service::BackendChoice::Automatic;
    else if (value == "namespaces")
      request.backend = service::BackendChoice::Namespaces;
    else if (value == "landlock")
      request.backend = service::BackendChoice::Landlock;
    else
      return bad_value(name, value, "--backend auto, namespaces or landlock");
  }
  if (name == "--memory") {
    PALE_TRY(bytes, positive(name, value, parse_size(value), "2G"));
    request.limits.memory = bytes;
  }
  if (name == "--pids") {
    PALE_TRY(count, positive(name, value, parse_number(value), "200"));
    request.limits.pids = count;
  }
  if (name == "--timeout") {
    PALE_TRY(seconds, positive(name, value, parse_duration(value), "10m"));
    request.limits.seconds = seconds;
  }
  return {};
}

}  // namespace

Result<service::Request> request_of(const Arguments& arguments) {
  service::Request request;
  if (!arguments.has("--project-root")) return fail(ErrorKind::Usage, "which project?", "", "--project-root DIR");
  for (const auto& [name, value] : arguments.options) {
    if (value.empty() && (name == "--rw" || name == "--ro" || name == "--protect" || name == "--hide")) {
      return bad_value(name, "''", std::string(name) + " PATH");
    }
    PALE_CHECK(apply(request, name, value));
  }
  return request;
}

}  // namespace pale::cli
