// The tools search and find_files.
#include <fcntl.h>

#include <algorithm>

#include "base/text.h"
#include "search/find.h"
#include "search/request.h"
#include "sys/file.h"
#include "tools/refusal.h"
#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::uint64_t kUsualResults = 200, kMostResults = 2000;
constexpr std::uint64_t kMostContext = 50;
constexpr std::uint64_t kMostFound = 1'000'000;  // files and directories that are looked at by name
constexpr std::uint64_t kSearchSeconds = 20, kGraceSeconds = 10;
constexpr std::size_t kMostBytes = 128UL << 10U;
constexpr std::size_t kMostAnswer = 16UL << 20U;  // what searches is bounded already

constexpr Parameter kSearchParameters[] = {
    {"pattern", Kind::Text, Presence::Required, "A regular expression as Perl has them, for one line."},
    {"path", Kind::Path, Presence::Optional, "A directory or file to search; usually the workspace."},
    {"glob", Kind::Text, Presence::Optional,
     "Only files that match, such as *.py, or src/**/*.{c,h} from the workspace."},
    {"literal", Kind::Flag, Presence::Optional, "The pattern is no regular expression, but stands for itself."},
    {"ignoreCase", Kind::Flag, Presence::Optional, "Large and small letters are the same."},
    {"context", Kind::Number, Presence::Optional, "Lines to show before and behind each match; usually none."},
    {"maxResults", Kind::Number, Presence::Optional, "Most lines to show; usually 200. All are counted."},
    {"countOnly", Kind::Flag, Presence::Optional, "Only the files, and how many lines of each match."},
    {"includeIgnored", Kind::Flag, Presence::Optional, "Also in files that git ignores."},
};
constexpr Parameter kFindParameters[] = {
    {"pattern", Kind::Text, Presence::Required,
     "Such as *.py for names anywhere, or src/**/*.{c,h} for paths below the directory."},
    {"path", Kind::Path, Presence::Optional, "The directory to look in; usually the workspace."},
    {"excludePatterns", Kind::Texts, Presence::Optional, "Files and directories to leave out, such as node_modules."},
    {"maxResults", Kind::Number, Presence::Optional, "Most paths in the answer; usually 200."},
    {"includeIgnored", Kind::Flag, Presence::Optional, "Also files that git ignores."},
};
constexpr std::string_view kSearchSchema =
    R"({"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{},)"
    R"("count":{"type":"integer","description":"Lines that match."},"lines":{"type":"array","items":{"type":"object",)"
    R"("properties":{"line":{"type":"integer"},"match":{"type":"boolean"},"text":{"type":"string"}},)"
    R"("required":["line","match","text"]}}},"required":["path","count","lines"]}},)"
    R"("matchingLines":{"type":"integer"},"matchingFiles":{"type":"integer"},"searchedFiles":{"type":"integer"},)"
    R"("truncated":{"type":"boolean","description":"Whether more matched than is shown."},)"
    R"("timedOut":{"type":"boolean","description":"Whether some of the files were not searched."}},)"
    R"("required":["files","matchingLines","matchingFiles","searchedFiles","truncated","timedOut"]})";
constexpr std::string_view kFindSchema =
    R"({"type":"object","properties":{"paths":{"type":"array","items":{}},)"
    R"("truncated":{"type":"boolean","description":"Whether there are more."}},"required":["paths","truncated"]})";

// A tree, and where in it to look: by where the path leads, for rules go by that. What does not lie in the workspace is a tree of
// its own.
struct Place {
  std::string root;
  std::string prefix;  // of the paths in the answer
  std::string below;

  Path whole() const { return below.empty() ? Path::literal(root) : Path::literal(root) / below; }
};

