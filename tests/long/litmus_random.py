#!/usr/bin/env python3
"""litmus_random.py - random litmus tests, on which `rvftrace litmus' and tools/rvwmo must agree.

usage: litmus_random.py [--seed N] [--count N] FOLDER        writes FOLDER/SEED-N.litmus
                                                             (make check-litmus SUITE=FOLDER compares)

What the public suites hardly have: accesses of several sizes and AMOs, lr and sc to the same few bytes, with annotations,
dependencies, fences of all sets and fence.i, in any mixture. The seed makes the same tests again.
"""
import argparse
import pathlib
import random

SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}
FENCES = [f"fence {p},{s}" for p in ("r", "w", "rw") for s in ("r", "w", "rw")] + ["fence.tso", "fence.i"]
ORDERS = ("", "", "", ".aq", ".rl", ".aqrl")
# What a register has at the start: addresses of x, its upper half, and y; values to be stored.
X, X_HIGH, Y, ONE, TWO = "a0", "a1", "a2", "t0", "t1"


class Hart:
    """The program of a hart. Loads write s0, s1, ...; what depends on one uses it."""

    def __init__(self, pick, mixed):
        self.pick, self.mixed = pick, mixed
        self.lines, self.results, self.labels = [f"addi {X_HIGH},{X},4"] if mixed else [], [], 0

    def result(self):
        self.results.append(f"s{len(self.results)}")
        return self.results[-1]

    def place(self):
        """A letter of the access's size, and its address as offset and register."""
        base = self.pick.choice((X, X, Y))
        if not self.mixed:
            return "w", 0, base
        letter = self.pick.choice("bhwwdd")
        return letter, self.pick.randrange(0, 8, SIZES[letter]) if self.pick.random() < .5 else 0, base

    def word(self):
        """The same for an access that has no offset: w or d, and a register."""
        if self.mixed and self.pick.random() < .3:
            return "w", X_HIGH
        return self.pick.choice("wd" if self.mixed else "w"), self.pick.choice((X, Y))

    def dependent(self, base):
        """A register with that address, which depends on an earlier load."""
        if not self.results or self.pick.random() > .25:
            return base
        self.lines += [f"xor t2,{self.pick.choice(self.results)},zero", "and t2,t2,zero", f"add t3,{base},t2"]
        return "t3"

    def value(self):
        return self.pick.choice((ONE, TWO, *self.results))

    def add(self):
        kind = self.pick.choice(("load", "load", "store", "store", "amo", "pair", "fence", "fence", "branch", "plain"))
        if kind == "load":
            letter, offset, base = self.place()
            base = self.dependent(base)
            self.lines.append(f"l{letter} {self.result()},{offset}({base})")
        elif kind == "store":
            letter, offset, base = self.place()
            base, value = self.dependent(base), self.value()
            self.lines.append(f"s{letter} {value},{offset}({base})")
        elif kind == "amo":
            letter, base = self.word()
            value, name, order = self.value(), self.pick.choice(("swap", "add", "or")), self.pick.choice(ORDERS)
            target = "zero" if self.pick.random() < .2 else self.result()
            self.lines.append(f"amo{name}.{letter}{order} {target},{value},({base})")
        elif kind == "pair":
            letter, base = self.word()
            value = self.value()
            self.lines.append(f"lr.{letter}{self.pick.choice(ORDERS)} {self.result()},({base})")
            if self.pick.random() < .3:
                self.add()
            if self.mixed and self.pick.random() < .3:
                letter, base = "w", self.pick.choice((X, X_HIGH))
            self.lines.append(f"sc.{letter}{self.pick.choice(ORDERS)} {self.result()},{value},({base})")
        elif kind == "fence":
            self.lines.append(self.pick.choice(FENCES))
        elif kind == "branch" and self.results:
            self.labels += 1
            self.lines += [f"bnez {self.pick.choice(self.results)},on{self.labels}", f"on{self.labels}:"]
        elif kind == "plain" and self.results:
            self.lines.append(f"mv t4,{self.pick.choice(self.results)}")


def test(name, pick):
    """The text of a test."""
    mixed = pick.random() < .6
    harts = [Hart(pick, mixed) for _ in range(pick.choice((2, 2, 2, 3)))]
    for h in harts:
        most = 2 if len(harts) == 3 or mixed else pick.choice((2, 3))
        while sum(line.startswith(("l", "s", "amo")) for line in h.lines) < most:
            h.add()
    for n, h in enumerate(harts):
        h.lines = [line.replace("on", f"P{n}on") if "on" in line else line for line in h.lines]
    size = "uint64_t" if mixed else "int"
    lines = [f"RISCV {name}", *(["Variant=self"] if pick.random() < .2 else []), "{", f" {size} x; {size} y;"]
    lines += [f" {n}:{X}=x; {n}:{Y}=y; {n}:{ONE}={2 * n + 1}; {n}:{TWO}={2 * n + 2};" for n in range(len(harts))]
    lines.append("}")
    width = [max(len(line) for line in [f"P{n}", *h.lines]) for n, h in enumerate(harts)]
    rows = max(len(h.lines) for h in harts)
    for row in range(-1, rows):
        cells = [f"P{n}" if row < 0 else h.lines[row] if row < len(h.lines) else "" for n, h in enumerate(harts)]
        lines.append(" " + " | ".join(c.ljust(w) for c, w in zip(cells, width)) + " ;")
    terms = ["x=0", "y=0"] + [f"{n}:{r}=0" for n, h in enumerate(harts) for r in dict.fromkeys(h.results)]
    lines.append("exists (" + " /\\ ".join(terms) + ")")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Writes random litmus tests.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    for n in range(args.count):
        name = f"{args.seed}-{n}"
        (args.folder / f"{name}.litmus").write_text(test(name, random.Random(name)))


if __name__ == "__main__":
    main()
