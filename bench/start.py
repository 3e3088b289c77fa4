#!/usr/bin/env python3
"""start: what it costs to start a sandbox, to have many of them, and to work inside one; next to Pale's peers.

`./dev bench start` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import argparse
import collections
import dataclasses
import datetime
import os
import pathlib
import platform
import pwd
import signal
import statistics
import subprocess
import sys
import tempfile

from kit import idle, report, work
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, Tools, User, say

ORDINARY_USER = "pale-test"
UNIFIED = pathlib.Path("/sys/fs/cgroup/unified")

MOST_TIMES = {"plain": 4, "bwrap": 0.5, "crun": 0.35}
LEAST_TIMES_BWRAP_RATE = 2.5
MOST_IDLE_KB = 250
MOST_TIMES_NATIVE = 1.08
MOST_MS_OF_PROJECT = {"one": 0.3, "many": 5}
MANY_PROJECTS = 10_000
LABELS = {"plain": "plain", "bwrap": "bubblewrap", "crun": "crun"}


@dataclasses.dataclass
class Size:
    """How much is done."""

    rounds: int = 300  # of starts
    runs: int = 400  # two at a time, in each pass
    passes: int = 9
    idle: int = 500
    batch: int = 25
    compiles: int = 10
    git_rounds: int = 30
    git_repeats: int = 20  # of git status in one sandbox
    files: int = 10_000


QUICK = Size(rounds=40, runs=60, passes=3, idle=60, compiles=3, git_rounds=5, git_repeats=5)


# --- timing -----------------------------------------------------------------------------------------------------------


def working(place, commands):
    """Those commands that work, and what the others say. Pale's have to work."""
    good, problems = {}, {}
    for name, command in commands.items():
        try:
            place.run(command)
            good[name] = command
        except (Failed, OSError) as error:
            if command[0] == place.tools.pale:
                raise Failed(f"{name}: {error}") from error
            say(f"{name} does not work for {place.user.name}: {error}")
            problems[name] = str(error)
    return good, problems


def timed(place, mode, numbers, commands):
    """The samples of each command, in seconds. spawn takes them, as the user; build/bench keeps them all."""
    arguments = [word for name, command in commands.items() for word in (":::", name, *command)]
    output = place.run([place.tools.spawn, mode, *map(str, numbers), *arguments])
    (OUTPUT / f"{place.name}.samples").write_text(output)
    samples = collections.defaultdict(list)
    for line in output.splitlines():
        name, nanoseconds = line.split()
        samples[name].append(int(nanoseconds) / 1e9)
    return samples


def medians(samples):
    return {name: statistics.median(values) for name, values in samples.items()}


def summary(samples):
    """For the JSON file, in seconds."""
    described = {}
    for name, values in samples.items():
        tenths = statistics.quantiles(values, n=10, method="inclusive")
        described[name] = {
            "median": statistics.median(values), "p10": tenths[0], "p90": tenths[-1], "samples": len(values)
        }
    return described


# --- what is measured: each part returns its rows, and its numbers for the JSON file ----------------------------------


def measure_start(tools, user, size):
    place = Place(tools, user, "start")
    commands, problems = working(place, {
        "plain": ["/bin/true"],
        "pale": place.pale("/bin/true"),
        "receipt": place.pale("/bin/true", receipt=True),
        "bwrap": place.bwrap("/bin/true"),
        "crun": place.crun("/bin/true"),
    })
    samples = timed(place, "turns", [size.rounds], commands)
    took = medians(samples)
    rows = [Row("plain spawn of /bin/true", milliseconds(took["plain"]))]
    for name in ("bwrap", "crun"):
        rows.append(start_row(LABELS[name], name, "plain", took, problems))
    rows += [start_row("pale run", "pale", peer, took, problems, MOST_TIMES[peer]) for peer in MOST_TIMES]
    rows.append(start_row("pale run --receipt FILE", "receipt", "plain", took, problems))
    return rows, summary(samples)


def start_row(label, name, peer, took, problems, limit=None):
    problem = problems.get(name) or problems.get(peer)
    if problem:
        return Row(label, limit=limit, problem=problem)
    return Row(label, milliseconds(took[name]), took[name] / took[peer], f"× {LABELS[peer]}", limit)


