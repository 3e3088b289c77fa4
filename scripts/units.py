#!/usr/bin/env python3
"""units.py SOURCE…: which sources are compiled as one text, a unit; for each source the number of its unit, in their order.

A compiler goes through all headers again for each text that it is given, which takes longer than most sources themselves.
What a source defines for itself alone must mean nothing in another one of its unit: no name of that stands in both.
"""
import pathlib
import re
import sys

MOST_SOURCES = 8  # in a unit
# What a line at the margin may define: a function, or a type, a constant, an alias.
DEFINED = re.compile(
    r"^(?:.*\b(?:struct|class|enum|concept)\s+(?:class\s+)?(\w+)|using\s+(\w+)\s*=|(?!(?:using|namespace)\b)(?=[^\s#/}]).*?(\w+)(?:\(|\s*=|\[|\{|;))"
)
# GoogleTest and rapidcheck make a class of both names.
TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_\w+|INSTANTIATE_TEST_SUITE_P|MATCHER(?:_P\d?)?)\((\w*)(?:,\s*(\w+))?")

COMMENT = re.compile(r"//.*|\"(?:[^\"\\\n]|\\.)*\"")
WORD = re.compile(r"[A-Za-z_]\w*")


def own_names(text):
    """What a source defines for itself alone, and macros."""
    names, inside = set(), False
    for line in text.splitlines():
        if line.startswith("#define"):
            names.add(re.match(r"#define\s+(\w+)", line).group(1))
        elif line == "namespace {":
            inside = True
        elif line == "}  // namespace":
            inside = False
        elif test := TEST.match(line):
            names.add(test.groups())
        elif match := (inside or line.startswith("static ")) and DEFINED.match(line):
            names.add(match[1] or match[2] or match[3])
    return names


class Unit:
    """`apart`: what else its sources have in common."""

    def __init__(self, apart):
        self.apart, self.size, self.names, self.words = apart, 0, set(), set()

    def takes(self, apart, names, words):
        fits = not names & self.words and not words & self.names
        return fits and apart == self.apart and self.size < MOST_SOURCES

    def add(self, names, words):
        self.size += 1
        self.names |= names
        self.words |= words


def grouped(sources):
    """For each source the number of its unit, the first that takes it. `sources`: pairs of a path and what sets it apart."""
    units, numbers = [], []
    for path, apart in sources:
        text = pathlib.Path(path).read_text()
        names = own_names(text)
        words = names | set(WORD.findall(COMMENT.sub("", text)))
        number = next((number for number, unit in enumerate(units) if unit.takes(apart, names, words)), len(units))
        if number == len(units):
            units.append(Unit(apart))
        units[number].add(names, words)
        numbers.append(number)
    return numbers


if __name__ == "__main__":
    print(*grouped((source, None) for source in sys.argv[1:]), sep=";")
