"""Work for a sandbox to do: sources to compile, a repository to look through, projects to find."""
import json
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


MANIFEST = """\
[project]
id = "shop"
name = "Shop"
created = "2026-01-23T14:30:00Z"

[workspace]
type = "existing"

[agent]
trust = "workspace"
protected = [".git", "migrations"]

[limits]
time = "10m"
"""


def write_projects(place, many):
    """A project with a manifest, and three PALE_HOMEs: with an empty registry, with this project in it, with many others."""
    (place.home / "bare").mkdir()
    (place.work / ".pale").mkdir()
    (place.work / ".pale/project.toml").write_text(MANIFEST)
    for name, others in (("bare", None), ("one", 0), ("many", many)):
        pale_home = place.home / f"{name}-pale"
        pale_home.mkdir()
        if others is not None:
            roots = {f"other-{number}": f"/home/user/projects/other-{number}" for number in range(others)}
            text = json.dumps({"projects": {**projects(roots), **projects({"shop": f"{place.work}"})}, "default_project": None}, indent=2)
            (pale_home / "projects.json").write_text(text + "\n")
    place.user.own(place.home)
    place.user.own(place.work)


def projects(roots):
    return {
        name: {"root": root, "manifest": f"{root}/.pale/project.toml", "last_used": "2026-01-23T15:00:00Z", "workspace_type": "manifest"}
        for name, root in roots.items()
    }


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
