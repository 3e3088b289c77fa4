// Tools that answer with each kind of content.
#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using Async = boost::asio::awaitable<ToolResult>;

constexpr const char* kSound = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==";

Json text_block(const char* text) { return Json{{"type", "text"}, {"text", text}}; }
Json picture_block() { return Json{{"type", "image"}, {"data", kPicture}, {"mimeType", "image/png"}}; }
Json sound_block() { return Json{{"type", "audio"}, {"data", kSound}, {"mimeType", "audio/wav"}}; }
Json resource_block(const char* uri, const char* type, const char* text) {
  return Json{{"type", "resource"}, {"resource", {{"uri", uri}, {"mimeType", type}, {"text", text}}}};
}

void add_blocks(Server& server, const char* name, const char* description, Json blocks) {
  server.add(Tool{.name = name,
                  .description = description,
                  .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
                  .handler = [blocks = std::move(blocks)](Call&) -> Async { co_return ToolResult::blocks(blocks); }});
}

// Words of JSON Schema that must come through unharmed, whether they are checked here or not.
Json rich_schema() {
  return Json::parse(R"({
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", "type": "object",
                          "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
                   "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                   "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": false})");
}

}  // namespace

void add_content_fixtures(Server& server) {
  add_blocks(server, "test_simple_text", "Answers with a text.",
             Json::array({text_block("This is a simple text response for testing.")}));
  add_blocks(server, "test_image_content", "Answers with a picture.", Json::array({picture_block()}));
  add_blocks(server, "test_audio_content", "Answers with a sound.", Json::array({sound_block()}));
  add_blocks(
      server, "test_embedded_resource", "Answers with a resource.",
      Json::array({resource_block("test://embedded-resource", "text/plain", "This is an embedded resource content.")}));
  add_blocks(server, "test_multiple_content_types", "Answers with a text, a picture and a resource.",
             Json::array({text_block("Multiple content types test:"), picture_block(),
                          resource_block("test://mixed-content-resource", "application/json",
                                         R"({"test":"data","value":123})")}));
  server.add(Tool{.name = "test_error_handling", .description = "Always fails.", .handler = [](Call&) -> Async {
                    co_return ToolResult::error("This tool intentionally returns an error for testing");
                  }});
  server.add(Tool{.name = "json_schema_2020_12_tool",
                  .description = "Its schema uses much of JSON Schema 2020-12.",
                  .input_schema = rich_schema(),
                  .handler = [](Call& call) -> Async { co_return ToolResult::text(call.arguments().dump()); }});
  Json schema = object_schema({{"region", text_schema("Repeated in the header Mcp-Param-Region.")}}, {"region"});
  schema["properties"]["region"]["x-mcp-header"] = "Region";
  server.add(Tool{.name = "test_header_argument",
                  .description = "Has an argument that HTTP repeats in a header.",
                  .input_schema = std::move(schema),
                  .handler = [](Call& call) -> Async { co_return ToolResult::text(call.text("region")); }});
}

}  // namespace pale::mcp
