#include "service/parcel.h"

#include <fcntl.h>

#include "base/json.h"
#include "base/json_value.h"
#include "service/compose.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostParcel = 32UL << 20U;
constexpr std::size_t kDeepest = 4;
constexpr int kDeepestFolder = 8;

// --- outside ----------------------------------------------------------------------------------------------------------

// A link in the user's home is the user's own: it is followed.
class HomePacker {
 public:
  HomePacker(JsonWriter& out, const Path& home) : out_(out), home_(home) {}

  Status pack(const std::string& name, int deep = 0) {
    const Path path = home_ / name;
    PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str(), sys::Links::Follow));
    if (info.kind == sys::FileKind::Directory && deep < kDeepestFolder) return pack_folder(path, name, deep);
    if (info.kind != sys::FileKind::File) return {};
    PALE_TRY(text, sys::read_file(sys::kAbsolute, path.c_str(), kMostParcel));
    out_.begin_array().value(name).value(text).end_array();
    return {};
  }

 private:
  Status pack_folder(const Path& path, const std::string& name, int deep) {
    PALE_TRY(folder, sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY));
    PALE_TRY(entries, sys::list_directory(folder));
    for (const sys::Entry& entry : entries) PALE_CHECK(pack(name + "/" + entry.name, deep + 1));
    return {};
  }

  JsonWriter& out_;
  const Path& home_;
};

void write_variable(JsonWriter& out, std::string_view name, std::string_view value) {
  out.begin_array().value(name).value(value).end_array();
}

// --- inside -----------------------------------------------------------------------------------------------------------

using Words = std::vector<std::string>;

Result<Words> words_of(const JsonValue* value) {
  Words words;
  if (value == nullptr) return fail(ErrorKind::System, "the parcel lacks something", "");
  for (const JsonValue& item : value->items()) {
    auto word = item.bytes();
    if (!word) return fail(ErrorKind::System, "the parcel holds something else than text", "");
    words.push_back(std::move(*word));
  }
  return words;
}

Status put(const std::string& home, const std::string& name, const std::string& content) {
  const std::string path = home + "/" + name;
  PALE_CHECK(sys::make_directories(path.substr(0, path.rfind('/')), 0700));
  PALE_TRY(file, sys::open_at(sys::kAbsolute, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  return sys::write_all(file.borrow(), content);
}

std::vector<char*> pointers_to(Words& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

Status become(char** envp) {
  std::string text;
  char buffer[65536];
  for (std::size_t got = 0; text.size() <= kMostParcel && (got = sys::read_some(0, buffer)) != 0;)
    text.append(buffer, got);
  PALE_TRY(parcel, JsonValue::parse(text, kDeepest));
  PALE_TRY(command, words_of(parcel.find("command")));
  const Caller caller{nullptr, envp};
  Words environment;
  for (char** variable = envp; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  for (const JsonValue& variable : parcel.find("environment")->items()) {
    PALE_TRY(pair, words_of(&variable));
    std::erase_if(environment, [&](const std::string& other) { return other.starts_with(pair[0] + "="); });
    environment.push_back(pair[0] + "=" + pair[1]);
  }
  for (const JsonValue& file : parcel.find("home")->items()) {
    PALE_TRY(pair, words_of(&file));
    PALE_CHECK(put(caller.variable("HOME"), pair[0], pair[1]));
  }
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_RDONLY));
  PALE_CHECK(sys::place_descriptor(nothing.borrow(), 0));
  std::vector<char*> variables = pointers_to(environment);
  std::vector<char*> words = pointers_to(command);
  const Caller inside{nullptr, variables.data()};
  const int number = sys::execute_from_path(command.front(), words.data(), variables.data(), inside.variable("PATH"));
  return fail_errno(number, "start the agent", command.front());
}

}  // namespace

Result<std::string> pack_agent(const AgentKit& kit, const std::string& task, const Path& user_home,
                               const Caller& caller) {
  PALE_TRY(command, project::command_for(kit.adapter, task));
  if (!kit.program.empty()) command.front() = kit.program;
  JsonWriter out;
  out.begin_object().key("command").begin_array();
  for (const std::string& word : command) out.value(word);
  out.end_array().key("environment").begin_array();
  if (!kit.search.empty()) write_variable(out, "PATH", kit.search + std::string(kSearchPath));
  for (const std::string& name : kit.adapter.environment) {
    if (caller.has_variable(name)) write_variable(out, name, caller.variable(name));
  }
  for (const auto& [name, value] : kit.adapter.set) write_variable(out, name, value);
  out.end_array().key("home").begin_array();
  for (const std::string& name : kit.adapter.home) PALE_CHECK(HomePacker(out, user_home).pack(name));
  out.end_array().end_object();
  if (out.text().size() > kMostParcel)
    return fail(ErrorKind::Refused, "too much of the home for a worker's agent " + kit.adapter.name + ", in bytes:",
                std::to_string(out.text().size()), "its adapter names what is copied: pale agent list");
  return out.text();
}

Error unpack_and_become(char** envp) { return become(envp).error(); }

}  // namespace pale::service
