#!/usr/bin/env python3
"""watch: what a scope costs, and to be told what a command does: a C++ build, `git grep` over 10,000 files, starts, checks.

`./dev bench watch` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import random
import subprocess

from kit import program
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Place, say
from start import medians, summary, timed

MOST_BUILD, MOST_GREP, MOST_STRICT = 1.2, 2.4, 1.05
MOST_START, MOST_CHECK = 5, 1  # milliseconds more than without a scope; microseconds
FILES, QUICK_FILES = 10_000, 2_000
UNITS, QUICK_UNITS = 8, 4
ROUNDS, QUICK_ROUNDS = 11, 5
IN_A_FOLDER = 100
STARTS_A_ROUND = 5  # they take little of it

UNIT = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
#include "part{number}.h"
std::map<std::string, int> part{number}(const std::vector<std::string>& words) {{
  std::map<std::string, int> counts;
  for (const auto& word : words) ++counts[word];
  return counts;
}}
"""
MAKEFILE = """units := $(wildcard app/*.cc)
objects := $(units:app/%.cc=out/%.o)
all: $(objects)
\tar rcs out/all.a $^
out/%.o: app/%.cc
\tg++ -std=c++20 -O0 -Iapp -MMD -c -o $@ $<
"""


# --- the projects -----------------------------------------------------------------------------------------------------


def write_build(place, units):
    for folder in ("app", "out", "docs", ".pale"):
        (place.work / folder).mkdir()
    for number in range(units):
        (place.work / "app" / f"part{number}.cc").write_text(UNIT.format(number=number))
        (place.work / "app" / f"part{number}.h").write_text("#pragma once\n")
    (place.work / "Makefile").write_text(MAKEFILE)
    place.user.own(place.work)


