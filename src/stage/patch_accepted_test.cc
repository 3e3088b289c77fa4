// What patch_of() writes is given to the programs it is for.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "stage/patch.h"

namespace pale::stage {
namespace {

namespace fs = std::filesystem;

// --- a folder with one file or link ---------------------------------------------------------------------------------

struct Item {
  VersionKind kind = VersionKind::Missing;
  bool executable = false;
  std::string path, text;

  Version version() const { return {kind, executable ? 0755U : 0644U, text}; }
  bool operator==(const Item&) const = default;
};

void showValue(const Item& item, std::ostream& os) {
  os << "{" << static_cast<int>(item.kind) << (item.executable ? " x " : " - ");
  rc::show(item.path, os);
  os << " ";
  rc::show(item.text, os);
  os << "}";
}

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "pale_patch_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    fs::create_directory(tree());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path tree() const { return path_ / "tree"; }
  fs::path beside(const char* name) const { return path_ / name; }

  void put(const Item& item) const {
    if (item.kind == VersionKind::Missing) return;
    const fs::path at = tree() / item.path;
    fs::create_directories(at.parent_path());
    if (item.kind == VersionKind::Symlink) return fs::create_symlink(item.text, at);
    std::ofstream(at, std::ios::binary) << item.text;
    fs::permissions(at, fs::perms(item.executable ? 0755 : 0644));
  }

  // Everything that is no folder: exactly one thing, or nothing.
  std::optional<Item> only_item() const {
    std::vector<Item> items;
    for (const auto& entry : fs::recursive_directory_iterator(tree())) {
      if (!entry.is_symlink() && entry.is_directory()) continue;
      Item item{VersionKind::File, false, entry.path().lexically_relative(tree()).string(), {}};
      if (entry.is_symlink()) {
        item.kind = VersionKind::Symlink;
        item.text = fs::read_symlink(entry.path()).string();
      } else {
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        item.text = text.str();
        item.executable = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      }
      items.push_back(std::move(item));
    }
    if (items.size() > 1) return std::nullopt;
    return items.empty() ? Item{} : items.front();
  }

 private:
  fs::path path_;
};

enum class Program { Git, Patch };

// The tree after the program went over it, or what it said.
struct Outcome {
  bool accepted;
  std::string said;
  std::optional<Item> item;
};

Outcome apply(Program program, const Item& before, const std::string& patch) {
  const Folder folder;
  folder.put(before);
  std::ofstream(folder.beside("patch"), std::ios::binary) << patch;
  // Nothing of the user's, and no repository above the folder.
  const std::string environment =
      "env -i PATH=/usr/bin:/bin HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_CEILING_DIRECTORIES=..";
  const std::string command =
      program == Program::Git ? " git apply ../patch" : " patch -p1 --no-backup-if-mismatch -f -i ../patch";
  const int status =
      std::system(("cd '" + folder.tree().string() + "' && " + environment + command + " >../said 2>&1").c_str());
  std::ostringstream said;
  said << std::ifstream(folder.beside("said")).rdbuf();
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, said.str(), folder.only_item()};
}

// --- changes ----------------------------------------------------------------------------------------------------------

std::string some_text() {
  const auto words =
      rc::gen::elementOf(std::vector<std::string>{"", "a", "b", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "-", "+",
                                                  "diff --git a/x b/x", "\\", "\r", "\x1b[31m", "\xff"});
  std::string text;
  for (const std::string& word : *rc::gen::container<std::vector<std::string>>(words)) text += word + "\n";
  if (!text.empty() && *rc::gen::inRange(0, 3) == 0) text.pop_back();
  return text;
}

// Some of the lines changed, as a person would.
std::string edited(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const int what = *rc::gen::inRange(0, 12);
    if (what == 0) continue;
    if (what == 1) result += "new\n";
    result += (what == 2 ? "other" : line) + "\n";
  }
  return result;
}

Item item_at(std::string path, VersionKind kind, std::string text) {
  const bool executable = kind == VersionKind::File && *rc::gen::arbitrary<bool>();
  if (kind == VersionKind::Missing) return {};
  if (kind == VersionKind::Symlink) text = *rc::gen::element<std::string>("target", "../up", "with space", "\xc3\xa4");
  return {kind, executable, std::move(path), std::move(text)};
}

VersionKind some_kind() {
  return *rc::gen::weightedElement<VersionKind>(
      {{5, VersionKind::File}, {2, VersionKind::Symlink}, {1, VersionKind::Missing}});
}

std::string some_path() {
  const std::string letters = *rc::gen::element<std::string>("abc", "ab ", "a \t\n\r\"\\'\x01\x7f\xc3\xa4\xff$*");
  const auto letter = rc::gen::elementOf(letters);
  const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(letter));
  std::string path = "n" + *name;  // neither "." nor an option
  if (*rc::gen::arbitrary<bool>()) path = "folder" + path + "/" + *name + "n";
  return path.substr(0, 200);
}

struct Case {
  Item before, after;
  std::string patch;

  Case() {
    const std::string path = some_path();
    const VersionKind old_kind = some_kind(), new_kind = some_kind();
    const bool both = old_kind != VersionKind::Missing && new_kind != VersionKind::Missing;
    const bool renamed = both && *rc::gen::inRange(0, 4) == 0;
    const std::string old_path = renamed ? "r" + some_path() : path;
    const std::string text = some_text();
    before = item_at(old_path, old_kind, text);
    after = item_at(path, new_kind, *rc::gen::element(text, edited(text), some_text()));
    patch = patch_of(path, before.version(), after.version(), renamed ? old_path : "");
  }
};

void check_applies(Program program) {
  const Case change;
  RC_PRE(!change.patch.empty());  // both programs take that for a mistake
  const Outcome outcome = apply(program, change.before, change.patch);
  RC_LOG() << change.patch << "\n" << outcome.said << "\n";
  RC_ASSERT(outcome.accepted);
  RC_ASSERT(outcome.item.has_value());
  RC_ASSERT(*outcome.item == change.after);
}

RC_GTEST_PROP(PatchAccepted, ByGitApply, ()) { check_applies(Program::Git); }
RC_GTEST_PROP(PatchAccepted, ByGnuPatch, ()) { check_applies(Program::Patch); }

// One patch of several files: binary ones stand in no other's way, wherever they are.
TEST(PatchOfSeveralFiles, BinaryOnesAreSkipped) {
  const std::string nul(1, '\0');
  const Item before{VersionKind::File, false, "x", "a\n"};
  const Item after{VersionKind::File, true, "x", "b\n"};
  const std::string binary = patch_of("b1", {VersionKind::File, 0644, nul}, {VersionKind::File, 0644, "a"});
  const std::string created = patch_of("b2", {}, {VersionKind::File, 0644, nul});
  const std::string patch = binary + patch_of("x", before.version(), after.version()) + created;
  for (const Program program : {Program::Git, Program::Patch}) {
    const Outcome outcome = apply(program, before, patch);
    EXPECT_TRUE(outcome.accepted) << outcome.said;
    EXPECT_EQ(outcome.item, after);
  }
}

}  // namespace
}  // namespace pale::stage
