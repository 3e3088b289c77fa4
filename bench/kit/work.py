"""Work for a sandbox to do: sources to compile, and a repository to look through."""
import time

SOURCE = """\
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>

std::map<std::string, std::vector<int>> places(const std::vector<std::string>& lines, const std::string& pattern) {
  const std::regex expression(pattern);
  std::map<std::string, std::vector<int>> found;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    for (std::sregex_iterator at(lines[line].begin(), lines[line].end(), expression), end; at != end; ++at) {
      found[at->str()].push_back(static_cast<int>(line));
    }
  }
  for (auto& [word, numbers] : found) std::sort(numbers.begin(), numbers.end());
  return found;
}
"""
COMPILE = ("/usr/bin/g++", "-std=c++20", "-O1", "-pipe", "-c", "source.cc", "-o", "source.o")
FILES_IN_A_FOLDER = 100


def write_source(place):
    (place.work / "source.cc").write_text(SOURCE)
    place.user.own(place.work)


def write_repository(place, files):
    """Commits that many files, and waits until git need not read one again to know that it is unchanged."""
    for number in range(files):
        folder = place.work / f"folder{number // FILES_IN_A_FOLDER}"
        if number % FILES_IN_A_FOLDER == 0:
            folder.mkdir()
        (folder / f"file{number}.txt").write_text(f"This is file {number}.\n")
    place.user.own(place.work)
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "-m", "All files"]):
        place.run(["git", *command])
    time.sleep(1.1)
    place.run(["git", "update-index", "-q", "--really-refresh"])
    (place.work / "folder0/new.txt").write_text("Not yet added.\n")


def git_status(repeats):
    return ("/bin/sh", "-c", f"for i in $(seq {repeats}); do git status --porcelain || exit; done")