def measure_together(tools, user, size):
    place = Place(tools, user, "together")
    commands, problems = working(place, {
        "pale": place.pale("/bin/true"),
        "bwrap": place.bwrap("/bin/true"),
        "bare": [tools.bare, "namespaces", "/bin/true"],
    })
    samples = timed(place, "together", [2, size.runs, size.passes], commands)
    rate = {name: size.runs / seconds for name, seconds in medians(samples).items()}
    row = Row("pale run, two at a time", f"{rate['pale']:.0f} /s", limit=LEAST_TIMES_BWRAP_RATE, at_least=True)
    if problems:
        return [dataclasses.replace(row, problem="; ".join(problems.values()))], {"perSecond": rate}
    bare = Row("nothing but the namespaces, two at a time", f"{rate['bare']:.0f} /s")
    times = {name: {"figure": rate[name] / rate["bwrap"], "unit": "× bubblewrap"} for name in ("pale", "bare")}
    return [
        Row("bubblewrap, two at a time", f"{rate['bwrap']:.0f} /s"),
        dataclasses.replace(bare, **times["bare"]),
        dataclasses.replace(row, **times["pale"]),
    ], {"perSecond": rate}


def measure_idle(tools, user, size):
    """Only Pale's own memory has a target; bubblewrap's is there to compare."""
    place = Place(tools, user, "idle")
    kinds = {"pale": (place.pale(*idle.SLEEP), tools.pale), "bwrap": (place.bwrap(*idle.SLEEP), None)}
    rows, numbers = [], {"sandboxes": size.idle}
    for name, (command, program) in kinds.items():
        label = f"{size.idle} idle, helpers of each: {'Pale' if name == 'pale' else 'bubblewrap'}"
        limit = MOST_IDLE_KB if name == "pale" else None
        try:
            kilobytes, helpers, left = idle.weigh(place, command, program, size.idle, size.batch)
        except (Failed, OSError) as error:
            rows.append(Row(label, limit=limit, problem=str(error)))
            continue
        rows.append(Row(label, "", kilobytes, "kB", limit))
        if name == "pale":
            rows.append(Row(f"{size.idle} idle, killed: what is left of them", "", left, "processes", 0))
        numbers[name] = {"kilobytes": kilobytes, "helpers": helpers, "left": left}
    return rows, numbers


def measure_projects(tools, user, size):
    """What it adds to a start that the project is looked up by its id and has a manifest."""
    place = Place(tools, user, "projects")
    work.write_projects(place, MANY_PROJECTS)
    samples = timed(place, "turns", [size.rounds], {
        "bare": place.pale_at("bare", "--project-root", f"{place.home}/bare"),
        "one": place.pale_at("one", "-p", "shop"),
        "many": place.pale_at("many", "-p", "shop"),
    })
    took = medians(samples)
    rows = [Row("pale run --project-root, no manifest", milliseconds(took["bare"]))]
    for name, most in MOST_MS_OF_PROJECT.items():
        more = 1000 * (took[name] - took["bare"])
        registered = "alone" if name == "one" else f"among {MANY_PROJECTS}"
        rows.append(Row(f"pale run -p ID, a manifest, {registered}", milliseconds(took[name]), more, "ms more", most))
    return rows, summary(samples)


def measure_compile(tools, user, size):
    place = Place(tools, user, "compile")
    work.write_source(place)
    return inside_and_outside(place, "C++ compile", work.COMPILE, size.compiles)


def measure_git(tools, user, size):
    place = Place(tools, user, "git")
    work.write_repository(place, size.files)
    label = f"git status of {size.files} files, {size.git_repeats} times"
    return inside_and_outside(place, label, work.git_status(size.git_repeats), size.git_rounds)


def inside_and_outside(place, label, command, rounds):
    commands, problems = working(place, {"outside": list(command), "inside": place.pale(*command)})
    if problems:
        return [Row(label, limit=MOST_TIMES_NATIVE, problem=problems["outside"])], {}
    if place.run(commands["inside"]) != place.run(commands["outside"]):
        raise Failed(f"{label}: what is printed inside is not what is printed outside")
    samples = timed(place, "turns", [rounds], commands)
    took = medians(samples)
    ratio = took["inside"] / took["outside"]
    return [
        Row(f"{label}: outside", milliseconds(took["outside"])),
        Row(f"{label}: inside", milliseconds(took["inside"]), ratio, "× outside", MOST_TIMES_NATIVE),
    ], summary(samples)


