// tests/support/directory.h: a directory for one unit test, and files in it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/path.h"

namespace pale::test {

class InADirectory : public testing::Test {
 protected:
  InADirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pale-project-XXXXXX").string();
    base_ = std::filesystem::canonical(mkdtemp(pattern.data()));
  }
  ~InADirectory() override { std::filesystem::remove_all(base_); }

  Path at(const std::string& name) const { return Path::literal((base_ / name).string()); }
  Path base() const { return Path::literal(base_.string()); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((base_ / name).parent_path());
    std::ofstream(base_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(base_ / name).rdbuf();
    return text.str();
  }

  std::filesystem::path base_;
};

}  // namespace pale::test