Result<Place> place_of(const Call& call) {
  const Path& workspace = call.place.boundary.workspace();
  if (!call.arguments.has("path")) return Place{workspace.text(), "", ""};
  const std::string given = call.arguments.path("path");
  const auto opened = sys::open_at(call.root(), given.c_str(), O_RDONLY | O_NONBLOCK);
  if (!opened) return refuse(call, Operation::Read, given, opened.error());
  PALE_TRY(text, sys::path_of(*opened));
  PALE_TRY(path, Path::parse(text));
  if (!path.is_absolute()) return fail(ErrorKind::Usage, given + ":", "it is neither a file nor a directory");
  if (workspace.covers(path)) return Place{workspace.text(), "", std::string(workspace.below(path))};
  PALE_TRY(info, sys::file_info(*opened));
  const bool whole = info.kind == sys::FileKind::Directory;
  const std::string root = whole ? path.text() : path.parent().text();
  return Place{root, path.is_root() ? root : root + "/", whole ? std::string() : std::string(path.name())};
}

Result<std::uint64_t> bounded(const Call& call, const char* name, std::uint64_t usual, std::uint64_t most) {
  const std::uint64_t number = call.arguments.number(name).value_or(usual);
  if (number > most) return fail(ErrorKind::Usage, std::string(name) + ":", "must be at most " + std::to_string(most));
  return number;
}

search::WalkOptions walk_options(const Call& call) {
  return {.ignored = call.arguments.flag("includeIgnored") ? search::Ignored::Show : search::Ignored::Skip};
}

// --- search -----------------------------------------------------------------------------------------------------------

Result<search::Request> request_of(const Call& call) {
  PALE_TRY(place, place_of(call));
  PALE_TRY(context, bounded(call, "context", 0, kMostContext));
  PALE_TRY(most, bounded(call, "maxResults", kUsualResults, kMostResults));
  PALE_TRY(only, suffixes_below(call.place, place.whole()));
  search::Request request;
  request.only = std::move(only);
  request.root = std::move(place.root);
  request.prefix = std::move(place.prefix);
  if (!place.below.empty()) request.paths.push_back(std::move(place.below));
  request.pattern = call.arguments.text("pattern");
  request.glob = call.arguments.text("glob");
  if (call.arguments.flag("literal")) request.syntax = search::Syntax::Literal;
  if (call.arguments.flag("ignoreCase")) request.letters = search::Letters::AnyCase;
  if (call.arguments.flag("countOnly")) request.report = search::Report::Counts;
  request.walk = walk_options(call);
  request.context = context;
  request.most_lines = most;
  request.most_bytes = kMostBytes;
  request.time_limit = kSearchSeconds * 1000;
  // Whoever searches would refuse it as well, but only after it was started.
  return search::parse_request(search::to_text(request));
}

Result<Job> start_search(const Call& call) {
  PALE_TRY(request, request_of(call));
  PALE_TRY(program, sys::make_memory_file("pale", {call.place.searcher.data(), call.place.searcher.size()}));
  const std::string path = "/proc/self/fd/" + std::to_string(program.borrow());
  std::string aside(call.place.variable("TMPDIR"));
  return Job::start({.command = {path, "grep-files", search::to_text(request)},
                     .directory = call.place.root,
                     .envp = call.place.envp,
                     .seconds = kSearchSeconds + kGraceSeconds,
                     .aside = aside.empty() ? "/tmp" : std::move(aside),
                     .most_output = kMostAnswer});
}

void add_text(std::string& text, const search::FileMatches& file) {
  if (file.lines.empty()) {
    text += printable(file.path) + ": " + std::to_string(file.count) + "\n";
    return;
  }
  text += printable(file.path) + "\n";
  std::uint64_t expected = file.lines.front().number;
  for (const search::Line& line : file.lines) {
    if (line.number != expected && !file.lines.front().matches) text += "--\n";
    text += std::to_string(line.number) + (line.matches ? ": " : "- ") + as_text(line.text) + "\n";
    expected = line.number + 1;
  }
  text += "\n";
}

