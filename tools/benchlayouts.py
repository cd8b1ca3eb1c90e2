"""benchlayouts - the cost of a traced call in each layout of call sites, compared with Linux.

For `bench --layouts`. Two independent measurements: the debugger steps through one
traced call and attributes each instruction to its function; the counters of a
workload, with and without a tracer, give the total cost of a call.
"""
import dataclasses
import os
import re

import benchguest
import benchlib
from benchlib import SOFTWARE, BenchError

LAYOUTS = ("static", "mcount", "pfe16", "pfe8", "atomic", "callops")
TRACERS = ("function", "function_graph")
SCHEMA, VERSION = "rvftrace-bench-layouts", 1

# A function of the workload, and the name of the workload.
TRACED, WORKLOAD = "even", "calls"

# Instructions executed in Linux, counted in its sources: the path with tracing off and on, with
# the graph tracer configured (and its frame pointer test, if there is one), and return_to_handler.
LINUX = {"static": {"off": 20, "on": None, "return": 15},
         "mcount": {"off": 3, "on": 39, "return": 15},
         "pfe16": {"off": 4, "on": 41, "return": 15},
         "pfe8": {"off": 2, "on": 39, "return": 15},
         "atomic": {"off": 2, "on": 42, "return": None},
         "callops": {"off": 2, "on": 42, "return": None}}

TRAMPOLINES = {"_mcount", "ftrace_caller", "ftrace_call", "ftrace_graph_caller",
               "ftrace_graph_call", "return_to_handler"}
STEPS = 1200  # enough for a trampoline and the tracer that it calls
STOPPED_AT = re.compile(r"^=>[ *] 0x([0-9a-f]{16}) <(\w+)(?:\+0x[0-9a-f]+)?>: +((?:[0-9a-f]{2} )+)",
                        re.M)


# ---- one call, step by step ----

@dataclasses.dataclass(frozen=True)
class Step:
    """An executed instruction: its address, its function, and the address after it."""

    pc: int
    function: str
    next_pc: int


def parse_steps(console):
    return [Step(int(pc, 16), function, int(pc, 16) + len(code.split()))
            for pc, function, code in STOPPED_AT.findall(console)]


def leave_out_call(steps, call):
    """
    The index of the step after the return from the call steps[call].

    The called function may be traced, too, and return to the same address itself.
    """
    depth = 0
    for at in range(call + 1, len(steps)):
        if steps[at].pc == steps[call].pc:
            depth += 1
        elif steps[at].pc == steps[call].next_pc:
            if not depth:
                return at
            depth -= 1
    raise BenchError(SOFTWARE, f"the call at {steps[call].pc:x} did not return")


def own_instructions(steps):
    """The number of trampoline instructions executed before the function continues."""
    count, at = 0, 0
    while steps[at].function in TRAMPOLINES:
        count += 1
        if at + 1 == len(steps):
            raise BenchError(SOFTWARE, f"{STEPS} steps are too few for one call")
        next_step = steps[at + 1]
        if next_step.function in TRAMPOLINES or is_way_back(steps, at):
            at += 1
        else:
            at = leave_out_call(steps, at)
    return count


def is_way_back(steps, at):
    """Whether this jump leaves the trampoline: the address after it is not executed later."""
    return all(step.pc != steps[at].next_pc for step in steps[at + 1:])


def step_through(bench, image, script, function):
    """Steps from the entry of `function`, after the workload's function was called once before."""
    commands = [f"break {benchguest.entry(image, TRACED)}", "continue", "continue", "delete",
                f"tbreak {benchguest.entry(image, function)}", "continue", *["stepi"] * STEPS]
    console = benchguest.debug_console(bench.machine, image, script, commands, bench.progress)
    steps = parse_steps(console)
    return steps[[step.function for step in steps].index(function):]


