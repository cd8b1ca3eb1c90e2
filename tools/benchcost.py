"""benchcost - what ftrace costs: layouts x cores x states x workloads x placements, for `bench`.

A job is one run of the emulator: a kernel, a placement of its functions, a core model, a state of tracing, a
workload and a number of iterations. Each job's result is kept under the hash of everything that it depends on, so
that an interrupted measurement goes on where it stopped, and jobs can run anywhere (benchshards).
Of each job there are two, of N and of 2N iterations: their difference has no start and no end in it.
"""
import dataclasses
import functools
import hashlib
import json
import math
import os
import re
import tempfile

import benchguest
import benchjobs
import benchlib
import benchplot
import benchspread
from benchlib import ROOT, SOFTWARE, BenchError

LAYOUTS = ("static", "mcount", "pfe16", "pfe8", "atomic", "callops")
UNINSTRUMENTED = ("none", "frame")  # without and with the frame pointer that the layouts have
SCHEMA, VERSION = "rvftrace-cost", 2
PLACEMENTS_DEFAULT, PLACEMENTS_MOST = 3, 30
RECORD = 2  # changes with the form of what the cache keeps

LINE = re.compile(r"^(?:work|sysbench) (\w+): n=(\d+) result=([0-9a-f]+)(?: calls=(\d+))? "
                  r"cycles=(\d+) insns=(\d+)$", re.M)

TRACING = "/sys/kernel/tracing"
TEN = ("__kmalloc", "kfree", "vfs_read", "vfs_write", "fput", "fget", "alloc_pages", "schedule",
       "copy_to_user")  # and the workload's own


@dataclasses.dataclass(frozen=True)
class Workload:
    """A command of the guest's that prints what it cost."""

    command: str     # the number of iterations follows it
    iterations: int
    function: str    # that it calls all the time: the one that is traced alone
    meaning: str

    @property
    def name(self):
        return self.command.split()[-1]


WORKLOADS = {w.name: w for w in (
    Workload("work calls", 2, "fib", "recursion: the most calls there can be"),
    Workload("work tree", 2, "tree_insert", "a tree from the slab allocator"),
    Workload("work sort", 2, "sort_compare", "calls through a pointer"),
    Workload("work density4", 2, "density4_work", "a call each 4 turns of a loop"),
    Workload("work density16", 2, "density16_work", "a call each 16 turns"),
    Workload("work density64", 2, "density64_work", "a call each 64 turns"),
    Workload("work density256", 2, "density256_work", "a call each 256 turns"),
    Workload("work density1024", 2, "density1024_work", "a call each 1,024 turns"),
    Workload("sysbench getpid", 200, "__riscv_sys_getpid", "empty system calls"),
    Workload("sysbench file", 8, "vfs_write", "files written, read, removed (VFS, ramfs)"),
    Workload("sysbench pipe", 40, "pipe_read", "a word to and fro between two processes"),
    Workload("sysbench fork", 6, "copy_process", "processes made and reaped"),
    Workload("sysbench exec", 4, "load_elf_binary", "programs started"),
    Workload("sysbench fault", 8, "handle_mm_fault", "page faults"),
    Workload("sysbench yield", 60, "schedule", "context switches"),
)}
DEFAULT_WORKLOADS = ("calls", "file", "pipe", "exec", "fault", "yield")

# State -> the commands that bring it about. {one} and {ten}: functions.
STATES = {
    "off": "",
    "nop": f"echo function > {TRACING}/current_tracer; echo nop > {TRACING}/current_tracer; ",
    "function-1": f"echo {{one}} > {TRACING}/set_ftrace_filter; "
                  f"echo function > {TRACING}/current_tracer; ",
    "function-10": f"echo {{ten}} > {TRACING}/set_ftrace_filter; "
                   f"echo function > {TRACING}/current_tracer; ",
    "function": f"echo function > {TRACING}/current_tracer; ",
    "function_graph": f"echo function_graph > {TRACING}/current_tracer; ",
}
STATE_MEANINGS = {
    "off": "never traced", "nop": "traced once, off again", "function-1": "tracer function, 1 function",
    "function-10": "10 functions", "function": "all functions", "function_graph": "function_graph, all",
}


