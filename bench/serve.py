#!/usr/bin/env python3
"""serve: `pale serve` with many workspaces, sessions and clients: how long a command takes, and whether anything stays behind.

`./dev bench serve` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, a call
fails, or something leaks.
"""
import argparse
import collections
import contextlib
import dataclasses
import http.client
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from kit import report
from kit.idle import processes
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, say
from start import machine

MOST_TIMES_IDLE = 5
MOST_GROWTH = 1.1  # of the server's own memory, from one round to the next
GROWTH_THAT_IS_NOISE = 2048  # kB
PATIENCE = 30  # seconds
PROJECTS = 10


@dataclasses.dataclass
class Size:
    """How much is done."""

    workspaces: int = 1000
    sessions: int = 200
    clients: int = 50
    seconds: int = 60
    idle_calls: int = 500


QUICK = Size(workspaces=100, sessions=40, clients=20, seconds=10, idle_calls=200)


def built_client():
    source, program = ROOT / "bench/serve.cc", OUTPUT / "serve"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        say("building serve")
        subprocess.run(["g++", "-std=c++20", "-O2", "-o", program, source], check=True)
    return program


# --- the server -------------------------------------------------------------------------------------------------------


class Server:
    """`pale serve` on a PALE_HOME, and a client of it that may do everything."""

    def __init__(self, pale, pale_home):
        self.pale, self.env = pale, {**os.environ, "PALE_HOME": f"{pale_home}"}
        self.process = None
        self.tokens = {}
        self.start()

    def command(self, *words):
        return subprocess.run([self.pale, *words], env=self.env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True).stdout.strip()

    def token(self, scope):
        if scope not in self.tokens:
            self.tokens[scope] = self.command("token", "create", "--scope", scope)
        return self.tokens[scope]

    def start(self):
        self.process = subprocess.Popen([self.pale, "serve", "--port", "0"], env=self.env, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("Serving"):
            raise Failed(f"pale serve said: {line}")
        self.port = int(line.rsplit(":", 1)[1].split("/")[0])
        self.line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
                        "Authorization": f"Bearer {self.token('admin')}"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "bench", "version": "1"})

    def ask(self, method, **params):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.line.request("POST", "/mcp", body, self.headers)
        answer = self.line.getresponse()
        text = answer.read().decode()
        if identity := answer.getheader("Mcp-Session-Id"):
            self.headers["Mcp-Session-Id"] = identity
        if answer.getheader("Content-Type", "").startswith("text/event-stream"):
            text = [line for line in text.splitlines() if line.startswith("data: {")][-1][len("data: "):]
        result = json.loads(text)
        if "result" not in result or result["result"].get("isError"):
            raise Failed(f"{method} {params}: {text[:500]}")
        return result["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)["structuredContent"]

    def stop(self, number=signal.SIGTERM):
        self.line.close()
        self.process.send_signal(number)
        self.process.stdout.close()
        return self.process.wait(PATIENCE)


# --- what could leak --------------------------------------------------------------------------------------------------


def command_lines():
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                yield folder, (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def hosts(tag):
    """Of sessions of this run's projects, whose names begin with the tag."""
    return [folder for folder, line in command_lines() if "session-host" in line and tag in line]


def sandboxes(living):
    """The children of hosts: what is inside hides its command line."""
    pids = {int(host.name) for host in living}
    return [pathlib.Path(f"/proc/{pid}") for (pid, _), parent in processes().items() if parent in pids]


def mount_namespaces(folders):
    found = set()
    for folder in folders:
        with contextlib.suppress(OSError):
            found.add(os.readlink(folder / "ns/mnt"))
    return found - {os.readlink("/proc/self/ns/mnt")}


def memory_kb(folder, field):
    with contextlib.suppress(OSError):
        for line in (folder / "smaps_rollup").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
    return 0


@dataclasses.dataclass
class Counts:
    descriptors: int
    own_kb: int  # of the server: what it shares with nobody
    mounts: int
    processes: int
    hosts_kb: int
    namespaces: set  # of sessions
    all_namespaces: set

    @staticmethod
    def take(server, tag):
        folder = pathlib.Path(f"/proc/{server.process.pid}")
        living = hosts(tag)
        living += sandboxes(living)
        own = memory_kb(folder, "Private_Dirty") + memory_kb(folder, "Private_Clean")
        return Counts(len(os.listdir(folder / "fd")), own, len(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()),
                      len(living), sum(memory_kb(host, "Pss") for host in living), mount_namespaces(living),
                      mount_namespaces(folder for folder, _ in command_lines()))

    def shown(self):
        return {**dataclasses.asdict(self), "namespaces": len(self.namespaces),
                "all_namespaces": len(self.all_namespaces)}


def leaks(before, peak, after, settled_kb):
    """Sentences. Others may work on this machine: of namespaces only those of sessions count."""
    found = []
    for what in ("descriptors", "mounts", "processes"):
        if getattr(after, what) > getattr(before, what):
            found.append(f"leak: {what}: {getattr(before, what)} before, {getattr(after, what)} after")
    if stayed := peak.namespaces & after.all_namespaces:
        found.append(f"leak: {len(stayed)} mount namespaces")
    if after.own_kb > settled_kb * MOST_GROWTH + GROWTH_THAT_IS_NOISE:
        found.append(f"leak: memory of the server: {settled_kb} kB after one round, {after.own_kb} kB after another")
    return found


# --- the load ---------------------------------------------------------------------------------------------------------


class Bench:
    def __init__(self, server, client, size):
        self.server, self.client, self.size = server, client, size
        self.tag = f"load-{os.getpid()}-"
        self.places = []  # (project, workspace)

    def fill(self):
        say(f"making {self.size.workspaces} workspaces in {PROJECTS} projects")
        for number in range(PROJECTS):
            self.server.call("project_create", name=f"{self.tag}{number}", id=f"{self.tag}{number}", workspace_isolation=True)
        for number in range(self.size.workspaces):
            project = f"{self.tag}{number % PROJECTS}"
            self.places.append((project, self.server.call("workspace_create", project_id=project)["id"]))

    def start_sessions(self, count):
        """(token, project, workspace, session): every fifth is worked in by who may do everything, the others by tenants."""
        started = []
        for number, (project, workspace) in enumerate(self.places[:count]):
            session = self.server.call("session_start", project_id=project, workspace_id=workspace)["id"]
            # A client has every so many of them, and one token for all.
            client = number % self.size.clients
            scope = "admin" if client % 5 == 0 else f"project:{project}"
            started.append((self.server.token(scope), project, workspace, session))
        return started

    def end_sessions(self, sessions):
        for *_, session in sessions:
            self.server.call("session_end", session_id=session)

    def calls(self, sessions, clients, seconds, think, mix):
        """The samples of each tool in seconds, and what went wrong."""
        lines = "".join(" ".join(session) + "\n" for session in sessions)
        words = [self.client, self.server.port, clients, seconds, *think, mix]
        out = subprocess.run([f"{word}" for word in words], input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout
        samples, errors = collections.defaultdict(list), []
        for line in out.splitlines():
            what, _, rest = line.partition(" ")
            if what == "error":
                errors.append(rest)
            else:
                samples[what].append(int(rest) / 1e9)
        return samples, errors

    def settle(self, before):
        """What closes a connection or reaps a process may come a moment later."""
        end = time.monotonic() + PATIENCE
        while True:
            counts = Counts.take(self.server, self.tag)
            if time.monotonic() > end or (counts.descriptors <= before.descriptors and counts.processes == 0
                                          and counts.mounts <= before.mounts):
                return counts
            time.sleep(0.5)


def percentile(samples, part):
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * part))]


