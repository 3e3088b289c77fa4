#!/usr/bin/env python3
"""stage: what it costs to work in a stage of a large repository, to look at what was done there, and to apply it.

`./dev bench stage` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import argparse
import collections
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from kit import report
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, Tools, say
from start import ORDINARY_USER, machine, medians, summary, timed, users

MOST_TIMES_DIRECT = 1.35
MOST_TIMES_SMALL = 1.1
LEAST_TIMES_COPY = 1000
LEAST_TIMES_STATUS = 30
MOST_TIMES_PLAIN_COPY = 2

SMALL_REPOSITORY = 100  # files
BYTES_IN_A_FILE = 10_000
FILES_IN_A_FOLDER = 100
FOLDERS_IN_A_PART = 100
EDITED = 100  # files, so many of them in one folder:
EDITED_IN_A_FOLDER = 10
PENDING = 4  # what pale stage show exits with where there are changes


@dataclasses.dataclass
class Size:
    """How much is done."""

    files: int = 100_000
    rounds: int = 200  # of starts
    copies: int = 2
    shows: int = 30
    applies: int = 15


QUICK = Size(files=10_000, rounds=40, copies=1, shows=10, applies=5)


# --- the repository ---------------------------------------------------------------------------------------------------


def path_of(number):
    folder = number // FILES_IN_A_FOLDER
    return f"part{folder // FOLDERS_IN_A_PART}/folder{folder}/file{number}.txt"


def contents_of(number):
    line = f"This is a line of file {number}, and there are many of them.\n".encode()
    return (line * (BYTES_IN_A_FILE // len(line) + 1))[:BYTES_IN_A_FILE]


def write_repository(place, root, files):
    """Commits that many files in one pack, and waits until git need not read one again to know that it is unchanged."""
    root.mkdir(exist_ok=True)
    place.user.own(root)
    place.run(["git", "init", "-q", f"{root}"])
    with subprocess.Popen(["git", "fast-import", "--quiet"], cwd=root, env=place.env, stdin=subprocess.PIPE,
                          **place.user.identity()) as importer:
        stream = importer.stdin
        stream.write(b"commit refs/heads/bench\ncommitter bench <bench@localhost> 0 +0000\ndata 9\nAll files\n")
        for number in range(files):
            contents = contents_of(number)
            stream.write(f"M 644 inline {path_of(number)}\ndata {len(contents)}\n".encode() + contents)
    if importer.returncode != 0:
        raise Failed("git fast-import failed")
    for command in (["symbolic-ref", "HEAD", "refs/heads/bench"], ["reset", "-q", "--hard"]):
        place.run(["git", "-C", f"{root}", *command])
    time.sleep(1.1)
    place.run(["git", "-C", f"{root}", "update-index", "-q", "--really-refresh"])


def edited_paths(files):
    """Folders far apart, and in each some files."""
    folders = EDITED // EDITED_IN_A_FOLDER
    firsts = range(0, files, files // folders)
    return [path_of(first + number) for first in firsts for number in range(EDITED_IN_A_FOLDER)]


# --- timing -----------------------------------------------------------------------------------------------------------


def built_tool():
    source, program = ROOT / "bench/stage.cc", OUTPUT / "stage"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        say("building stage")
        subprocess.run(["g++", "-std=c++20", "-O2", "-o", program, source], check=True)
    return program


class Bench:
    """A user's large repository, a small one, and one PALE_HOME for both."""

    def __init__(self, tools, tool, user, size):
        self.place, self.tool, self.size = Place(tools, user, "stage"), tool, size
        self.small = self.place.home / "small"
        self.spare = self.place.home / "spare"  # for copies
        say(f"writing {size.files} files, as {user.name}")
        write_repository(self.place, self.place.work, size.files)
        write_repository(self.place, self.small, SMALL_REPOSITORY)
        self.edited = edited_paths(size.files)

    def run_in(self, root, *options):
        return [self.place.tools.pale, "run", "--project-root", f"{root}", *options, "--"]

    def stage(self, command, *options):
        return [self.place.tools.pale, "stage", command, "edited", *options, "--project-root", f"{self.place.work}"]

    def once(self, command, code=0):
        return self.seconds("once", str(code), *command)

    def seconds(self, *arguments):
        """As the tool took it."""
        return int(self.place.run([self.tool, *arguments])) / 1e9

    def edit(self, text):
        """Changes the files in the stage `edited`."""
        script = f'for path; do echo "{text}" >> "$path"; done'
        self.place.run([*self.run_in(self.place.work, "--stage", "edited"), "sh", "-c", script, "sh", *self.edited])

    def interleaved(self, rounds, warm_up, **takes):
        """The samples of each, in seconds; each round takes one of each, in an order drawn anew."""
        samples, names = collections.defaultdict(list), list(takes)
        for number in range(-warm_up, rounds):
            random.shuffle(names)
            for name in names:
                taken = takes[name](number)
                if number >= 0:
                    samples[name].append(taken)
        return samples


# --- what is measured: each part returns its rows, and its numbers for the JSON file ----------------------------------


