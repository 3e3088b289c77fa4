#include "service/tools.h"

#include <algorithm>

#include "boundary/json.h"
#include "project/trust.h"
#include "service/keeper.h"
#include "tools/serve.h"

namespace pale::service {
namespace {

// The kernel takes no argument of more than 128 KiB; the boundary of a project with many rules may be longer.
constexpr std::size_t kPiece = 96UL << 10U;

tools::Power power_of(project::Trust trust) {
  switch (trust) {
    case project::Trust::Discovery: return tools::Power::List;
    case project::Trust::ReadOnly: return tools::Power::Read;
    case project::Trust::Workspace: return tools::Power::Write;
    case project::Trust::Shell:
    case project::Trust::Full: break;
  }
  return tools::Power::Run;
}

}  // namespace

std::vector<std::string> tools_arguments(const Prepared& prepared) {
  std::vector<std::string> words = {"pale", std::string(kToolsCommand),
                                    std::string(project::level_of(prepared.terms.trust.value).name)};
  // What is an argument can be seen by every process inside.
  const std::string boundary = to_json(prepared.boundary, Values::Withheld);
  for (std::size_t at = 0; at < boundary.size(); at += kPiece) words.push_back(boundary.substr(at, kPiece));
  return words;
}

Result<int> serve_tools(std::span<char* const> words, char** envp, std::string_view version) {
  const auto trust = project::parse_trust(words.front());
  if (!trust) return fail(ErrorKind::Usage, "not a level of trust:", words.front());
  std::string text;
  for (const char* piece : words.subspan(1)) text += piece;
  PALE_TRY(boundary, boundary_from_json(text));
  PALE_TRY(place, tools::enter(boundary, power_of(*trust), envp));
  place.searcher = keeper_image();
  // That nobody reads the answers is how a client ends it as well.
  (void)tools::serve(place, version, {});
  return 0;
}

}  // namespace pale::service
