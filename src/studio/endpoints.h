// studio/endpoints.h: everything the API can be asked, once. docs/api/openapi.json says the same in the words of others; a test
// compares the two.
#pragma once

#include <span>
#include <string_view>
#include <variant>

#include "service/request.h"
#include "studio/answer.h"

namespace pale::studio {

class Records;
class Studio;

// What it asks of whoever calls.
enum class Need { Read, Write, Manage };
enum class About { Project, Nothing };

// In a process of its own, which may wait for the disk and for others, and enter namespaces.
using Work = Answer (*)(const Asked& asked, const service::Caller& caller);
// From what is on record; on a thread of the pool.
using Look = Answer (*)(const Asked& asked, Records& records);
// From what the server itself knows; must not wait for anything.
using Say = Answer (*)(const Asked& asked);
// About whoever asks.
enum class Own { Me, Leave };
// It goes on, as events.
enum class Stream { Project, Session };

struct Endpoint {
  std::string_view method;
  std::string_view path;  // below /api/v1; {id} is one component
  Need need;
  About about;
  std::variant<Work, Look, Say, Own, Stream> how;
};

std::span<const Endpoint> endpoints();

// The one that is meant, with what stands for {id}.
struct Found {
  const Endpoint* endpoint = nullptr;
  std::string id;
  bool other_method = false;  // there is something at this path, but not for this method
};
Found find_endpoint(std::string_view method, std::string_view path);
const Endpoint* find_endpoint(std::string_view name);  // "GET /stages/{id}"
std::string name_of(const Endpoint& endpoint);

// What a request's body must be, as the document says it. Null if it takes none.
const Json& body_schema(const Endpoint& endpoint);

}  // namespace pale::studio
