#!/usr/bin/env python3
"""table.py - a table of all kernels with a mistake: which rule was expected, which was found first, and when.

usage: table.py [-s SEEDS] [NAME...]      NAME: of tests/broken/NAME.patch; all without one

Runs each on 1, 2 and 4 harts until the first error or warning. Then the kernels without a mistake, in each layout, on
1, 2, 4 and 8 harts, in all fetch modes, with this number of seeds (3): they must break no rule. BUILD is where the kernels are.
The status is 1 if a mistake was not found under the name of its rule, or a sound kernel broke one.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

BUILD = os.environ.get("BUILD", "build")
LAYOUTS = "mcount pfe16 pfe8 atomic callops".split()
TRACING = "/sys/kernel/tracing"
EVERYTHING = (f"echo function > {TRACING}/current_tracer; work threads 1; "
              f"echo function_graph > {TRACING}/current_tracer; work tree 1; echo nop > {TRACING}/current_tracer; "
              "work calls 1")


def head(patch):
    """What the head of a patch says: key -> value."""
    lines = patch.read_text().split("\n---", 1)[0].splitlines()
    return dict(line.split(": ", 1) for line in lines if line.split(": ", 1)[0].isalpha() and ": " in line)


def run(kernel, harts, script, insns, *options):
    """The findings of a run that are not notes, in order of first occurrence."""
    with tempfile.TemporaryDirectory() as work:
        report = f"{work}/report"
        subprocess.run([f"{BUILD}/rvftrace", "run", "--quiet", "--harts", str(harts), "--max-insns", insns,
                        "--report", report, "--append", f'script="{script}"', *options,
                        f"{BUILD}/guest-kernel/{kernel}/kernel.elf"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600,
                       check=False)
        findings = json.loads(pathlib.Path(report).read_text())["findings"]
    return [f for f in findings if f["severity"] != "note"]


def explore(kernel, says):
    """What explore finds: the rules of all discoveries, the first expected one's numbers of runs and cycles."""
    with tempfile.TemporaryDirectory() as work:
        report = f"{work}/report"
        append = says.get("append", "") + f' script="{says.get("script", EVERYTHING)}"'
        options = says.get("options", "").replace("build/", f"{BUILD}/").split()
        subprocess.run([f"{BUILD}/rvftrace", "explore", "--quiet", "--jobs", "1", "--harts", says["harts"],
                        "--schedules", f"{work}/found", "--report", report, "--interleavings", says.get("interleavings", "24" if says.get("data") == "yes" else "100"),
                        "--max-insns", says.get("insns", "300M"), "--append", append, *options,
                        f"{BUILD}/guest-kernel/{kernel}/kernel.elf"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=1200,
                       check=False)
        return json.loads(pathlib.Path(report).read_text())


def try_explored(job):
    """The row of a kernel whose mistake explore finds: only explore, or without --follow-data. The kernel without it must have
    no discovery. Interleaving 0 is the order of the seed."""
    name, layout, says = job
    found = explore(f"{layout}-{name}", says)
    expected = [f for f in found["found"] if f["rule"] == says["rule"]]
    sound = explore(layout, says)
    tried = sum(u["tried"] for u in sound["explored"])
    rule = expected[0]["rule"] if expected else ", ".join(f["rule"] for f in found["found"]) or "-"
    if sound["found"]:
        rule = "sound: " + sound["found"][0]["rule"]
    return name, layout, says["rule"], (rule, int(says["harts"]), expected[0]["first"] if expected else 0, tried)


def try_mutant(job):
    """The row of a kernel with a mistake: the first of the numbers of harts on which the mistake is found."""
    name, layout, says = job
    first = None
    options = ["--initrd", f"{BUILD}/guest-kernel/{layout}/modules.cpio"] if says.get("modules") == "yes" else []
    if says.get("programs") == "yes":
        options = ["--initrd", f"{BUILD}/guest-kernel/initrd.cpio"]
    options += ["--follow-data"] if says.get("data") == "yes" else []
    options += ["--allow", says["before"]] if "before" in says else []
    options += ["--translate", says["translate"]] if "translate" in says else []
    tries = [(harts, seed) for seed in range(1, int(says.get("seeds", 1)) + 1)
             for harts in sorted({1, 2, 4, int(says["harts"])})]
    for harts, seed in tries:
        found = run(f"{layout}-{name}", harts, says.get("script", EVERYTHING).replace("SEED", str(seed)), says.get("insns", "300M"), *options, "--audit=fail", "--seed", str(seed))
        found = [f for f in found if f["rule"] != says.get("before")]
        if found:
            first = first or (found[0]["rule"], harts, found[0]["examples"][0]["cycle"])
            if found[0]["rule"] == says["rule"]:
                return name, layout, says["rule"], (found[0]["rule"], harts, found[0]["examples"][0]["cycle"])
    return name, layout, says["rule"], first or ("-", 0, 0)


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("-s", "--seeds", type=int, default=3)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    jobs, explored = [], []
    for patch in sorted(pathlib.Path("tests/broken").glob("*.patch")):
        says = head(patch)
        if says.get("by") == "explore" or says.get("data") == "yes":
            explored += [(patch.stem, layout, says) for layout in says["layouts"].split()
                         if not args.names or patch.stem in args.names]
        if says.get("by") != "explore" and (not args.names or patch.stem in args.names):
            jobs += [(patch.stem, layout, says) for layout in says["layouts"].split()]
    bad = 0
    print(f"{'mistake':<26} {'layout':<8} {'expected':<22} {'found':<22} {'harts':>5} {'cycle':>12}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, layout, expected, (found, harts, cycle) in pool.map(try_mutant, jobs):
            bad += found != expected
            print(f"{name:<26} {layout:<8} {expected:<22} {found:<22} {harts:>5} {cycle:>12,}", flush=True)
        print(f"{len(jobs)} kernels with a mistake, {len(jobs) - bad} found under the name of the rule")
        print(f"{'explored':<26} {'layout':<8} {'expected':<22} {'found':<22} {'harts':>5} {'interleaving':>12}")
        for name, layout, expected, (found, harts, first, tried) in pool.map(try_explored, explored):
            bad += found != expected
            print(f"{name:<26} {layout:<8} {expected:<22} {found:<22} {harts:>5} {first:>12,}  "
                  f"{tried:,} of the kernel without it: nothing", flush=True)
        sound = [(layout, harts, EVERYTHING, "300M", "--seed", str(seed), "--fetch", mode if mode != "random" else f"random:{seed}")
                 for layout in LAYOUTS for harts in (1, 2, 4, 8) for mode in ("stale", "coherent", "random")
                 for seed in range(1, args.seeds + 1) if not args.names]
        wrong = 0
        for job, found in zip(sound, pool.map(lambda job: run(*job), sound)):
            if found:
                wrong += 1
                print(f"{job[0]} on {job[1]} harts, {' '.join(job[4:])}: {', '.join(f['rule'] for f in found)}")
    if sound:
        print(f"{len(sound)} runs of kernels without a mistake, {wrong} with findings")
    return 1 if bad or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
