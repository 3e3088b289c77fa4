#include "worker/worker_file.h"

#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "project/project.h"
#include "worker/front_matter.h"
#include "worker/zone_terms.h"

namespace pale::worker {
namespace {

constexpr std::size_t kDeepest = 16;

// What other programs that read the same files make something of.
constexpr std::string_view kOtherKeys[] = {"model", "compatible_models", "output_schema_ref", "attachment_policy",
                                           "server_side_tools"};
constexpr std::string_view kAllowedWorkers = "allowed_workers";
constexpr std::string_view kOtherPathKeys[] = {"max_file_bytes", "write_approval"};

class Reader {
 public:
  explicit Reader(const Origin& origin) : origin_(origin) {}

  Result<WorkerFile> read(const YamlValue& front) {
    Keys top(front, origin_, "");
    PALE_CHECK(read_name(top));
    PALE_TRY(description, top.text("description"));
    worker_.description = description.value_or("");
    PALE_CHECK(read_sandbox(top));
    PALE_CHECK(read_run(top));
    PALE_CHECK(read_toolsets(top));
    PALE_TRY(locked, top.boolean("locked"));
    worker_.locked = locked.value_or(false);
    leave(top, kOtherKeys);
    if (const YamlMember* astray = find_in(top, "allowed_workers"); astray != nullptr)
      return origin_.wrong(astray->key_at, "allowed_workers has another place",
                           "toolsets: {workers: {allowed_workers: […]}}");
    PALE_CHECK(top.finish());
    return std::move(worker_);
  }

 private:
  static const YamlMember* find_in(const Keys& keys, std::string_view key) {
    const auto found = std::ranges::find(keys.members(), key, &YamlMember::key);
    return found == keys.members().end() ? nullptr : &*found;
  }

  void leave(Keys& keys, std::span<const std::string_view> known) {
    for (const std::string_view key : known) {
      if (const YamlMember* member = keys.find(key)) leave(keys.said_name(key), *member);
    }
  }
  void leave(std::string name, const YamlMember& member) {
    worker_.other.push_back({std::move(name), origin_.line(member.key_at)});
  }

  Status read_name(Keys& top) {
    PALE_TRY(name, top.text("name"));
    if (!name) return top.wrong("name", "is missing", "name: my-worker");
    if (!project::check_id(*name))
      return top.wrong("name", "must be a word of letters, digits, '.', '_' and '-'",
                       "name: " + project::id_from(*name));
    worker_.name = std::move(*name);
    return {};
  }

  Status read_sandbox(Keys& top) {
    PALE_TRY(keys, top.mapping("sandbox"));
    if (!keys) return {};
    Sandbox sandbox;
    const YamlMember* zones = keys->find("zones");
    PALE_TRY(paths, keys->mapping("paths"));
    if (zones != nullptr && paths)
      return keys->wrong("paths", "is the old form of zones: only one of them can stand here", "remove sandbox.paths");
    if (zones != nullptr) PALE_CHECK(read_zones(*keys, zones->value, sandbox.zones));
    if (paths) PALE_CHECK(read_paths(*paths, sandbox.paths));
    PALE_CHECK(keys->finish());
    // To ask for nothing is to be a pure function, however it is written.
    if (!sandbox.zones.empty() || !sandbox.paths.empty()) worker_.sandbox = std::move(sandbox);
    return {};
  }

  Status read_zones(const Keys& sandbox, const YamlValue& list, std::vector<ZoneRequest>& zones) {
    if (list.kind() != YamlValue::Kind::Sequence)
      return sandbox.wrong("zones", "must be a list of zones", "zones: [{name: data, mode: ro}]");
    for (const YamlValue& item : list.items()) {
      const std::string name = "sandbox.zones[" + std::to_string(zones.size()) + "]";
      if (item.kind() != YamlValue::Kind::Mapping)
        return origin_.wrong(item.at(), name + " must be a mapping", "- name: " + example_name(item));
      Keys keys(item, origin_, name);
      PALE_TRY(zone, read_zone(keys));
      if (std::ranges::find(zones, zone.name, &ZoneRequest::name) != zones.end())
        return keys.wrong("name", "is a zone that already stands in this list: " + zone.name, "keep one of them");
      zones.push_back(std::move(zone));
    }
    return {};
  }

  static std::string example_name(const YamlValue& item) {
    return item.text() != nullptr && project::check_id(*item.text()) ? *item.text() : "data";
  }

  static Result<ZoneRequest> read_zone(Keys& keys) {
    PALE_TRY(name, keys.text("name"));
    if (!name) return keys.wrong("name", "is missing", "name: data");
    if (!project::check_id(*name))
      return keys.wrong("name", "is not a zone's name", "name: " + project::id_from(*name));
    PALE_TRY(terms, read_zone_terms(keys));
    return ZoneRequest{std::move(*name), terms.access, terms.approval};
  }

