#!/usr/bin/env python3
"""log_cost.py - what a log costs, in instructions of the machine's thread and of the log's (make check-long; docs/log.md has
the figures).

callgrind counts each thread by itself, and the same on a busy host. Without calls, and with calls of sites that are on,
it must be less than 5 % of a run of a tenth of a second; a call and its return must not take more than they do now, on either
thread; an event less than 4 bytes.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

FAILED = []


def claim(sentence, holds, why):
    print(f"{'ok' if holds else 'not ok'} - {sentence}: {why}")
    if not holds:
        FAILED.append(sentence)


def count(build, work, rounds, *options):
    """Instructions of the machine's thread, which is the first, and of the log's, which is the second."""
    out = os.path.join(work, "threads")
    subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}", f"{build}/rvftrace",
                    "run", "--quiet", "--console", "none", *options, "--append", f'script="work threads {rounds}"',
                    f"{build}/guest-kernel/pfe8/kernel.elf"], stdin=subprocess.DEVNULL, capture_output=True, check=True)
    totals = {}
    for path in glob.glob(f"{out}*"):
        with open(path, encoding="utf-8") as file:
            found = re.search(r"(?m)^totals: (\d+)", file.read())
        if found:
            totals[path[-2:]] = int(found.group(1))
        os.remove(path)
    return totals["01"], totals.get("02", 0)


def main(build):
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "run.log")
        base, _ = count(build, work, 150)
        for calls in "none", "on":
            more = count(build, work, 150, "--log", log, f"--trace-calls={calls}")[0] / base - 1
            claim(f"--trace-calls={calls} costs less than 5 %", more < 0.05, f"{100 * more:.1f} %")
        without = count(build, work, 40, "--log", log, "--trace-calls=none")
        more = [a - b for a, b in zip(count(build, work, 40, "--log", log), without)]
        said = subprocess.run([f"{build}/rvftrace", "log", log], capture_output=True, check=True, text=True).stdout
    calls = int(re.search(r"(?m)^  call +([\d,]+)$", said).group(1).replace(",", ""))
    for thread, instructions, most in ("machine", more[0], 90), ("log", more[1], 900):
        claim(f"a call and its return take the {thread}'s thread at most {most} instructions", instructions / calls < most,
              f"{instructions / calls:.0f}, {calls} calls")
    size = float(re.search(r"([\d.]+) bytes each", said).group(1))
    claim("an event takes less than 4 bytes", size < 4, size)
    return bool(FAILED)


if __name__ == "__main__":
    sys.exit(main(os.environ.get("BUILD", "build")))
