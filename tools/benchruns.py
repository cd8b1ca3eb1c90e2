"""benchruns - what tools/bench-speed knows of a run: its result, its work, its speed.

MIPS are instructions by seconds of the child's own user time, which disturbs
less than time on the clock. The instructions are those that our emulator counts.
"""
import os
import re
import statistics
import tempfile

import benchlib
from benchlib import SOFTWARE, BenchError

MIN_SECONDS = 0.1  # shorter runs measure starting up
MEMORY = "256M"
OURS = "rvftrace"
QEMU = "qemu-system-riscv64"

RESULT_LINE = re.compile(r"^(?:bench|work|sysbench) .*$", re.M)
COUNTS = re.compile(r" cycles=\d+ insns=\d+$")  # of one hart of one machine: no result


def our_command(emulator, image, boot_line, *options, harts=1):
    """The argv that runs a guest on our emulator as everybody does."""
    return (emulator, "run", "--harts", str(harts), "--memory", MEMORY, "--quiet", *options,
            "--append", boot_line, image)


def qemu_board(harts, memory):
    """QEMU's options for the machine that we are, too."""
    return ("-machine", "virt", "-smp", str(harts), "-m", memory, "-nographic", "-no-reboot")


def result_of(done, name):
    """The lines that say what came out, without what only one machine can have counted."""
    found = RESULT_LINE.findall(done.out)
    if done.status or not found:
        raise BenchError(SOFTWARE, f"{name}: status {done.status}: {done.last_words()}")
    return "; ".join(COUNTS.sub("", line) for line in found)


def count_instructions(command, progress):
    """What a whole run of ours executes, and its result."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        done = benchlib.run_process((*command, "--report", report), progress)
        result = result_of(done, OURS)
        told = benchlib.read_json(report, "the emulator's report")
    return sum(hart["instructions"] for hart in told["harts"]), result


def timed_run(who, argv, expected, progress):
    """The outcome of one run, which must come to the expected result."""
    done = benchlib.run_process(argv, progress)
    result = result_of(done, f"{who} ({argv[0]})")
    if result != expected:
        raise BenchError(SOFTWARE, f"{who} ({argv[0]}): {result!r} instead of {expected!r}")
    return done


def too_short(seconds):
    """One of the runs measures mostly how a program starts."""
    return min(seconds) < MIN_SECONDS


def speed_figures(seconds, instructions):
    """Least, median and greatest MIPS of one runner."""
    if too_short(seconds):
        raise BenchError(benchlib.USAGE, f"a run took only {min(seconds):.2f} s of user time: "
                                         "too short to measure; use a greater --scale")
    mips = [instructions / s / 1e6 for s in seconds]
    return {"user_seconds": seconds, "mips": mips, "min": min(mips),
            "median": statistics.median(mips), "max": max(mips)}


def ratio(one, other):
    """The first's speed by the other's: by medians, and by the rounds that ran side by side."""
    rounds = [a / b for a, b in zip(one["mips"], other["mips"])]
    return {"median": one["median"] / other["median"], "min": min(rounds), "max": max(rounds)}


def ratio_cells(versus):
    """A row's cells for a ratio(), if there is one."""
    return (f"{versus['median']:.3f}", f"{versus['min']:.3f} to {versus['max']:.3f}") if versus else ("", "")


def speed_cells(speed, versus=None):
    """A row's cells for speed_figures(), and for a ratio() if there is one."""
    return (*(f"{speed[key]:.1f}" for key in ("min", "median", "max")), *ratio_cells(versus))
