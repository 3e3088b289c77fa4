"""Pale and its peers: who runs them, where, and with which commands, so that all of them keep the same policy."""
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / "build/bench"
SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"


class Failed(Exception):
    """A command that should work does not; the text is what it said."""


def say(text):
    print(f"== {text}", file=sys.stderr, flush=True)


@dataclasses.dataclass
class User:
    name: str
    uid: int
    gid: int

    def identity(self):
        """What makes subprocess start something as this user."""
        if self.uid == os.geteuid():
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, path):
        subprocess.run(["chown", "-R", f"{self.uid}:{self.gid}", path], check=True)


class Tools:
    """The programs. Pale and our own are copies: the build may change meanwhile, and be closed to other users."""

    def __init__(self, scratch, program):
        self.scratch = scratch
        self.pale = self.copy(program)
        self.spawn = self.copy(built("spawn.cc", ["g++", "-std=c++23", "-O2"]))
        self.bare = self.copy(built("bare.c", ["musl-gcc", "-static", "-O2", *kernel_headers()]))
        self.bwrap, self.crun = found("bwrap"), found("crun")

    def copy(self, program):
        return str(shutil.copy(program, self.scratch / pathlib.Path(program).name))


def found(name):
    return shutil.which(name, path=SEARCH_PATH) or f"/usr/bin/{name}"


def kernel_headers():
    """musl-gcc knows only its own; behind them come the kernel's, which lie among glibc's."""
    machine = subprocess.check_output(["gcc", "-print-multiarch"], text=True).strip()
    return ["-idirafter", "/usr/include", "-idirafter", f"/usr/include/{machine}"]


def built(name, compiler):
    """A small program of bench/, compiled if it is newer than what is there."""
    source, program = ROOT / "bench" / name, OUTPUT / pathlib.Path(name).stem
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        say(f"building {program.name}")
        subprocess.run([*compiler, "-o", program, source], check=True)
    return program


class Place:
    """A user's fresh directories: an empty workspace, and the homes and state of Pale and its peers."""

    def __init__(self, tools, user, name):
        self.tools, self.user, self.name = tools, user, f"{user.name}-{name}"
        folder = tools.scratch / self.name
        self.work, self.home, self.bundle = (folder / part for part in ("work", "home", "bundle"))
        for made in (self.work, self.home / "pale", self.home / "run", self.bundle):
            made.mkdir(parents=True)
        user.own(folder)
        self.env = {
            "PATH": SEARCH_PATH,
            "LANG": "C.UTF-8",
            "HOME": f"{self.home}",
            "PALE_HOME": f"{self.home}/pale",
            "XDG_RUNTIME_DIR": f"{self.home}/run",
        }

    def start(self, command, output, errors):
        """Starts the command as the user, in the workspace, in a session of its own."""
        return subprocess.Popen(
            command, cwd=self.work, env=self.env, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, text=True,
            start_new_session=True, **self.user.identity(),
        )

    def run(self, command):
        """The command's output, if it exits with 0."""
        process = self.start(command, subprocess.PIPE, subprocess.PIPE)
        try:
            output, errors = process.communicate()
        except BaseException:  # a signal: what was started ends with us
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        if process.returncode != 0:
            said = errors.strip().splitlines() or [f"{command[0]} exited with {process.returncode}"]
            raise Failed("; ".join(said[:2]))
        return output

    def pale(self, *command, receipt=False):
        options = ["--receipt", f"{self.home}/receipt.json"] if receipt else []
        return [self.tools.pale, "run", "--project-root", f"{self.work}", *options, "--", *command]

    def pale_at(self, name, *project):
        """With one of several PALE_HOMEs."""
        return ["/usr/bin/env", f"PALE_HOME={self.home}/{name}-pale", self.tools.pale, "run", *project, "--", "/bin/true"]

    def bwrap(self, *command):
        options = ["--dev", "/dev", "--proc", "/proc", "--unshare-all", "--die-with-parent", "--new-session"]
        return [self.tools.bwrap, "--ro-bind", "/", "/", "--bind", f"{self.work}", f"{self.work}", *options, *command]

    def crun(self, *command):
        write_bundle(self, command)
        options = ["--root", f"{self.home}/run/crun", "--cgroup-manager=disabled"]
        return [self.tools.crun, *options, "run", "--bundle", f"{self.bundle}", "bench"]


# --- crun's bundle ----------------------------------------------------------------------------------------------------


def write_bundle(place, command):
    rootfs, mounts = place.bundle / "rootfs", bundle_mounts(place)
    rootfs.mkdir()
    for mount in mounts:  # there beforehand, so that no start has to make them
        if mount["destination"] != "/dev/pts":
            (rootfs / mount["destination"].lstrip("/")).mkdir(parents=True, exist_ok=True)
    for link in pathlib.Path("/").iterdir():  # /bin and its like
        if link.is_symlink() and not (rootfs / link.name).exists():
            (rootfs / link.name).symlink_to(link.readlink())
    (place.bundle / "config.json").write_text(json.dumps(bundle_config(place, command, mounts)))
    place.user.own(place.bundle)


def bundle_mounts(place):
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"]},
        {"destination": "/dev/pts", "type": "devpts", "source": "devpts", "options": ["nosuid", "newinstance"]},
    ]
    system = [f"/{name}" for name in ("usr", "etc", "bin", "sbin", "lib", "lib32", "lib64")]
    binds = {path: "ro" for path in system if os.path.isdir(path) and not os.path.islink(path)}
    for path, access in {**binds, f"{place.work}": "rw"}.items():
        options = ["rbind", access, "nosuid", "nodev"]
        mounts.append({"destination": path, "type": "bind", "source": path, "options": options})
    return mounts


def bundle_config(place, command, mounts):
    kinds = ("bounding", "effective", "inheritable", "permitted", "ambient")
    return {
        "ociVersion": "1.0.2",
        "hostname": "bench",
        "root": {"path": "rootfs", "readonly": True},
        "process": {
            "terminal": False,
            "user": {"uid": 0, "gid": 0},
            "args": list(command),
            "env": [f"PATH={SEARCH_PATH}"],
            "cwd": f"{place.work}",
            "noNewPrivileges": True,
            "capabilities": {kind: [] for kind in kinds},
        },
        "mounts": mounts,
        "linux": {
            "namespaces": [{"type": kind} for kind in ("user", "mount", "pid", "network", "ipc", "uts", "cgroup")],
            "uidMappings": [{"containerID": 0, "hostID": place.user.uid, "size": 1}],
            "gidMappings": [{"containerID": 0, "hostID": place.user.gid, "size": 1}],
        },
    }
