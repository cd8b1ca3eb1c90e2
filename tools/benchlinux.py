"""benchlinux - what ftrace costs in Linux: kernels of one Debian source that differ in it alone, for `bench --linux`.

tests/linux/pairs.sh builds them and links each in several orders of its files, by seed: kernels of one number are in the same
order. What is compared is what a user can choose: the function tracer out, or in and off, with the frame pointer in both (as in
each kernel that has PERF_EVENTS, so in Debian's); and both out, or both in. Dynamic ftrace turns linker relaxation off for all
of the kernel, so that each call is two instructions: the variant norelax tells that from the sites.
"""
import dataclasses
import os
import typing

import benchcost
import benchguest
import benchjobs
import benchlib
import benchpair
import benchplot
import benchspread
from benchlib import INSTALLED, ROOT, SOFTWARE, USAGE, BenchError

SCHEMA, VERSION = "rvftrace-linux", 1
VERSIONS = ("6.1", "6.12", "sid")
BUILD_TIMEOUT = 24 * 3600  # seconds
# Seconds of a processor for a variant and for an order of it, until some were built here: what Linux 6.1 took with GCC 12.2 on
# an AMD EPYC. tests/linux/pairs.sh writes down what it takes here.
COMPILE_SECONDS, LINK_SECONDS = 600, 10
APPEND = "console=ttyS0 quiet"
NO_PACKAGE = 69  # the status of tests/linux/pairs.sh when Debian's archive cannot be reached

COMPILED = ("none", "frame", "off")  # norelax has the objects of frame

# Name -> the variants of A and B, and what B has more. ftrace is relaxation and sites.
COMPARISONS = {
    "ftrace": ("frame", "off", "the function tracer, off; the frame pointer is in both"),
    "relaxation": ("frame", "norelax", "calls of two instructions: the linker relaxes nothing, as with ftrace"),
    "sites": ("norelax", "off", "the sites of the function tracer, off, and its code"),
    "frame pointer": ("none", "frame", "the frame pointer; no function tracer"),
    "both": ("none", "off", "the function tracer, off, and the frame pointer"),
}


@dataclasses.dataclass(frozen=True)
class Job(benchpair.Job):
    """One run: the variant `side' in the order with the number `pair'."""

    def title(self):
        return f"{self.side}, order {self.pair + 1}, {self.core}"


@dataclasses.dataclass
class Inputs(benchpair.Inputs):
    """linux: the version."""

    sides: typing.ClassVar = ("none", "frame", "norelax", "off")

    linux: str = ""


# ---- kernels ----

def linux_cache():
    return os.environ.get("LINUX_CACHE") or str(ROOT / ".cache" / "linux")


def initramfs():
    return os.path.join(linux_cache(), "workloads.cpio")


def inputs_of(options, placements, progress):
    """The Inputs, whose kernels need not exist yet."""
    folder = os.path.join(linux_cache(), "pairs", options.linux)
    kernels = [[os.path.join(folder, f"{variant}-{n}.Image") for variant in Inputs.sides]
               for n in range(1, placements + 1)]
    return benchpair.inputs_of(options, kernels, initramfs(), progress, Inputs, linux=options.linux)


def run_script(name, arguments, options, progress):
    programs = str(ROOT / benchguest.build_argument(options.build) / "guest-kernel" / "user" / "bin")
    env = os.environ | {"LINUX_CACHE": linux_cache(), "PROGRAMS": programs, "JOBS": str(options.jobs)}
    done = benchlib.run_process(["sh", str(ROOT / "tests" / "linux" / name), *arguments], progress, env,
                                timeout=BUILD_TIMEOUT)
    if done.status:
        raise BenchError(done.status if done.status == NO_PACKAGE else SOFTWARE, done.last_words())


def build(options, placements, progress):
    """Builds what is missing: kernels and initramfs. Fetches from Debian, and takes an hour of a processor at first."""
    if INSTALLED:
        raise BenchError(USAGE, "--linux builds kernels, in a checkout of the source; --pair takes two that you have built")
    benchguest.run_make([f"BUILD={benchguest.build_argument(options.build)}", "initrd"], progress,
                        "the guest's programs")
    progress.begin(f"building Linux {options.linux} in {len(Inputs.sides)} variants and {placements} orders")
    run_script("workloads.sh", [], options, progress)
    run_script("pairs.sh", [options.linux, str(placements), *Inputs.sides], options, progress)