void add_data(JsonWriter& data, const search::FileMatches& file) {
  data.begin_object().field("path", file.path).field("count", file.count).key("lines").begin_array();
  for (const search::Line& line : file.lines) {
    data.begin_object().field("line", line.number).field("match", line.matches).field("text", as_text(line.text));
    data.end_object();
  }
  data.end_array().end_object();
}

std::string summary(const search::Answer& found) {
  std::string text = found.matching_lines == 0 ? "[No line matches; "
                                               : "[" + std::to_string(found.matching_lines) + " lines of " +
                                                     std::to_string(found.matching_files) + " files match; ";
  text += std::to_string(found.searched_files) + " files were searched.";
  if (found.more) text += " Not all is shown: narrow it with path or glob, or raise maxResults.";
  if (found.out_of_time) text += " The time was over before all files were searched: narrow it with path or glob.";
  if (found.unread > 0) text += " " + std::to_string(found.unread) + " could not be read.";
  if (found.hard > 0)
    text += " In " + std::to_string(found.hard) + " files a line was too hard for the pattern: use a simpler one.";
  return text + "]";
}

Result<Answer> finish_search(Job& job, const JobEnd& end) {
  if (end.exec_error != 0) return fail_errno(end.exec_error, "start the search", "");
  if (end.timed_out) return fail(ErrorKind::System, "the search", "took too long", "Narrow it with path or glob.");
  auto found = search::parse_answer(job.written().shown());
  if (!found) return fail(std::move(found).error());
  std::string text;
  JsonWriter data;
  data.begin_object().key("files").begin_array();
  for (const search::FileMatches& file : found->files) {
    add_text(text, file);
    add_data(data, file);
  }
  data.end_array().field("matchingLines", found->matching_lines).field("matchingFiles", found->matching_files);
  data.field("searchedFiles", found->searched_files).field("truncated", found->more);
  data.field("timedOut", found->out_of_time).end_object();
  return text_answer(text + summary(*found), data);
}

// --- find_files -------------------------------------------------------------------------------------------------------

Result<Answer> find_files(const Call& call) {
  PALE_TRY(place, place_of(call));
  PALE_TRY(most, bounded(call, "maxResults", kUsualResults, kMostResults));
  search::FindOptions options{.below = place.below, .walk = walk_options(call), .most = most, .most_seen = kMostFound};
  for (const std::string& pattern : call.arguments.texts("excludePatterns")) {
    PALE_TRY(glob, search::Glob::parse(pattern));
    options.without.push_back(std::move(glob));
  }
  PALE_TRY(glob, search::Glob::parse(call.arguments.text("pattern")));
  PALE_TRY(root, sys::open_at(sys::kAbsolute, place.root.c_str(), O_PATH | O_DIRECTORY));
  PALE_TRY(found, search::find_files(root, glob, options));
  std::string text;
  JsonWriter data;
  data.begin_object().key("paths").begin_array();
  for (const std::string& path : found.paths) {
    if (!call.place.accepted.accepts(Path::literal(place.root) / path)) continue;
    data.value(place.prefix + path);
    text += printable(place.prefix + path) + "\n";
  }
  data.end_array().field("truncated", found.more).end_object();
  if (found.more) text += "[There are more: narrow the pattern, or raise maxResults.]\n";
  if (found.unread > 0) text += "[" + std::to_string(found.unread) + " directories could not be looked into.]\n";
  return text_answer(text.empty() ? "No file matches." : text, data);
}

}  // namespace

constinit const Tool kSearch = {"search",
                                "Search in files",
                                "The lines of files that match a regular expression. Files that git ignores and binary "
                                "files are left out; links are not "
                                "followed.",
                                kSearchParameters,
                                kSearchSchema,
                                kOnlyLooks,
                                Power::Read,
                                nullptr,
                                start_search,
                                finish_search};

constinit const Tool kFindFiles = {
    "find_files",
    "Find files",
    "The files whose names or paths match a pattern. Files that git ignores are left out; links are not followed.",
    kFindParameters,
    kFindSchema,
    kOnlyLooks,
    Power::List,
    find_files};

}  // namespace pale::tools
