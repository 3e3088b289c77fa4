// inherit: a project inside another one takes over its manifest, and only narrows it.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Inherit : public WithProjects {
 protected:
  Inherit() { work().make_directory("sub/.pale"); }
  void enclosing(const std::string& text) const { write_manifest(text); }
  void inner(const std::string& text) const {
    work().write("sub/.pale/project.toml", "inherit = \"../.pale/project.toml\"\n" + text);
  }
  Finished in_sub(const std::string& line, const Words& flags = {}) const {
    return pale_in(root() + "/sub", Words{"run"} + flags + Words{"--", "/bin/sh", "-c", line});
  }
};

TEST_P(Inherit, WhatTheEnclosingProjectSaysCountsInside) {
  work().write("sub/fixed", "fixed\n");
  enclosing("[agent]\nprotected = [\"sub/fixed\", \"sub/never\", \"other\"]\n[limits]\ntime = \"1s\"\n");
  inner("");
  const Finished run = in_sub("echo x > fixed; echo x > never; echo x > free; sleep 300");
  EXPECT_EQ(run.exit_code, 143) << run.err;
  EXPECT_EQ(work().read("sub/fixed"), "fixed\n");
  EXPECT_FALSE(work().exists("sub/never"));
  EXPECT_EQ(work().read("sub/free"), "x\n");
}

TEST_P(Inherit, TheInnerProjectIsItsOwnRoot) {
  work().write("beside", "beside\n");
  enclosing("");
  inner("");
  const Finished run = in_sub("pwd; cat ../beside; echo x > ../new");
  EXPECT_EQ(run.out, root() + "/sub\n") << run.err;
  EXPECT_FALSE(work().exists("new"));
}

TEST_P(Inherit, ItNarrowsFurther) {
  enclosing("[agent]\ntrust = \"workspace\"\nprotected = [\"sub/a\"]\n");
  inner("[agent]\ntrust = \"read_only\"\nprotected = [\"b\"]\n");
  const std::string before = work().snapshot();
  EXPECT_EQ(in_sub("echo x > c").exit_code, 2);
  EXPECT_EQ(work().snapshot(), before);
  inner("[agent]\nprotected = [\"b\"]\n");
  const Finished run = in_sub("echo x > a; echo x > b; echo x > c");
  EXPECT_EQ(work().read("sub/c"), "x\n") << run.err;
  EXPECT_FALSE(work().exists("sub/a"));
  EXPECT_FALSE(work().exists("sub/b"));
}

TEST_P(Inherit, ItNeverWidens) {
  work().make_directory("sub/data");
  struct Case {
    std::string around;
    std::string wider;
  };
  for (const Case& each : {
           Case{"[agent]\ntrust = \"read_only\"\n", "[agent]\ntrust = \"workspace\"\n"},
           Case{"[network]\nmode = \"none\"\n", "[network]\nmode = \"open\"\n"},
           Case{"[workspace]\ngit = \"none\"\n", "[workspace]\ngit = \"read\"\n"},
           Case{"[workspace]\nmode = \"strict\"\nfolders = [\"sub/data\"]\n", "[workspace]\nfolders = [\".pale\"]\n"},
           Case{"[workspace]\nmode = \"strict\"\nfolders = [\"sub/data\"]\n", "[workspace]\nmode = \"permissive\"\n"},
           Case{"[limits]\nmemory = \"1G\"\n", "[limits]\nmemory = \"2G\"\n"},
           Case{"[limits]\npids = 10\n", "[limits]\npids = 100\n"},
           Case{"[limits]\ntime = \"10s\"\n", "[limits]\ntime = \"1h\"\n"},
           Case{"[zones.d]\npath = \"sub/data\"\nmode = \"ro\"\n", "[zones.d]\npath = \"data\"\nmode = \"rw\"\n"},
       }) {
    enclosing(each.around);
    inner(each.wider);
    ASSERT_EQ(pale({"config", "set", "network", "open"}).exit_code, 0);
    const Finished run = in_sub("touch ran");
    EXPECT_EQ(run.exit_code, 3) << each.wider << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("more than"), HasSubstr("hint: "))) << each.wider;
    EXPECT_FALSE(work().exists("sub/ran")) << each.wider;
  }
}

TEST_P(Inherit, AProjectInsideAProtectedOrReadOnlyPlaceIsReadOnly) {
  work().write("sub/file", "as it was\n");
  for (const std::string around : {"[agent]\nprotected = [\"sub\"]\n", "[zones.s]\npath = \"sub\"\nmode = \"ro\"\n"}) {
    enclosing(around);
    inner("");
    const Finished run = in_sub("cat file; echo x > file; echo x > new");
    EXPECT_EQ(run.out, "as it was\n") << run.err;
    EXPECT_EQ(work().read("sub/file"), "as it was\n");
    EXPECT_FALSE(work().exists("sub/new"));
  }
}

TEST_P(Inherit, AProjectOutsideTheStrictScopeShowsItsNamesOnly) {
  work().write("sub/file", "closed\n");
  work().make_directory("lib");
  enclosing("[workspace]\nmode = \"strict\"\nfolders = [\"lib\"]\n");
  inner("");
  const Finished run = in_sub("ls; cat file; echo x > new");
  EXPECT_THAT(run.out, AllOf(HasSubstr("file\n"), Not(HasSubstr("closed"))));
  EXPECT_FALSE(work().exists("sub/new")) << run.err;
}

TEST_P(Inherit, OnlyTheManifestOfAProjectAroundItCanBeInherited) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  elsewhere.write(".pale/project.toml", "");
  enclosing("");
  for (const std::string& from : {elsewhere.text() + "/.pale/project.toml", std::string(".pale/project.toml"),
                                  std::string("../project.toml"), std::string("../../etc/.pale/project.toml")}) {
    work().write("sub/.pale/project.toml", "\ninherit = \"" + from + "\"\n");
    const Finished run = in_sub("touch ran");
    EXPECT_EQ(run.exit_code, 2) << from << run.err;
    EXPECT_THAT(run.err, HasSubstr("line 2, column ")) << from;
  }
  EXPECT_FALSE(work().exists("sub/ran"));
}

TEST_P(Inherit, AMissingOrBrokenParentStopsTheRun) {
  inner("");
  const Finished missing = in_sub("touch ran");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("inherit"));
  enclosing("[agent]\ntrust = \n");
  const Finished broken = in_sub("touch ran");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr(root() + "/.pale/project.toml: line 2, column 9"));
  EXPECT_FALSE(work().exists("sub/ran"));
}

TEST_P(Inherit, AChainIsFollowedToItsEnd) {
  enclosing("[agent]\ntrust = \"read_only\"\n");
  inner("");
  work().write("sub/deep/.pale/project.toml", "inherit = \"../.pale/project.toml\"\n");
  const Finished run = pale_in(root() + "/sub/deep", {"run", "--", "touch", "ran"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_FALSE(work().exists("sub/deep/ran"));
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
}

INSTANTIATE_TEST_SUITE_P(, Inherit, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
