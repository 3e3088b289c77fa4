#include "project/guard.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::project {
namespace {

using testing::HasSubstr;

class Guard : public test::InADirectory {
 protected:
  Guard() {
    for (const char* name : {"home/.pale", "home/work", "bin"}) std::filesystem::create_directories(base_ / name);
  }
  Surroundings around() const { return {at("home"), at("home/.pale"), at("bin")}; }
  std::string refusal(const Path& root) const {
    const auto status = check_root(root, around());
    if (status) return "accepted";
    EXPECT_EQ(status.error().kind, ErrorKind::Refused);
    EXPECT_THAT(status.error().hint, HasSubstr("mkdir"));
    return status.error().sentence();
  }
  // What makes a directory a source tree of Pale's.
  void make_source_tree(const std::string& name) const {
    write(name + "/src/boundary/boundary.h", "");
    write(name + "/src/sandbox/launch.h", "");
    write(name + "/apps/pale/main.cc", "");
    write(name + "/CMakeLists.txt", "project(pale VERSION 1.0)\n");
  }
};

TEST_F(Guard, AcceptsADirectoryOfItsOwn) { EXPECT_EQ(refusal(at("home/work")), "accepted"); }

TEST_F(Guard, RefusesAnySourceTreeOfPaleAndWhatLiesInIt) {
  make_source_tree("home/clone");
  for (const char* place : {"home/clone", "home/clone/src", "home/clone/src/boundary"})
    EXPECT_THAT(refusal(at(place)), HasSubstr("Pale's own source tree")) << place;
  EXPECT_EQ(refusal(at("home/work")), "accepted");
}

TEST_F(Guard, ANameOrAResemblanceIsNoSourceTree) {
  write("home/pale/README.md", "project(pale VERSION 1.0), a fork");
  write("home/pale/src/boundary/boundary.h", "");
  EXPECT_EQ(refusal(at("home/pale")), "accepted");
  make_source_tree("home/almost");
  write("home/almost/CMakeLists.txt", "project(other) # like pale\n");
  EXPECT_EQ(refusal(at("home/almost")), "accepted");
}

TEST_F(Guard, RefusesWhatHoldsTheProgram) {
  std::filesystem::create_directories(base_ / "bin/sub");
  EXPECT_THAT(refusal(at("bin")), HasSubstr("hold the program"));
  EXPECT_EQ(refusal(at("bin/sub")), "accepted");
}

TEST_F(Guard, RefusesTheHomeAndWhatHoldsIt) {
  EXPECT_THAT(refusal(at("home")), HasSubstr("home directory itself"));
  EXPECT_THAT(refusal(base()), HasSubstr("hold the home directory"));
  EXPECT_THAT(refusal(at("home/.pale")), HasSubstr("Pale's own directory"));
}

TEST_F(Guard, RefusesTheSystem) {
  for (const char* place : {"/", "/etc", "/usr/share", "/home", "/var/lib", "/proc/1", "/dev"})
    EXPECT_NE(refusal(Path::literal(place)), "accepted") << place;
}

}  // namespace
}  // namespace pale::project
