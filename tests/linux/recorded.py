#!/usr/bin/env python3
"""recorded.py CALLS CONSOLE VMLINUX - whether the lines of a function trace on a console of one hart are,
one after the other and without a gap, calls that `rvftrace run --trace` has seen: the function, its caller, and its task.
"""
import bisect
import collections
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True  # tests/ stays as it was checked out
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "machine"))

# pylint: disable=wrong-import-position
from calls import read_calls

NM = "riscv64-linux-gnu-nm"
LINE = re.compile(r"^ +(\S.*)-(\d+) +\[\d+\] .* [\d.]+: (\S+) <-(\S+)$", re.M)
ENOUGH = 100


class Symbols:
    """The symbols of code; several may have one address."""

    def __init__(self, vmlinux):
        self.names = collections.defaultdict(set)
        for line in subprocess.run([NM, vmlinux], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
            address, kind, name = line.split(maxsplit=2)
            if kind in "tTwW":
                self.names[int(address, 16)].add(name)
        self.addresses = sorted(self.names)

    def at(self, address):
        """The names that Linux may print for an address; for a caller it is the return address."""
        return self.names[self.addresses[bisect.bisect_right(self.addresses, address) - 1]]


def difference(seen, recorded, symbols):
    """The first difference; None: they agree."""
    for place, (call, (task, pid, function, caller)) in enumerate(zip(seen, recorded)):
        if call.name != function or caller not in symbols.at(call.back):
            return place, f"{function} <-{caller} was recorded of {call}"
        if call.pid != int(pid):
            return place, f"{task}-{pid} was recorded of {call.comm}-{call.pid}, {call}"
    return None if len(seen) >= len(recorded) else (len(seen), "no more was seen")


def main():
    calls, console = (pathlib.Path(name).read_text(errors="replace") for name in sys.argv[1:3])
    symbols = Symbols(sys.argv[3])
    seen = [c for c in read_calls(calls) if c.kind == "function" and c.state == "on"]
    recorded = LINE.findall(console)
    if len(recorded) < ENOUGH:
        sys.exit(f"only {len(recorded)} calls were recorded")
    best = 0, "nothing was seen"
    for begin in range(len(seen)):
        wrong = difference(seen[begin:], recorded, symbols)
        if not wrong:
            # A task has another name before it executes a program; Linux has the last one.
            same = sum(call.comm == line[0] for call, line in zip(seen[begin:], recorded))
            print(f"{len(recorded)} calls recorded, of {len(seen)} seen from the {begin}th on; {same} by that name")
            sys.exit(same < len(recorded) / 2)
        best = max(best, wrong)
    sys.exit(f"{len(recorded)} recorded, {len(seen)} seen; after {best[0]} that agree {best[1]}")


main()
