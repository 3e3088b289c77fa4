#include "base/json.h"
#include "cli/tenant.h"
#include "history/tokens.h"
#include "keeper/commands.h"

namespace pale::keeper {
namespace {

using cli::Format;
using cli::TenantCall;
using history::Tokens;

// Says what would go, and asks.
Status check_delete(const TenantCall& call, const std::string& id, service::IfLive if_live) {
  PALE_TRY(workspaces, service::list_workspaces(call.pale_home, id));
  PALE_TRY(live, service::live_sessions(call.pale_home, id));
  if (!live.empty() && if_live == service::IfLive::Refuse) return {};  // It will be refused, whatever the answer.
  const std::size_t count = workspaces.workspaces.size() + workspaces.damaged.size();
  const std::string what = "project " + id + " with " + std::to_string(count) +
                           (count == 1 ? " workspace" : " workspaces") + " and all that is in it";
  return call.may_destroy("Delete " + what + "?", what,
                          "pale project delete " + id + (if_live == service::IfLive::EndThem ? " --force" : ""));
}

std::string tokens_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " token" : " tokens"); }

void print_deleted(const TenantCall& call, const std::string& id, const Tokens::Freed& freed) {
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("id", id).field("deleted", true);
    out.field("tokens_revoked", freed.revoked).field("tokens_narrowed", freed.narrowed).end_object();
    return cli::print(out.text() + "\n");
  }
  cli::print("Deleted project " + id + "\n");
  if (freed.revoked != 0) cli::print("  revoked " + tokens_text(freed.revoked) + ", good for nothing else\n");
  if (freed.narrowed != 0) cli::print("  took it from " + tokens_text(freed.narrowed) + ", good for more\n");
}

Status delete_project(const TenantCall& call) {
  const std::string& id = call.arguments.operands.front();
  const auto if_live = call.arguments.has("--force") ? service::IfLive::EndThem : service::IfLive::Refuse;
  PALE_CHECK(check_delete(call, id, if_live));
  // First: a project whose tokens cannot be taken back stays.
  PALE_TRY(tokens, Tokens::open(call.pale_home));
  PALE_CHECK(service::delete_managed_project(call.pale_home, id, if_live));
  PALE_TRY(freed, tokens.free_project(id));
  print_deleted(call, id, freed);
  return {};
}

}  // namespace

int project_delete_command(const cli::CommandLine& line) {
  const auto call = TenantCall::parse("project delete", line, 1, 1);
  if (!call) return cli::fail_with(call.error(), Format::Text);
  const Status done = delete_project(*call);
  return done ? 0 : cli::fail_with(done.error(), call->format);
}

}  // namespace pale::keeper
