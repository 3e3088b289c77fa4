#include "worker/golem_forge.h"

#include "worker/zone_terms.h"

namespace pale::worker {
namespace {

constexpr std::size_t kDeepest = 16;

// The last three are what the same things were called before.
constexpr Choice<ApprovalMode> kApprovalModes[] = {
    {"auto", ApprovalMode::Auto},          {"manual", ApprovalMode::Manual},    {"tool", ApprovalMode::Tool},
    {"interactive", ApprovalMode::Manual}, {"approve_all", ApprovalMode::Auto}, {"auto_deny", ApprovalMode::Deny}};

class Reader {
 public:
  explicit Reader(const Origin& origin) : origin_(origin) {}

  Result<Declaration> read(const YamlValue& whole) {
    Keys top(whole, origin_, "");
    PALE_CHECK(read_sandbox(top));
    PALE_TRY(approval, top.mapping("approval"));
    if (approval) {
      PALE_TRY(mode, approval->choice<ApprovalMode>("mode", kApprovalModes));
      declaration_.approval = mode;
      PALE_CHECK(approval->finish());
    }
    PALE_TRY(delegation, top.mapping("delegation"));
    if (delegation) {
      PALE_TRY(depth, delegation->amount("maxDepth"));
      declaration_.max_depth = depth;
      PALE_CHECK(delegation->finish());
    }
    PALE_CHECK(read_worker_paths(top));
    // Pale asks no model.
    if (const YamlMember* model = top.find("model"))
      declaration_.other.push_back({"model", origin_.line(model->key_at)});
    PALE_CHECK(top.finish());
    return std::move(declaration_);
  }

 private:
  Status read_sandbox(Keys& top) {
    PALE_TRY(sandbox, top.mapping("sandbox"));
    if (!sandbox) return {};
    PALE_TRY(mode, sandbox->choice<SandboxMode>("mode", project::kSandboxModes));
    PALE_TRY(root, sandbox->text("root"));
    declaration_.mode = mode;
    declaration_.root = std::move(root);
    PALE_TRY(zones, sandbox->mapping("zones"));
    if (zones) PALE_CHECK(read_zones(*zones));
    return sandbox->finish();
  }

  Status read_zones(Keys& zones) {
    for (const YamlMember& member : zones.members()) {
      PALE_TRY(keys, zones.mapping(member.key));
      if (keys) PALE_CHECK(read_zone(*keys, member.key, zones.where(member.key)));
    }
    return {};
  }

  Status read_zone(Keys& keys, const std::string& name, std::string where) {
    PALE_TRY(path, keys.text("path"));
    if (!path) return keys.wrong("path", "is missing", "path: ./" + name);
    PALE_TRY(terms, read_zone_terms(keys));
    declaration_.zones.push_back(
        {name, std::move(*path), std::nullopt, terms.access, terms.approval, std::move(where)});
    return {};
  }

  Status read_worker_paths(Keys& top) {
    PALE_TRY(paths, top.texts("workerPaths"));
    for (const std::string& text : paths.value_or(std::vector<std::string>())) {
      const auto path = Path::parse(text == "." || text == "./" ? "-" : text);
      if (!path || path->is_absolute())
        return top.wrong("workerPaths", "must be paths below the project, which '" + text + "' is not",
                         "workerPaths: [./workers]");
      declaration_.worker_paths.push_back({text, top.where("workerPaths")});
    }
    return {};
  }

  const Origin& origin_;
  Declaration declaration_ = {origin_.file, SandboxMode::Sandboxed};
};

}  // namespace

Result<Declaration> parse_golem_forge(std::string_view text, const std::string& file) {
  const Origin origin{text, file};
  auto whole = YamlValue::parse(text, kDeepest);
  if (!whole) {
    Error error = std::move(whole).error();
    error.kind = ErrorKind::Usage;
    error.operation = file + ":";
    return fail(std::move(error).with_hint("mend that line, or write it in a simpler way"));
  }
  if (!whole->is_null() && whole->kind() != YamlValue::Kind::Mapping)
    return origin.wrong(whole->at(), "a configuration consists of keys", "sandbox: {zones: {data: {path: ./data}}}");
  return Reader(origin).read(*whole);
}

}  // namespace pale::worker
