#!/usr/bin/env python3
"""network: what the proxy of an allow-list costs: a gigabyte, small requests, connections; beside socat and a plain relay.

`./dev bench network` runs it. docs/BENCHMARKS.md says what is measured and how. Exits with 1 if a target is missed, or
could not be measured.
"""
import shutil
import statistics
import subprocess

from kit import program
from kit.report import Row, milliseconds
from kit.sandboxes import OUTPUT, ROOT, Failed, Place, say

LEAST_BULK, MOST_SMALL, MOST_CONNECT = 0.7, 1.5, 0.3  # times socat; times a relay; milliseconds
MANY = 1000
BYTES, QUICK_BYTES = 1 << 30, 1 << 28
REQUESTS, QUICK_REQUESTS = 10_000, 2_000
CONNECTIONS, QUICK_CONNECTIONS = 300, 60
ROUNDS, QUICK_ROUNDS = 7, 3
HOST, PORT = "bench.test", 7777


def build():
    target = OUTPUT / "network"
    source = ROOT / "bench/network.cc"
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["g++", "-std=c++20", "-O2", "-static", "-pthread", "-w", "-o", target, source], check=True)
    return target


class Helper:
    """A server or a relay that says its port."""

    def __init__(self, *command):
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def end(self):
        self.process.kill()
        self.process.wait()


class Socat:
    def __init__(self, target):
        if shutil.which("socat") is None:
            raise Failed("socat is not installed")
        self.port = target + 1 if target < 60000 else target - 1
        listen = f"TCP-LISTEN:{self.port},bind=127.0.0.1,reuseaddr,fork,nodelay"
        self.process = subprocess.Popen(["socat", "-b", str(1 << 18), listen, f"TCP:127.0.0.1:{target},nodelay"])
        subprocess.run(["sleep", "0.3"], check=True)

    def end(self):
        self.process.kill()
        self.process.wait()


def run_outside(tool, what, port, number):
    done = subprocess.run([tool, what, "127.0.0.1", str(port), str(number)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def run_inside(place, tools, what, number):
    command = [tools.pale, "run", "--project-root", f"{place.work}", "--network", f"allow:{HOST}:{PORT}", "--",
               f"{place.work}/network", what, HOST, str(PORT), str(number)]
    return float(place.run(command))


def measure(tools, user, rounds, quick):
    tool = build()
    place = Place(tools, user, "network")
    shutil.copy(tool, place.work / "network")
    place.user.own(place.work)
    server = Helper(tool, "serve")
    relay = Helper(tool, "relay", server.port)
    socat = Socat(server.port)
    config = place.home / "pale/config.toml"
    config.write_text(f'[network.hosts]\n"{HOST}" = "127.0.0.1:{server.port}"\n')
    place.user.own(config)
    bytes_, requests, connections = (QUICK_BYTES, QUICK_REQUESTS, QUICK_CONNECTIONS) if quick else (BYTES, REQUESTS, CONNECTIONS)
    took = {key: [] for key in ("bulk proxy", "bulk socat", "small proxy", "small relay", "connect proxy", "connect direct")}
    try:
        say(f"{rounds} rounds as {user.name}")
        for _ in range(rounds):
            took["bulk socat"].append(run_outside(tool, "bulk", socat.port, bytes_))
            took["bulk proxy"].append(run_inside(place, tools, "bulk", bytes_))
            took["small relay"].append(run_outside(tool, "small", relay.port, requests))
            took["small proxy"].append(run_inside(place, tools, "small", requests))
            took["connect direct"].append(run_outside(tool, "connect", server.port, connections))
            took["connect proxy"].append(run_inside(place, tools, "connect", connections))
        answered = run_inside(place, tools, "many", MANY)
    finally:
        for helper in (socat, relay, server):
            helper.end()
    middle = {key: statistics.median(values) for key, values in took.items()}
    overhead = (middle["connect proxy"] - middle["connect direct"]) * 1e3
    return [
        Row(f"{bytes_ >> 20} MB through socat", milliseconds(middle["bulk socat"])),
        Row(f"{bytes_ >> 20} MB through the proxy", milliseconds(middle["bulk proxy"]), middle["bulk socat"] / middle["bulk proxy"],
            "× socat's speed", LEAST_BULK, at_least=True),
        Row(f"{requests} requests through a plain relay", milliseconds(middle["small relay"])),
        Row(f"{requests} requests through the proxy", milliseconds(middle["small proxy"]), middle["small proxy"] / middle["small relay"],
            "× the relay", MOST_SMALL),
        Row("connect and be answered, directly", milliseconds(middle["connect direct"])),
        Row("connect and be answered, through the proxy", milliseconds(middle["connect proxy"]), overhead, "ms more", MOST_CONNECT),
        Row(f"{MANY} connections at a time", "", int(answered), "answered", MANY, at_least=True),
    ], {"network": took}


if __name__ == "__main__":
    program.main("network", __doc__, ROUNDS, QUICK_ROUNDS, measure)
