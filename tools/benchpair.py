"""benchpair - what one kernel costs more than another, by region of interest, for `bench --pair` and `--linux`.

Each pair is two kernels, A and B, that should differ in one thing. Both do the same work under each core model, and
only the regions of interest count: what the guest marks, or what is between two texts on its console. Further pairs
are other placements of the same two: the figures are then means with intervals. benchlinux has more than two sides.
"""
import dataclasses
import functools
import hashlib
import json
import math
import os
import tempfile
import typing

import benchcost
import benchguest
import benchjobs
import benchlib
import benchspread
from benchlib import SOFTWARE, BenchError

SCHEMA, VERSION = "rvftrace-pair", 1
RECORD = 1  # changes with the form of what the cache keeps
MEMORY_DEFAULT = "512M"
RUN_TIMEOUT = 24 * 3600  # seconds: a workload of the user's, on a host that may have other work
PARTS = ("issue", "fetch", "data", "branch")
KEPT = ("times", "instructions", "busy_cycles", "idle_cycles", "parts", "sites", "user_cycles")


@dataclasses.dataclass(frozen=True)
class Job:
    """One run: the kernel `side' of the pair with that number."""

    side: str  # one of the sides of the Inputs
    pair: int
    core: str

    def title(self):
        return f"{self.side.upper()} of pair {self.pair + 1}, {self.core}"


@dataclasses.dataclass
class Inputs:
    """What the results depend on besides the job. begins, ends: texts on the console, or None: marks."""

    sides: typing.ClassVar = ("a", "b")

    emulator: str
    pairs: list  # of paths of kernels, one for each side
    initrd: str | None
    cores: dict  # core -> file of the model, or None
    append: str
    memory: str
    harts: int
    seed: int
    begins: str | None
    ends: str | None
    reports: str | None = None  # a folder for the reports of all runs

    def image(self, job):
        return self.pairs[job.pair][self.sides.index(job.side)]

    def key(self, job):
        """The hash of everything that the job's result depends on."""
        model = self.cores[job.core]
        parts = (SCHEMA, RECORD, hash_of(self.emulator), hash_of(self.image(job)),
                 hash_of(self.initrd) if self.initrd else None, hash_of(model) if model else job.core,
                 self.append, self.memory, self.harts, self.seed, self.begins, self.ends)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def report(self, job):
        return os.path.join(self.reports, f"{job.side}-{job.pair + 1}-{job.core.replace(os.sep, '_')}.json")


@functools.cache
def hash_of(path):
    """Of a file that does not change while this program runs."""
    return benchguest.sha256(path)


# ---- running ----

def region_options(inputs):
    if inputs.begins is None:
        return ["--region-marks"]
    return ["--region-from", inputs.begins, *(["--region-to", inputs.ends] if inputs.ends else [])]


def run_job(inputs, job, progress):
    """The regions of a run, by name; and the processor's seconds."""
    machine = benchguest.Machine(inputs.emulator, inputs.harts, inputs.cores[job.core] or job.core, inputs.seed)
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        path = inputs.report(job) if inputs.reports else os.path.join(scratch, "report.json")
        arguments = ["run", "--audit=off", "--memory", inputs.memory, "--report", path, *region_options(inputs),
                     *(["--initrd", inputs.initrd] if inputs.initrd else [])]
        done = benchguest.run_emulator(machine, arguments, inputs.image(job), inputs.append, progress, RUN_TIMEOUT)
        report = benchguest.read_report(path, machine)
    regions = {region["name"]: record_of(region) for region in report.get("regions", []) if region["times"]}
    if not regions:
        raise BenchError(SOFTWARE, f"{job.title()}: no region of interest; the console ends with "
                                   f"{done.out.strip()[-200:]!r}")
    return regions, done.user_seconds


def record_of(region):
    user = sum(f["cycles"] for f in region["functions"] if f["function"] == "(user)")
    return {name: region.get(name) for name in KEPT[:-1]} | {"user_cycles": user}


def is_record(value):
    return isinstance(value, dict) and all(isinstance(r, dict) and r.keys() == set(KEPT) for r in value.values())


def plan(inputs, job=Job):
    """In the order of the pairs, so that what is interrupted has whole ones. job: the class of the jobs."""
    return [job(side, pair, core) for pair in range(len(inputs.pairs)) for core in inputs.cores for side in inputs.sides]