@dataclasses.dataclass(frozen=True)
class Job:
    """One run of the emulator."""

    layout: str
    core: str
    state: str
    workload: str
    iterations: int
    placement: int  # of the functions: the seed of their order

    @property
    def image(self):
        """The name of its kernel."""
        return benchguest.placed_name(self.layout, self.placement)

    def script(self):
        w = WORKLOADS[self.workload]
        prepare = "" if self.layout in UNINSTRUMENTED else STATES[self.state].format(
            one=w.function, ten=" ".join((w.function, *(f for f in TEN if f != w.function))))
        return f'script="{prepare}{w.command} {self.iterations}"'

    def title(self):
        return (f"{self.layout}, {self.core}, {self.state}, {self.workload} x {self.iterations}, "
                f"placement {self.placement}")


# A site that is off has never been anything else in `static`: it calls _mcount all the time.
def states_of(layout, states):
    return [s for s in states if layout != "static" or s not in ("function-1", "function-10")]


def groups_of(layouts, cores, states):
    """What gets placements together: (layout, core, state), for all workloads."""
    return [(layout, core, state) for core in cores for layout in layouts
            for state in states_of(layout, states)]


def plan(placements, workloads, scale):
    """All jobs that an answer needs, each once, in one order. placements: of each of groups_of(), how many."""
    needed = {}  # of the uninstrumented kernels: as many as any other has on that core
    for (layout, core, state), count in placements.items():
        for base in UNINSTRUMENTED:
            needed[base, core, "off"] = max(needed.get((base, core, "off"), 0), count)
        needed[layout, core, state] = count
    return [Job(layout, core, state, workload, n * WORKLOADS[workload].iterations * scale, placement)
            for (layout, core, state), count in needed.items() for workload in workloads
            for placement in range(1, count + 1) for n in (1, 2)]


# ---- running ----

@dataclasses.dataclass
class Inputs:
    """What the results depend on besides the job."""

    emulator: str
    images: dict  # of a job's image -> path
    initrd: str
    cores: dict   # core -> file of the model, or None
    seed: int

    @functools.cached_property
    def hashes(self):
        """Of all files, by path."""
        return {path: benchguest.sha256(path)
                for path in (self.emulator, self.initrd, *self.images.values(), *(f for f in self.cores.values() if f))}

    def key(self, job):
        """The hash of everything that the job's result depends on."""
        model = self.cores[job.core]
        parts = (RECORD, self.hashes[self.emulator], self.hashes[self.images[job.image]],
                 self.hashes[self.initrd], self.hashes[model] if model else job.core, self.seed,
                 job.script())
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def run_job(inputs, job, progress):
    """What the guest printed and what the sites did, as the JSON and the cache have it; the processor's seconds."""
    timing = inputs.cores[job.core] or job.core  # the file whose hash is in the key, and no other
    machine = benchguest.Machine(inputs.emulator, 1, timing, inputs.seed)
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        report_file = os.path.join(scratch, "report.json")
        done = benchguest.run_emulator(machine, ["run", "--report", report_file, "--initrd",
                                                 inputs.initrd],
                                       inputs.images[job.image], job.script(), progress)
        report = benchguest.read_report(report_file, machine)
    found = LINE.findall(done.out)
    if len(found) != 1 or found[0][0] != job.workload:
        raise BenchError(SOFTWARE, f"{job.title()}: the guest printed no result: "
                                   f"{done.out.strip()[-200:]!r}")
    _, _, result, calls, cycles, insns = found[0]
    return {"result": result, "calls": int(calls or 0), "cycles": int(cycles),
            "instructions": int(insns),
            "sites": {state: site_totals(report, state) for state in ("init", "off", "on")},
            "parts": hart_parts(report)}, done.user_seconds


def site_totals(report, state):
    """Of all functions' sites; `fetch`: which of the cycles were waits for instructions."""
    totals = {what: report["totals"][state].get(what, 0)
              for what in ("entries", "cycles", "through_cycles")}
    totals["fetch"] = sum(site[state].get("parts", {}).get("fetch", 0) for site in report["sites"]
                          if site["kind"] == "function")
    return totals


def hart_parts(report):
    """Cycles of all harts by kind, where the timing model distinguishes them."""
    kinds = ("issue", "fetch", "data", "branch")
    harts = report["harts"]
    if not all("parts" in hart for hart in harts):
        return None
    return {kind: sum(hart["parts"][kind] for hart in harts) for kind in kinds}


