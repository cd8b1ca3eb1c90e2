#!/usr/bin/env python3
"""Instructions of the host that the engines take for one of the guest, against kept figures.

Speed on a busy machine cannot be tested, but this can: callgrind counts the same on each run. A
workload runs at two scales, so that start and end of the run cancel out.
tests/bench/host_work.txt has the figures; one that is exceeded by more than 3 % fails.
--print prints the figures as lines of that file.
"""
import os
import re
import subprocess
import sys

FIGURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "host_work.txt")
ALLOWED = 1.03
ENGINES = {"fast": ["--engine", "interpreter"], "native": ["--engine", "auto"]}
BUILD = os.environ.get("BUILD", "build")


def rows():
    with open(FIGURES, encoding="utf-8") as f:
        for line in f:
            words = line.partition("#")[0].split()
            if words:
                engine, image, scale, figure = words
                yield engine, image, int(scale), float(figure)


def command(engine, image, scale):
    """The run of an image at a scale."""
    timing = ENGINES.get(engine) or ["--timing", engine]
    run = [f"{BUILD}/rvftrace", "run", "--harts", "1", "--memory", "128M", *timing]
    if image == "kernel":
        script = f'script="work tree {scale}; sysbench getpid {500 * scale}"'
        folder = f"{BUILD}/guest-kernel"
        return run + ["--append", script, "--initrd", f"{folder}/initrd.cpio",
                      f"{folder}/pfe8/kernel.elf"]
    return run + ["--append", f"scale={scale} harts=1", f"{BUILD}/guest/bench/{image}.elf"]


def count(engine, image, scale):
    """Instructions of the host, and of the guest."""
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run(valgrind + command(engine, image, scale), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    host = re.search(r"Collected : (\d+)", done.stdout)
    guest = re.search(r"^hart 0 +([\d,]+) instructions", done.stdout, re.M)
    if done.returncode or not host or not guest:
        sys.exit(f"not ok - {engine} {image}: status {done.returncode}\n{done.stdout[-2000:]}")
    return int(host[1]), int(guest[1].replace(",", ""))


def measure(engine, image, scale):
    host, guest = count(engine, image, scale)
    more_host, more_guest = count(engine, image, 2 * scale)
    return (more_host - host) / (more_guest - guest)


def main():
    failed = 0
    for engine, image, scale, figure in rows():
        now = measure(engine, image, scale)
        if sys.argv[1:] == ["--print"]:
            print(f"{engine} {image} {scale} {now:.2f}", flush=True)
            continue
        bad = now > figure * ALLOWED
        failed |= bad
        print(f"{'not ' * bad}ok - {engine}, {image}: {now:.2f} instructions of the host for one of "
              f"the guest, {figure:.2f} kept", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
