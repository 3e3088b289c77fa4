#include "tools/replies.h"

#include "tools/code.h"

namespace pale::tools {

void write_identity(JsonWriter& out, std::string_view version) {
  out.begin_object().field("name", "pale-tools").field("title", "Pale").field("version", version).end_object();
}

// In the newer era a result says whether it is complete, who gives it, and whether it may be kept.
void Replies::whole(const std::string& id, std::string_view type, std::string_view result, Caching caching,
                    std::string_view code) {
  JsonWriter out;
  out.begin_object().field("resultType", type);
  if (caching == Caching::Private) out.field("ttlMs", 60'000).field("cacheScope", "private");
  write_identity(out.key("_meta").begin_object().key(kMetaServer), version_);
  if (!code.empty()) out.field(kMetaCode, code);
  out.end_object();
  // Its members become members of the whole.
  unsent += print_result(id, out.text() + (result == "{}" ? "" : ",") + std::string(result.substr(1)));
}

void Replies::result(const std::string& id, Era era, std::string_view result, Caching caching) {
  if (era == Era::Newer) return whole(id, "complete", result, caching);
  unsent += print_result(id, result);
}

void Replies::input_required(const std::string& id, std::string_view key, std::string_view request,
                             std::string_view state) {
  JsonWriter out;
  out.begin_object().key("inputRequests").begin_object().key(key).json(request).end_object();
  out.field("requestState", state).end_object();
  whole(id, "input_required", out.text(), Caching::None);
}

void Replies::tool(const std::string& id, Era era, const Answer& given) {
  std::string text = R"({"content":[)";
  text.reserve(given.content.size() + given.structured.size() + 64);
  text.append(given.content).append(R"(],"structuredContent":)").append(given.structured).append("}");
  result(id, era, text);
}

void Replies::tool(const std::string& id, Era era, std::string_view name, const Error& error) {
  const std::string_view code = code_of(error);
  std::string text = std::string(name) + ": " + error.sentence();
  if (!error.hint.empty()) text += "\n" + error.hint;
  const std::string content = R"("content":[)" + text_block(text) + R"(],"isError":true})";
  if (era == Era::Newer) return whole(id, "complete", "{" + content, Caching::None, code);
  JsonWriter meta;
  meta.begin_object().field(kMetaCode, code).end_object();
  unsent += print_result(id, "{" + (code.empty() ? "" : R"("_meta":)" + meta.text() + ",") + content);
}

}  // namespace pale::tools