# ---- the plan ----

def building_times(version):
    """Whether a kernel of this version was built here; and the seconds of a processor to compile and to link one."""
    times = benchjobs.Cache(os.path.join(linux_cache(), "pairs", version), None).times()

    def mean(step, otherwise):
        return benchcost.mean(times[step]) if step in times else otherwise

    return "compile" in times, mean("compile", COMPILE_SECONDS), mean("link", LINK_SECONDS)


def print_plan(options, placements, cache_directory, progress):
    """What is still to be built and run, and how long it will take."""
    inputs = inputs_of(options, placements, progress)
    missing = [k for kernels in inputs.pairs for k in kernels if not os.path.exists(k)]
    trees = [v for v in COMPILED
             if not os.path.exists(os.path.join(linux_cache(), "pairs", options.linux, v, ".complete"))]
    seen, compiling, linking = building_times(options.linux)
    seconds = len(trees) * compiling + len(missing) * linking
    print(f"Linux {options.linux}: {len(trees)} kernels to compile, {len(missing)} orders to link: about "
          f"{seconds / 3600:.2f} hours of a processor"
          + ("." if seen else " (as long as Linux 6.1 took elsewhere: none was built here yet)."))

    def key(job):
        """"" (which no cache has) while the job has nothing to run."""
        return inputs.key(job) if all(map(os.path.exists, (inputs.image(job), inputs.initrd))) else ""

    benchjobs.print_plan(benchpair.plan(inputs, Job), key, benchjobs.Cache(cache_directory, benchpair.is_record),
                         options.jobs)


# ---- figures ----

def all_figures(inputs, results):
    """Everything, as it goes into the JSON: the rows of benchpair for each comparison."""
    rows = [{"comparison": name} | row for name, (a, b, _) in COMPARISONS.items()
            for row in benchpair.figures_of(results, list(inputs.cores), a, b)]
    return {"schema": SCHEMA, "version": VERSION, "revision": benchlib.revision(), "linux": inputs.linux,
            "options": {"seed": inputs.seed, "harts": inputs.harts, "append": inputs.append},
            "placements": len(inputs.pairs), "runs": len(results), "rows": rows}


def more_placements(rows, placements, precision, most):
    """How many placements would make the intervals of all overheads of ftrace that narrow; the same: they are."""
    wanted = [benchspread.placements_for(s, precision, most)
              for s in map(benchpair.spread, benchcost.select(rows, comparison="ftrace"))
              if s.interval is None or s.interval > precision]
    return max([placements, *wanted])


def measure(options, progress, cache_directory):
    """All figures, with as many placements as --precision wants."""
    placements = options.placements or benchcost.PLACEMENTS_DEFAULT
    while True:
        build(options, placements, progress)
        inputs = inputs_of(options, placements, progress)
        figures = all_figures(inputs, benchpair.run_all(inputs, benchpair.plan(inputs, Job), cache_directory,
                                                        options.jobs, progress))
        more = placements
        if options.precision and placements < options.most:
            more = more_placements(figures["rows"], placements, options.precision, options.most)
        if more == placements:
            return figures
        placements = more


# ---- for people ----

def print_figures(figures, style):
    print(f"rvftrace {figures['revision'] or 'of an unknown revision'}; Linux {figures['linux']}; harts "
          f"{figures['options']['harts']}, seed {figures['options']['seed']}; {figures['runs']} runs.")
    print(f"Means over {figures['placements']} placements of the code (the order of the kernel's files, by seed), with "
          "their 95 % intervals.\n" if figures["placements"] > 1 else
          "One placement: how much of a figure is of where the code lies is not known (--placements).\n")
    for name, (a, b, meaning) in COMPARISONS.items():
        print(style.bold(f"==== {name}: A is `{a}', B is `{b}', which has more: {meaning} ===="))
        benchpair.print_rows(benchcost.select(figures["rows"], comparison=name), style)


def write_plot(figures, svg, progress):
    """The overhead of ftrace by workload, a series for each core."""
    points = []
    for row in benchcost.select(figures["rows"], comparison="ftrace"):
        s = benchpair.spread(row)
        points.append(benchplot.Point(row["core"], row["region"], row["entries_per_1000_instructions"], s.mean,
                                      s.interval or 0))
    benchplot.write(points, svg, progress, benchplot.by_workload)