  Status read_paths(Keys& paths, std::vector<PathRequest>& requests) {
    for (const YamlMember& member : paths.members()) {
      if (!project::check_id(member.key))
        return origin_.wrong(member.key_at, "sandbox.paths has a key that is not a name",
                             "paths: {" + project::id_from(member.key) + ": {root: …}}");
      PALE_TRY(keys, paths.mapping(member.key));
      if (!keys) continue;
      PALE_TRY(request, read_path(*keys));
      request.name = member.key;
      leave(*keys, kOtherPathKeys);
      PALE_CHECK(keys->finish());
      requests.push_back(std::move(request));
    }
    return {};
  }

  static Result<PathRequest> read_path(Keys& keys) {
    PathRequest request;
    PALE_TRY(root, keys.text("root"));
    if (!root) return keys.wrong("root", "is missing", "root: ./data");
    if (*root != "." && *root != "./") {
      auto path = Path::parse(*root);
      if (!path || path->is_absolute()) return keys.wrong("root", "must be a folder below the project", "root: ./data");
      request.root = std::move(*path);
    }
    PALE_TRY(mode, keys.choice<Access>("mode", kModes));
    request.access = mode.value_or(Access::Read);
    PALE_TRY(suffixes, keys.texts("suffixes"));
    for (const std::string& suffix : suffixes.value_or(std::vector<std::string>())) {
      if (suffix.empty() || suffix.find('/') != std::string::npos)
        return keys.wrong("suffixes", "must be ends of file names", "suffixes: [\".json\"]");
    }
    request.suffixes = std::move(suffixes);
    return request;
  }

  Status read_run(Keys& top) {
    PALE_TRY(run, top.texts("run"));
    if (!run) return {};
    if (run->empty() || run->front().empty())
      return top.wrong("run", "must name a program", R"(run: ["python3", "worker.py"])");
    worker_.run = std::move(*run);
    return {};
  }

  Status read_toolsets(Keys& top) {
    PALE_TRY(toolsets, top.mapping("toolsets"));
    if (!toolsets) return {};
    for (const YamlMember& member : toolsets->members()) {
      if (member.key == "workers" && !member.value.is_null()) {
        PALE_CHECK(read_workers(*toolsets));
      } else {
        leave("toolsets." + member.key, member);
      }
    }
    return {};
  }

  Status read_workers(Keys& toolsets) {
    PALE_TRY(workers, toolsets.mapping("workers"));
    if (!workers) return {};
    PALE_TRY(allowed, workers->texts("allowed_workers"));
    for (const std::string& name : allowed.value_or(std::vector<std::string>())) {
      if (!project::check_id(name))
        return workers->wrong("allowed_workers", "must be names of workers, not " + name,
                              "allowed_workers: [" + project::id_from(name) + "]");
    }
    worker_.allowed_workers = std::move(allowed).value_or(std::vector<std::string>());
    for (const YamlMember& member : workers->members()) {
      if (member.key == kAllowedWorkers) continue;
      // Who mistypes it would have a worker that may call nobody.
      if (nearest(member.key, {&kAllowedWorkers, 1}))
        return origin_.wrong(member.key_at, "there is no key toolsets.workers." + member.key,
                             "did you mean allowed_workers?");
      leave("toolsets.workers." + member.key, member);
    }
    return {};
  }

  const Origin& origin_;
  WorkerFile worker_;
};

}  // namespace

Result<WorkerFile> parse_worker(std::string_view text, const std::string& file) {
  const Origin origin{text, file};
  PALE_TRY(parts, split_front_matter(origin));
  // They become an argument of a program, and a text in JSON.
  if (!is_utf8(parts.rest) || parts.rest.find('\0') != std::string_view::npos)
    return origin.wrong(parts.front.size(), "the instructions below are not text in UTF-8", "save the file as UTF-8");
  auto front = YamlValue::parse(parts.front, kDeepest);
  if (!front) {
    Error error = std::move(front).error();
    error.kind = ErrorKind::Usage;
    error.operation = file + ":";
    return fail(std::move(error).with_hint("mend that line, or write it in a simpler way"));
  }
  if (!front->is_null() && front->kind() != YamlValue::Kind::Mapping)
    return origin.wrong(front->at(), "a worker begins with keys", "name: my-worker");
  PALE_TRY(worker, Reader(origin).read(*front));
  worker.instructions = without_blank_edges(parts.rest);
  return worker;
}

}  // namespace pale::worker