def is_record(value):
    """Whether it has the form of what run_job returns."""
    return isinstance(value, dict) and value.keys() == {"result", "calls", "cycles", "instructions",
                                                         "sites", "parts"}


def cache_in(directory):
    return benchjobs.Cache(directory, is_record)


def run_all(inputs, jobs, cache, progress, workers):
    """Job -> record. What the cache has is not run again."""
    return benchjobs.run_all(jobs, inputs.key, lambda job: run_job(inputs, job, progress), cache, progress, workers)


# ---- from runs to figures ----

def subtract(small, large):
    """Records of N and of 2N iterations: what N of them cost."""
    if isinstance(small, dict):
        return {name: subtract(small[name], large[name]) for name in small if name != "result"}
    return None if small is None else large - small


def measured(results):
    """(layout, core, state, workload) -> placement -> what N iterations cost; the two runs' results."""
    costs, outcomes, small = {}, {}, {}
    for job, record in results.items():
        key = job.layout, job.core, job.state, job.workload
        other = small.pop((key, job.placement), None)
        if other is None:
            small[key, job.placement] = job.iterations, record
            continue
        pair = [r for _, r in sorted((other, (job.iterations, record)), key=lambda run: run[0])]
        costs.setdefault(key, {})[job.placement] = subtract(*pair)
        outcomes[*key, job.placement] = tuple((r["result"], r["calls"]) for r in pair)
    return costs, outcomes


def check_same_work(outcomes):
    """Whatever is compiled, placed or traced how, the work is the same."""
    expected = {}
    for key, outcome in outcomes.items():
        layout, core, state, workload, placement = key
        if expected.setdefault(workload, (key, outcome))[1] != outcome:
            raise BenchError(SOFTWARE, f"{workload}: {layout}, {core}, {state}, placement {placement} had other "
                                       f"results than {', '.join(map(str, expected[workload][0]))}")


def percent(part, whole):
    return 100 * part / whole if whole else 0.0


def off_parts(cost, base, frame):
    """
    The overhead of `off` in percent of the uninstrumented kernel's cycles, in parts that add up:
    the sites' own instructions, the frame pointer, waits for instructions (null: the model has no
    instruction cache), and the rest, which is frames and spills that instrumented functions have.
    """
    own = sum(cost["sites"][s]["cycles"] - cost["sites"][s]["fetch"] for s in ("off", "init"))
    frames = frame["cycles"] - base["cycles"]
    whole = cost["cycles"] - base["cycles"]
    fetch = None
    if cost["parts"] and frame["parts"]:
        fetch = cost["parts"]["fetch"] - frame["parts"]["fetch"]
    rest = whole - own - frames - (fetch or 0)
    of = base["cycles"]
    return {"sites": percent(own, of), "frame_pointer": percent(frames, of),
            "fetch": None if fetch is None else percent(fetch, of), "spills": percent(rest, of)}


def figures_of(costs):
    """One row for each layout, core, state and workload: means over its placements."""
    rows = []
    for (layout, core, state, workload), placed in costs.items():
        if layout in UNINSTRUMENTED:
            continue
        draws = [draw_of(cost, costs["none", core, "off", workload][placement],
                         costs["frame", core, "off", workload][placement])
                 for placement, cost in sorted(placed.items())]
        row = {"layout": layout, "core": core, "state": state, "workload": workload}
        row |= {name: mean([draw[name] for draw in draws]) for name in draws[0] if name != "parts_percent"}
        overheads = [draw["overhead_percent"] for draw in draws]
        row |= {"placements": len(draws), "overhead_interval": benchspread.spread(overheads).interval,
                "overhead_least": min(overheads), "overhead_most": max(overheads),
                "overhead_by_placement": overheads}
        if state == "off":
            row["parts_percent"] = {part: mean([draw["parts_percent"][part] for draw in draws])
                                    for part in draws[0]["parts_percent"]}
        rows.append(row)
    return rows


def draw_of(cost, base, frame):
    """The figures of one placement."""
    more = cost["cycles"] - base["cycles"]
    entries = sum(cost["sites"][s]["entries"] for s in ("init", "off", "on"))
    return {"cycles": cost["cycles"], "base_cycles": base["cycles"],
            "instructions": cost["instructions"], "entries": entries,
            "traced": cost["sites"]["on"]["entries"],
            "overhead_percent": percent(more, base["cycles"]),
            "cycles_per_call": more / entries if entries else 0.0,
            "calls_per_1000_instructions": 1000 * entries / base["instructions"],
            "parts_percent": off_parts(cost, base, frame)}


