#!/usr/bin/env python3
"""session: what it costs to run one more command in a sandbox that stands already.

`./dev bench session` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import json
import subprocess

from kit import program
from kit.report import Row, milliseconds
from kit.sandboxes import Failed, Place
from start import let_crun_run, medians, summary, timed

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


def measure(tools, user, rounds, _quick):
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
    against_crun = took["crun"] / took["pale"] if "crun" in took else None
    return [
        Row(f"{COMMAND}, spawned", milliseconds(took["plain"])),
        Row(f"pale session run … {COMMAND}", milliseconds(took["pale"]), took["pale"] / took["plain"], "× spawned",
            MOST_TIMES_PLAIN),
        Row(f"{COMMAND} in a session, for a client that stays", milliseconds(took["asked"]),
            took["asked"] / took["plain"], "× spawned"),
        Row(f"crun exec … {COMMAND}", milliseconds(took["crun"]) if "crun" in took else "", against_crun,
            "× pale session run", LEAST_TIMES_CRUN, at_least=True, problem=problem),
    ], {"session": summary(samples)}


if __name__ == "__main__":
    let_crun_run()
    program.main("session", __doc__, ROUNDS, QUICK_ROUNDS, measure)
