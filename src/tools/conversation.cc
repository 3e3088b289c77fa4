#include "tools/conversation.h"

#include <algorithm>

#include "tools/toolbox.h"

namespace pale::tools {
namespace {

constexpr std::string_view kOlderVersions[] = {"2024-11-05", "2025-06-18", "2025-11-25"};
constexpr std::string_view kNewerVersion = "2026-07-28";
constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
constexpr std::string_view kCapabilities = R"({"tools":{}})";
constexpr std::size_t kMostRunning = 32;

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

void write_identity(JsonWriter& out, std::string_view version) {
  out.begin_object().field("name", "pale-tools").field("title", "Pale").field("version", version).end_object();
}

std::string instructions(const Workplace& place) {
  return "The files of one project, inside a boundary that the kernel enforces. Paths are relative to " +
         place.boundary.workspace().text() + ", or absolute. When something is refused, boundary says why.";
}

void write_tool(JsonWriter& out, const Tool& tool) {
  out.begin_object().field("name", tool.name).field("title", tool.title).field("description", tool.description);
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
    unsent += print_error(message.error());
  } else if (!message->id.empty() && !message->is_response) {
    take_request(*message);
  } else {
    take_notification(*message);
  }
}

void Conversation::take_too_long() {
  unsent +=
      print_error({kInvalidRequest, "the message is larger than " + std::to_string(kMostBytes) + " bytes", {}, {}});
}

std::optional<Fault> Conversation::check(const Message& message, Era era) const {
  const auto same = [&](const auto& running) { return running->id == message.id; };
  if (std::ranges::any_of(running_, same)) return Fault{kInvalidRequest, "a request of this id is being answered"};
  if (era == Era::Newer) return check_newer(message);
  const bool opens = message.method == "initialize" || message.method == "ping";
  if (!opens && spoken_.empty()) return Fault{kInvalidRequest, "the first request must be \"initialize\""};
  if (message.method == "initialize" && !spoken_.empty()) return Fault{kInvalidRequest, "initialized already"};
  return std::nullopt;
}

void Conversation::take_request(const Message& message) {
  const Era era = era_of(message);
  auto fault = check(message, era);
  if (!fault && message.method == "tools/call") return call_tool(message, era);
  if (!fault && message.method == "tools/list") return answer(message.id, era, list_tools(), Caching::Private);
  if (!fault && era == Era::Newer && message.method == "server/discover")
    return answer(message.id, era, discover(), Caching::Private);
  if (!fault && era == Era::Older && message.method == "ping") return answer(message.id, era, "{}");
  if (!fault && era == Era::Older && message.method == "initialize") {
    const Outcome result = initialize(message.params);
    if (result) return answer(message.id, era, *result);
    fault = result.error();
  }
  if (!fault) fault = Fault{kMethodNotFound, "there is no method \"" + message.method + "\""};
  fault->id = message.id;
  unsent += print_error(*fault);
}

void Conversation::take_notification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const std::string id = id_of(message.params.find("requestId"));
  // Clients send it for finished requests too.
  for (const auto& running : running_) {
    if (running->id != id || running->cancelled) continue;
    running->cancelled = true;
    running->job.end();
  }
}

