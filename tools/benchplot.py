"""benchplot - the plots of `bench --svg`: overheads of disabled ftrace, points with their intervals. gnuplot draws them."""
import dataclasses
import os
import pathlib
import tempfile

import benchlib
from benchlib import NO_INPUT, SOFTWARE, BenchError

TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200)
ASIDE = 1.015  # from one series to the next, as a factor of the density
SHAPES = (7, 5, 9, 11, 13, 6, 4, 8, 10, 12)  # gnuplot's, which stand out from the bar of their interval
COLUMN = 0.7  # of the distance between two workloads, what their points take


@dataclasses.dataclass(frozen=True)
class Point:
    """An overhead in percent, and half the width of its interval (0: it has none)."""

    series: str
    label: str  # the workload
    density: float  # function entries in 1000 instructions
    mean: float
    interval: float


def names(points, field):
    return list(dict.fromkeys(getattr(point, field) for point in points))


def densities(points):
    return {label: max(p.density for p in points if p.label == label) for label in names(points, "label")}


def tops(points):
    return {label: max(p.mean + p.interval for p in points if p.label == label) for label in names(points, "label")}


def over_density(points):
    """The horizontal axis, and where a point is on it. Points of one workload stand side by side, below its name."""
    density, top, series = densities(points), tops(points), names(points, "series")
    axis = ("set logscale x\n"
            f"set xtics ({', '.join(map(str, TICKS))})\n"
            f"set xrange [{min(density.values()) / 1.6:.6g}:{max(density.values()) * 1.6:.6g}]\n"
            "set xlabel 'function entries in 1000 instructions'\n"
            + "".join(f"set label '{w}' at {density[w]:.6g},{top[w]:.6g} center offset 0,0.8\n" for w in density))
    return axis, lambda p: density[p.label] * ASIDE ** (series.index(p.series) - (len(series) - 1) / 2)


def by_workload(points):
    """The same with a column for each workload, the densest calls first: for many workloads of nearly one density."""
    density, series = densities(points), names(points, "series")
    order = sorted(density, key=density.get, reverse=True)
    ticks = ", ".join(f"'{w} ({density[w]:.0f})' {number}" for number, w in enumerate(order))
    axis = (f"set xtics ({ticks}) rotate by -40 scale 0\nset xrange [-0.6:{len(order) - 0.4}]\n"
            "set xlabel 'workload (function entries in 1000 instructions)'\n")
    step = COLUMN / max(1, len(series) - 1)
    return axis, lambda p: order.index(p.label) + (series.index(p.series) - (len(series) - 1) / 2) * step


def script(points, svg, place):
    """For gnuplot: a point with its interval for each series and workload. place: one of the two above."""
    axis, position = place(points)
    blocks, drawn = [], []
    for number, name in enumerate(names(points, "series")):
        data = "\n".join(f"{position(p):.6g} {p.mean:.6g} {p.interval:.6g}" for p in points if p.series == name)
        blocks.append(f"$c{number} << EOD\n{data}\nEOD\n")
        drawn.append(f"$c{number} with yerrorbars pointtype {SHAPES[number % len(SHAPES)]} title '{name}'")
    least = min(0, *(p.mean - p.interval for p in points))
    return (f"set terminal svg size 960,600 dynamic background rgb 'white'\nset output '{svg}'\n"
            f"set yrange [{least:.6g}:{max(tops(points).values()) * 1.15:.6g}]\n"
            "set ylabel 'overhead of disabled ftrace, % (mean, 95 % interval)'\n"
            "set key outside right\nset grid\n"
            + axis + "".join(blocks) + "plot " + ", ".join(drawn) + "\n")


def find_gnuplot():
    """Its path; an error if it is not there."""
    gnuplot = benchlib.find_program(None, "gnuplot", "draws the plot")
    if not gnuplot:
        raise BenchError(NO_INPUT, "gnuplot: not found in PATH; install gnuplot-nox, or take --csv")
    return gnuplot


def write(points, svg, progress, place=over_density):
    """Writes the plot of these Points to the file svg."""
    gnuplot = find_gnuplot()
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        part, commands = os.path.join(scratch, "plot.svg"), os.path.join(scratch, "plot")
        pathlib.Path(commands).write_text(script(points, part, place), encoding="utf-8")
        done = benchlib.run_process([gnuplot, commands], progress)
        if done.status or not os.path.exists(part):
            raise BenchError(SOFTWARE, f"gnuplot: {done.last_words()}")
        benchlib.write_text(svg, pathlib.Path(part).read_text(encoding="utf-8"))
