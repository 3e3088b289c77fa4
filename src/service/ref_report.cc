#include "service/ref_report.h"

#include "base/json_value.h"
#include "base/text.h"

namespace pale::service {
namespace {

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kShortId = 10;

std::string text_of(const JsonValue& object, std::string_view key) {
  const JsonValue* value = object.find(key);
  return value == nullptr ? std::string() : value->bytes().value_or(std::string());
}

std::vector<std::string> texts_of(const JsonValue& object, std::string_view key) {
  std::vector<std::string> texts;
  if (const JsonValue* list = object.find(key); list != nullptr) {
    for (const JsonValue& item : list->items()) texts.push_back(item.bytes().value_or(std::string()));
  }
  return texts;
}

std::string listed(const std::vector<std::string>& paths) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t at = 0; at < paths.size() && at < kShown; ++at) text += (at == 0 ? "" : ", ") + printable(paths[at]);
  return paths.size() > kShown ? text + " and more" : text;
}

std::string what_is_wrong(const RefFinding& found) {
  if (found.wrong == "outside")
    return "commit " + found.commit.substr(0, kShortId) + " \"" + printable(found.subject) +
           "\" touches what is outside the scope: " + listed(found.paths);
  if (found.wrong == "removed") return "was removed";
  if (found.wrong == "no_commit") return "names something that is no commit";
  if (found.wrong == "odd") return "is no ref that git could follow, or stands in the way of one";
  if (found.wrong == "kept") return "is where Pale keeps what it refused, and was changed";
  return "moved, and could not be checked";
}

std::string line_of(const TodoFinding& found) {
  std::string line = printable(found.path) + ": the rebase that was left there ";
  line += found.command.empty() ? "cannot be read" : "runs a command when it goes on: " + printable(found.command);
  return found.kept.empty() ? line : line + "; it is now in " + printable(found.kept);
}

}  // namespace

Result<RefReport> parse_ref_report(std::string_view json) {
  PALE_TRY(top, JsonValue::parse(json, kDeepest));
  const JsonValue* strict = top.find("strict");
  const JsonValue* moved = top.find("moved");
  const JsonValue* refs = top.find("refs");
  if (strict == nullptr || !strict->boolean() || moved == nullptr || refs == nullptr || !refs->is_array())
    return fail(ErrorKind::System, "the check of the repository gave no answer", "");
  RefReport report;
  report.strict = *strict->boolean();
  report.moved = moved->whole_number().value_or(0);
  for (const JsonValue& item : refs->items()) {
    report.refs.push_back({text_of(item, "ref"), text_of(item, "wrong"), text_of(item, "now"), text_of(item, "commit"),
                           text_of(item, "subject"), texts_of(item, "paths"), text_of(item, "kept")});
  }
  report.staged = texts_of(top, "staged");
  report.unchecked = text_of(top, "unchecked");
  report.unmended = text_of(top, "unmended");
  return report;
}

std::vector<std::string> lines_of(const RefReport& report) {
  std::vector<std::string> lines;
  if (!report.unchecked.empty())
    lines.push_back("the repository could not be checked: " + printable(report.unchecked) +
                    (report.strict ? "; its refs are as they were before the run" : ""));
  for (const RefFinding& found : report.refs) {
    std::string line = printable(found.ref) + ": " + what_is_wrong(found);
    if (report.strict && report.unmended.empty()) {
      line += "; it is as it was before the run";
      if (!found.kept.empty()) line += ", and this is kept as " + printable(found.kept);
    }
    lines.push_back(std::move(line));
  }
  if (!report.staged.empty())
    lines.push_back("the index: staged outside the scope: " + listed(report.staged) +
                    (report.strict && report.unmended.empty() ? "; no longer" : ""));
  for (const TodoFinding& found : report.todos) lines.push_back(line_of(found));
  if (!report.unmended.empty()) lines.push_back("not all of it could be put back: " + printable(report.unmended));
  return lines;
}

}  // namespace pale::service