// In the newer era a result says that it is complete, who gives it, and whether it may be kept.
void Conversation::answer(const std::string& id, Era era, std::string_view result, Caching caching) {
  if (era == Era::Older) {
    unsent += print_result(id, result);
    return;
  }
  JsonWriter out;
  out.begin_object().field("resultType", "complete");
  if (caching == Caching::Private) out.field("ttlMs", 60'000).field("cacheScope", "private");
  write_identity(out.key("_meta").begin_object().key(kMetaServer), version_);
  out.end_object();
  // Its members become members of the whole.
  unsent += print_result(id, out.text() + (result == "{}" ? "" : ",") + std::string(result.substr(1)));
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
  for (const Tool* tool : tools_for(place_.power)) write_tool(out, *tool);
  out.end_array().end_object();
  return out.text();
}

void Conversation::call_tool(const Message& message, Era era) {
  const JsonValue* name = message.params.find("name");
  const Tool* tool = name != nullptr && name->text() != nullptr ? find_tool(*name->text(), place_.power) : nullptr;
  if (tool == nullptr) {
    const std::string called = name != nullptr && name->text() != nullptr ? *name->text() : "";
    unsent += print_error({kInvalidParams, "there is no tool \"" + called + "\" here", {}, message.id});
    return;
  }
  const JsonValue* given = message.params.find("arguments");
  const JsonValue none;
  const auto arguments = Arguments::check(given != nullptr ? *given : none, tool->parameters);
  // Since 2025-11-25 it is the model that is told, which can do better the next time.
  const bool as_fault = era == Era::Older && spoken_ != std::end(kOlderVersions)[-1];
  if (!arguments && as_fault) {
    const std::string sentence = std::string(tool->name) + ": " + arguments.error().sentence();
    unsent += print_error({kInvalidParams, sentence, {}, message.id});
    return;
  }
  if (!arguments) return answer_tool(message.id, era, tool->name, arguments.error());
  const Call call{place_, *arguments};
  if (tool->answer != nullptr) {
    const auto result = tool->answer(call);
    return result ? answer_tool(message.id, era, *result) : answer_tool(message.id, era, tool->name, result.error());
  }
  if (running_.size() >= kMostRunning)
    return answer_tool(message.id, era, tool->name, {ErrorKind::Refused, 0, "too many commands run already", "", ""});
  auto job = tool->start(call);
  if (!job) return answer_tool(message.id, era, tool->name, job.error());
  // What a tool that only looks has to say is its answer, not its progress.
  const std::string token = tool->hints.read_only ? std::string() : id_of(meta_of(message, "progressToken"));
  running_.push_back(std::make_unique<Running>(Running{message.id, token, era, tool, std::move(*job)}));
}

void Conversation::answer_tool(const std::string& id, Era era, const Answer& given) {
  std::string result = R"({"content":[)";
  result.reserve(given.content.size() + given.structured.size() + 64);
  result.append(given.content).append(R"(],"structuredContent":)").append(given.structured).append("}");
  answer(id, era, result);
}

void Conversation::answer_tool(const std::string& id, Era era, std::string_view tool, const Error& error) {
  std::string text = std::string(tool) + ": " + error.sentence();
  if (!error.hint.empty()) text += "\n" + error.hint;
  answer(id, era, R"({"content":[)" + text_block(text) + R"(],"isError":true})");
}

void Conversation::add_waits(std::vector<sys::Ready>& waits) const {
  for (const auto& running : running_) {
    waits.push_back({running->job.line().borrow()});
    if (running->job.output().is_open()) waits.push_back({running->job.output().borrow()});
  }
}

std::int64_t Conversation::next_ms() const noexcept {
  std::int64_t next = INT64_MAX;
  for (const auto& running : running_) next = std::min(next, running->job.deadline_ms());
  return next;
}

void Conversation::look_after_calls(std::int64_t now_ms) {
  for (auto& running : running_) {
    running->job.take_output();
    tell_progress(*running, now_ms);
    if (now_ms >= running->job.deadline_ms()) running->job.time_out();
    if (const auto end = running->job.take_end()) {
      if (!running->cancelled) end_call(*running, *end);
      running.reset();
    }
  }
  std::erase(running_, nullptr);
}

void Conversation::tell_progress(Running& running, std::int64_t now_ms) {
  constexpr std::int64_t kPauseMs = 100;
  if (running.progress_token.empty() || running.cancelled || now_ms < running.told_ms + kPauseMs) return;
  const std::string news = running.job.written().news();
  if (news.empty()) return;
  running.told_ms = now_ms;
  JsonWriter params;
  params.begin_object().key("progressToken").json(running.progress_token);
  params.field("progress", running.job.written().size()).field("message", as_text(news)).end_object();
  unsent += print_notification("notifications/progress", params.text());
}

void Conversation::end_call(Running& running, const JobEnd& end) {
  const auto result = running.tool->finish(running.job, end);
  if (result) return answer_tool(running.id, running.era, *result);
  answer_tool(running.id, running.era, running.tool->name, result.error());
}

}  // namespace pale::tools
