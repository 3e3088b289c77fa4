"""Sandboxes that do nothing: started by the hundred, weighed, and ended."""
import contextlib
import os
import pathlib
import select
import signal
import subprocess
import time

from kit.sandboxes import Failed

PATIENCE = 120  # seconds until something is taken to hang
SLEEP = ("/bin/sh", "-c", "echo; exec /bin/sleep 1000")


class Idlers:
    """Each sandbox writes a line to one common pipe as it is ready."""

    def __init__(self, place, command):
        self.place, self.command = place, command
        self.started = []
        self.reader, self.writer = os.pipe()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Leaves nothing behind, even when a signal came while sandboxes were half made."""
        members = family({process.pid for process in self.started if process.poll() is None}, None)
        self.end()
        for pid, _ in still_there(members, patience=2):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os.close(self.reader)
        os.close(self.writer)

    def start(self, count, batch):
        for first in range(0, count, batch):
            for _ in range(first, min(first + batch, count)):
                self.started.append(self.place.start(self.command, self.writer, subprocess.DEVNULL))
            self.await_ready(min(first + batch, count) - first)

    def await_ready(self, count):
        while count > 0:
            if not select.select([self.reader], [], [], PATIENCE)[0]:
                raise Failed(f"{count} of {len(self.started)} sandboxes did not become ready")
            count -= len(os.read(self.reader, count))

    def end(self):
        """Kills what was started, and nothing else: what is inside has to end with it."""
        for process in self.started:
            process.kill()
        for process in self.started:
            process.wait()


def processes():
    """(pid, start time) of every process, and its parent's pid: a pid alone may come to mean another process."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            found[int(folder.name), int(fields[19])] = int(fields[1])
    return found


def family(roots, program):
    """The processes of these pids, all that descend from them, and any other that executes the program (if any)."""
    parents = processes()
    children = {}
    for process, parent in parents.items():
        children.setdefault(parent, []).append(process)
    members, waiting = set(), [process for process in parents if process[0] in roots]
    if program:
        waiting += [process for process in parents if executes(process, program)]
    while waiting:
        process = waiting.pop()
        if process not in members:
            members.add(process)
            waiting += children.get(process[0], [])
    return members


def executes(process, program):
    try:
        return os.path.samefile(f"/proc/{process[0]}/exe", program)
    except OSError:
        return False


def proportional_kb(process):
    """Its private memory and its share of what it has in common with others; None if that may not be read."""
    try:
        lines = pathlib.Path(f"/proc/{process[0]}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), None)


def weigh(place, command, program, count, batch):
    """Of count idle sandboxes: the kilobytes of helpers and the number of them, for each, and how many outlive the end.

    A helper is whatever a sandbox needs besides the command in it.
    """
    with Idlers(place, command) as idlers:
        idlers.start(count, batch)
        members = family({process.pid for process in idlers.started}, program)
        helpers = [process for process in members if not executes(process, "/bin/sleep")]
        weights = [proportional_kb(process) for process in helpers]
        idlers.end()
        left = still_there(members, PATIENCE)
    if None in weights:
        raise Failed("the memory of helpers can be read by root only")
    return sum(weights) / count, len(helpers) / count, len(left)


def still_there(members, patience):
    """Those that are left, once all should have ended."""
    deadline = time.monotonic() + patience
    while (left := members & processes().keys()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
