"""benchparts - what the layout mcount costs a workload, off and on, divided into its parts.

For `bench --parts`. Runs each workload in the kernel without instrumentation and in the one with
the layout mcount, tracing off and on. The emulator is deterministic, so one run of each is exact.
docs/benchmarks.md describes the measurements and the JSON.
"""
import dataclasses
import os
import sys

import benchguest
import benchlib
from benchlib import SOFTWARE, BenchError

WORKLOADS = ("calls", "tree", "sort", "mixed")
DEFAULT_WORKLOADS = ("calls", "tree", "sort")  # mixed is these three
DEFAULT_ITERATIONS = 2  # a measurement of any workload with function_graph fits between two ticks

@dataclasses.dataclass(frozen=True)
class Variant:
    """One column of the tables: an image and its tracer."""

    name: str
    image: str
    tracer: str | None
    meaning: str


VARIANTS = (
    Variant("none", "none", None, "no instrumentation"),
    Variant("frame", "frame", None, "the same, compiled with a frame pointer"),
    Variant("off", "mcount", None, "mcount, tracing off"),
    Variant("function", "mcount", "function", "mcount, tracer function"),
    Variant("function_graph", "mcount", "function_graph", "mcount, tracer function_graph"),
)

TRACERS = tuple(v.name for v in VARIANTS if v.tracer)


@dataclasses.dataclass(frozen=True)
class Sample:
    """One run of `work NAME N`: what the guest printed, and the site counters of that time."""

    work: benchguest.Work
    window: benchguest.Window
    identity: dict  # of the report: emulator version, image hash


# ---- measuring ----

def on_all_harts(bench, image, script, alone):
    """
    Runs the same work on the given number of harts; the others are idle.

    The cycles may differ a little from those on one hart, because the allocator and
    the ring buffer are in another state. But no timer tick may fall into the run.
    """
    if bench.machine.harts == 1:
        return alone
    work, _ = benchguest.measure(bench.machine, image, script, bench.progress)
    benchguest.measure_window(bench.machine, image, script, work, bench.progress)
    return work


def take_sample(bench, variant, workload, iterations):
    """Runs one workload in one variant and reads the counters of its sites."""
    bench.progress.begin(f"{workload}, {variant.name}, {iterations} iterations")
    image = bench.images[variant.image]
    script = benchguest.work_script(workload, iterations, variant.tracer)
    one_hart = dataclasses.replace(bench.machine, harts=1)
    alone, report = benchguest.measure(one_hart, image, script, bench.progress)
    window = benchguest.measure_window(one_hart, image, script, alone, bench.progress)
    return Sample(on_all_harts(bench, image, script, alone), window, report["run"])


@dataclasses.dataclass(frozen=True)
class Bench:
    """The parameters of all measurements."""

    machine: benchguest.Machine
    images: dict  # name -> path
    iterations: int
    progress: benchlib.Progress


def check_same_work(variant, sample, first):
    """Checks that the work is the same with and without instrumentation and tracing."""
    if (sample.work.result, sample.work.calls) == (first.work.result, first.work.calls):
        return
    raise BenchError(SOFTWARE, f"{sample.work.name}, {sample.work.iterations} iterations: "
                     f"{variant.name} has result={sample.work.result} calls={sample.work.calls}, "
                     f"{VARIANTS[0].name} result={first.work.result} calls={first.work.calls}")


def measure_workload(bench, name):
    """Variant name -> its two samples, of N and of 2N iterations."""
    samples = {}
    for variant in VARIANTS:
        pair = [take_sample(bench, variant, name, n)
                for n in (bench.iterations, 2 * bench.iterations)]
        samples[variant.name] = pair
        for sample, reference in zip(pair, samples[VARIANTS[0].name]):
            check_same_work(variant, sample, reference)
    return samples


def check_repeatable(bench, workload):
    """Runs one configuration twice and checks that output and report are identical."""
    variant = VARIANTS[-1]
    script = benchguest.work_script(workload, bench.iterations, variant.tracer)
    bench.progress.begin("one run twice")
    once, again = (benchguest.measure(bench.machine, bench.images[variant.image], script,
                                      bench.progress) for _ in range(2))
    if once != again:
        raise BenchError(SOFTWARE, f"{workload}, {variant.name}: two runs with the same options "
                                   "differ, but the emulator must be deterministic")
    return {"workload": workload, "variant": variant.name, "identical": True}


# ---- from samples to figures ----