def mean(values):
    """None if one of them is; an integer where all are the same."""
    if None in values:
        return None
    if len(set(values)) == 1:
        return values[0]
    return math.fsum(values) / len(values)


def geometric_mean(percents):
    """Of overheads in percent, as factors."""
    return 100 * (math.exp(math.fsum(math.log1p(p / 100) for p in percents) / len(percents)) - 1)


def overhead(row):
    """A row's Spread."""
    return benchspread.spread(row["overhead_by_placement"])


def mean_overhead(rows):
    """The Spread of the geometric mean over these rows, which have the same placements."""
    return benchspread.spread([geometric_mean(draws)
                               for draws in zip(*(row["overhead_by_placement"] for row in rows), strict=True)])


# ---- for people ----

def show(number):
    return "-" if number is None else f"{number:.1f}" if abs(number) >= 100 else f"{number:.2f}"


def show_spread(s):
    """A mean with its interval, in as many digits as this gives it."""
    if s is None:
        return "-"
    if s.interval is None:
        return show(s.mean)
    digits = 0 if s.interval >= 10 else 1 if s.interval >= 0.095 else 2
    return f"{s.mean:.{digits}f} ±{s.interval:.{digits}f}"


def select(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def ordered(rows, name):
    return list(dict.fromkeys(row[name] for row in rows))


def print_table(title, rows, style, left):
    head, *body = benchlib.table(rows, left)
    print(style.bold(title), style.bold(head), *body, sep="\n")
    print()


def print_answer(rows, style):
    """The one table: overheads by layout and core, over all workloads, and what `off` is made of."""
    states = [state for state in STATES if select(rows, state=state)]
    head = ("layout", "core", *states, "off: cycles/call", "sites", "frame pointer", "spills", "fetch")
    lines = [head]
    for layout in ordered(rows, "layout"):
        for core in ordered(rows, "core"):
            mine = select(rows, layout=layout, core=core)
            off = select(mine, state="off")
            means = [mean_overhead(select(mine, state=s)) if select(mine, state=s) else None
                     for s in states]
            parts = [None] * 4
            if off:
                parts = [mean_part(off, part)
                         for part in ("sites", "frame_pointer", "spills", "fetch")]
            calls = [r["cycles_per_call"] for r in off if r["entries"]]
            lines.append((layout, core, *map(show_spread, means),
                          show(sum(calls) / len(calls) if calls else None), *map(show, parts)))
    workloads = ", ".join(ordered(rows, "workload"))
    print_table(f"Overhead in % of the kernel without instrumentation (geometric mean of {workloads});\n"
                "and the parts of it when off, in % as well (arithmetic means)", lines, style, 2)


def mean_part(off, part):
    values = [row["parts_percent"][part] for row in off]
    return None if None in values else sum(values) / len(values)


def print_workloads(rows, style):
    """Off, by workload: the density of calls decides."""
    off = select(rows, state="off")
    columns = [(layout, core) for layout in ordered(off, "layout") for core in ordered(off, "core")]
    lines = [("off, by workload", "calls/1000 insns", *(f"{l} {c}" for l, c in columns))]
    dense = {w: max(r["calls_per_1000_instructions"] for r in select(off, workload=w))
             for w in ordered(off, "workload")}
    for workload in sorted(dense, key=dense.get, reverse=True):
        cells = [select(off, workload=workload, layout=l, core=c) for l, c in columns]
        lines.append((workload, show(dense[workload]),
                      *(show_spread(overhead(cell[0])) for cell in cells)))
    print_table("Overhead of `off` in %, the densest calls first", lines, style, 1)


def print_band(rows, style):
    """Over all cores, workloads and placements: what can be said without knowing them."""
    lines = [("layout", "off: least", "most", "the largest mean", "of core, workload")]
    for layout in ordered(rows, "layout"):
        off = sorted(select(rows, layout=layout, state="off"), key=lambda r: -r["overhead_percent"])
        largest = [r for r in off if overhead(r).reaches(overhead(off[0]))]
        lines.append((layout, show(min(r["overhead_least"] for r in off)),
                      show(max(r["overhead_most"] for r in off)), show_spread(overhead(off[0])),
                      "; ".join(f"{r['core']}, {r['workload']}" for r in largest)))
    print_table("The band over all cores, workloads and placements, in %; of means whose intervals touch, "
                "all", lines, style, 1)


def print_figures(figures, style):
    rows = figures["rows"]
    counts = sorted({row["placements"] for row in rows})
    placements = f"{counts[0]}" + (f" to {counts[-1]}" if counts[1:] else "")
    print(f"rvftrace {figures['revision'] or 'of an unknown revision'}; 1 hart, seed "
          f"{figures['options']['seed']}; {figures['runs']} runs.")
    if counts == [1]:
        print("One placement of the code: each cycle is exact, but how much of a figure is of this placement "
              "alone is not known (--placements).\n")
    else:
        print(f"Means over {placements} placements of the code (the order of the functions, by seed), with their 95 % "
              "intervals.\n")
    print_answer(rows, style)
    if any(row["state"] == "off" for row in rows):
        print_workloads(rows, style)
        print_band(rows, style)
    for state in (s for s in STATES if select(rows, state=s)):
        print(f"{state}: {STATE_MEANINGS[state]}")


# ---- files ----

COLUMNS = ("layout", "core", "state", "workload", "cycles", "base_cycles", "instructions", "entries",
           "traced", "overhead_percent", "cycles_per_call", "calls_per_1000_instructions", "placements",
           "overhead_interval", "overhead_least", "overhead_most")
PARTS = ("sites", "frame_pointer", "spills", "fetch")


def csv_text(rows):
    lines = [",".join((*COLUMNS, *(f"{p}_percent" for p in PARTS)))]
    for row in rows:
        parts = row.get("parts_percent") or {}
        cells = [row[c] for c in COLUMNS] + [parts.get(p) for p in PARTS]
        lines.append(",".join("" if c is None else f"{c:.6g}" if isinstance(c, float) else str(c)
                              for c in cells))
    return "\n".join(lines) + "\n"


def write_plot(rows, svg, progress):
    """The overhead of `off`, a point for each layout, core and workload."""
    benchplot.write([benchplot.Point(f"{r['layout']}, {r['core']}", r["workload"], r["calls_per_1000_instructions"],
                                     r["overhead_percent"], r["overhead_interval"] or 0) for r in off_rows(rows)],
                    svg, progress)


def off_rows(rows):
    """Those of disabled ftrace; an error if none was measured."""
    off = select(rows, state="off")
    if not off:
        raise BenchError(benchlib.USAGE, "--svg and --fail-above are about the state `off', which was "
                                         "not measured: add it to --state")
    return off


def worst_off(rows):
    return max(off_rows(rows), key=lambda r: r["overhead_percent"])


# ---- the whole ----

def find_model(core):
    """The file of a core model, which its results depend on; None: it is built in."""
    if os.sep in core:
        return os.path.abspath(benchlib.need_file(core, "a core model"))
    path = ROOT / "cores" / f"{core}.core"
    return str(path) if path.is_file() else None


def make_inputs(options, placements, cores, progress):
    """Builds what is missing: as many placements of each kernel as a group in placements has (plan)."""
    emulator = benchguest.find_emulator(options.emulator, options.build, progress)
    most = {}
    for (layout, _, _), count in placements.items():
        for name in (*UNINSTRUMENTED, layout):
            most[name] = max(most.get(name, 0), count)
    images = benchguest.build_placed(most, options.build, progress)
    initrd = benchguest.build_initrd(options.build, progress)
    return Inputs(emulator, images, initrd, {core: find_model(core) for core in cores}, options.seed)


def wider(figures, placements, precision, most):
    """The groups of placements whose interval of some workload is wider than precision: how many they should have."""
    more = {}
    for row in figures["rows"]:
        group, now = (row["layout"], row["core"], row["state"]), overhead(row)
        if placements[group] < most and (now.interval is None or now.interval > precision):
            more[group] = max(more.get(group, 0), benchspread.placements_for(now, precision, most))
    return more


def all_figures(results, seed, scale):
    """Everything, as it goes into the JSON: the same runs give the same bytes."""
    costs, outcomes = measured(results)
    check_same_work(outcomes)
    return {"schema": SCHEMA, "version": VERSION, "revision": benchlib.revision(),
            "options": {"seed": seed, "scale": scale}, "runs": len(results), "rows": figures_of(costs)}
