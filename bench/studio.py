#!/usr/bin/env python3
"""studio: Studio in a browser: how soon it can be used, how a review of 2,000 files scrolls, and the map of 100,000 files.

`./dev bench studio` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or could not be
measured.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

from kit import report
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, say
from start import machine

MOST_UNTIL_USABLE = 300  # milliseconds
MOST_SCRIPT = 60  # kB
MOST_FRAME = 34  # milliseconds: two of a screen that shows 60 a second
MOST_MAP = 1500  # milliseconds
ROUNDS, QUICK_ROUNDS = 15, 3
FILES, QUICK_FILES = 100_000, 10_000


def options():
    parser = argparse.ArgumentParser(prog="./dev bench studio", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"a short run, to try it: a map of {QUICK_FILES} files")
    parser.add_argument("--rounds", type=int, help=f"how often each page is opened (default {ROUNDS})")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def measured(rounds, files):
    env = {"PALE_PROGRAM": f"{ROOT / 'build/pale'}", "PALE_SOURCE": f"{ROOT}",
           "PALE_STUDIO_CLIENTS": f"{ROOT / 'build/studio-clients'}", **os.environ}
    run = subprocess.run(["node", ROOT / "bench/studio.mjs", str(rounds), str(files)], env=env, stdout=subprocess.PIPE, text=True,
                         check=False)
    if run.returncode != 0:
        sys.exit("studio: the browser's part failed")
    return json.loads(run.stdout)


def percentile(samples, part):
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * part))]


def timed(what, samples, limit):
    return Row(what, milliseconds(statistics.median(samples) / 1000), statistics.median(samples), "ms", limit)


def rows_of(found, files):
    return [
        timed("the first screen can be used", found["first"], MOST_UNTIL_USABLE),
        Row("its script, gzipped", "", found["bytes"] / 1000, "kB", MOST_SCRIPT),
        timed("a review of 2,000 files can be used", found["review"], None),
        Row("scrolling it, a frame, p95", milliseconds(statistics.median(found["frames"]) / 1000),
            percentile(found["frames"], 0.95), "ms", MOST_FRAME),
        timed(f"the map of {files:,} files can be used", found["map"], MOST_MAP),
    ]


def main():
    chosen = options()
    files = QUICK_FILES if chosen.quick else FILES
    rounds = chosen.rounds or (QUICK_ROUNDS if chosen.quick else ROUNDS)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    setting = machine()
    if setting["load"] > 0.5:
        say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
    found = measured(rounds, files)
    rows = rows_of(found, files)
    print((report.markdown if chosen.markdown else report.table)("Studio", rows))
    report.write_json(OUTPUT / "studio.json", setting, {"studio": (rows, found)})
    return 1 if any(row.missed() for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
