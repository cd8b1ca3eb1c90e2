"""benchgrowth - the measurements of tools/bench-speed that compare rvftrace with itself.

The same work in two forms, a small one and one that is larger in one respect
only: more harts, more ftrace sites. Ideally the ratio of their MIPS is 1.
The start-up time, which may differ, is measured separately and subtracted.
"""
import dataclasses

import benchlib
import benchruns

HARTS = 8


@dataclasses.dataclass(frozen=True)
class Form:
    """One form: a program of guest/bench and the number of harts that share the work."""

    name: str
    program: str
    harts: int = 1

    def command(self, emulator, images, scale):
        line = f"scale={scale // self.harts} harts={self.harts}"
        return benchruns.our_command(emulator, images[self.program], line, harts=self.harts)


@dataclasses.dataclass(frozen=True)
class Growth:
    """A pair of forms to compare, the small one first."""

    name: str
    scale: int
    what: str
    aim: float  # the larger form's share of the smaller one's MIPS
    forms: tuple
    more: int   # number of additional units in the large form
    unit: str

    def share(self, factor):
        """The scale for --scale FACTOR, divisible by the number of harts."""
        return max(1, round(self.scale * factor / HARTS)) * HARTS


def more_harts(program, scale):
    return Growth(f"harts-{program}", scale, f"`{program}`, by 1 hart or {HARTS} at once", 0.9,
                  (Form("1 hart", program), Form(f"{HARTS} harts", program, HARTS)), HARTS - 1, "hart")


GROWTHS = {g.name: g for g in (
    more_harts("calls", 40),
    more_harts("mix", 800),
    Growth("sites", 40, "`calls`, with its ftrace sites and others that are never reached", 0.98,
           (Form("100 sites", "sites-100"), Form("100,000 sites", "sites-100000")), 99_900, "site"),
)}
PROGRAMS = {form.program for growth in GROWTHS.values() for form in growth.forms}


def count(command, progress):
    """Instructions and result, without accounting, so that the report has no sites; that changes neither."""
    return benchruns.count_instructions((*command, "--account", "off"), progress)


class Measured:
    """The measurements of one form: its instructions, and the time of each round."""

    def __init__(self, growth, form, emulator, images, scale, progress):
        self.form = form
        self.name = f"{growth.name}, {form.name}"
        self.idle, self.work = (form.command(emulator, images, s) for s in (0, scale))
        self.seconds, self.start_seconds = [], []
        progress.begin(f"{self.name}: counting instructions")
        starting, self.nothing = count(self.idle, progress)
        whole, self.result = count(self.work, progress)
        self.instructions = whole - starting

    def run(self, progress):
        progress.begin(self.name)
        start = benchruns.timed_run(self.name, self.idle, self.nothing, progress).user_seconds
        whole = benchruns.timed_run(self.name, self.work, self.result, progress).user_seconds
        self.start_seconds.append(start)
        self.seconds.append(max(whole - start, 0))

    def figures(self, progress):
        progress.begin(f"{self.name}: memory")
        return {"result": self.result, "instructions": self.instructions,
                "start_seconds": self.start_seconds,
                "peak_bytes": benchlib.peak_memory(self.work),
                **benchruns.speed_figures(self.seconds, self.instructions)}


def measure(growth, images, emulator, options, progress):
    """One growth's part of the JSON."""
    scale = growth.share(options.scale)
    both = [Measured(growth, form, emulator, images, scale, progress) for form in growth.forms]
    for _ in range(options.runs):
        for one in both:
            one.run(progress)
    forms = {one.form.name: one.figures(progress) for one in both}
    small, large = forms.values()
    return {"scale": scale, "aim": growth.aim, "forms": forms, "ratio": benchruns.ratio(large, small),
            "bytes_each": (large["peak_bytes"] - small["peak_bytes"]) / growth.more}


def print_figures(name, one, style):
    print(f"\n{style.bold(name)}: {GROWTHS[name].what}")
    rows = [("", "MIPS min", "median", "max", "ratio", "side by side", "aim", "starts in", "memory")]
    small, large = one["forms"]
    for form, speed in one["forms"].items():
        versus, aim = (one["ratio"], f"{one['aim']:.2f}") if form == large else (None, "")
        rows.append((f"  {form}", *benchruns.speed_cells(speed, versus), aim,
                     f"{min(speed['start_seconds']) * 1000:.0f} ms",
                     f"{speed['peak_bytes'] / 2**20:.1f} MiB"))
    print(*benchlib.table(rows), sep="\n")
    print(f"  {one['bytes_each']:,.0f} bytes of the host's memory for each {GROWTHS[name].unit} more")
