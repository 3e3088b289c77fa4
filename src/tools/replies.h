// tools/replies.h: what is said to the client, in either era of the protocol, and waits to be sent.
#pragma once

#include <string>
#include <string_view>

#include "tools/answer.h"
#include "tools/message.h"

namespace pale::tools {

// The older opens with `initialize` and remembers the client. The newer remembers nothing.
enum class Era { Older, Newer };

inline constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaCode = "pale/code";  // of a refusal
void write_identity(JsonWriter& out, std::string_view version);

class Replies {
 public:
  explicit Replies(std::string_view version) : version_(version) {}

  enum class Caching { None, Private };
  // A result that is an object, as JSON.
  void result(const std::string& id, Era era, std::string_view result, Caching caching = Caching::None);
  // Of the newer era: the client is to ask its user, and call again with this state and what he says.
  void input_required(const std::string& id, std::string_view key, std::string_view request, std::string_view state);
  void fault(const Fault& fault) { unsent += print_error(fault); }
  void tool(const std::string& id, Era era, const Answer& given);
  void tool(const std::string& id, Era era, std::string_view name, const Error& error);

  std::string unsent;

 private:
  void whole(const std::string& id, std::string_view type, std::string_view result, Caching caching,
             std::string_view code = {});

  std::string_view version_;  // of this program
};

}  // namespace pale::tools