def count_in(bench, layout, tracer, trampoline):
    """Instructions of the trampoline itself in one call of TRACED."""
    bench.progress.begin(f"{layout}, {tracer or 'off'}: one call step by step")
    script = benchguest.work_script(WORKLOAD, 1, tracer)
    return own_instructions(step_through(bench, bench.images[layout], script, trampoline))


def path_of(bench, layout, tracer, site):
    """The path from the first instruction of the site to the function, without called functions."""
    if layout == "static":
        return site + count_in(bench, layout, tracer, "_mcount")
    return site + (count_in(bench, layout, tracer, "ftrace_caller") if tracer else 0)


def tracer_figures(bench, layout, tracer, site, off):
    """The cost of a call with a tracer, and the part of it that is not the tracer's own code."""
    on = per_call(work_pair(bench, layout, tracer))
    return {"path": path_of(bench, layout, tracer, site),
            "return": count_in(bench, layout, tracer, "return_to_handler")
                      if tracer == "function_graph" else None,
            **{what: on[what] - off[what] for what in on}}


# ---- all calls ----

def work_pair(bench, layout, tracer):
    """Runs the workload with N and with 2N iterations; no timer tick falls into the longer run."""
    pair = []
    for n in (bench.iterations, 2 * bench.iterations):
        bench.progress.begin(f"{layout}, {tracer or 'off'}, {n} iterations")
        script = benchguest.work_script(WORKLOAD, n, tracer)
        pair.append(benchguest.measure(bench.machine, bench.images[layout], script,
                                       bench.progress))
    benchguest.measure_window(bench.machine, bench.images[layout], script, pair[1][0],
                              bench.progress)
    return pair


def per_call(pair):
    (one, _), (two, _) = pair
    calls = two.calls - one.calls
    return {"instructions": (two.instructions - one.instructions) / calls,
            "cycles": (two.cycles - one.cycles) / calls}


def site_instructions(report):
    """The number of instructions of a site that is off; in the layout `static` of any site."""
    if not report.get("sites"):
        return benchguest.SITE_INSTRUCTIONS
    site = next(s for s in report["sites"] if s["function"] == TRACED)
    return sum(site["off"]["per_entry"].values())


def layout_figures(bench, layout):
    pair = work_pair(bench, layout, None)
    off, site = per_call(pair), site_instructions(pair[0][1])
    return {"name": layout, "site": site,
            "off": {"path": path_of(bench, layout, None, site), **off},
            "tracers": {t: tracer_figures(bench, layout, t, site, off) for t in TRACERS},
            "linux": LINUX[layout]}


def all_figures(bench):
    """The complete JSON content."""
    return {"schema": SCHEMA, "version": VERSION, "revision": benchlib.revision(),
            "options": {"timing": bench.machine.timing, "iterations": bench.iterations},
            "layouts": [layout_figures(bench, layout) for layout in LAYOUTS]}


# ---- tables ----

def cell(value):
    return "-" if value is None else str(value)


def print_figures(figures, style):
    """Prints one line for each layout and tracer."""
    rows = [("layout", "tracer", "path", "Linux", "return", "Linux", "insns/call", "cycles/call")]
    for layout in figures["layouts"]:
        linux = layout["linux"]
        rows.append((layout["name"], "off", cell(layout["off"]["path"]), cell(linux["off"]),
                     "", "", "", ""))
        rows += [(layout["name"], name, cell(tracer["path"]), cell(linux["on"]),
                  *((cell(tracer["return"]), cell(linux["return"])) if tracer["return"]
                    else ("", "")),
                  f"+{tracer['instructions']:.1f}", f"+{tracer['cycles']:.1f}")
                 for name, tracer in layout["tracers"].items()]
    head, *body = benchlib.table(rows, left=2)
    print(style.bold(head), *body, sep="\n")


def run(bench, json_file, style):
    """Does `bench --layouts`, with the kernels built; returns the exit status."""
    figures = all_figures(bench)
    bench.progress.end()
    if json_file != "-":
        print_figures(figures, style)
    if json_file:
        benchlib.write_json(json_file, figures)
    return os.EX_OK
