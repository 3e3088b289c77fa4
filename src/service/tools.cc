#include "service/tools.h"

#include "base/text.h"
#include "boundary/json.h"
#include "project/trust.h"
#include "service/keeper.h"
#include "sys/process.h"
#include "tools/blocked.h"
#include "tools/serve.h"

namespace pale::service {
namespace {

// The kernel takes no argument of more than 128 KiB; the boundary of a project with many rules may be longer.
constexpr std::size_t kPiece = 96UL << 10U;

constexpr int kFirstOwnDescriptor = 3;

// Where commands need no leave they can be run from `shell` on; else whoever may change the project may ask for one.
tools::Power power_of(project::Trust trust, const tools::Approvals& approvals) {
  switch (trust) {
    case project::Trust::Discovery: return tools::Power::List;
    case project::Trust::ReadOnly: return tools::Power::Read;
    case project::Trust::Workspace:
      return approvals.run == tools::Consent::Blocked ? tools::Power::Write : tools::Power::Run;
    case project::Trust::Shell:
    case project::Trust::Full: break;
  }
  return tools::Power::Run;
}

// The line to the desk, or from the watch, which no command is to have.
Result<sys::Fd> take_line(const char* word) {
  const auto number = parse_number(word);
  if (!number) return sys::Fd(-1);
  PALE_CHECK(sys::seal_descriptors(kFirstOwnDescriptor));
  return sys::Fd(static_cast<int>(*number));
}

// Where only some files are taken, nobody is trusted with commands.
project::Trust trust_in(const Prepared& prepared) {
  const project::Trust trust = prepared.terms.trust.value;
  return prepared.tools.accepted.rules.empty() ? trust : std::min(trust, project::Trust::Workspace);
}

}  // namespace

std::vector<std::string> tools_arguments(const Prepared& prepared, const sys::Fd* desk, const sys::Fd* watch) {
  const ToolTerms& terms = prepared.tools;
  std::vector<std::string> words = {"pale",
                                    std::string(kToolsCommand),
                                    std::string(project::level_of(trust_in(prepared)).name),
                                    desk != nullptr ? std::to_string(desk->borrow()) : "none",
                                    watch != nullptr ? std::to_string(watch->borrow()) : "none",
                                    tools::to_json(terms.approvals),
                                    terms.workers ? in_words(terms.workers->found.workers) : "",
                                    tools::to_json(terms.accepted)};
  // What is an argument can be seen by every process inside.
  const std::string boundary = to_json(prepared.boundary, Values::Withheld);
  for (std::size_t at = 0; at < boundary.size(); at += kPiece) words.push_back(boundary.substr(at, kPiece));
  return words;
}

Result<int> serve_tools(std::span<char* const> words, char** envp, std::string_view version) {
  constexpr std::size_t kTrust = 0, kDesk = 1, kWatch = 2, kApprovals = 3, kWorkers = 4, kAccepted = 5, kBoundary = 6;
  if (words.size() <= kBoundary) return fail(ErrorKind::Usage, "this is for Pale itself:", std::string(kToolsCommand));
  const auto trust = project::parse_trust(words[kTrust]);
  if (!trust) return fail(ErrorKind::Usage, "not a level of trust:", words[kTrust]);
  PALE_TRY(desk, take_line(words[kDesk]));
  PALE_TRY(watch, take_line(words[kWatch]));
  PALE_TRY(approvals, tools::parse_approvals(words[kApprovals]));
  PALE_TRY(accepted, tools::parse_accepted(words[kAccepted]));
  std::string text;
  for (const char* piece : words.subspan(kBoundary)) text += piece;
  PALE_TRY(boundary, boundary_from_json(text));
  PALE_TRY(place, tools::enter(boundary, power_of(*trust, approvals), envp));
  tools::Blocked blocked(boundary, std::move(watch));
  place.blocked = &blocked;
  place.searcher = keeper_image();
  place.approvals = std::move(approvals);
  place.workers = words[kWorkers];
  place.accepted = std::move(accepted);
  // That nobody reads the answers is how a client ends it as well.
  (void)tools::serve(place, version, {}, std::move(desk));
  return 0;
}

}  // namespace pale::service