def write_files(place, files):
    chance = random.Random(7)
    words = ["".join(chance.choices("etaoinsrlcdu", k=chance.randint(2, 9))) for _ in range(500)]
    for number in range(files // IN_A_FOLDER):
        folder = place.work / "tree" / f"part{number}"
        folder.mkdir(parents=True)
        for each in range(IN_A_FOLDER):
            lines = (" ".join(chance.choices(words, k=8)) for _ in range(20))
            (folder / f"file{each}.txt").write_text("\n".join(lines) + "\n")
    (place.work / ".pale").mkdir()
    place.user.own(place.work)
    place.run(["git", "init", "-q", f"{place.work}"])
    place.run(["git", "-C", f"{place.work}", "add", "tree"])


def write_presets(place, strict, permissive):
    """To be chosen from run by run."""
    (place.work / ".pale/project.toml").write_text(
        f'[presets.strict]\nfolders = {strict}\nmode = "strict"\n'
        f'[presets.permissive]\nfolders = {permissive}\nmode = "permissive"\n')
    place.user.own(place.work / ".pale")


# --- what is measured -------------------------------------------------------------------------------------------------


def inside(place, flags, command):
    return [place.tools.pale, "run", "--project-root", f"{place.work}", *flags, "--", "/bin/sh", "-c",
            f"cd {place.work} && {command}"]


def measure_build(place, units, rounds):
    write_build(place, units)
    write_presets(place, '["app", "out", "Makefile"]', '["docs"]')
    build = "make -s -B -j2 all"
    samples = timed(place, "turns", [rounds], {
        "plain": inside(place, [], build),
        "watched": inside(place, ["--watch"], build),
        "strict": inside(place, ["--preset", "strict", "--no-watch"], build),
    })
    took, label = medians(samples), f"C++ build, {units} units"
    return [
        Row(label, milliseconds(took["plain"])),
        Row(f"{label}, watched", milliseconds(took["watched"]), took["watched"] / took["plain"], "× not watched",
            MOST_BUILD),
        Row(f"{label}, strict and not watched", milliseconds(took["strict"]), took["strict"] / took["plain"],
            "× without a scope", MOST_STRICT),
    ], summary(samples)


def measure_grep(place, files, rounds):
    say(f"writing {files} files")
    write_files(place, files)
    write_presets(place, '["tree"]', '["tree/part0"]')
    grep = "git grep -c zebra > /dev/null || true"
    samples = timed(place, "turns", [rounds], {
        "plain": inside(place, [], grep),
        "watched": inside(place, ["--watch"], grep),
        "told": inside(place, ["--preset", "permissive"], grep),
        "outside": ["/bin/sh", "-c", f"cd {place.work} && {grep}"],
        "bare": [place.tools.bare, "listener", "/bin/sh", "-c", f"cd {place.work} && {grep}"],
    })
    took, label = medians(samples), f"git grep, {files} files"
    return [
        Row(label, milliseconds(took["plain"])),
        Row(f"{label}, watched", milliseconds(took["watched"]), took["watched"] / took["plain"], "× not watched",
            MOST_GREP),
        Row(f"{label}, permissive, nearly all outside", milliseconds(took["told"]), took["told"] / took["plain"],
            "× not watched", MOST_GREP),
        Row(f"{label}, no sandbox", milliseconds(took["outside"])),
        Row(f"{label}, no sandbox, asked about each and answered unseen", milliseconds(took["bare"]),
            took["bare"] / took["outside"], "× not asked"),
    ], summary(samples)


def write_commits(place):
    """A repository that a run may commit to, with a history, tags and an index of some size."""
    for number in range(20):
        folder = place.work / f"part{number}"
        folder.mkdir()
        for each in range(IN_A_FOLDER):
            (folder / f"file{each}.txt").write_text(f"{number} {each}\n")
    (place.work / ".pale").mkdir()
    scope = 'folders = ["part0", "part1"]\ngit = "commit"\n'
    (place.work / ".pale/project.toml").write_text(
        f'[presets.strict]\n{scope}mode = "strict"\n[presets.permissive]\n{scope}mode = "permissive"\n'
        '[workspace]\ngit = "commit"\n')
    place.user.own(place.work)
    place.run(["/bin/sh", "-ec", f"cd {place.work}; git init -q; git add .; git -c user.name=a -c user.email=a@b commit -qm first;"
               "for tag in $(seq 50); do git tag v$tag; done"])


def measure_start(place, rounds):
    write_commits(place)
    start = [place.tools.pale, "run", "--project-root", f"{place.work}"]
    validate = [place.tools.pale, "scope", "validate", "--project-root", f"{place.work}", "part0,part1"]
    samples = timed(place, "turns", [rounds], {
        "plain": [*start, "--", "/bin/true"],
        "validate": validate,
        "permissive": [*start, "--preset", "permissive", "--", "/bin/true"],
        "strict": [*start, "--preset", "strict", "--", "/bin/true"],
    })
    took = medians(samples)
    more = {name: took["validate"] + took[name] - took["plain"] for name in ("permissive", "strict")}
    return [
        Row("start in a git repository, no scope", milliseconds(took["plain"])),
        Row("scope validate", milliseconds(took["validate"])),
        *(Row(f"start, {name}, git, nothing committed", milliseconds(took[name])) for name in more),
        *(Row(f"scope validate + start, {name}", milliseconds(more[name]), more[name] * 1e3, "ms more than no scope",
              MOST_START) for name in more),
    ], summary(samples)


def built_checks():
    sources = [ROOT / "bench/scope.cc", ROOT / "src/scope/folders.cc", ROOT / "src/sandbox/sighting.cc"]
    for module in ("base", "boundary"):
        sources += [file for file in sorted((ROOT / "src" / module).glob("*.cc")) if not file.name.endswith("_test.cc")]
    program = OUTPUT / "scope"
    if not program.exists() or program.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        say("building scope")
        subprocess.run(["g++", "-std=c++23", "-Os", "-fno-exceptions", "-fno-rtti", "-I", ROOT / "src", "-o", program, *sources],
                       check=True)
    return program


def measure_checks(place):
    """In process, with the optimisation of the release program."""
    output = place.run([place.tools.copy(built_checks())])
    took = {name: float(nanoseconds) / 1e3 for name, nanoseconds in (line.split() for line in output.splitlines())}
    names = {"around": "a check: the folder around a file, of 20", "judge": "a check: what a watch makes of an access"}
    return [Row(what, f"{took[name]:.3f} µs", took[name], "µs", MOST_CHECK) for name, what in names.items()], took


def measure(tools, user, rounds, quick):
    files, units = (QUICK_FILES, QUICK_UNITS) if quick else (FILES, UNITS)
    rows, numbers = [], {}
    more, numbers["build"] = measure_build(Place(tools, user, "build"), units, rounds)
    rows += more
    more, numbers["grep"] = measure_grep(Place(tools, user, "grep"), files, rounds)
    rows += more
    more, numbers["scope"] = measure_start(Place(tools, user, "scope"), STARTS_A_ROUND * rounds)
    rows += more
    more, numbers["checks"] = measure_checks(Place(tools, user, "checks"))
    return rows + more, numbers


if __name__ == "__main__":
    program.main("watch", __doc__, ROUNDS, QUICK_ROUNDS, measure)