def variant_figures(pair):
    """The figures of iterations N+1 to 2N, in which the cost of start and end cancels out."""
    one, two = pair
    sites = [subtract_sites(a, b) for a, b in zip(one.window.sites, two.window.sites, strict=True)]
    calls = two.work.calls - one.work.calls
    cycles = two.work.cycles - one.work.cycles
    instructions = two.work.instructions - one.work.instructions
    return {"cycles": cycles, "instructions": instructions,
            "cycles_per_call": cycles / calls, "instructions_per_call": instructions / calls,
            "runs": [run_figures(sample) for sample in pair],
            "sites": [s for s in sites if s["off_entries"] or s["on_entries"]]}


def run_figures(sample):
    """The figures of one run, as printed by the guest and as counted by the machine."""
    return {"iterations": sample.work.iterations, "cycles": sample.work.cycles,
            "instructions": sample.work.instructions,
            "window_cycles": sample.window.cycles,
            "window_instructions": sample.window.instructions}


def subtract_sites(one, two):
    return {"function": two.function,
            "off_entries": two.off_entries - one.off_entries,
            "off_cycles": two.off_cycles - one.off_cycles,
            "off_cycles_per_entry": two.off_cost,
            "on_entries": two.on_entries - one.on_entries,
            "through_cycles": two.through_cycles - one.through_cycles}


def site_sum(figures, what):
    return sum(site[what] for site in figures["sites"])


def overhead(cycles, instructions, calls, base):
    """A difference in cycles: in all, per call, and in percent of a variant."""
    return {"cycles": cycles, "instructions": instructions, "cycles_per_call": cycles / calls,
            "instructions_per_call": instructions / calls,
            "percent": 100 * cycles / base["cycles"]}


def difference(variants, minuend, subtrahend):
    return tuple(variants[minuend][what] - variants[subtrahend][what]
                 for what in ("cycles", "instructions"))


def disabled_figures(variants, calls):
    """`off` against `none`, in three parts that add up to it exactly."""
    base = variants["none"]
    entries = site_sum(variants["off"], "off_entries")
    site = (site_sum(variants["off"], "off_cycles"), entries * benchguest.SITE_INSTRUCTIONS)
    whole = difference(variants, "off", "none")
    frame = difference(variants, "frame", "none")
    rest = tuple(w - f - s for w, f, s in zip(whole, frame, site))
    return {"entries": entries, **overhead(*whole, calls, base),
            "parts": {"site": overhead(*site, calls, base),
                      "frame_pointer": overhead(*frame, calls, base),
                      "spills": overhead(*rest, calls, base)}}


def enabled_figures(variants, tracer, calls):
    """
    A tracer against `off`, in two parts that add up to it exactly.

    `entry` is from the pair to the instruction after it, minus the cost of the two
    nops that are otherwise there; the rest is `after`: the return that a graph tracer
    hooks.
    """
    base = variants["off"]
    entries = site_sum(variants[tracer], "on_entries")
    cycles, instructions = difference(variants, tracer, "off")
    nops = sum(s["on_entries"] * s["off_cycles_per_entry"] * 2 // benchguest.SITE_INSTRUCTIONS
               for s in variants[tracer]["sites"])
    entry = site_sum(variants[tracer], "through_cycles") - nops
    return {"entries": entries, **overhead(cycles, instructions, calls, base),
            "cycles_per_entry": cycles / entries if entries else 0,
            "parts": {"entry": entry, "after": cycles - entry}}


def workload_figures(name, samples):
    """One workload's part of the JSON."""
    reference = samples["none"]
    calls = reference[1].work.calls - reference[0].work.calls
    variants = {variant: variant_figures(pair) for variant, pair in samples.items()}
    check_sites(name, variants)
    return {"name": name, "iterations": reference[0].work.iterations, "calls": calls,
            "results": [sample.work.result for sample in reference],
            "variants": variants,
            "disabled": disabled_figures(variants, calls),
            "enabled": {t: enabled_figures(variants, t, calls) for t in TRACERS}}


def check_sites(name, variants):
    """Checks that each site was executed as often with tracing as without."""
    off = {s["function"]: s["off_entries"] for s in variants["off"]["sites"]}
    for tracer in TRACERS:
        on = {s["function"]: s["on_entries"] for s in variants[tracer]["sites"]}
        if on != off:
            odd = sorted(f for f in on.keys() | off.keys() if on.get(f) != off.get(f))
            raise BenchError(SOFTWARE, f"{name}: {odd[0]} was entered {off.get(odd[0], 0)} times "
                             f"with tracing off, {on.get(odd[0], 0)} times with {tracer}")


def image_figures(bench, identities):
    """The sizes of the images. Only functions that all images have count, not those of the tracers."""
    elves = {name: benchguest.Elf(path) for name, path in bench.images.items()}
    if elves["frame"].bytes == elves["none"].bytes:
        raise BenchError(SOFTWARE, "mk/guest.mk built the kernel `frame' without a frame pointer: "
                         "it no longer takes guest_cflags_none")
    common = set.intersection(*(set(elf.function_sizes) for elf in elves.values()))
    return {name: {"sha256": benchguest.sha256(bench.images[name]),
                   "image_hash": identities[name]["image_hash"],
                   "text_bytes": elf.text_bytes(),
                   "common_text_bytes": sum(elf.function_sizes[f] for f in common)}
            for name, elf in elves.items()}


