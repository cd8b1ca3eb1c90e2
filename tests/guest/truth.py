#!/usr/bin/env python3
"""truth.py BUILD FIRST LAST - for each seed runs the guest under its tracers and compares what it
recorded with what the machine saw (truth_compare.py). One line a claim; the status says whether all
held.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "machine")]
from calls import read_calls
from ring_pages import entries_of, missed_of
from truth_compare import compare, rules

T = "/sys/kernel/tracing"
DYNAMIC = ("mcount", "pfe16", "pfe8", "atomic", "callops")
PATIENCE = 300
work = tempfile.TemporaryDirectory()
failed = False


def claim(sentence, held, why=()):
    global failed
    print("ok -" if held else "not ok -", sentence, flush=True)
    if not held:
        failed = True
        for line in list(why)[:12]:
            print("# " + str(line).replace("\n", "\n# "))


class Run:
    """A guest's run: what the machine saw, what the guest recorded."""

    def __init__(self, build, layout, harts, before, load, seed=1, initrd=None, fetch="stale"):
        self.layout, self.harts, self.command = layout, harts, None
        self.build = build
        script = f"echo 0 > {T}/tracing_on\n{before}\necho 1 > {T}/tracing_on\n{load}\n" + \
            f"echo 0 > {T}/tracing_on\n" + self.dump()
        self.execute(script, seed, initrd, fetch)

    def dump(self):
        """Sites off first, where they can be: to read the pages is to call thousands of functions."""
        off = "" if self.layout == "static" else f"echo panic > {T}/set_ftrace_filter\n"
        return off + "\n".join(f"echo PAGES {cpu}\ncat {T}/per_cpu/cpu{cpu}/trace_pipe_raw\n"
                               f"echo STATS {cpu}\ncat {T}/per_cpu/cpu{cpu}/stats"
                               for cpu in range(self.harts)) + "\necho END\n"

    def execute(self, script, seed, initrd, fetch):
        trace = os.path.join(work.name, "trace")
        path = f"{self.build}/guest-kernel/{self.layout}/kernel.elf"
        boot = "script=\"" + "; ".join(script.strip().split("\n")) + "\""
        self.command = [f"{self.build}/rvftrace", "run", "--quiet", "--audit", "fail", "--harts",
                        str(self.harts), "--memory", "128M", "--seed", str(seed), "--fetch", fetch,
                        "--trace", trace, "--trace-calls", "on", "--append", boot]
        if initrd:
            self.command += ["--initrd", f"{self.build}/guest-kernel/{initrd}"]
        done = subprocess.run(self.command + [path], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE)
        self.status, self.console, self.errors = done.returncode, done.stdout, done.stderr
        self.read_console()
        with open(trace, encoding="ascii") as f:
            self.calls = read_calls(f.read())

    def read_console(self):
        """The terminal made \\r\\n of each \\n, so this is what was written, to the byte."""
        said = self.console.replace(b"\r\n", b"\n")
        self.entries, self.lost, self.missed = [], {}, {}
        for cpu in range(self.harts):
            found = re.search(rb"^PAGES %d\n# cat [^\n]*\n((?s:.*?))# echo STATS \d+\nSTATS %d\n"
                              rb"# cat [^\n]*\n((?:[a-z ]+:.*\n)*)" % (cpu, cpu), said, re.M)
            if not found:
                raise ValueError(f"no pages of cpu {cpu}: {self.console[-2000:]} {self.errors}")
            raw = found.group(1)
            self.entries += entries_of(cpu, raw)
            stats = dict(re.findall(rb"^(.*): *(\d+)$", found.group(2), re.M))
            self.lost[cpu] = int(stats[b"overrun"]) + int(stats[b"dropped events"])
            self.missed[cpu] = missed_of(raw)

    def compare(self, **of):
        return compare(self.calls, self.entries, rules(self.layout, **of))

    def compare_told(self, entries):
        """The same, had the guest said this."""
        return compare(self.calls, entries, rules(self.layout))


if __name__ == "__main__":
    import truth
    import truth_cases
    truth_cases.main(sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3]) + 1))
    sys.exit(truth.failed)
