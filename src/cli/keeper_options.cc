#include "cli/keeper_options.h"

namespace pale::cli {
namespace {

constexpr Option kJson = {"--json", "", "print as JSON"};

constexpr Option kSessionList[] = {
    {"-p", "ID", "only those of this managed project"},
    {"--workspace", "UUID", "only those of this workspace"},
    {"--live", "", "only those that live"},
    {"--limit", "N", "this many at most; usually 100"},
    kJson,
};
constexpr Option kSessionShow[] = {kJson};
constexpr Option kSessionLog[] = {
    {"--follow", "", "go on as more happens, until the session ends"},
    {"--raw", "", "only what commands wrote, byte for byte"},
    kJson,
};
constexpr Option kTokenCreate[] = {
    {"--scope", "SCOPE", "admin, admin:ro, project:ID or project:ID:ro; may be given several times"},
    {"--name", "NAME", "what it is for"},
    {"--expires", "TIME", "it ends after this time, such as 12h"},
    kJson,
};
constexpr Option kTokenList[] = {kJson};
constexpr Option kTokenRevoke[] = {{"--yes", "", "do not ask"}, kJson};
constexpr Option kServe[] = {
    {"--port", "N", "usually 7253; 0: any that is free"},
    {"--bind", "ADDRESS", "usually 127.0.0.1, which nobody but this machine reaches"},
    {"--host", "NAME", "a further name by which clients reach it, as of a proxy before it; may be given several times"},
    {"--no-studio", "", "no page: MCP alone"},
    {"--rate", "N", "most requests a second of one token, on average; usually 2000"},
    {"--conformance-fixtures", "", ""},
};

constexpr Option kStudio[] = {
    {"--port", "N", "usually 7253; 0: any that is free"},
    {"--no-browser", "", "only print the link"},
};

}  // namespace

std::span<const Option> session_list_options() { return kSessionList; }
std::span<const Option> session_show_options() { return kSessionShow; }
std::span<const Option> session_log_options() { return kSessionLog; }
std::span<const Option> token_create_options() { return kTokenCreate; }
std::span<const Option> token_list_options() { return kTokenList; }
std::span<const Option> token_revoke_options() { return kTokenRevoke; }
std::span<const Option> serve_options() { return kServe; }
std::span<const Option> studio_options() { return kStudio; }

}  // namespace pale::cli
