#!/usr/bin/env python3
"""What the audit adds to the accounting, in instructions of the host.

Whole runs of the guest kernel, from the start of the program to its end, with the audit and without
it. callgrind counts the same on each run, on whatever host is busy. tests/bench/audit_cost.txt has
what each kind of run may cost more with the audit, in percent. --print prints a table instead.
"""
import os
import re
import subprocess
import sys

BOUNDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "audit_cost.txt")
BUILD = os.environ.get("BUILD", "build")


def rows():
    """Bound in percent, harts, and what the kernel is told."""
    with open(BOUNDS, encoding="utf-8") as f:
        for line in f:
            words = line.partition("#")[0].split(None, 2)
            if words:
                yield float(words[0]), words[1], words[2].strip()


def count(audit, harts, append):
    """Instructions of the host."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"{BUILD}/rvftrace",
               "run", "--engine", "interpreter", "--audit", audit, "--harts", harts,
               "--memory", "128M", "--append", append,
               f"{BUILD}/guest-kernel/pfe8/kernel.elf"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    host = re.search(r"Collected : (\d+)", done.stdout)
    if done.returncode or not host:
        sys.exit(f"not ok - {append}: status {done.returncode}\n{done.stdout[-2000:]}")
    return int(host[1])


def main():
    failed = 0
    for bound, harts, append in rows():
        off, on = count("off", harts, append), count("warn", harts, append)
        more = 100 * (on - off) / off
        if sys.argv[1:] == ["--print"]:
            print(f"| {harts} | `{append}` | {off / 1e6:,.0f} M | {on / 1e6:,.0f} M | {more:.1f} % |",
                  flush=True)
            continue
        bad = more > bound
        failed |= bad
        print(f"{'not ' * bad}ok - {append}, {harts} harts: the audit costs {more:.1f} %, "
              f"{bound:g} % permitted", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
