#!/usr/bin/env python3
"""worker: what it costs to call a worker, against running its command with `pale run`.

`./dev bench worker` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed.
"""

from kit import program
from kit.report import Row, milliseconds
from kit.sandboxes import Place
from start import medians, summary, timed

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


def measure(tools, user, rounds, _quick):
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


if __name__ == "__main__":
    program.main("worker", __doc__, ROUNDS, QUICK_ROUNDS, measure)
