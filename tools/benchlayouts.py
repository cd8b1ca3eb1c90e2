"""benchlayouts - what a traced call costs in each layout of call sites, beside Linux.

For `bench --layouts`. Two measurements that know nothing of each other: the
debugger steps through one traced call and says whose each instruction is; a
workload's counters, with a tracer and without, say what a call costs in all.
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

# One of the workload's functions, and by whom it is called.
TRACED, WORKLOAD = "even", "calls"

# Executed in Linux, counted from its sources: the path when nothing is traced and when something
# is, with the graph tracer built in (and its frame pointer test, where there is one), and
# return_to_handler.
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
    """An instruction that was executed: where, whose, and where the next one in memory is."""

    pc: int
    function: str
    next_pc: int


def parse_steps(console):
    return [Step(int(pc, 16), function, int(pc, 16) + len(code.split()))
            for pc, function, code in STOPPED_AT.findall(console)]


def leave_out_call(steps, call):
    """
    Where it goes on behind the call that steps[call] is.

    What is called may be traced itself and come by here again.
    """
    depth = 0
    for at in range(call + 1, len(steps)):
        if steps[at].pc == steps[call].pc:
            depth += 1
        elif steps[at].pc == steps[call].next_pc:
            if not depth:
                return at
            depth -= 1
    raise BenchError(SOFTWARE, f"the call at {steps[call].pc:x} did not come back")


def own_instructions(steps):
    """How many instructions of trampolines were executed before the function goes on."""
    count, at = 0, 0
    while steps[at].function in TRAMPOLINES:
        count += 1
        if at + 1 == len(steps):
            raise BenchError(SOFTWARE, f"{STEPS} steps are too few for one call")
        behind = steps[at + 1]
        if behind.function in TRAMPOLINES or is_way_back(steps, at):
            at += 1
        else:
            at = leave_out_call(steps, at)
    return count


def is_way_back(steps, at):
    """Whether a trampoline is left for good: nothing comes back behind its last jump."""
    return all(step.pc != steps[at].next_pc for step in steps[at + 1:])


def step_through(bench, image, script, function):
    """The instructions from where `function` is entered, after the workload's has been once."""
    commands = [f"break {TRACED}", "continue", "continue", "delete", f"tbreak {function}",
                "continue", *["step"] * STEPS]
    console = benchguest.debug_console(bench.machine, image, script, commands, bench.progress)
    steps = parse_steps(console)
    return steps[[step.function for step in steps].index(function):]


def count_in(bench, layout, tracer, trampoline):
    """Instructions of the trampoline itself in one call of TRACED."""
    bench.progress.begin(f"{layout}, {tracer or 'off'}: one call step by step")
    script = benchguest.work_script(WORKLOAD, 1, tracer)
    return own_instructions(step_through(bench, bench.images[layout], script, trampoline))


def path_of(bench, layout, tracer, site):
    """From the first instruction of the site to the function, without what is called on the way."""
    if layout == "static":
        return site + count_in(bench, layout, tracer, "_mcount")
    return site + (count_in(bench, layout, tracer, "ftrace_caller") if tracer else 0)


def tracer_figures(bench, layout, tracer, site, off):
    """What a call costs with a tracer, and what of that is not the tracer's own code."""
    on = per_call(work_pair(bench, layout, tracer))
    return {"path": path_of(bench, layout, tracer, site),
            "return": count_in(bench, layout, tracer, "return_to_handler")
                      if tracer == "function_graph" else None,
            **{what: on[what] - off[what] for what in on}}


# ---- all calls ----

def work_pair(bench, layout, tracer):
    """The workload with N and with 2N iterations; no tick of the timer falls into the longer run."""
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
    """Instructions of a site that is off, or in the layout `static`: always."""
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
    """Everything, as it goes into the JSON."""
    return {"schema": SCHEMA, "version": VERSION, "revision": benchlib.revision(),
            "options": {"timing": bench.machine.timing, "iterations": bench.iterations},
            "layouts": [layout_figures(bench, layout) for layout in LAYOUTS]}


# ---- for people ----

def cell(value):
    return "-" if value is None else str(value)


def print_figures(figures, style):
    """One line for each layout and tracer."""
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
    """What `bench --layouts` does, once the kernels are there; the exit status."""
    figures = all_figures(bench)
    bench.progress.end()
    if json_file != "-":
        print_figures(figures, style)
    if json_file:
        benchlib.write_json(json_file, figures)
    return os.EX_OK
