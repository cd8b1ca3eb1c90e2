#!/usr/bin/env python3
"""hartstest.py - random programs on several harts: on rvftrace in several ways, and on QEMU.

    hartstest.py [--seconds N] [--seed N] [--programs N] [--harts N] [--modes MODE...]

The harts of a program run at once, in M, S or U mode, and its end does not depend on their order: they
add, xor, or, … to shared words by AMOs, by lr and sc, and in turn under a lock (misaligned, across
pages); they send each other software interrupts whose handler adds, and wait for it; timer interrupts come at any
moment and must leave no trace. Between, each computes with its own registers, integer and floating-point, and its
own memory, misaligned and across pages, whose pages it exchanges. harts.S prints a hash of each hart
and one of what is shared; both machines must print the same. Environment: BUILD, CROSS, QEMU, KEEP
(a folder for failures). Exit status: 0 all equal, 1 a difference, 2 the test cannot run.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import stub
from difftest import BUILD, CPU, ISA, QEMU, floating, integer

KEEP = os.environ.get("KEEP", os.path.join(BUILD, "hartstest"))
MODES = ["--engine translated", "--engine interpreter --translate random:5", "--timing c906 --fetch coherent"]
MPP_S, MPP_M, MPIE, FS, XL = 1 << 11, 3 << 11, 1 << 7, 1 << 13, 2 << 32 | 2 << 34
FREE = ["x%d" % n for n in [1] + list(range(5, 28))]  # of the programs; x28 to x31 are for what depends on the order
MSIP, MAILBOXES, MAILBOX_BYTES, LOCKS, RESERVED_SUMS = 0x2000000, 0x400, 64, 0x200, 0x100

BINARY = ("add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhsu mulhu div divu rem remu mulw divw "
          "divuw remw remuw sh1add sh2add sh3add add.uw andn orn xnor min max minu maxu rol ror rolw rorw bclr bset binv bext "
          "clmul clmulh clmulr").split()
UNARY = "clz ctz cpop clzw cpopw sext.b sext.h zext.h orc.b rev8".split()
FLOAT_BINARY = "fadd fsub fmul fdiv fmin fmax fsgnj fsgnjn fsgnjx".split()
LOADS = {"lb": 1, "lh": 2, "lw": 4, "ld": 8, "lbu": 1, "lhu": 2, "lwu": 4}
STORES = {"sb": 1, "sh": 2, "sw": 4, "sd": 8}
COMMUTATIVE = "add xor and or min max minu maxu".split()  # each has shared words of its own
ORDERS = ("", ".aq", ".rl", ".aqrl")


class Part:
    """What one hart does in a program: lines for the assembler."""

    def __init__(self, r, hart, harts):
        self.r, self.hart, self.harts = r, hart, harts
        self.mode = r.choice("MSU")
        self.timer = r.randrange(4) > 0
        self.x = [integer(r) for _ in range(28)] + [0] * 4
        self.f = [floating(r) for _ in range(32)]
        self.lines, self.targets = [], FREE
        for _ in range(r.randrange(10, 40)):
            self.group()
        self.lines.append("ecall")

    def emit(self, text):
        self.lines += [line.strip() for line in text.split(";")]

    def group(self):
        r = self.r
        k = r.randrange(12)
        if k == 0:  # forwards past another one
            self.emit("%s %s, %s, 1f" % (r.choice("beq bne blt bge bltu bgeu".split()), self.reg(), self.reg()))
            self.one()
            self.emit("1:")
        elif k == 1:  # again and again
            self.emit("li x27, %d; 2:" % r.randrange(2, 12))
            for _ in range(r.randrange(1, 4)):
                self.one("x27")
            self.emit("addi x27, x27, -1; bnez x27, 2b")
        else:
            self.one()

    def one(self, kept=None):
        """A group that writes any register but the one that is kept."""
        self.targets = [name for name in FREE if name != kept]
        self.r.choice((self.integers, self.integers, self.floats, self.memory, self.memory, self.own_atomic, self.shared_atomic,
                       self.shared_reserved, self.under_lock, self.interrupt, self.other))()

    def reg(self):
        return self.r.choice(FREE)

    def to(self):
        return self.r.choice(self.targets)

    def freg(self):
        return "f%d" % self.r.randrange(32)

    # ---- of the hart alone ----

    def integers(self):
        r = self.r
        for _ in range(r.randrange(1, 8)):
            k = r.randrange(4)
            if k == 0:
                self.emit("%s %s, %s" % (r.choice(UNARY), self.to(), self.reg()))
            elif k == 1:
                self.emit("%s %s, %s, %d" % (r.choice("addi xori ori andi slti sltiu addiw".split()), self.to(), self.reg(),
                                             r.randrange(-2048, 2048)))
            else:
                self.emit("%s %s, %s, %s" % (r.choice(BINARY), self.to(), self.reg(), self.reg()))

    def floats(self):
        r = self.r
        for _ in range(r.randrange(1, 6)):
            k, width = r.randrange(6), r.choice("sd")
            if k == 0:
                self.emit("%s.%s %s, %s, %s, %s" % (r.choice("fmadd fmsub fnmadd fnmsub".split()), width, self.freg(), self.freg(),
                                                    self.freg(), self.freg()))
            elif k == 1:
                self.emit("%s.%s %s, %s, %s" % (r.choice("feq flt fle".split()), width, self.to(), self.freg(), self.freg()))
            elif k == 2:
                self.emit("fcvt.%s.%s %s, %s, rtz" % (r.choice("w wu l lu".split()), width, self.to(), self.freg()))
            elif k == 3:
                self.emit("fcvt.%s.l %s, %s; fsqrt.%s %s, %s" % (width, self.freg(), self.reg(), width, self.freg(), self.freg()))
            else:
                self.emit("%s.%s %s, %s, %s" % (r.choice(FLOAT_BINARY), width, self.freg(), self.freg(), self.freg()))
        self.emit(r.choice(("csrr %s, fcsr" % self.to(), "fsrmi %d" % r.randrange(5), "fsflags zero")))

    def offset(self, size):
        """From sp: anywhere, or across the two pages."""
        r = self.r
        return r.choice((r.randrange(-2048, 2040), r.randrange(-2048, 2040) & -size, -r.randrange(1, max(size, 2))))

    def memory(self):
        r = self.r
        for _ in range(r.randrange(1, 6)):
            k = r.randrange(8)
            if k < 3:
                name = r.choice(sorted(STORES))
                self.emit("%s %s, %d(sp)" % (name, self.reg(), self.offset(STORES[name])))
            elif k < 6:
                name = r.choice(sorted(LOADS))
                self.emit("%s %s, %d(sp)" % (name, self.to(), self.offset(LOADS[name])))
            else:
                name, size = r.choice((("flw", 4), ("fld", 8), ("fsw", 4), ("fsd", 8)))
                self.emit("%s %s, %d(sp)" % (name, self.freg(), self.offset(size)))

    def own_atomic(self):
        r = self.r
        width = r.choice("wd")
        self.emit("addi x28, sp, %d" % (self.offset(8) & -8))
        if r.randrange(2):
            self.emit("amo%s.%s%s %s, %s, (x28); li x28, 0" % (r.choice(COMMUTATIVE + ["swap"]), width, r.choice(ORDERS), self.to(), self.reg()))
        else:  # an interrupt may come between
            self.emit("3: lr.%s x29, (x28); xor x29, x29, %s; sc.%s x30, x29, (x28); bnez x30, 3b" % (width, self.reg(), width))
            self.emit("mv %s, x29; li x28, 0; li x29, 0" % self.to())

    def other(self):
        r = self.r
        if self.mode == "S" and r.randrange(4):  # exchange two of the private pages
            a, b = r.sample(range(4), 2)
            self.emit("ld x28, %d(tp); ld x29, %d(tp); sd x29, %d(tp); sd x28, %d(tp)" % (8 * a, 8 * b, 8 * a, 8 * b))
            self.emit(r.choice(("sfence.vma", "sfence.vma zero, zero")) + "; li x28, 0; li x29, 0")
        else:
            self.emit(r.choice(("fence rw, rw", "fence.i", "fence w, r", "fence.tso", "nop")))

    # ---- with the others ----

    def shared_atomic(self):
        r = self.r
        for _ in range(r.randrange(1, 4)):
            n, wide = r.randrange(len(COMMUTATIVE)), r.randrange(2)
            self.emit("addi x28, gp, %d; amo%s.%s%s %s, %s, (x28)" % (
                16 * n + 8 * wide, COMMUTATIVE[n], "wd"[wide], r.choice(ORDERS), r.choice(("zero", "x29")), self.reg()))
        self.emit("li x28, 0; li x29, 0")

    def shared_reserved(self):
        width, at = self.r.choice((("w", 0), ("d", 8), ("d", 16)))
        self.emit("addi x28, gp, %d" % (RESERVED_SUMS + at))
        self.emit("3: lr.%s%s x29, (x28); add x29, x29, %s; sc.%s%s x30, x29, (x28); bnez x30, 3b" % (
            width, self.r.choice(("", ".aq")), self.reg(), width, self.r.choice(("", ".rl"))))
        self.emit("li x28, 0; li x29, 0")

    def lock(self, offset):
        self.emit("addi x28, gp, %d; li x31, 1; 4: amoswap.w.aq x29, x31, (x28); bnez x29, 4b" % offset)

    def unlock(self):
        self.emit("amoswap.w.rl zero, zero, (x28); li x28, 0; li x29, 0; li x30, 0; li x31, 0")

    def under_lock(self):
        """Loads, adds and stores, from x31: the boundary of the two shared pages. What a lock protects is its own."""
        r = self.r
        which = r.randrange(2)
        self.lock(LOCKS + 8 * which)
        self.emit("lui x31, 1; add x31, x31, gp")
        for _ in range(r.randrange(1, 4)):
            at, value = r.choice(((-4, 0x20, 0x2d), (-0x40, 8, -0x33))[which]), self.reg()
            self.emit("ld x29, %d(x31); %s x29, x29, %s; sd x29, %d(x31)" % (at, "add" if at & 1 else "xor", value, at))
        self.unlock()

    def interrupt(self):
        """A software interrupt for a hart, whose handler adds a value."""
        target = self.r.randrange(self.harts)
        box = MAILBOXES + MAILBOX_BYTES * target
        self.lock(box)
        self.emit("sd %s, %d(gp); fence iorw, iorw; li x30, %#x; sw x31, %d(x30)" % (self.reg(), box + 8, MSIP, 4 * target))
        self.emit("5: ld x29, %d(gp); beqz x29, 5b; fence rw, rw; sd zero, %d(gp); sd zero, %d(gp)" % (box + 16, box + 8, box + 16))
        self.unlock()

    # ---- for harts.S ----

    def mstatus(self):
        return FS | XL | MPIE | {"M": MPP_M, "S": MPP_S, "U": 0}[self.mode]

    def record(self, label):
        values = ["%#x" % v for v in (self.mstatus(), int(self.mode != "M"), int(self.timer), *self.x, *self.f)]
        return ".dword %s, %s" % (label, ", ".join(values))

    def text(self, label):
        return "%s:\n\t%s\n" % (label, "\n\t".join(self.lines))


class Program:
    """A part for each hart."""

    def __init__(self, r, harts):
        self.parts = [Part(r, hart, harts) for hart in range(harts)]

    def words(self):
        return sum(len(part.lines) for part in self.parts)


def programs_text(programs):
    """programs.S."""
    labels = [["part_%d_%d" % (n, hart) for hart in range(len(p.parts))] for n, p in enumerate(programs)]
    text = "".join(part.text(label) for p, names in zip(programs, labels) for part, label in zip(p.parts, names))
    records = "\n".join(part.record(label) for p, names in zip(programs, labels) for part, label in zip(p.parts, names))
    return "%s\n.balign 8\nprogram_count: .dword %d\nrecords:\n%s\n" % (text, len(programs), records)


class Bench:
    """Images of programs, and the two machines."""

    def __init__(self, folder, harts):
        self.folder, self.harts = folder, harts

    def image(self, programs):
        with open(os.path.join(self.folder, "programs.S"), "w", encoding="ascii") as f:
            f.write(programs_text(programs))
        path = os.path.join(self.folder, "harts.elf")
        stub.assemble("harts.S", path, "rv64gc_zba_zbb_zbc_zbs", "-DHARTS=%d" % self.harts, "-Wa,-I" + self.folder)
        return path

    def run(self, image, machine, seed=1):
        """What the machine prints: `QEMU', or options of rvftrace."""
        if machine == "QEMU":
            command = [QEMU, "-M", "virt", "-cpu", CPU, "-smp", str(self.harts), "-m", "256M", "-bios", "none", "-display", "none",
                       "-monitor", "none", "-serial", "stdio", "-kernel", image]
        else:
            command = [os.path.join(BUILD, "rvftrace"), "run", "--quiet", "--audit", "off", "--account", "off", "--isa", ISA,
                       "--harts", str(self.harts), "--seed", str(seed), "--memory", "256M", "--firmware", "none",
                       "--console", "stdio", *machine.split(), image]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return ["does not come to an end"]
        return done.stdout.decode("ascii", "replace").split() or [done.stderr.decode("utf-8", "replace")]


def keep(program, where, text):
    os.makedirs(KEEP, exist_ok=True)
    path = os.path.join(KEEP, "%s.S" % where.replace(" ", "-"))
    with open(path, "w", encoding="ascii") as f:
        f.write("# %s\n%s" % (text.replace("\n", "\n# "), programs_text([program])))
    print("%s: %s\nkept as %s" % (where, text, path), flush=True)


def compare(bench, programs, modes, where, seed):
    """The number of programs that differ."""
    image = bench.image(programs)
    theirs, wrong, columns = bench.run(image, "QEMU"), 0, bench.harts + 1
    if len(theirs) != columns * len(programs):
        print("%s: QEMU printed %d of %d lines" % (where, len(theirs), columns * len(programs)))
        return 1
    for mode in modes:
        ours = bench.run(image, mode, seed)
        if len(ours) == 1 < len(theirs):
            print("%s, %s: %s" % (where, mode, ours[0].strip()))
            wrong += 1
            continue
        for n, program in enumerate(programs):
            got, expected = (lines[n * columns:(n + 1) * columns] for lines in (ours, theirs))
            if got != expected:
                names = ["hart %d" % hart for hart in range(bench.harts)] + ["shared"]
                differ = [name for name, a, b in zip(names, got, expected) if a != b] or ["it does not come to its end"]
                keep(program, "%s program %d" % (where, n), "%s --seed %d: %s" % (mode, seed, ", ".join(differ)))
                wrong += 1
                break
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0, help="how long to search (default: one batch)")
    parser.add_argument("--seed", type=int, default=1, help="of the programs (default: 1)")
    parser.add_argument("--programs", type=int, default=30, help="in a batch (default: 30)")
    parser.add_argument("--harts", type=int, default=4, help="2 to 16 (default: 4)")
    parser.add_argument("--modes", nargs="*", default=MODES, metavar="OPTIONS", help="of rvftrace, one run each")
    options = parser.parse_args()
    start, batch, wrong, count, lines = time.monotonic(), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, options.harts)
        while (not batch or time.monotonic() - start < options.seconds) and not wrong:
            r = random.Random(options.seed * 1000003 + batch)
            programs = [Program(r, options.harts) for _ in range(options.programs)]
            wrong += compare(bench, programs, options.modes, "seed %d batch %d" % (options.seed, batch), options.seed + batch)
            count += len(programs)
            lines += sum(p.words() for p in programs)
            batch += 1
    print("# %d programs of %d harts, %d instructions in each of %d modes and on QEMU, in %.0f s (seed %d)" % (
        count, options.harts, lines, len(options.modes), time.monotonic() - start, options.seed))
    print("%s - programs on %d harts with interrupts end as on QEMU (seed %d)" % ("not ok" if wrong else "ok", options.harts, options.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