def measure_start(bench):
    """A stage without a name is gone again with a command that changes nothing: its removal is measured, too."""
    place, true = bench.place, "/bin/true"
    samples = timed(place, "turns", [bench.size.rounds], {
        "direct": [*bench.run_in(place.work), true],
        "staged": [*bench.run_in(place.work, "--stage"), true],
        "direct-small": [*bench.run_in(bench.small), true],
        "staged-small": [*bench.run_in(bench.small, "--stage"), true],
    })
    took = medians(samples)
    files = bench.size.files
    rows = [
        Row(f"pale run, {SMALL_REPOSITORY} files", milliseconds(took["direct-small"])),
        Row(f"pale run, {files} files", milliseconds(took["direct"]),
            took["direct"] / took["direct-small"], f"× {SMALL_REPOSITORY} files"),
        Row(f"pale run --stage, {SMALL_REPOSITORY} files", milliseconds(took["staged-small"])),
        Row(f"pale run --stage, {files} files", milliseconds(took["staged"]),
            took["staged"] / took["direct"], "× direct", MOST_TIMES_DIRECT),
        Row(f"pale run --stage, {files} files", milliseconds(took["staged"]),
            took["staged"] / took["staged-small"], f"× {SMALL_REPOSITORY} files", MOST_TIMES_SMALL),
    ]
    return rows, summary(samples)


def measure_copies(bench):
    """The two usual ways to a copy of one's own, against stages that are started in between."""
    work, spare = f"{bench.place.work}", f"{bench.spare}"
    clear = ["rm", "-rf", spare]

    def copy(_):
        os.sync()
        taken = bench.once(["cp", "-a", work, spare])
        bench.place.run(clear)
        return taken

    def worktree(_):
        os.sync()
        taken = bench.once(["git", "-C", work, "worktree", "add", "-q", "--detach", spare])
        bench.place.run(clear)
        bench.place.run(["git", "-C", work, "worktree", "prune"])
        return taken

    def stage(_):
        os.sync()
        return statistics.median(bench.once([*bench.run_in(work, "--stage"), "/bin/true"]) for _ in range(10))

    samples = bench.interleaved(bench.size.copies, 0, copy=copy, worktree=worktree, stage=stage)
    took = medians(samples)
    return [
        Row("cp -a", milliseconds(took["copy"]), took["copy"] / took["stage"], "× pale run --stage",
            LEAST_TIMES_COPY, at_least=True),
        Row("git worktree add", milliseconds(took["worktree"]), took["worktree"] / took["stage"],
            "× pale run --stage", LEAST_TIMES_COPY, at_least=True),
    ], dict(samples)


def measure_show(bench):
    bench.edit("Edited, to be shown.")
    samples = bench.interleaved(
        bench.size.shows, 2,
        show=lambda _: bench.once(bench.stage("show"), PENDING),
        status=lambda _: bench.once(["git", "-C", f"{bench.place.work}", "status"]),
    )
    bench.place.run(bench.stage("discard", "--yes"))
    took = medians(samples)
    return [
        Row("git status", milliseconds(took["status"]), took["status"] / took["show"], "× pale stage show",
            LEAST_TIMES_STATUS, at_least=True),
        Row(f"pale stage show, {EDITED} files edited", milliseconds(took["show"])),
    ], summary(samples)


def measure_apply(bench):
    """Before each, everything is on disk: nobody waits for what another one wrote."""
    def apply(number):
        bench.edit(f"Edited, to be applied: {number}.")
        os.sync()
        return bench.once(bench.stage("apply"))

    def copy(_):
        bench.spare.mkdir()
        bench.place.user.own(bench.spare)
        os.sync()
        taken = bench.seconds("copy", f"{bench.place.work}", f"{bench.spare}", *bench.edited)
        shutil.rmtree(bench.spare)
        return taken

    samples = bench.interleaved(bench.size.applies, 1, apply=apply, copy=copy)
    took = medians(samples)
    return [
        Row(f"{EDITED} files copied, each with fsync", milliseconds(took["copy"])),
        Row(f"pale stage apply, {EDITED} files", milliseconds(took["apply"]), took["apply"] / took["copy"], "× copied",
            MOST_TIMES_PLAIN_COPY),
    ], summary(samples)


PARTS = {"start": measure_start, "copies": measure_copies, "show": measure_show, "apply": measure_apply}


# --- the run ----------------------------------------------------------------------------------------------------------


def options():
    parser = argparse.ArgumentParser(prog="./dev bench stage", description=__doc__.split("\n\n")[0])
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"a short run, to try it: {QUICK.files} files")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    chosen = parser.parse_args()
    chosen.parts = chosen.parts.split(",")
    if unknown := set(chosen.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(unknown)}")
    if chosen.users == "ordinary" and os.geteuid() != 0:
        parser.error("only root can become another user")
    return chosen


def measure(tools, tool, user, size, parts):
    bench = Bench(tools, tool, user, size)
    rows, numbers = [], {}
    for name in parts:
        say(f"{name}, as {user.name}")
        part_rows, numbers[name] = PARTS[name](bench)
        rows += part_rows
    shutil.rmtree(bench.place.work)  # the next user needs the room
    return rows, numbers


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stage: ended by a signal"))  # so that what was made is removed
    size = QUICK if chosen.quick else Size()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        tool = tools.copy(built_tool())
        setting = {**machine(), "files": size.files, "git": subprocess.check_output(["git", "--version"], text=True).split()[2]}
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        results = {
            user.name: measure(tools, tool, user, size, chosen.parts) for user in users(chosen.users)
        }
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / "stage.json", setting, results, lay_out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"stage: {error}")