def measure(bench, size):
    bench.fill()
    before = Counts.take(bench.server, bench.tag)
    say("a short round, so that what is made once is made")
    sessions = bench.start_sessions(size.sessions)
    _, errors = bench.calls(sessions, size.clients, max(3, size.seconds // 6), (200, 400), "all")
    bench.end_sessions(sessions)
    settled = bench.settle(before)
    say(f"{size.sessions} sessions, nobody calls: session_run true, one after another")
    sessions = bench.start_sessions(size.sessions)
    idle, idle_errors = bench.calls(sessions[:1], 1, max(2, size.idle_calls // 50), (15, 25), "run")
    say(f"{size.clients} clients for {size.seconds} s")
    busy, busy_errors = bench.calls(sessions, size.clients, size.seconds, (200, 400), "all")
    peak = Counts.take(bench.server, bench.tag)
    bench.end_sessions(sessions)
    after = bench.settle(before)
    errors += idle_errors + busy_errors
    return before, settled, peak, after, idle["session_run"], busy, errors


def restart(bench):
    """SIGTERM ends the server, and not the sessions; the next one has them."""
    sessions = bench.start_sessions(3)
    if (code := bench.server.stop()) != 0:
        raise Failed(f"SIGTERM: pale serve exited with {code}")
    bench.server.start()
    living = {each["id"] for each in bench.server.call("session_list", state="running")["sessions"]}
    missing = {session for *_, session in sessions} - living
    for *_, session in sessions:
        bench.server.call("session_run", session_id=session, command=["true"])
    bench.end_sessions(sessions)
    return [f"lost by a restart: {session}" for session in missing]


def rows_of(idle, busy, peak, size):
    idle_median, runs = statistics.median(idle), busy["session_run"]
    worst = percentile(runs, 0.99)
    rows = [
        Row("session_run true, idle", milliseconds(idle_median)),
        Row(f"session_run true, {size.clients} clients, p50", milliseconds(statistics.median(runs))),
        Row(f"session_run true, {size.clients} clients, p99", milliseconds(worst), worst / idle_median, "× idle",
            MOST_TIMES_IDLE),
    ]
    rows += [Row(f"{tool}, {size.clients} clients, p99", milliseconds(percentile(samples, 0.99)))
             for tool, samples in sorted(busy.items()) if tool != "session_run"]
    rows.append(Row("calls a second", figure=sum(map(len, busy.values())) / size.seconds))
    rows.append(Row("a live session", f"{peak.hosts_kb / size.sessions / 1024:.2f} MB"))
    rows.append(Row("the server", f"{peak.own_kb / 1024:.1f} MB"))
    return rows


# --- the run ----------------------------------------------------------------------------------------------------------


def options():
    parser = argparse.ArgumentParser(prog="./dev bench serve", description=__doc__.split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"a short run, to try it: {QUICK.sessions} sessions")
    parser.add_argument("--seconds", type=int, help="how long the clients call")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    return parser.parse_args()


def main():
    chosen = options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("serve: ended by a signal"))  # so that what was made is removed
    size = QUICK if chosen.quick else Size()
    size.seconds = chosen.seconds or size.seconds
    OUTPUT.mkdir(parents=True, exist_ok=True)
    client, setting = built_client(), machine()
    if setting["load"] > 0.5:
        say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        server = Server(os.environ.get("PALE_PROGRAM", ROOT / "build/pale"), pathlib.Path(scratch) / "pale")
        bench = Bench(server, client, size)
        try:
            before, settled, peak, after, idle, busy, problems = measure(bench, size)
            problems += leaks(before, peak, after, settled.own_kb) + restart(bench)
            if (code := server.stop()) != 0:
                problems.append(f"SIGTERM: pale serve exited with {code}")
        finally:
            server.process.kill()
            for host in hosts(bench.tag):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(host.name), signal.SIGKILL)
    rows = rows_of(idle, busy, peak, size)
    print((report.markdown if chosen.markdown else report.table)("pale serve", rows))
    for problem in problems[:20]:
        print(problem)
    counts = {"before": before.shown(), "after a round": settled.shown(), "at work": peak.shown(), "after": after.shown()}
    numbers = {"idle": idle, "busy": busy, "counts": counts, "problems": problems}
    report.write_json(OUTPUT / "serve.json", {**setting, **dataclasses.asdict(size)}, {"serve": (rows, numbers)})
    return 1 if problems or any(row.missed() for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"serve: {error}")
