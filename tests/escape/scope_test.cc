// What lies outside the folders of a strict run stays unread and unchanged, by whatever way.
#include "escape/escape.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kStrict = {"--workspace", "in/here", "--workspace-mode", "strict"};

class OutOfScope : public Escape {
 protected:
  OutOfScope() {
    workspace().write("in/here/own", "own\n");
    workspace().write("in/beside/key", "TOKEN=abc\n");
    workspace().write("top", "TOKEN=abc\n");
    fs::copy_file(PALE_ATTACK, workspace().path() / "in/here/attack");
    give_tree(workspace().path(), GetParam());
  }
  // From inside the folder.
  Finished try_out(const std::string& script, std::vector<std::string> more = {}) const {
    std::vector<std::string> flags = kStrict;
    flags.insert(flags.end(), more.begin(), more.end());
    return shell("cd in/here\n" + script + "\nexit 7", flags);
  }
};

TEST_P(OutOfScope, ItIsNotReadByAnyWay) {
  const std::string before = workspace().snapshot();
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--backend", "landlock"}}) {
    const Finished run = try_out(R"(
    for f in ../../top ../beside/key "$PWD/../../top"; do
      cat $f; cat < $f; cp $f copy; ln $f hard; mv $f moved; cat copy hard moved
      ln -s $f link; cat link; rm -f link copy; dd if=$f; head -c 3 $f; tar cf - $f; mapfile -t x < $f && echo "${x[@]}"
      cat /proc/self/cwd/$f /proc/self/root$PWD/$f; exec 9< $f && cat <&9; exec 9<>$f && cat <&9
      . $f; bash $f; /bin/sh -c ". $f"; LD_PRELOAD=$f ls -d .
    done
    cd ../beside && cat key; cd .. && cat beside/key; exec 8< . && cat /proc/self/fd/8/beside/key
    cd here; ./attack replace ../../top; ./attack replace ../beside/key; rm -f evil-*
    )",
                                 more);
    EXPECT_EQ(run.exit_code, 7) << run.err;
    EXPECT_THAT(run.out, Not(HasSubstr("abc")));
    EXPECT_THAT(run.err, Not(HasSubstr("TOKEN=abc")));
    EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
    EXPECT_EQ(workspace().snapshot(), before);
  }
}

TEST_P(OutOfScope, ItIsNotChangedMovedOrReplacedByAnyWay) {
  const std::string before = workspace().snapshot();
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--backend", "landlock"}}) {
    const Finished run = try_out(R"(
    for f in ../../top ../beside/key; do
      echo hacked > $f; echo hacked >> $f; echo hacked | tee $f; truncate -s 0 $f; rm -f $f; mv own $f; cp own $f
      ln -f own $f; ln -sf own $f; sed -i s/abc/x/ $f; chmod 777 $f; touch -d 2001-01-01 $f
    done
    mv ../beside ../gone; mv ../beside .; mv ../../in ../../out; mv ../here ../there; rm -rf ../beside ../../top
    mkdir ../new ../../new; touch ../new ../../new; ln -s here ../alias; mknod ../pipe p
    ln -s ../beside way; echo hacked > way/key; echo hacked > way/new; rm -rf way/; rm -f way
    )",
                                 more);
    EXPECT_EQ(run.exit_code, 7) << run.err;
    EXPECT_EQ(workspace().snapshot(), before) << run.err;
  }
}

TEST_P(OutOfScope, ItsAttributesStay) {
  const std::string before = workspace().snapshot();
  const Finished run = try_out("./attack attributes ../../top; ./attack attributes ../beside/key");
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_EQ(workspace().snapshot(), before);
}

// By a link of /proc, or a path that ends in a dot, no name is said; and only a watch guards attributes there.
TEST_P(OutOfScope, ItsAttributesStayWithoutNamespaces) {
  const std::string before = workspace().snapshot();
  const Finished run = try_out(
      "for f in ../../top ../beside/key; do ./attack attributes $f | grep -v set-flags; done; "
      "chmod 777 ../beside/. ../beside ../beside/../beside/.; touch -d 2001-01-01 ../beside/.; "
      "ln -s /proc/self/fd/9 magic; exec 9< ..; chmod 777 magic/beside /proc/self/fd/9/beside "
      "/proc/self/cwd/../beside; "
      "rm magic",
      {"--backend", "landlock"});
  EXPECT_THAT(run.out, HasSubstr("chmod-handle"));
  EXPECT_THAT(run.out, Not(HasSubstr("succeeded")));
  EXPECT_EQ(workspace().snapshot(), before);
}

TEST_P(OutOfScope, ALinkThatIsLeftForTheNextRunWidensNothing) {
  ASSERT_EQ(try_out("rm -rf sub; ln -s ../beside sub; ln -s ../.. up").exit_code, 7);
  const std::string before = workspace().snapshot();
  for (const char* folder : {"in/here/sub", "in/here/up", "in/here/up/in/beside"}) {
    const Finished run =
        shell("cat top in/beside/key; echo hacked > top", {"--workspace", folder, "--workspace-mode", "strict"});
    EXPECT_THAT(run.out, Not(HasSubstr("TOKEN=abc\nTOKEN=abc"))) << folder;
    EXPECT_EQ(workspace().snapshot(), before) << folder;
  }
}

TEST_P(OutOfScope, NamesInTheFolderLeadNowhereElse) {
  const Finished run = try_out("ls ../.. ..; ls -l ../beside");
  EXPECT_THAT(run.out, HasSubstr("beside"));
  EXPECT_THAT(run.out, HasSubstr("key"));
}

INSTANTIATE_TEST_SUITE_P(, OutOfScope, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
