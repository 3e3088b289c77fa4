#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/console.h"
#include "history/tokens.h"
#include "keeper/commands.h"
#include "keeper/session_view.h"
#include "keeper/table.h"
#include "service/prepare.h"
#include "sys/event.h"
#include "tenant/project.h"

namespace pale::keeper {
namespace {

using cli::Arguments;
using cli::Format;
using history::TokenInfo;

constexpr std::int64_t kSecond = 1000;
constexpr std::int64_t kLatest = 253'402'300'799;  // the end of the year 9999

struct TokenCall {
  Arguments arguments;
  Format format = Format::Text;
  Path pale_home;
  history::Tokens tokens;

  static Result<TokenCall> open(std::string_view name, const cli::CommandLine& line, std::size_t operands) {
    PALE_TRY(arguments, cli::parse_for(name, line, operands, operands));
    const Format format = arguments.has("--json") ? Format::Json : Format::Text;
    PALE_TRY(pale_home, service::pale_home_of({line.argv, line.envp}));
    PALE_TRY(tokens, history::Tokens::open(pale_home));
    return TokenCall{std::move(arguments), format, std::move(pale_home), std::move(tokens)};
  }
};

template <typename Work>
int with_tokens(std::string_view name, const cli::CommandLine& line, std::size_t operands, Work work) {
  auto call = TokenCall::open(name, line, operands);
  if (!call) {
    const bool json = std::ranges::find(line.words, std::string_view("--json")) != line.words.end();
    return cli::fail_with(call.error(), json ? Format::Json : Format::Text);
  }
  const Status done = work(*call);
  return done ? 0 : cli::fail_with(done.error(), call->format);
}

// A time from now on, or a date.
Result<std::optional<std::int64_t>> expiry_of(const Arguments& arguments) {
  if (!arguments.has("--expires")) return std::nullopt;
  const std::string text = arguments.value("--expires");
  const std::int64_t now = sys::wall_clock_seconds();
  std::optional<std::int64_t> at = parse_iso(text);
  if (const auto seconds = parse_duration(text); seconds && *seconds <= static_cast<std::uint64_t>(kLatest - now))
    at = now + static_cast<std::int64_t>(*seconds);
  if (!at || *at > kLatest)
    return fail(ErrorKind::Usage, "this is no time:", "'" + text + "'", "--expires 30d, 12h or 2027-01-31");
  if (*at <= now) return fail(ErrorKind::Usage, "this is over already:", "'" + text + "'", "--expires 30d");
  return *at * kSecond;
}

void write_token(JsonWriter& out, const TokenInfo& info) {
  const auto moment = [&](std::string_view key, const std::optional<std::int64_t>& at) {
    out.key(key);
    at ? out.value(moment_text(*at)) : out.null();
  };
  out.field("id", info.id).field("name", info.name).key("scopes").begin_array();
  for (const std::string& scope : info.scopes) out.value(scope);
  out.end_array();
  moment("created", info.created_ms);
  moment("last_used", info.last_used_ms);
  moment("expires", info.expires_ms);
}

void warn_of_missing_projects(const TokenCall& call, const std::vector<std::string>& scopes) {
  for (const std::string& scope : scopes) {
    const std::string_view project = history::project_of_scope(scope);
    if (project.empty() || tenant::is_there(call.pale_home, project)) continue;
    cli::print_hint("there is no managed project '" + std::string(project) +
                    "' yet; this token is good for whichever gets that id");
  }
}

Status create(TokenCall& call) {
  history::TokenRequest request;
  request.name = call.arguments.value("--name");
  for (const auto& [option, value] : call.arguments.options) {
    if (option == "--scope") request.scopes.push_back(value);
  }
  PALE_TRY(expires, expiry_of(call.arguments));
  request.expires_ms = expires;
  PALE_TRY(token, call.tokens.create(request));
  warn_of_missing_projects(call, request.scopes);
  if (call.format == Format::Text) {
    cli::print_note("token " + token.info.id + "; it is shown this once, and only its hash is kept");
    cli::print(token.secret + "\n");
    return {};
  }
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1);
  write_token(out, token.info);
  out.field("token", token.secret).end_object();
  cli::print(out.text() + "\n");
  return {};
}

TableRow row_of(const TokenInfo& info, std::int64_t now) {
  std::string scopes;
  for (const std::string& scope : info.scopes) scopes += (scopes.empty() ? "" : " ") + scope;
  const bool over = info.expires_ms && *info.expires_ms / kSecond <= now;
  return {info.id,
          info.name.empty() ? "-" : printable(info.name),
          printable(scopes),
          time_ago(info.created_ms / kSecond, now),
          info.last_used_ms ? time_ago(*info.last_used_ms / kSecond, now) : "never",
          info.expires_ms ? moment_text(*info.expires_ms) + (over ? " (over)" : "") : "never"};
}

std::string token_lines(const std::vector<TokenInfo>& tokens, std::int64_t now) {
  std::vector<TableRow> rows = {{"ID", "NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES"}};
  for (const TokenInfo& info : tokens) rows.push_back(row_of(info, now));
  return table_text(rows);
}

Status list(TokenCall& call) {
  PALE_TRY(tokens, call.tokens.list());
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).key("tokens").begin_array();
    for (const TokenInfo& info : tokens) {
      out.begin_object();
      write_token(out, info);
      out.end_object();
    }
    out.end_array().end_object();
    cli::print(out.text() + "\n");
  } else if (tokens.empty()) {
    cli::print_note("there is no token");
    cli::print_hint("pale token create --scope project:ID");
  } else {
    cli::print(token_lines(tokens, sys::wall_clock_seconds()));
  }
  return {};
}

Status revoke(TokenCall& call) {
  const std::string& id = call.arguments.operands.front();
  PALE_TRY(tokens, call.tokens.list());
  const auto token = std::ranges::find(tokens, id, &TokenInfo::id);
  if (token == tokens.end()) return call.tokens.revoke(id);  // which says that there is none
  const std::string name = token->name.empty() ? "" : " (" + printable(token->name) + ")";
  if (!call.arguments.has("--yes") && !cli::confirm("Revoke token " + id + name + "?"))
    return fail(ErrorKind::Refused, "whoever has it could no longer use token", id,
                "pale token revoke " + id + " --yes");
  PALE_CHECK(call.tokens.revoke(id));
  if (call.format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("revoked", id).end_object();
    cli::print(out.text() + "\n");
  }
  return {};
}

}  // namespace

int token_create_command(const cli::CommandLine& line) { return with_tokens("token create", line, 0, create); }
int token_list_command(const cli::CommandLine& line) { return with_tokens("token list", line, 0, list); }
int token_revoke_command(const cli::CommandLine& line) { return with_tokens("token revoke", line, 1, revoke); }

}  // namespace pale::keeper