PARTS = {
    "start": measure_start,
    "projects": measure_projects,
    "together": measure_together,
    "compile": measure_compile,
    "git": measure_git,
    "idle": measure_idle,
}


# --- the run ----------------------------------------------------------------------------------------------------------


def options():
    parser = argparse.ArgumentParser(prog="./dev bench start", description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, help="rounds of starts (default 300)")
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--parts", default=",".join(PARTS), help="what to measure (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a short run, to try it; leaves docs/start.svg as it is")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    chosen = parser.parse_args()
    chosen.parts = chosen.parts.split(",")
    if unknown := set(chosen.parts) - PARTS.keys():
        parser.error(f"no such part: {', '.join(unknown)}")
    if chosen.users == "ordinary" and os.geteuid() != 0:
        parser.error("only root can become another user")
    return chosen


def users(choice):
    """The invoking user, and the ordinary one that only root can become; or one of them."""
    names = {"self": [], "ordinary": [ORDINARY_USER], "both": [ORDINARY_USER] if os.geteuid() == 0 else []}[choice]
    chosen = [] if choice == "ordinary" else [pwd.getpwuid(os.geteuid())]
    for name in names:
        try:
            chosen.append(pwd.getpwnam(name))
        except KeyError:
            say(f"there is no user {name} (./dev test creates it): nothing is measured as an ordinary user")
    return [User(user.pw_name, user.pw_uid, user.pw_gid) for user in chosen]


def let_crun_run():
    """crun refuses a machine with cgroups of both versions; in mounts of our own, it need not see one of them."""
    controllers = UNIFIED / "cgroup.controllers"
    if os.geteuid() != 0 or not controllers.exists() or not controllers.read_text().strip():
        return
    if "PALE_BENCH_MOUNTS" not in os.environ:
        os.environ["PALE_BENCH_MOUNTS"] = "private"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    subprocess.run(["umount", UNIFIED], check=True)


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "kernel": platform.release(),
        "processor": models[0] if models else platform.machine(),
        "processors": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def versions(tools):
    found = {}
    for name, program in (("pale", tools.pale), ("bwrap", tools.bwrap), ("crun", tools.crun)):
        try:
            found[name] = subprocess.check_output([program, "--version"], text=True).splitlines()[0].split()[-1]
        except (OSError, subprocess.CalledProcessError):
            found[name] = "missing"
    return found


def measure(tools, user, size, parts):
    rows, numbers = [], {}
    for name in parts:
        say(f"{name}, as {user.name}")
        part_rows, numbers[name] = PARTS[name](tools, user, size)
        rows += part_rows
    return rows, numbers


def draw(results, setting, size, target):
    """A chart of the ordinary user's starts, or of the only user's."""
    user, (_, numbers) = list(results.items())[-1]
    took = {name: values["median"] for name, values in numbers.get("start", {}).items()}
    labels = {"plain": "no sandbox", "pale": "Pale", "bwrap": "bubblewrap", "crun": "crun"}
    bars = [
        (label, took[name] / took["plain"], milliseconds(took[name])) for name, label in labels.items() if name in took
    ]
    if not bars:
        return
    who = "root" if user == "root" else "an ordinary user"
    where = f"{setting['processor']}, {setting['processors']} cores, Linux {setting['kernel'].split('-')[0]}"
    target.write_text(report.chart(
        "Starting a command in a sandbox",
        "Time until /bin/true has run and ended, as multiples of starting it without a sandbox. Shorter is better.",
        f"Median of {size.rounds} interleaved rounds, as {who}. {where}.",
        bars, "Pale",
    ), encoding="utf-8")
    say(f"the chart is {target}")


def main():
    chosen = options()
    let_crun_run()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("start: ended by a signal"))  # so that what was started is ended
    size = QUICK if chosen.quick else Size()
    size = dataclasses.replace(size, rounds=chosen.rounds or size.rounds)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        setting = {**machine(), "versions": versions(tools)}
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        results = {user.name: measure(tools, user, size, chosen.parts) for user in users(chosen.users)}
    draw(results, setting, size, (OUTPUT if chosen.quick else ROOT / "docs") / "start.svg")
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / "start.json", setting, results, lay_out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"start: {error}")
