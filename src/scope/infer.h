// scope/infer.h: the fileScope that folders stand for, as patterns. Pure: what the folders hold is looked up by others.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pale::scope {

// Those that every folder has, whatever it holds, in this order.
inline constexpr std::array<std::string_view, 8> kUsualExtensions = {"sh",   "js", "ts",   "py",
                                                                     "json", "md", "yaml", "yml"};

// What follows the last dot of a file's name; empty for "Makefile", for ".gitignore" and for "name.".
std::string_view extension_of(std::string_view file_name) noexcept;

// What is known of one folder.
struct FolderContent {
  std::string name;                     // below the repository's root: "packages/api"
  std::vector<std::string> extensions;  // of the files that it holds, in any order
};

// "lib/**/*.sh", …: of each folder the usual ones, then the others that it holds, by their letters. A name that has a meaning
// in patterns ("[id]") is written so that it stands for itself; one that is not UTF-8, and so cannot stand in JSON, is left out.
std::vector<std::string> infer_patterns(std::span<const FolderContent> folders);

// Whether these patterns are what was once inferred for just these folders: they may grow then. What anybody else wrote is his.
bool is_inferred(std::span<const std::string> patterns, std::span<const FolderContent> folders);

}  // namespace pale::scope
