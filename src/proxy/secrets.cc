#include "proxy/secrets.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::proxy {
namespace {

using network::Key;
using network::Secret;

constexpr std::size_t kMostSecret = 64UL << 10U;
constexpr std::int64_t kPatienceMs = 60'000;  // somebody may have to type a password for it
constexpr std::string_view kUsualPath = "/usr/local/bin:/usr/bin:/bin";

std::string variable(char** envp, std::string_view name) {
  for (char** each = envp; each != nullptr && *each != nullptr; ++each) {
    const std::string_view text = *each;
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=')
      return std::string(text.substr(name.size() + 1));
  }
  return {};
}

[[noreturn]] void become(const std::vector<std::string>& words, char** envp, const sys::Fd& output) {
  (void)sys::place_descriptor(output.borrow(), 1);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string path = variable(envp, "PATH");
  (void)sys::execute_from_path(words.front(), argv.data(), envp, path.empty() ? kUsualPath : path);
  sys::exit_now(127);
}

Result<std::string> read_to_the_end(const sys::Fd& from) {
  std::string text;
  std::array<char, 4096> buffer;
  const std::int64_t until = sys::monotonic_ms() + kPatienceMs;
  for (;;) {
    sys::Ready ready = {from.borrow()};
    PALE_CHECK(sys::wait_ready({&ready, 1}, std::max<std::int64_t>(0, until - sys::monotonic_ms())));
    if (!ready.readable && !ready.closed) return fail(ErrorKind::System, "the command took too long", "");
    const long got = sys::call(SYS_read, from.borrow(), buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostSecret) return fail(ErrorKind::Usage, "the command prints too much", "");
  }
}

Result<std::string> run_command(const std::vector<std::string>& words, char** envp) {
  PALE_TRY(pipe, sys::open_pipe());
  PALE_TRY(child, sys::fork_into(0));
  if (child.pid == 0) become(words, envp, pipe.write_end);
  pipe.write_end.reset();
  auto text = read_to_the_end(pipe.read_end);
  if (!text) (void)sys::kill_process(child.pidfd);
  PALE_TRY(status, sys::wait_for(child.pid));
  if (text && sys::exit_code_of(status) != 0)
    return fail(ErrorKind::System, "the command " + words.front() + " ended with",
                std::to_string(sys::exit_code_of(status)));
  return text;
}

Result<std::string> read_secret(const Secret& secret, char** envp) {
  switch (secret.source) {
    case Secret::Source::File: return sys::read_file(sys::kAbsolute, secret.words.front().c_str(), kMostSecret);
    case Secret::Source::Command: return run_command(secret.words, envp);
    case Secret::Source::Variable: break;
  }
  std::string value = variable(envp, secret.words.front());
  if (value.empty()) return fail(ErrorKind::NotFound, "the variable is not set:", secret.words.front());
  return value;
}

}  // namespace

Result<std::string> header_value(const Key& key, std::string_view secret) {
  while (!secret.empty() && (secret.back() == '\n' || secret.back() == '\r')) secret.remove_suffix(1);
  if (secret.empty()) return fail(ErrorKind::Usage, "it is", "empty");
  const auto is_text = [](char byte) { return static_cast<unsigned char>(byte) >= ' ' && byte != 0x7f; };
  if (!std::ranges::all_of(secret, is_text)) return fail(ErrorKind::Usage, "it is more than", "one line");
  if (!key.user.empty()) return "Basic " + to_base64(key.user + ":" + std::string(secret));
  return key.prefix + std::string(secret);
}

std::vector<LoadedKey> load_keys(const std::vector<Key>& keys, char** envp) {
  std::vector<LoadedKey> loaded;
  for (const Key& key : keys) {
    auto secret = read_secret(key.secret, envp);
    auto value = secret ? header_value(key, *secret) : std::move(secret);
    loaded.push_back({key, value ? *value : std::string(), value ? std::string() : value.error().sentence()});
  }
  return loaded;
}

}  // namespace pale::proxy
