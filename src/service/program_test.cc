#include "service/program.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::service {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::IsEmpty;

class InstalledProgram : public test::InADirectory {
 protected:
  void program(const std::string& name, const std::string& text) const {
    write(name, text);
    fs::permissions(base_ / name, fs::perms(0755));
  }
  void link(const std::string& target, const std::string& name) const {
    fs::create_directories((base_ / name).parent_path());
    fs::create_symlink(target, base_ / name);
  }
  Program look(const std::string& name, const std::string& search, const std::vector<Path>& writable = {}) {
    variable_ = "PATH=" + search;
    char* envp[] = {variable_.data(), nullptr};
    const Caller caller{nullptr, envp};
    const project::Surroundings around{at("home"), at("home/.pale"), at("program")};
    const auto found = find_program(name, caller);
    EXPECT_TRUE(found) << found.error().sentence();
    const auto looked = look_into_program(*found, caller, around, writable);
    EXPECT_TRUE(looked) << looked.error().sentence();
    return looked ? *looked : Program();
  }

  std::string variable_;
};

TEST_F(InstalledProgram, APackageOfNpmsIsShownWithItsNeighboursAndItsNode) {
  program("home/.npm/lib/node_modules/agent/cli.js", "#!/usr/bin/env node\n");
  link("../lib/node_modules/agent/cli.js", "home/.npm/bin/agent");
  program("home/.nvm/v20/bin/node",
          "\x7f"
          "ELF");
  const Program found = look("agent", at("home/.npm/bin").text() + ":" + at("home/.nvm/v20/bin").text());
  EXPECT_EQ(found.path, at("home/.npm/lib/node_modules/agent/cli.js").text());
  EXPECT_THAT(found.places, ElementsAre(at("home/.npm"), at("home/.nvm/v20")));
  EXPECT_THAT(found.directories, ElementsAre(at("home/.nvm/v20/bin")));
}

TEST_F(InstalledProgram, AVirtualEnvironmentIsShownWhole) {
  program("home/venv/bin/agent", "#!" + at("home/venv/bin/python").text() + "\n");
  link("/usr/bin/env", "home/venv/bin/python");
  const Program found = look("agent", at("home/venv/bin").text());
  EXPECT_THAT(found.places, ElementsAre(at("home/venv")));
}

TEST_F(InstalledProgram, OfTheHomeItselfOrItsLocalOnlyTheFileIsShown) {
  program("home/bin/one", "x");
  program("home/.local/bin/two", "x");
  EXPECT_THAT(look("one", at("home/bin").text()).places, ElementsAre(at("home/bin/one")));
  EXPECT_THAT(look("two", at("home/.local/bin").text()).places, ElementsAre(at("home/.local/bin/two")));
}

TEST_F(InstalledProgram, WhatAnAgentMayWriteLeadsNowhere) {
  program("home/vault/bin/tool", "x");
  program("work/script", "#!" + at("home/vault/bin/tool").text() + "\n");
  program("work/env", "#!/usr/bin/env -S -u " + at("home/vault/bin/tool").text() + " sh\n");
  link(at("home/vault/bin/tool").text(), "work/link");
  link(at("work/link").text(), "home/bin/further");
  fs::create_directory_symlink(base_ / "work", base_ / "home/linked");
  const std::vector<Path> writable = {at("work")};
  for (const char* name : {"script", "env", "link"}) {
    EXPECT_THAT(look(name, at("work").text(), writable).places, IsEmpty()) << name;
    EXPECT_THAT(look(name, at("home/linked").text(), writable).places, IsEmpty()) << name;
  }
  EXPECT_THAT(look("further", at("home/bin").text(), writable).places, IsEmpty());
}

TEST_F(InstalledProgram, OfTheSystemNothingNeedsToBeShown) {
  const Program found = look("sh", "/usr/bin");
  EXPECT_THAT(found.places, IsEmpty());
  EXPECT_THAT(found.directories, IsEmpty());
}

TEST_F(InstalledProgram, ScriptsThatInterpretEachOtherEnd) {
  program("home/a", "#!" + at("home/b").text() + "\n");
  program("home/b", "#!" + at("home/a").text() + "\n");
  EXPECT_THAT(look("a", at("home").text()).places, ElementsAre(at("home/a"), at("home/b")));
}

TEST_F(InstalledProgram, ThatIsNowhereIsAnError) {
  write("home/bin/plain", "not executable");
  variable_ = "PATH=relative:" + at("home/bin").text() + ":";
  char* envp[] = {variable_.data(), nullptr};
  EXPECT_FALSE(find_program("plain", {nullptr, envp}));
  EXPECT_FALSE(find_program("none", {nullptr, envp}));
  EXPECT_FALSE(find_program("/none/such", {nullptr, envp}));
}

}  // namespace
}  // namespace pale::service
