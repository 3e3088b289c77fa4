#include "cli/stage.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "sys/event.h"
#include "sys/terminal.h"

namespace pale::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPause = kSecond / 5;

std::string octal(std::uint32_t mode) {
  std::string text;
  for (; mode != 0; mode /= 8) text.insert(text.begin(), static_cast<char>('0' + mode % 8));
  return text.empty() ? "0" : text;
}

std::string details(const stage::Change& change) {
  switch (change.kind) {
    case stage::ChangeKind::ModeChanged:
      return change.before.mode == change.after.mode
                 ? "  attributes"
                 : "  " + octal(change.before.mode) + " -> " + octal(change.after.mode);
    case stage::ChangeKind::Retyped:
      return "  " + std::string(to_text(change.before.kind)) + " -> " + std::string(to_text(change.after.kind));
    case stage::ChangeKind::Changed:
      if (change.before.mode != change.after.mode)
        return "  " + octal(change.before.mode) + " -> " + octal(change.after.mode);
      break;
    default: break;
  }
  const stage::EntryState& state = change.after.kind == stage::EntryKind::Missing ? change.before : change.after;
  return state.kind == stage::EntryKind::Symlink ? "  symlink" : "";
}

std::string section(std::string_view heading, const stage::ChangeSet& changes, const Palette& colours,
                    std::string (*reason)(const stage::Change&)) {
  if (changes.empty()) return {};
  std::string text = "\n" + std::string(heading) + "\n";
  for (const stage::Change& change : changes) {
    std::string line = change_line(change, colours);
    line.pop_back();
    text += line + ": " + printable(reason(change)) + "\n";
  }
  return text;
}

}  // namespace

Result<StageCall> StageCall::parse(std::string_view name, const CommandLine& line, std::size_t most_operands) {
  PALE_TRY(arguments, parse_for(name, line, 0, most_operands));
  const Format format = arguments.has("--json") ? Format::Json : Format::Text;
  const service::Caller caller{line.argv, line.envp};
  return StageCall{std::move(arguments), caller, format, !caller.has_variable("NO_COLOR")};
}

Result<service::Stages> StageCall::open() const {
  service::StagesOf of{{arguments.value("--project-root"), arguments.value("-p")}, std::nullopt};
  if (arguments.has("--workspace")) of.tenant = {arguments.value("-p"), arguments.value("--workspace")};
  return service::Stages::open(of, caller);
}

Result<StageCall::Meant> StageCall::meant(const service::Stages& stages) const {
  std::vector<std::string> words = arguments.operands;
  std::string name;
  if (!words.empty() && stages.is_stage(words.front())) {
    name = words.front();
    words.erase(words.begin());
  }
  auto stage = stages.find(name);
  if (!stage && name.empty() && !words.empty()) stage = stages.find(words.front());
  if (!stage) return fail(std::move(stage).error());
  PALE_TRY(paths, project_paths(stages, words));
  return Meant{std::move(*stage), std::move(paths)};
}

Result<std::vector<std::string>> StageCall::project_paths(const service::Stages& stages,
                                                          const std::vector<std::string>& given) {
  std::vector<std::string> paths;
  for (const std::string& word : given) {
    if (word == ".") return std::vector<std::string>();
    PALE_TRY(path, Path::parse(word));
    if (path == stages.root()) return std::vector<std::string>();
    if (path.is_absolute() && !stages.root().covers(path))
      return fail(ErrorKind::Usage, "this path is not in the project:", word, "a path below " + stages.root().text());
    paths.emplace_back(path.is_absolute() ? stages.root().below(path) : path.text());
  }
  return paths;
}

TerminalProgress::TerminalProgress() : shown_(sys::is_terminal(2)), next_ns_(sys::wall_clock_ns() + kSecond) {}

void TerminalProgress::tell(std::string_view what, std::size_t done, std::size_t all) {
  if (!shown_ || sys::wall_clock_ns() < next_ns_) return;
  next_ns_ = sys::wall_clock_ns() + kPause;
  written_ = true;
  const std::string of = all == 0 ? "" : " of " + std::to_string(all);
  print_beside("\r\x1b[K" + std::string(what) + ": " + std::to_string(done) + of);
}

void TerminalProgress::clear() {
  if (written_) print_beside("\r\x1b[K");
  written_ = false;
}

std::size_t conflicts_in(const stage::ChangeSet& changes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      changes, [](const stage::Change& change) { return change.conflict != stage::Conflict::None; }));
}

std::string change_line(const stage::Change& change, const Palette& colours) {
  using stage::ChangeKind;
  const bool deleted = change.kind == ChangeKind::Deleted;
  const std::string_view colour = deleted                              ? colours.bad
                                  : change.kind == ChangeKind::Created ? colours.good
                                                                       : colours.warn;
  const stage::EntryState& state = deleted ? change.before : change.after;
  std::string name = printable(change.path) + (state.kind == stage::EntryKind::Directory ? "/" : "");
  if (!change.from.empty()) name = printable(change.from) + " -> " + name;
  return "  " + std::string(colour) + padded(std::string(to_text(change.kind)), 9) + std::string(colours.plain) + name +
         details(change) + "\n";
}

std::string listed_apart(const stage::ChangeSet& conflicts, const stage::ChangeSet& executes,
                         const stage::ChangeSet& protections, const Palette& colours) {
  return section("Protected: these cannot be applied", protections, colours,
                 [](const stage::Change& change) { return change.protected_by; }) +
         section("Executed on the host: these need --allow-exec PATH, or a yes", executes, colours,
                 [](const stage::Change& change) { return change.executes; }) +
         section("Conflicts: these need --merge, --ours (the project's stay) or --theirs (the stage's)", conflicts,
                 colours, [](const stage::Change& change) {
                   return std::string(to_text(change.conflict)) + " beneath the stage since it began";
                 });
}

void write_changes(JsonWriter& out, const stage::ChangeSet& changes) {
  const auto write_state = [&](std::string_view name, const stage::EntryState& state) {
    out.key(name);
    if (state.kind == stage::EntryKind::Missing) {
      out.null();
      return;
    }
    out.begin_object().field("type", to_text(state.kind)).field("mode", octal(state.mode)).field("size", state.size);
    out.end_object();
  };
  const auto write_reason = [&](std::string_view name, const std::string& reason) {
    out.key(name);
    reason.empty() ? out.null() : out.value(reason);
  };
  out.begin_array();
  for (const stage::Change& change : changes) {
    out.begin_object().field("path", change.path).field("kind", to_text(change.kind));
    write_reason("from", change.from);
    write_state("before", change.before);
    write_state("after", change.after);
    write_reason("conflict", change.conflict == stage::Conflict::None ? "" : std::string(to_text(change.conflict)));
    write_reason("executes", change.executes);
    write_reason("protected", change.protected_by);
    out.end_object();
  }
  out.end_array();
}

}  // namespace pale::cli
