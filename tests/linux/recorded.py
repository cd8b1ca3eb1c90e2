#!/usr/bin/env python3
"""recorded.py CALLS CONSOLE - whether the lines of a function trace on a console of one hart are, one
after the other and without a gap, calls that `rvftrace run --trace` has seen: the function and its caller.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True  # tests/ stays as it was checked out
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "machine"))

# pylint: disable=wrong-import-position
from calls import read_calls

LINE = re.compile(r"^ +\S.*-\d+ +\[\d+\] .* [\d.]+: (\S+) <-(\S+)$", re.M)
ENOUGH = 100


def difference(seen, recorded):
    """Where they begin to differ, and how; None: they agree. Linux names a caller by where its call
    comes back to, which may have a name of its own: but it is the same one each time."""
    caller_at = {}
    for place, (call, (function, caller)) in enumerate(zip(seen, recorded)):
        if call.name != function or caller_at.setdefault(call.back, caller) != caller:
            return place, f"{function} <-{caller} was recorded of {call}"
    return None if len(seen) >= len(recorded) else (len(seen), "no more was seen")


def main():
    calls, console = (pathlib.Path(name).read_text(errors="replace") for name in sys.argv[1:])
    seen = [c for c in read_calls(calls) if c.kind == "function" and c.state == "on"]
    recorded = LINE.findall(console)
    if len(recorded) < ENOUGH:
        sys.exit(f"only {len(recorded)} calls were recorded")
    best = 0, "nothing was seen"
    for begin in range(len(seen)):
        wrong = difference(seen[begin:], recorded)
        if not wrong:
            print(f"{len(recorded)} calls recorded, of {len(seen)} seen from the {begin}th on")
            return
        best = max(best, wrong)
    sys.exit(f"{len(recorded)} recorded, {len(seen)} seen; after {best[0]} that agree {best[1]}")


main()
