"""benchruns - single runs of tools/bench-speed: result, instructions, speed.

MIPS are instructions divided by the user time of the child process, which varies
less than wall-clock time. rvftrace counts the instructions.
"""
import os
import re
import statistics
import tempfile

import benchlib
from benchlib import SOFTWARE, BenchError

MIN_SECONDS = 0.1  # shorter runs would measure the start-up
MEMORY = "256M"
OURS = "rvftrace"
QEMU = "qemu-system-riscv64"

RESULT_LINE = re.compile(r"^(?:bench|work|sysbench) .*$", re.M)
COUNTS = re.compile(r" cycles=\d+ insns=\d+$")  # counters of one machine: not part of the result


def our_command(emulator, image, boot_line, *options, harts=1):
    """The argv that runs a guest on rvftrace with ordinary options."""
    return (emulator, "run", "--harts", str(harts), "--memory", MEMORY, "--quiet", *options,
            "--append", boot_line, image)


def qemu_board(harts, memory):
    """QEMU's options for the same machine as rvftrace's."""
    return ("-machine", "virt", "-smp", str(harts), "-m", memory, "-nographic", "-no-reboot")


def result_of(done, name):
    """The lines with the result, without counters that differ between machines."""
    found = RESULT_LINE.findall(done.out)
    if done.status or not found:
        raise BenchError(SOFTWARE, f"{name}: status {done.status}: {done.last_words()}")
    return "; ".join(COUNTS.sub("", line) for line in found)


def count_instructions(command, progress):
    """The number of instructions of a whole run on rvftrace, and its result."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        done = benchlib.run_process((*command, "--report", report), progress)
        result = result_of(done, OURS)
        told = benchlib.read_json(report, "the emulator's report")
    return sum(hart["instructions"] for hart in told["harts"]), result


def timed_run(who, argv, expected, progress):
    """Runs once; returns the outcome, or fails if the result is not the expected one."""
    done = benchlib.run_process(argv, progress)
    result = result_of(done, f"{who} ({argv[0]})")
    if result != expected:
        raise BenchError(SOFTWARE, f"{who} ({argv[0]}): {result!r} instead of {expected!r}")
    return done


def too_short(seconds):
    """Whether a run was so short that it measures mostly the start-up."""
    return min(seconds) < MIN_SECONDS


def speed_figures(seconds, instructions):
    """Minimum, median and maximum MIPS of one runner."""
    if too_short(seconds):
        raise BenchError(benchlib.USAGE, f"a run took only {min(seconds):.2f} s of user time: "
                                         "too short to measure; use a greater --scale")
    mips = [instructions / s / 1e6 for s in seconds]
    return {"user_seconds": seconds, "mips": mips, "min": min(mips),
            "median": statistics.median(mips), "max": max(mips)}


def ratio(one, other):
    """The ratio of two speeds: of the medians, and of each round."""
    rounds = [a / b for a, b in zip(one["mips"], other["mips"])]
    return {"median": one["median"] / other["median"], "min": min(rounds), "max": max(rounds)}


def ratio_cells(versus):
    """The cells of a row for a ratio(), if there is one."""
    return (f"{versus['median']:.3f}", f"{versus['min']:.3f} to {versus['max']:.3f}") if versus else ("", "")


def speed_cells(speed, versus=None):
    """The cells of a row for speed_figures(), and for a ratio() if there is one."""
    return (*(f"{speed[key]:.1f}" for key in ("min", "median", "max")), *ratio_cells(versus))
