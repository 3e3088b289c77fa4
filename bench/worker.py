#!/usr/bin/env python3
"""worker: what it costs to call a worker, against running its command with `pale run`.

`./dev bench worker` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed.
"""
import argparse
import os
import pathlib
import signal
import sys
import tempfile

from kit import report
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, Tools, say
from start import ORDINARY_USER, machine, medians, summary, timed, users

MOST_TIMES_RUN = 1.5
ROUNDS, QUICK_ROUNDS = 400, 60
COMMAND = "/bin/true"
MANIFEST = '[project]\nid = "bench"\n[approval]\nmode = "auto"\n[zones.data]\n'
WORKER = f"---\nname: {{name}}\nrun: [{COMMAND}]\n{{keys}}---\n"


def write_project(place):
    workers = place.work / ".pale/workers"
    workers.mkdir(parents=True)
    (place.work / "data").mkdir()
    (place.work / ".pale/project.toml").write_text(MANIFEST)
    (workers / "pure.worker").write_text(WORKER.format(name="pure", keys=""))
    (workers / "zoned.worker").write_text(WORKER.format(name="zoned", keys="sandbox: {zones: [{name: data}]}\n"))
    place.user.own(place.work)


def measure(tools, user, rounds):
    place = Place(tools, user, "worker")
    write_project(place)

    def call(name):
        return [tools.pale, "worker", "call", name, "--project-root", f"{place.work}"]

    commands = {"run": place.pale(COMMAND), "pure": call("pure"), "zoned": call("zoned")}
    for command in commands.values():
        place.run(command)  # makes what is made once for all runs
    samples = timed(place, "turns", [rounds], commands)
    took = medians(samples)
    return [
        Row(f"pale run -- {COMMAND}", milliseconds(took["run"])),
        Row(f"pale worker call, a pure function: {COMMAND}", milliseconds(took["pure"]), took["pure"] / took["run"], "× pale run",
            MOST_TIMES_RUN),
        Row(f"pale worker call, with a zone: {COMMAND}", milliseconds(took["zoned"]), took["zoned"] / took["run"], "× pale run",
            MOST_TIMES_RUN),
    ], {"worker": summary(samples)}


def options():
    parser = argparse.ArgumentParser(prog="./dev bench worker", description=__doc__.split("\n\n")[0])
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--quick", action="store_true", help="a short run, to try it")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("worker: ended by a signal"))  # so that what was made is removed
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        setting = machine()
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        rounds = QUICK_ROUNDS if chosen.quick else ROUNDS
        results = {user.name: measure(tools, user, rounds) for user in users(chosen.users)}
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / "worker.json", setting, results, lay_out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"worker: {error}")
