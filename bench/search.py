#!/usr/bin/env python3
"""search: what it costs to search the contents of 100,000 files, next to ripgrep.

`./dev bench search` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import random
import signal
import sys
import tempfile

from kit import report
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, Tools, found, say
from start import ORDINARY_USER, machine, medians, summary, timed, users

MOST_TIMES_RIPGREP = 1.5
FILES, QUICK_FILES = 100_000, 10_000
ROUNDS, QUICK_ROUNDS = 20, 10
IN_A_FOLDER = 100
NEEDLE = "zebra_needle_here"  # in one file of a thousand
RULES = "*.o\nbuild/\n/dist\n*.tmp\n__pycache__/\n.cache\n!keep.o\ndocs/*.pdf\n**/generated/*.h\n"


@dataclasses.dataclass
class Pattern:
    name: str
    text: str
    any_case: bool = False


PATTERNS = [
    Pattern("rare literal", "zebra_needle"),
    Pattern("common literal", "return"),
    Pattern("alternatives", r"(zebra|needle)_[a-z]+_here|giraffe\d+"),
    Pattern("any case", "ZEBRA_needle", any_case=True),
    Pattern("no literal", r"\b[xyz]{3}\w+\("),
]


# --- the tree ---------------------------------------------------------------------------------------------------------


def some_lines(chance):
    """Lines that look like a program, made of words that are none."""
    words = ["".join(chance.choices("etaoinsrlcdupmfhgbvywkxjzq", k=chance.randint(2, 10))) for _ in range(2000)]

    def line():
        one, two, three = chance.choices(words, k=3)
        return chance.choice((
            "",
            f"    return {one}({two}, {three});",
            f"  const int {one}_{two} = {chance.randint(0, 9999)};  // {three} {two}",
            f'  {one}.{two}({three} + {chance.randint(0, 99)}, "{two} {one} {three}");',
        ))

    return [line() for _ in range(4000)]


def write_tree(place, files):
    """About 3 kB a file, a tenth of them ignored by the .gitignore at the top or one of those in folders."""
    chance = random.Random(7)
    lines = some_lines(chance)
    for number in range(files // IN_A_FOLDER):
        folder = place.work / f"part{number % 10}" / f"group{number // 10 % 10}" / f"module{number}"
        folder.mkdir(parents=True)
        if number % 20 == 0:
            (folder / ".gitignore").write_text("*.log\n")
        for each in range(IN_A_FOLDER):
            body = chance.choices(lines, k=chance.randint(20, 120))
            if chance.random() < 0.001:
                body[len(body) // 2] = f"  {NEEDLE}(1);"
            kind = "cc" if each < 88 else "o" if each < 95 else "log"
            (folder / f"file{each}.{kind}").write_text("\n".join(body) + "\n")
    (place.work / ".gitignore").write_text(RULES)
    place.user.own(place.work)
    place.run(["git", "init", "-q", f"{place.work}"])


# --- what is measured -------------------------------------------------------------------------------------------------


def ripgrep(place, pattern):
    options = ["--hidden", "--glob", "!.git", "--count", "--no-config", *(["--ignore-case"] if pattern.any_case else [])]
    return [found("rg"), *options, "--regexp", pattern.text, f"{place.work}"]


def pale(place, pattern):
    request = {"root": f"{place.work}", "pattern": pattern.text, "ignore_case": pattern.any_case}
    return [place.tools.pale, "grep-files", json.dumps(request)]


def inside(place, command):
    return [place.tools.pale, "run", "--project-root", f"{place.work}", "--ro", place.tools.pale, "--", *command]


def matching_lines(place, pattern):
    """As both count them, which must be the same."""
    by_ripgrep = sum(int(line.rpartition(":")[2]) for line in place.run(ripgrep(place, pattern)).splitlines())
    by_pale = json.loads(place.run(pale(place, pattern)))["matching_lines"]
    if by_ripgrep != by_pale:
        raise Failed(f"{pattern.text}: ripgrep finds {by_ripgrep} lines, Pale {by_pale}")
    return by_pale


def measure_pattern(place, pattern, rounds):
    count = matching_lines(place, pattern)
    samples = timed(place, "turns", [rounds], {
        "rg": ripgrep(place, pattern),
        "pale": pale(place, pattern),
        "rg-inside": inside(place, ripgrep(place, pattern)),
        "pale-inside": inside(place, pale(place, pattern)),
    })
    took = medians(samples)
    label = f"{pattern.name}, {count} lines"
    return [
        Row(f"{label}: ripgrep", milliseconds(took["rg"])),
        Row(f"{label}: Pale", milliseconds(took["pale"]), took["pale"] / took["rg"], "× ripgrep", MOST_TIMES_RIPGREP),
        Row(f"{label}: ripgrep in a sandbox", milliseconds(took["rg-inside"])),
        Row(f"{label}: Pale in a sandbox", milliseconds(took["pale-inside"]), took["pale-inside"] / took["rg-inside"],
            "× ripgrep there", MOST_TIMES_RIPGREP),
    ], summary(samples)


def measure(tools, user, files, rounds):
    place = Place(tools, user, "search")
    say(f"writing {files} files")
    write_tree(place, files)
    rows, numbers = [], {"files": files}
    for pattern in PATTERNS:
        more, numbers[pattern.name] = measure_pattern(place, pattern, rounds)
        rows += more
    return rows, numbers


def options():
    parser = argparse.ArgumentParser(prog="./dev bench search", description=__doc__.split("\n\n")[0])
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--rounds", type=int, help=f"how often each is run (default {ROUNDS})")
    parser.add_argument("--quick", action="store_true", help="10,000 files; its numbers are rough")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("search: ended by a signal"))  # so that what was made is removed
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        setting = machine()
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        files, rounds = (QUICK_FILES, QUICK_ROUNDS) if chosen.quick else (FILES, ROUNDS)
        rounds = chosen.rounds or rounds
        results = {user.name: measure(tools, user, files, rounds) for user in users(chosen.users)}
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / "search.json", setting, results, lay_out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"search: {error}")
