"""What the benchmarks of one table have in common: their options, their scratch directory, their report."""
import argparse
import os
import pathlib
import signal
import sys
import tempfile

from start import ORDINARY_USER, machine, users

from kit import report
from kit.sandboxes import OUTPUT, ROOT, Failed, Tools, say


def options(name, description, rounds):
    parser = argparse.ArgumentParser(prog=f"./dev bench {name}", description=description.split("\n\n")[0])
    parser.add_argument("--users", choices=("both", "self", "ordinary"), default="both",
                        help=f"who runs it: the invoking user, {ORDINARY_USER} (root only), or both (default)")
    parser.add_argument("--rounds", type=int, help=f"how often each is run (default {rounds})")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller; its numbers are rough")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    return parser.parse_args()


def carry_out(name, description, rounds, quick_rounds, measure):
    """`measure(tools, user, rounds, quick)` gives the rows of a user's table, and numbers for the JSON file."""
    chosen = options(name, description, rounds)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(f"{name}: ended by a signal"))  # so that what was made is removed
    OUTPUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pale-bench.", ignore_cleanup_errors=True) as scratch:
        os.chmod(scratch, 0o755)
        tools = Tools(pathlib.Path(scratch), os.environ.get("PALE_PROGRAM", ROOT / "build/pale"))
        setting = machine()
        if setting["load"] > 0.5:
            say(f"the machine is busy (load {setting['load']:.1f}): expect noise")
        times = chosen.rounds or (quick_rounds if chosen.quick else rounds)
        results = {user.name: measure(tools, user, times, chosen.quick) for user in users(chosen.users)}
    lay_out = report.markdown if chosen.markdown else report.table
    return report.conclude(OUTPUT / f"{name}.json", setting, results, lay_out)


def main(*arguments):
    try:
        sys.exit(carry_out(*arguments))
    except Failed as error:
        sys.exit(f"{arguments[0]}: {error}")
