#include "sandbox/layers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>

#include "support/directory.h"

namespace pale::sandbox {
namespace {

class Layers : public test::InADirectory {
 protected:
  void whiteout(const std::string& name) const {
    std::filesystem::create_directories((base_ / name).parent_path());
    ASSERT_EQ(mknod((base_ / name).c_str(), S_IFCHR, makedev(0, 0)), 0);
  }
  void make_opaque(const std::string& name) const {
    std::filesystem::create_directories(base_ / name);
    ASSERT_EQ(setxattr((base_ / name).c_str(), kOpaqueAttribute, "y", 1, 0), 0);
  }
  LayeredDirectory open() const {
    auto top = LayeredDirectory::open({at("upper"), at("middle"), at("base")});
    EXPECT_TRUE(top) << top.error().sentence();
    return std::move(*top);
  }
  // Every path that is seen, a line each.
  static std::string seen(const LayeredDirectory& directory, const std::string& prefix = "") {
    std::string text;
    const auto entries = directory.list();
    EXPECT_TRUE(entries);
    for (const sys::Entry& entry : *entries) {
      text += prefix + entry.name + "\n";
      if (entry.kind != sys::FileKind::Directory) continue;
      const auto below = directory.enter(entry.name.c_str());
      EXPECT_TRUE(below);
      text += seen(*below, prefix + entry.name + "/");
    }
    return text;
  }
};

TEST_F(Layers, ShowTheTopmostOfEachName) {
  for (const char* name : {"base/a", "base/d/x", "middle/a", "middle/d/y", "upper/d/x", "upper/z"}) write(name, name);
  EXPECT_EQ(seen(open()), "a\nd\nd/x\nd/y\nz\n");
  const auto place = find_place(open(), "d/x");
  ASSERT_TRUE(place);
  const auto info = place->directory.look("x");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, std::string("upper/d/x").size());
}

TEST_F(Layers, HideWhatIsBehindAWhiteoutAFileOrAnOpaqueDirectory) {
  for (const char* name :
       {"base/gone", "base/tree/x", "base/file/in", "base/anew/old", "middle/anew/older", "upper/anew/new"})
    write(name, name);
  whiteout("upper/gone");
  whiteout("middle/tree");
  write("upper/file", "now a file");
  make_opaque("upper/anew");
  EXPECT_EQ(seen(open()), "anew\nanew/new\nfile\n");
  const auto place = find_place(open(), "tree/x");
  ASSERT_TRUE(place);
  EXPECT_TRUE(place->directory.is_missing());
}

TEST_F(Layers, OfTheProjectItselfAreNoLayers) {
  write("base/d/x", "x");
  make_opaque("base/d");
  EXPECT_EQ(seen(open()), "d\nd/x\n");
}

TEST_F(Layers, FollowNoLink) {
  write("outside/secret", "x");
  std::filesystem::create_directories(base_ / "upper");
  std::filesystem::create_directory_symlink(base_ / "outside", base_ / "upper/d");
  write("base/d/x", "x");
  EXPECT_EQ(seen(open()), "d\n");
  const auto place = find_place(open(), "d/secret");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory.holder("secret"), nullptr);
}

}  // namespace
}  // namespace pale::sandbox
