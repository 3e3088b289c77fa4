// A .worker file, which comes with a repository and is anybody's: one is read or refused with its place, and what is read means
// the same when it is written in the strictest form.
#include "fuzz/property.h"
#include "project/project.h"
#include "worker/worker_file.h"

namespace pale::worker {
namespace {

using fuzz::must;

// As YAML has it in double quotation marks. What may not stand there as it is, is written by its number; the text is UTF-8.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\') {
      out += text[at];
      continue;
    }
    const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    unsigned point = length == 1 ? byte : byte & (0xffU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) point = point << 6U | (static_cast<unsigned char>(text[++at]) & 0x3fU);
    out += "\\U";
    for (unsigned shift = 32; shift > 0; shift -= 4) out += "0123456789abcdef"[point >> (shift - 4) & 15U];
  }
  return out + "\"";
}

std::string list(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + quoted(text);
  return "[" + out + "]";
}

const char* mode(Access access) { return access == Access::Read ? "ro" : "rw"; }

std::string written(const char* key, std::optional<Approval> approval) {
  constexpr const char* kNames[] = {"preApproved", "ask", "blocked"};
  if (!approval) return "";
  return "        " + std::string(key) + ": " + kNames[static_cast<std::size_t>(*approval)] + "\n";
}

std::string written(const Sandbox& sandbox) {
  std::string out = sandbox.zones.empty() ? "sandbox:\n  paths:\n" : "sandbox:\n  zones:\n";
  for (const ZoneRequest& zone : sandbox.zones) {
    out += "    - name: " + quoted(zone.name) + "\n      mode: " + mode(zone.access) + "\n";
    const std::string approval = written("write", zone.approval.write) + written("delete", zone.approval.remove);
    if (!approval.empty()) out += "      approval:\n" + approval;
  }
  for (const PathRequest& path : sandbox.paths) {
    out += "    " + quoted(path.name) + ":\n      root: " + quoted(path.root ? path.root->text() : ".") +
           "\n      mode: " + mode(path.access) + "\n";
    if (path.suffixes) out += "      suffixes: " + list(*path.suffixes) + "\n";
  }
  return out;
}

std::string written(const WorkerFile& worker) {
  std::string out = "---\nname: " + quoted(worker.name) + "\ndescription: " + quoted(worker.description) + "\n";
  if (worker.sandbox) out += written(*worker.sandbox);
  if (!worker.run.empty()) out += "run: " + list(worker.run) + "\n";
  out += "toolsets: {workers: {allowed_workers: " + list(worker.allowed_workers) + "}}\n";
  out += std::string("locked: ") + (worker.locked ? "true" : "false") + "\n";
  return out + "---\n" + worker.instructions;
}

void check_sandbox(const Sandbox& sandbox, std::string_view text) {
  must(sandbox.zones.empty() != sandbox.paths.empty(), "it asks for zones or for paths", text);
  for (std::size_t i = 0; i < sandbox.zones.size(); ++i) {
    must(project::check_id(sandbox.zones[i].name).has_value(), "a zone's name is one", text);
    for (std::size_t j = 0; j < i; ++j)
      must(sandbox.zones[i].name != sandbox.zones[j].name, "a zone stands once", text);
  }
  for (const PathRequest& path : sandbox.paths) {
    must(project::check_id(path.name).has_value(), "a path's name is one", text);
    must(!path.root || !path.root->is_absolute(), "a path lies below the project", text);
  }
}

void check(std::string_view text) {
  auto worker = parse_worker(text, "/w");
  if (!worker) {
    const std::string sentence = worker.error().sentence();
    must(sentence.starts_with("/w: line "), "a refusal names file and line", sentence);
    must(!worker.error().hint.empty(), "and says what to do", sentence);
    return;
  }
  must(project::check_id(worker->name).has_value(), "its name is one", text);
  if (worker->sandbox) check_sandbox(*worker->sandbox, text);
  for (const std::string& name : worker->allowed_workers)
    must(project::check_id(name).has_value(), "whom it may call has a name", text);
  for (const std::string& word : worker->run)
    must(word.find('\0') == std::string::npos, "a command can be handed to the kernel", text);
  for (const OtherKey& key : worker->other) must(key.line > 1 && !key.key.empty(), "a key has a line", text);
  worker->other.clear();
  const std::string strict = written(*worker);
  const auto again = parse_worker(strict, "/w");
  must(again.has_value(), "what was read can be read again", again ? "" : again.error().sentence() + "\n" + strict);
  must(*again == *worker, "it says the same", strict);
}

}  // namespace
}  // namespace pale::worker

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::worker::check(pale::fuzz::as_text(data, size));
  return 0;
}
