#!/usr/bin/env python3
"""tools: reading files through `pale mcp`, against the common filesystem server of the Model Context Protocol.

`./dev bench tools` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or could
not be measured.
"""
import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

from kit import report
from kit.idle import family
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, say
from start import machine

PEER = "@modelcontextprotocol/server-filesystem"
PEER_VERSION = "2026.7.10"
LEAST_TIMES_CALLS = 6
LEAST_TIMES_SOONER = 40
MOST_PART_OF_MEMORY = 1 / 20
CALL_SECONDS, STARTS = 10, 30
TEXT = "the-first-words of a file\n" + "x" * 79 + "\n"


def built_client():
    source, program = ROOT / "bench/tools_client.cc", OUTPUT / "tools_client"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        say("building tools_client")
        subprocess.run(["g++", "-std=c++20", "-O2", "-o", program, source], check=True)
    return program


def installed_peer():
    """The command that starts the peer on a directory, but for the directory."""
    place = OUTPUT / "node_modules" / PEER
    version = place / f"installed-{PEER_VERSION}"
    if not version.exists():
        if shutil.which("npm") is None:
            raise Failed("there is no npm to install the peer with")
        say(f"installing {PEER}")
        subprocess.run(["npm", "install", "--prefix", OUTPUT, "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error",
                        f"{PEER}@{PEER_VERSION}"], check=True, stdout=subprocess.DEVNULL)
        version.touch()
    node = shutil.which("node")
    if node is None:
        raise Failed("there is no node to run the peer with")
    return [node, place / "dist/index.js"]


def pss_kb(pid):
    """Of a process and all that descend from it."""
    total = 0
    for member, _ in family({pid}, None):
        for line in pathlib.Path(f"/proc/{member}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total


class Bench:
    def __init__(self, client, file):
        self.client, self.file = client, file

    def words(self, mode, amount, server):
        return [f"{word}" for word in (self.client, mode, amount, self.file, *server)]

    def starts(self, times, server):
        """Seconds until the first file is read."""
        out = subprocess.run(self.words("first", times, server), check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True).stdout
        return [int(line) / 1e9 for line in out.split()]

    def calls(self, seconds, server):
        """Calls a second, and then what the server weighs."""
        with subprocess.Popen(self.words("calls", seconds, server), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as client:
            rate, pid = client.stdout.readline(), client.stdout.readline()
            if not pid:
                raise Failed(f"no answer from {server[0]}")
            weight = pss_kb(int(pid))
            client.stdin.close()
        return float(rate), weight


def measure(bench, servers, starts, seconds):
    found = {}
    for name, server in servers.items():
        say(name)
        rates = [bench.calls(seconds, server) for _ in range(3)]
        found[name] = {"starts": bench.starts(starts, server), "rates": [rate for rate, _ in rates],
                       "pss_kb": [weight for _, weight in rates]}
    return found


def rows_of(found):
    middle = {name: {key: statistics.median(values) for key, values in each.items()} for name, each in found.items()}
    pale, peer = middle["pale mcp"], middle[PEER]
    return [
        Row(f"{PEER}: calls a second", figure=peer["rates"]),
        Row("pale mcp: calls a second", f"{pale['rates']:.0f}", pale["rates"] / peer["rates"], "× as many", LEAST_TIMES_CALLS,
            at_least=True),
        Row(f"{PEER}: first answer", milliseconds(peer["starts"])),
        Row("pale mcp: first answer", milliseconds(pale["starts"]), peer["starts"] / pale["starts"], "× sooner",
            LEAST_TIMES_SOONER, at_least=True),
        Row(f"{PEER}: memory", f"{peer['pss_kb'] / 1024:.1f} MB"),
        Row("pale mcp: memory", f"{pale['pss_kb'] / 1024:.2f} MB", pale["pss_kb"] / peer["pss_kb"], "of its memory",
            MOST_PART_OF_MEMORY),
    ]


def options():
    parser = argparse.ArgumentParser(prog="./dev bench tools", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="a short run, to try it")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("tools: ended by a signal"))  # so that what was made is removed
    OUTPUT.mkdir(parents=True, exist_ok=True)
    client, peer, setting = built_client(), installed_peer(), machine()
    if setting["load"] > 0.5:
        say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        project = pathlib.Path(scratch) / "project"
        project.mkdir()
        file = project / "file.txt"
        file.write_text((TEXT * 10)[:1024])
        os.environ["PALE_HOME"] = f"{scratch}/pale"
        pale = os.environ.get("PALE_PROGRAM", ROOT / "build/pale")
        servers = {"pale mcp": [pale, "mcp", "--project-root", project], PEER: [*peer, project]}
        bench = Bench(client, file)
        bench.starts(1, servers["pale mcp"])  # makes what is made once for all runs
        found = measure(bench, servers, 10 if chosen.quick else STARTS, 2 if chosen.quick else CALL_SECONDS)
    rows = rows_of(found)
    print((report.markdown if chosen.markdown else report.table)("reading a file of 1 kB", rows))
    report.write_json(OUTPUT / "tools.json", setting, {"tools": (rows, found)})
    return 1 if any(row.missed() for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"tools: {error}")
