#include "studio/endpoints.h"

#include <gmock/gmock.h>

#include <set>

#include "studio/assets.h"

namespace pale::studio {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(c));
  return text;
}

// The document and the table say the same: every operation, who may do it, and whether it names a project.
TEST(Endpoints, AreThoseOfTheDocument) {
  const Json document = Json::parse(openapi_text());
  std::set<std::string> described;
  for (const auto& [path, methods] : document.at("paths").items()) {
    for (const auto& [method, operation] : methods.items()) {
      const std::string name = upper(method) + " " + path;
      described.insert(name);
      const Endpoint* endpoint = find_endpoint(name);
      ASSERT_NE(endpoint, nullptr) << name;
      bool of_project = false;
      for (const Json& parameter : operation.at("parameters")) of_project |= parameter.at("name") == "project_id";
      EXPECT_EQ(of_project, endpoint->about == About::Project) << name;
      const std::string need = endpoint->need == Need::Read    ? "read"
                               : endpoint->need == Need::Write ? "write"
                                                               : "manage";
      EXPECT_EQ(operation.at("x-pale-needs"), need) << name;
      EXPECT_EQ(std::holds_alternative<Stream>(endpoint->how),
                operation.at("responses").at("200").at("content").contains("text/event-stream"))
          << name;
    }
  }
  std::set<std::string> served;
  for (const Endpoint& endpoint : endpoints()) served.insert(name_of(endpoint));
  EXPECT_EQ(served, described);
}

TEST(Endpoints, EveryReferenceOfTheDocumentLeadsSomewhere) {
  const Json document = Json::parse(openapi_text());
  const std::string text = document.dump();
  for (std::size_t at = text.find("#/"); at != std::string::npos; at = text.find("#/", at + 1)) {
    const std::string pointer = text.substr(at + 1, text.find('"', at) - at - 1);
    EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << pointer;
  }
}

TEST(Endpoints, AreFoundByMethodAndPath) {
  EXPECT_EQ(find_endpoint("GET", "/stages/s%201/diff").id, "s 1");
  EXPECT_EQ(find_endpoint("GET", "/stages/s1/diff").endpoint->path, "/stages/{id}/diff");
  EXPECT_EQ(find_endpoint("GET", "/stages/s1").endpoint->path, "/stages/{id}");
  EXPECT_EQ(find_endpoint("GET", "/workers/calls").endpoint->path, "/workers/calls");
  for (const char* none : {"/stages/", "/stages//diff", "/stages/a/b/diff", "/", "", "/stagesx"})
    EXPECT_EQ(find_endpoint("GET", none).endpoint, nullptr) << none;
  EXPECT_TRUE(find_endpoint("DELETE", "/sessions").other_method);
}

}  // namespace
}  // namespace pale::studio
