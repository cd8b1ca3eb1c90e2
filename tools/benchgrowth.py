"""benchgrowth - what tools/bench-speed measures of rvftrace beside itself: more harts.

The same work in two forms, a small one and one that is larger in one respect
only. Ideally it makes no difference: the ratio of their MIPS is 1.
"""
import dataclasses

import benchlib
import benchruns

HARTS = 8


@dataclasses.dataclass(frozen=True)
class Form:
    """One of the two: its name, and the boot line that starts it."""

    name: str
    image: str
    boot_line: str
    harts: int = 1


@dataclasses.dataclass(frozen=True)
class Growth:
    """A pair to compare; `program` of guest/bench does `scale` in all."""

    name: str
    program: str
    scale: int
    what: str
    aim: float  # the larger form's share of the smaller one's MIPS

    def forms(self, images, factor):
        """The small form and the large one; each hart does its own equal piece."""
        piece = max(1, round(self.scale * factor / HARTS))
        image = images[self.program]
        return (Form("1 hart", image, f"scale={piece * HARTS} harts=1"),
                Form(f"{HARTS} harts", image, f"scale={piece} harts={HARTS}", HARTS))


GROWTHS = {g.name: g for g in (
    Growth("harts-calls", "calls", 40, f"`calls`, by 1 hart or {HARTS} at once", 0.9),
    Growth("harts-mix", "mix", 800, f"`mix`, by 1 hart or {HARTS} at once", 0.9),
)}


def measure(growth, images, emulator, options, progress):
    """One growth's part of the JSON, and what the emulator says of itself."""
    forms = growth.forms(images, options.scale)
    commands = {f.name: benchruns.our_command(emulator, f.image, f.boot_line, harts=f.harts)
                for f in forms}
    counted = {}
    for name, command in commands.items():
        progress.begin(f"{growth.name}, {name}: counting instructions")
        counted[name] = benchruns.count_instructions(command, progress)
    seconds = {name: [] for name in commands}
    for i in range(options.runs):
        for name, command in commands.items():
            progress.begin(f"{growth.name}, round {i + 1} of {options.runs}: {name}")
            done = benchruns.timed_run(name, command, counted[name][1], progress)
            seconds[name].append(done.user_seconds)
    speeds = {name: {"result": counted[name][1], "instructions": counted[name][0],
                     **benchruns.speed_figures(seconds[name], counted[name][0])}
              for name in commands}
    small, large = speeds.values()
    return {"aim": growth.aim, "forms": speeds, "ratio": benchruns.ratio(large, small)}, counted[forms[0].name][2]


def print_figures(name, one, style):
    print(f"\n{style.bold(name)}: {GROWTHS[name].what}")
    rows = [("", "MIPS min", "median", "max", "ratio", "side by side", "aim")]
    small, large = one["forms"]
    rows.append((f"  {small}", *benchruns.speed_cells(one["forms"][small]), ""))
    rows.append((f"  {large}", *benchruns.speed_cells(one["forms"][large], one["ratio"]),
                 f"{one['aim']:.2f}"))
    print(*benchlib.table(rows), sep="\n")
