#!/usr/bin/env python3
"""session: what it costs to run one more command in a sandbox that stands already.

`./dev bench session` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from kit import report
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, Tools, say
from start import ORDINARY_USER, let_crun_run, machine, medians, summary, timed, users

MOST_TIMES_PLAIN = 2
LEAST_TIMES_CRUN = 5
ROUNDS, QUICK_ROUNDS = 400, 60
COMMAND = "/bin/true"


class Session:
    """One of Pale's, in a workspace of its own."""

    def __init__(self, place):
        self.place = place
        self.ask("project", "create", "bench", "--isolated")
        workspace = self.ask("workspace", "create", "-p", "bench")["id"]
        self.id = self.ask("session", "start", "-p", "bench", "--workspace", workspace)["session"]

    def ask(self, *words):
        return json.loads(self.place.run([self.place.tools.pale, *words, "--json"]))

    def command(self):
        return [self.place.tools.pale, "session", "run", self.id, "--", COMMAND]

    def asked(self):
        """The same by a client that stays connected, as agents and `pale serve` are."""
        return [f"session:{self.place.home}/pale/live/{self.id}/socket", COMMAND]

    def end(self):
        self.ask("session", "end", self.id)


class Container:
    """The peer's: one that sleeps, to run more commands in."""

    def __init__(self, place):
        self.place = place
        run = place.crun("/bin/sleep", "3600")
        self.crun, self.name = run[:run.index("run")], run[-1]
        # What sleeps keeps the outputs it is given: nobody could wait for their end.
        detached = [*self.crun, "run", "--detach", *run[run.index("run") + 1:]]
        if place.start(detached, subprocess.DEVNULL, subprocess.DEVNULL).wait() != 0:
            raise Failed("crun run --detach failed")

    def command(self):
        return [*self.crun, "exec", self.name, COMMAND]

    def end(self):
        self.place.run([*self.crun, "delete", "--force", self.name])


def measure(tools, user, rounds):
    place = Place(tools, user, "session")
    session, container = Session(place), None
    commands = {"plain": [COMMAND], "pale": session.command(), "asked": session.asked()}
    problem = ""
    try:
        container = Container(place)
        place.run(container.command())
        commands["crun"] = container.command()
    except Failed as error:
        problem = str(error)
    try:
        samples = timed(place, "turns", [rounds], commands)
    finally:
        session.end()
        if container:
            container.end()
    took = medians(samples)
    against_crun = took["crun"] / took["asked"] if "crun" in took else None
    return [
        Row(f"{COMMAND}, spawned", milliseconds(took["plain"])),
        Row(f"pale session run … {COMMAND}", milliseconds(took["pale"]), took["pale"] / took["plain"], "× spawned",
            MOST_TIMES_PLAIN),
        Row(f"{COMMAND} in a session, for a client that stays", milliseconds(took["asked"]),
            took["asked"] / took["plain"], "× spawned", MOST_TIMES_PLAIN),
        Row(f"crun exec … {COMMAND}", milliseconds(took["crun"]) if "crun" in took else "", against_crun,
            "× in a session", LEAST_TIMES_CRUN, at_least=True, problem=problem),
    ], {"session": summary(samples)}


def options():
    parser = argparse.ArgumentParser(prog="./dev bench session", description=__doc__.split("\n\n")[0])
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--quick", action="store_true", help="a short run, to try it")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("session: ended by a signal"))  # so that what was made is removed
    OUTPUT.mkdir(parents=True, exist_ok=True)
    let_crun_run()
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        setting = machine()
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        rounds = QUICK_ROUNDS if chosen.quick else ROUNDS
        results = {user.name: measure(tools, user, rounds) for user in users(chosen.users)}
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / "session.json", setting, results, lay_out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"session: {error}")
