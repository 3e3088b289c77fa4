#include "tools/conversation.h"

#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::string_view kOlderVersions[] = {"2024-11-05", "2025-06-18", "2025-11-25"};
constexpr std::string_view kNewerVersion = "2026-07-28";
constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kCapabilities = R"({"tools":{}})";

const JsonValue* meta_of(const Message& message, std::string_view key) {
  const JsonValue* meta = message.params.find("_meta");
  return meta != nullptr && meta->is_object() ? meta->find(key) : nullptr;
}

Era era_of(const Message& message) {
  return message.method == "server/discover" || meta_of(message, kMetaVersion) != nullptr ? Era::Newer : Era::Older;
}

std::optional<Fault> check_newer(const Message& message) {
  const JsonValue* version = meta_of(message, kMetaVersion);
  if (version == nullptr || version->text() == nullptr)
    return Fault{kInvalidParams, "params._meta needs \"" + std::string(kMetaVersion) + "\""};
  if (*version->text() != kNewerVersion) {
    JsonWriter data;
    data.begin_object().key("supported").begin_array().value(kNewerVersion).end_array();
    data.field("requested", *version->text()).end_object();
    return Fault{kUnsupportedVersion, "this version of the protocol is not spoken here", data.text()};
  }
  const JsonValue* capabilities = meta_of(message, kMetaCapabilities);
  if (capabilities == nullptr || !capabilities->is_object())
    return Fault{kInvalidParams, "params._meta needs \"" + std::string(kMetaCapabilities) + "\", an object"};
  return std::nullopt;
}

// Whether its user can be asked in a form; an empty object says so, too.
bool can_elicit(const JsonValue* capabilities) {
  const JsonValue* elicitation =
      capabilities != nullptr && capabilities->is_object() ? capabilities->find("elicitation") : nullptr;
  if (elicitation == nullptr || !elicitation->is_object()) return false;
  return elicitation->members().empty() || elicitation->find("form") != nullptr;
}

std::string instructions(const Workplace& place) {
  const std::string asked = asked_places(place);
  return "The files of one project, inside a boundary that the kernel enforces. Paths are relative to " +
         place.boundary.workspace().text() + ", or absolute. When something is refused, boundary says why." +
         (asked.empty() ? "" : " " + asked);
}

void write_tool(JsonWriter& out, const Tool& tool, const Workplace& place) {
  const std::string workers = tool.errand != nullptr ? " There are: " + place.workers : "";
  out.begin_object().field("name", tool.name).field("title", tool.title);
  out.field("description", std::string(tool.description) + workers);
  write_schema(out.key("inputSchema"), tool.parameters);
  out.key("outputSchema").json(tool.output_schema).key("annotations").begin_object();
  out.field("readOnlyHint", tool.hints.read_only).field("destructiveHint", tool.hints.destructive);
  out.field("idempotentHint", tool.hints.idempotent).field("openWorldHint", tool.hints.open_world);
  out.end_object().end_object();
}

}  // namespace

void Conversation::take(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const auto message = parse_message(line);
  if (!message) {
    replies_.fault(message.error());
  } else if (message->is_response) {
    calls_.take_response(*message);
  } else if (!message->id.empty()) {
    take_request(*message);
  } else if (message->method == "notifications/cancelled") {
    calls_.cancel(id_of(message->params.find("requestId")));
  }
}

void Conversation::take_too_long() {
  replies_.fault({kInvalidRequest, "the message is larger than " + std::to_string(kMostBytes) + " bytes", {}, {}});
}

std::optional<Fault> Conversation::check(const Message& message, Era era) const {
  if (calls_.is_under_way(message.id)) return Fault{kInvalidRequest, "a request of this id is being answered"};
  if (era == Era::Newer) return check_newer(message);
  const bool opens = message.method == "initialize" || message.method == "ping";
  if (!opens && spoken_.empty()) return Fault{kInvalidRequest, "the first request must be \"initialize\""};
  if (message.method == "initialize" && !spoken_.empty()) return Fault{kInvalidRequest, "initialized already"};
  return std::nullopt;
}

void Conversation::take_request(const Message& message) {
  const Era era = era_of(message);
  auto fault = check(message, era);
  if (!fault && message.method == "tools/call") return calls_.call(message, origin_of(message, era));
  if (!fault && message.method == "tools/list")
    return replies_.result(message.id, era, list_tools(), Replies::Caching::Private);
  if (!fault && era == Era::Newer && message.method == "server/discover")
    return replies_.result(message.id, era, discover(), Replies::Caching::Private);
  if (!fault && era == Era::Older && message.method == "ping") return replies_.result(message.id, era, "{}");
  if (!fault && era == Era::Older && message.method == "initialize") {
    const Outcome result = initialize(message.params);
    if (result) return replies_.result(message.id, era, *result);
    fault = result.error();
  }
  if (!fault) fault = Fault{kMethodNotFound, "there is no method \"" + message.method + "\""};
  fault->id = message.id;
  replies_.fault(*fault);
}

Origin Conversation::origin_of(const Message& message, Era era) const {
  return {.id = message.id,
          .progress_token = id_of(meta_of(message, "progressToken")),
          .era = era,
          .elicits = era == Era::Older ? elicits_ : can_elicit(meta_of(message, kMetaCapabilities)),
          // Since 2025-11-25 it is the model that is told, which can do better the next time.
          .told_to_model = era == Era::Newer || spoken_ == std::end(kOlderVersions)[-1]};
}

Conversation::Outcome Conversation::initialize(const JsonValue& params) {
  const JsonValue* wanted = params.find("protocolVersion");
  if (wanted == nullptr || wanted->text() == nullptr)
    return std::unexpected(Fault{kInvalidParams, "protocolVersion is missing, a text"});
  // The newest that is not newer than what the client speaks; the client decides whether that will do.
  spoken_ = std::end(kOlderVersions)[-1];
  for (const std::string_view version : kOlderVersions) {
    if (version <= *wanted->text()) spoken_ = version;
  }
  elicits_ = can_elicit(params.find("capabilities"));
  JsonWriter out;
  out.begin_object().field("protocolVersion", spoken_).key("capabilities").json(kCapabilities);
  write_identity(out.key("serverInfo"), version_);
  out.field("instructions", instructions(place_)).end_object();
  return out.text();
}

std::string Conversation::discover() const {
  JsonWriter out;
  out.begin_object().key("supportedVersions").begin_array().value(kNewerVersion).end_array();
  out.key("capabilities").json(kCapabilities).field("instructions", instructions(place_)).end_object();
  return out.text();
}

std::string Conversation::list_tools() const {
  JsonWriter out;
  out.begin_object().key("tools").begin_array();
  for (const Tool* tool : tools_for(place_)) write_tool(out, *tool, place_);
  out.end_array().end_object();
  return out.text();
}

}  // namespace pale::tools