def all_figures(bench, workloads):
    """The complete JSON content; deterministic."""
    samples = {name: measure_workload(bench, name) for name in workloads}
    any_workload = samples[workloads[0]]
    identities = {v.image: any_workload[v.name][0].identity for v in VARIANTS}
    machine = bench.machine
    return {"schema": benchlib.BENCH_SCHEMA, "version": benchlib.BENCH_VERSION,
            "revision": benchlib.revision(),
            "emulator": {"version": identities["mcount"]["rvftrace"],
                         "sha256": benchguest.sha256(machine.emulator)},
            "options": {"harts": machine.harts, "timing": machine.timing, "seed": machine.seed,
                        "iterations": bench.iterations},
            "images": image_figures(bench, identities),
            "repeated": check_repeatable(bench, workloads[0]),
            "workloads": [workload_figures(name, pair) for name, pair in samples.items()]}


# ---- tables ----

def print_head(figures, style):
    options = figures["options"]
    print(f"rvftrace {figures['emulator']['version']}, {options['harts']} "
          f"hart{'s' * (options['harts'] > 1)}, timing {options['timing']}, "
          f"seed {options['seed']}")
    print("Exact: the machine is deterministic, one run of each is enough "
          "(one was repeated: identical).\n")
    rows = [("kernel", "text bytes", "of functions in all three")]
    rows += [(name, f"{image['text_bytes']:,}", f"{image['common_text_bytes']:,}")
             for name, image in figures["images"].items()]
    print_table(rows, style)


def print_table(rows, style):
    head, *body = benchlib.table(rows)
    print(style.bold(head), *body, sep="\n")
    print()


def against(variant, figures):
    """The additional cycles of a variant, compared with its base."""
    if variant == "none":
        return "-"
    base = figures["variants"]["off" if variant in TRACERS else "none"]["cycles"]
    return f"{100 * figures['variants'][variant]['cycles'] / base - 100:+.1f} %"


def print_variants(figures, images, style):
    rows = [("variant", "cycles", "cycles/call", "insns/call", "against none", "against off",
             "text bytes")]
    for v in VARIANTS:
        one, share = figures["variants"][v.name], against(v.name, figures)
        rows.append((v.meaning, f"{one['cycles']:,}", f"{one['cycles_per_call']:.2f}",
                     f"{one['instructions_per_call']:.2f}",
                     "" if v.name in TRACERS else share, share if v.name in TRACERS else "",
                     f"{images[v.image]['text_bytes']:,}"))
    print_table(rows, style)


def disabled_row(title, part):
    return (title, f"{part['cycles']:,}", f"{part['cycles_per_call']:.2f}",
            f"{part['instructions_per_call']:.2f}", f"{part['percent']:.2f} %")


def print_disabled(disabled, style):
    parts = disabled["parts"]
    print_table([("disabled path", "cycles", "cycles/call", "insns/call", "of none"),
                 disabled_row("mv a0,ra and two nops", parts["site"]),
                 disabled_row("the frame pointer", parts["frame_pointer"]),
                 disabled_row("frames and spills forced by -pg", parts["spills"]),
                 disabled_row("in all", disabled)], style)


def print_enabled(enabled, style):
    rows = [("enabled path, above off", "cycles", "entries", "cycles/entry", "at entry",
             "afterwards")]
    for tracer, one in enabled.items():
        entries = max(one["entries"], 1)
        rows.append((tracer, f"{one['cycles']:,}", f"{one['entries']:,}",
                     f"{one['cycles_per_entry']:.1f}",
                     *(f"{one['parts'][part] / entries:.1f}" for part in ("entry", "after"))))
    print_table(rows, style)


def print_workload(figures, images, style):
    n = figures["iterations"]
    print(style.bold(f"{figures['name']}: iterations {n + 1} to {2 * n}, "
                     f"{figures['calls']:,} calls"))
    print_variants(figures, images, style)
    print_disabled(figures["disabled"], style)
    print_enabled(figures["enabled"], style)


def print_figures(figures):
    style = benchlib.Style(sys.stdout)
    print_head(figures, style)
    for workload in figures["workloads"]:
        print_workload(workload, figures["images"], style)


def run(bench, workloads, json_file):
    """Measures and shows."""
    figures = all_figures(bench, workloads)
    bench.progress.end()
    if json_file != "-":
        print_figures(figures)
    if json_file:
        benchlib.write_json(json_file, figures)
    return os.EX_OK