class ReportCache(benchjobs.Cache):
    """A result counts only while the report that is wanted beside it is there, too."""

    def __init__(self, directory, inputs):
        super().__init__(directory, is_record)
        self.wanted = {inputs.key(job): inputs.report(job) for job in plan(inputs)} if inputs.reports else {}

    def get(self, key):
        if key in self.wanted and not os.path.exists(self.wanted[key]):
            return None
        return super().get(key)


# ---- figures ----

def check_same_regions(results):
    """Both kernels, on all cores, have done the same."""
    done = {job: {name: region["times"] for name, region in regions.items()} for job, regions in results.items()}
    first, expected = next(iter(done.items()))
    for job, regions in done.items():
        if regions != expected:
            raise BenchError(SOFTWARE, f"{job.title()} had the regions {regions}, and {first.title()} {expected}")


def draw_of(a, b):
    """The figures of one pair: B against A, in percent of A's cycles."""
    base = a["busy_cycles"]
    draw = {"overhead_percent": 100 * (b["busy_cycles"] - base) / base,
            "kernel_percent": benchcost.percent(kernel_cycles(b) - kernel_cycles(a), kernel_cycles(a)),
            "instructions_percent": 100 * (b["instructions"] - a["instructions"]) / a["instructions"],
            "sites_percent": 100 * b["sites"]["cycles"] / base,
            "entries": b["sites"]["entries"], "cycles": b["busy_cycles"], "base_cycles": base,
            "sites_issue_percent": site_issue_percent(b, base),
            "entries_per_1000_instructions": 1000 * b["sites"]["entries"] / a["instructions"]}
    for part in PARTS:
        whole = a["parts"] and b["parts"]
        draw[f"{part}_percent"] = 100 * (b["parts"][part] - a["parts"][part]) / base if whole else None
    return draw


def site_issue_percent(region, base):
    """The sites' own instructions without what they wait for; None: the model does not tell."""
    parts = region["sites"].get("parts")
    return 100 * parts["issue"] / base if parts else None


def kernel_cycles(region):
    return region["busy_cycles"] - region["user_cycles"]


SPREAD = ("overhead_percent", "kernel_percent")


def figures_of(results, cores, a="a", b="b"):
    """One row for each core and region: the side b against the side a."""
    check_same_regions(results)
    done = {(job.side, job.pair, job.core): regions for job, regions in results.items()}
    pairs = sorted({job.pair for job in results})
    rows = []
    for core in cores:
        for region in done[a, pairs[0], core]:
            draws = [draw_of(done[a, pair, core][region], done[b, pair, core][region]) for pair in pairs]
            row = {"core": core, "region": region, "pairs": len(pairs)}
            row |= {name: benchcost.mean([draw[name] for draw in draws]) for name in draws[0]}
            row |= {f"{name}_by_pair": [draw[name] for draw in draws] for name in SPREAD}
            rows.append(row)
    return rows


def all_figures(inputs, results):
    rows = figures_of(results, list(inputs.cores))
    return {"schema": SCHEMA, "version": VERSION, "revision": benchlib.revision(),
            "options": {"seed": inputs.seed, "harts": inputs.harts, "append": inputs.append},
            "pairs": [list(pair) for pair in inputs.pairs], "runs": len(results),
            "rows": rows}


def spread(row, name="overhead_percent"):
    return benchspread.spread(row[f"{name}_by_pair"])


def mean_of(rows, name="overhead_percent"):
    """The Spread of the geometric mean over these rows."""
    return benchspread.spread([benchcost.geometric_mean(draws)
                               for draws in zip(*(row[f"{name}_by_pair"] for row in rows), strict=True)])


# ---- for people ----

def print_overheads(rows, name, title, style):
    """Means with intervals by region, the densest calls first; without this column where no kernel has sites."""
    cores = benchcost.ordered(rows, "core")
    dense = {r: max(row["entries_per_1000_instructions"] for row in benchcost.select(rows, region=r))
             for r in benchcost.ordered(rows, "region")}
    with_calls = any(dense.values())
    lines = [("region", *(["calls/1000 insns"] if with_calls else []), *cores)]
    for region in sorted(dense, key=dense.get, reverse=True):
        cells = [spread(benchcost.select(rows, region=region, core=core)[0], name) for core in cores]
        lines.append((region, *([benchcost.show(dense[region])] if with_calls else []),
                      *map(benchcost.show_spread, cells)))
    if len(dense) > 1:
        lines.append(("geometric mean", *([""] if with_calls else []),
                      *(benchcost.show_spread(mean_of(benchcost.select(rows, core=core), name)) for core in cores)))
    benchcost.print_table(title, lines, style, 1)


