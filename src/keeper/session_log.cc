#include "keeper/session_log.h"

#include <algorithm>

#include "base/text.h"
#include "keeper/session_view.h"
#include "service/shown_lines.h"

namespace pale::keeper {
namespace {

using session::Event;
using session::EventKind;

constexpr std::size_t kLongestLine = 1UL << 16U;

std::string mark(std::uint64_t run) { return run == 0 ? std::string() : "[" + std::to_string(run) + "] "; }

std::string output_line(std::uint64_t run, const std::string& stream, std::string_view line) {
  return mark(run) + (stream == "stderr" ? "! " : "| ") + service::shown_line(line);
}

// As it appears while a run is watched.
std::string denied(const Event& event) {
  if (!event.rule.starts_with(session::kOutsideFolders))
    return "denied: " + printable(event.operation) + " " + printable(event.path) + " (" + printable(event.rule) + ")";
  return "[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + printable(event.path) +
         "\n[WORKSPACE]   Operation: " + printable(event.operation) +
         "\n[WORKSPACE]   Workspace folders: " + printable(event.rule.substr(session::kOutsideFolders.size()));
}

std::string connection(const Event& event) {
  std::string text =
      "network: " + printable(event.ending) + " " + printable(event.path) + " (" + printable(event.operation) + ")";
  if (event.ending == "allowed" || event.ending == "begun")
    text += ", " + std::to_string(event.bytes) + " bytes out, " + std::to_string(event.received) + " in";
  return event.rule.empty() ? text : text + ": " + printable(event.rule);
}

std::string happened(const Event& event) {
  switch (event.kind) {
    case EventKind::Started: return "started";
    case EventKind::Run: return "$ " + command_text(event.command) + "   (in " + printable(event.directory) + ")";
    case EventKind::Input: return "input of " + std::to_string(event.bytes) + " bytes";
    case EventKind::Denied: return denied(event);
    case EventKind::Changed: return "changes: " + printable(event.operation) + " " + printable(event.path);
    case EventKind::Exit:
      return (event.ending == "exited" ? "exit " + std::to_string(event.exit_code)
                                       : printable(event.ending) + ", exit " + std::to_string(event.exit_code)) +
             " after " + std::to_string(event.milliseconds) + " ms";
    case EventKind::Connection: return connection(event);
    case EventKind::Ended: return event.ending == "ended" ? "ended" : "ended: " + printable(event.ending);
    case EventKind::Unreadable: return "a line that cannot be read: " + printable(event.data);
    case EventKind::Output: break;
  }
  return {};
}

}  // namespace

std::string LogText::add(const Event& event) {
  if (event.kind == EventKind::Output) return add_output(event);
  std::string text = event.kind == EventKind::Ended ? finish() : finish_run(event.run);
  return text + moment_text(event.at_ms) + "  " + mark(event.run) + happened(event) + "\n";
}

std::string LogText::add_output(const Event& event) {
  std::string& begun = begun_[{event.run, event.stream}];
  std::string text;
  std::string_view rest = event.data;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
    text += output_line(event.run, event.stream, begun.append(rest.substr(0, end)));
    begun.clear();
  }
  begun += rest;
  if (begun.size() < kLongestLine) return text;
  text += output_line(event.run, event.stream, begun);
  begun.clear();
  return text;
}

std::string LogText::finish_run(std::uint64_t run) {
  std::string text;
  for (auto each = begun_.lower_bound({run, ""}); each != begun_.end() && each->first.first == run;
       each = begun_.erase(each)) {
    if (!each->second.empty()) text += output_line(run, each->first.second, each->second);
  }
  return text;
}

std::string LogText::finish() {
  std::string text;
  while (!begun_.empty()) text += finish_run(begun_.begin()->first.first);
  return text;
}

}  // namespace pale::keeper