def print_ranges(rows, style):
    """What single pairs would have said; and where all of them together say nothing."""
    cores = benchcost.ordered(rows, "core")
    lines = [("region", *cores)]
    for region in benchcost.ordered(rows, "region"):
        spreads = [spread(benchcost.select(rows, region=region, core=core)[0]) for core in cores]
        lines.append((region, *(f"{benchcost.show(s.least)} to {benchcost.show(s.most)}" for s in spreads)))
    benchcost.print_table("The least and the most of the pairs, in %", lines, style, 1)
    noise = [f"{row['region']} on {row['core']}" for row in rows if not spread(row).is_sure]
    if noise:
        print(f"Not told apart from no difference: {', '.join(noise)}\n")


def print_parts(rows, style):
    lines = [("core", "instructions", *PARTS, "cycles of sites", "their instructions")]
    for core in benchcost.ordered(rows, "core"):
        mine = benchcost.select(rows, core=core)
        means = [benchcost.mean([row[f"{part}_percent"] for row in mine])
                 for part in ("instructions", *PARTS, "sites", "sites_issue")]
        lines.append((core, *map(benchcost.show, means)))
    benchcost.print_table("What it is made of: instructions more, in %; cycles, in % of A's (arithmetic means over the "
                          "regions)", lines, style, 1)


def print_figures(figures, style):
    rows, pairs = figures["rows"], len(figures["pairs"])
    print(f"rvftrace {figures['revision'] or 'of an unknown revision'}; harts {figures['options']['harts']}, seed "
          f"{figures['options']['seed']}; {figures['runs']} runs.\nA: {figures['pairs'][0][0]}\nB: "
          f"{figures['pairs'][0][1]}")
    print(f"Means over {pairs} pairs, with their 95 % intervals.\n" if pairs > 1 else
          "One pair: each cycle is exact, but how much of a figure is of where its functions lie is not known "
          "(give more pairs).\n")
    print_rows(rows, style)


def print_rows(rows, style):
    """The tables of one comparison."""
    print_overheads(rows, "overhead_percent", "B over A, in % of A's cycles, by region", style)
    if rows[0]["pairs"] > 1:
        print_ranges(rows, style)
    print_overheads(rows, "kernel_percent", "The same without the cycles of user mode", style)
    print_parts(rows, style)
    if any(math.fabs(row["instructions_percent"]) > 50 for row in rows):
        print("note: a region has half as many instructions more or less: it may not have done the same work\n")


# ---- the whole ----

def find_files(options):
    """Makes paths of the command line's kernels and initrd; all exist."""
    options.pair = [[benchguest.file_of(kernel, options.build, "of --pair") for kernel in pair] for pair in options.pair]
    options.initrd = options.initrd and benchguest.file_of(options.initrd, options.build, "of --initrd")


def inputs_of(options, pairs, initrd, progress, kind=Inputs, **more):
    """The Inputs of the command line, with these pairs of kernels. kind: their class, and what it has more."""
    emulator = benchguest.find_emulator(options.emulator, options.build, progress)
    cores = {core: benchcost.find_model(core) for core in dict.fromkeys(options.core.split(","))}
    if options.reports:
        os.makedirs(options.reports, exist_ok=True)
    return kind(emulator, pairs, initrd, cores, options.append or "", options.memory or MEMORY_DEFAULT,
                options.harts, options.seed, options.begins, options.ends, options.reports, **more)


def run_all(inputs, planned, cache_directory, jobs, progress):
    """Job -> record of all planned."""
    return benchjobs.run_all(planned, inputs.key, lambda job: run_job(inputs, job, progress),
                             ReportCache(cache_directory, inputs), progress, jobs)


def measure(inputs, cache_directory, jobs, progress):
    """The figures of all pairs."""
    return all_figures(inputs, run_all(inputs, plan(inputs), cache_directory, jobs, progress))


def print_plan(inputs, cache_directory, jobs):
    benchjobs.print_plan(plan(inputs), inputs.key, ReportCache(cache_directory, inputs), jobs)
