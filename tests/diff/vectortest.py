#!/usr/bin/env python3
"""vectortest.py - random vector programs on rvftrace and on QEMU, and every difference.

    vectortest.py [--seconds N] [--seed N] [--cases N] [--vlen N ...] [--rounds N] [--length N] [--engines]

Each case is a short program of vector instructions, with all registers; vector.S
runs thousands of them and prints a hash of what became of each: registers, CSRs,
memory and traps. The rows are those of emu/cpu/isa/vector.def. With --engines native code
is compared with the interpreter instead. Environment: BUILD, CROSS, QEMU, KEEP (a
folder for failures), CPU (more of QEMU's -cpu), ENGINE (of rvftrace), ROWS (an
expression for the rows to take). Exit status: 0 all equal, 1 a difference, 2 the test
cannot run.
"""
import argparse
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time

import stub
from elf_image import write_image

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", "build")
QEMU = os.environ.get("QEMU", "qemu-system-riscv64")
KEEP = os.environ.get("KEEP", os.path.join(BUILD, "vectortest"))

CODE, CASES, RAM, DATA, DATA_END = 0x80400000, 0x81000000, 0x80000000, 0x87fff000, 0x88000000
CASE_CODE, RECORD, REGISTERS = 0x100, 576 + 32 * 128, 576
EBREAK = 0x00100073
MASK = (1 << 64) - 1


def is_old():
    """Whether QEMU is older than 8: it has no Zvfhmin, knows no register that is read with two EEWs, and is imprecise about faults."""
    try:
        text = subprocess.run([QEMU, "--version"], capture_output=True, text=True).stdout
    except OSError:
        sys.exit("vectortest: there is no %s" % QEMU)
    return int(re.search(r"version (\d+)", text)[1]) < 8


ENGINES = "--engines" in sys.argv
OLD = not ENGINES and is_old()
NEW = "V Zvfhmin Zvbb Zvbc Zvkb Zvkg Zvkned Zvknha Zvksed Zvksh"  # and Zvknhb, which has no row of its own
NEW_CPU = ",Zfh=true,zvfhmin=true,zvbb=true,zvbc=true,zvkng=true,zvksg=true"
POINTERS = (8, 9, 18, 19, 20)
NAMES = (["vs", "vl", "vtype", "vstart", "vcsr", "fcsr"])

SPECIAL = [0, 1, 2, MASK, MASK - 1, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, 0xffffffff, 0x80, 0x7f, 0x8000, 0x7fff, 31, 63]
SPECIAL_D = [0, 1, 0xfffffffffffff, 0x10000000000000, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
             0x7ff0000000000001, 0x41dfffffffc00000, 0x41e0000000000000, 0x43e0000000000000, 0x3fe0000000000000, 0x0008000000000000]
SPECIAL_S = [0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x4f000000, 0x3f000000, 0x400000, 0x200000]


def rows(extensions):
    out = []
    with open(os.path.join(ROOT, "emu/cpu/isa/vector.def")) as f:
        for line in f:
            m = re.match(r"V\((\w+),\s*(\w+),\s*(0x\w+),\s*(0x\w+),\s*(\w+),\s*(\w+)\)", line)
            if m and m[1] in extensions:
                out.append((m[2], int(m[3], 16), int(m[4], 16), m[5], m[6]))
    return out


def value(r):
    k = r.randrange(5)
    if k == 0:
        return r.choice(SPECIAL)
    if k == 1:
        return r.choice(SPECIAL_D) | r.getrandbits(1) << 63
    if k == 2:
        return (r.choice(SPECIAL_S) | r.getrandbits(1) << 31) << 32 | r.choice(SPECIAL_S) | r.getrandbits(1) << 31
    if k == 3:
        return r.getrandbits(64)
    return int.from_bytes(bytes(r.choice((0, 1, 2, 3, 5, 0x7f, 0x80, 0xff, r.getrandbits(8))) for _ in range(8)), "little")


class Case:
    def __init__(self):
        self.words, self.x, self.f, self.v = [], [0] * 32, [0] * 32, []
        self.fcsr = self.vcsr = self.status = 0

    def code(self):
        return b"".join(struct.pack("<I", w) for w in self.words)

    def record(self, begin, vlen):
        end = begin + 4 * len(self.words)
        fields = self.x + self.f + [self.fcsr, self.vcsr, begin, end, self.status]
        head = struct.pack("<%dQ" % len(fields), *fields).ljust(REGISTERS, b"\0")
        return (head + struct.pack("<%dQ" % (vlen // 2), *self.v[:vlen // 2])).ljust(RECORD, b"\0")


def li(rd, v):
    """Two instructions for a value of 32 bits."""
    return [0x37 | rd << 7 | (v + 0x800 & 0xfffff000), 0x1b | rd << 7 | rd << 15 | (v & 0xfff) << 20]


def register(r, lmul, wide=False):
    """A register number that is a legal group most of the time."""
    n = r.randrange(32)
    if r.randrange(16) and lmul > 0:
        n &= ~((1 << min(lmul + wide, 3)) - 1)
    return n


def configure(r, x7):
    while True:
        sew, lmul = r.randrange(4), r.choice((0, 0, 1, 2, 3, 5, 6, 7))
        if lmul < 4 or sew <= lmul - 5 or not r.randrange(20):
            break
    vtype = lmul | sew << 3 | r.randrange(4) << 6
    if not r.randrange(60):
        vtype = r.getrandbits(11)
    kind = r.randrange(6)
    rd = r.choice((0, 5, 6))
    if kind == 0:
        return [0x80007057 | rd << 7 | r.choice((0, 10, 11)) << 15 | 7 << 20], x7
    if kind < 3:
        return [0xc0007057 | rd << 7 | r.randrange(32) << 15 | (vtype & 0x3ff) << 20], vtype & 0x3ff
    rs1 = r.choice((0, 0, 10, 11, 12))
    return [0x7057 | rd << 7 | rs1 << 15 | vtype << 20], vtype


def configure_groups(r):
    """Such that a register group holds whole groups of elements, and vl is a number of them."""
    sew = r.choice((2, 2, 2, 3))
    return [0xc0007057 | r.choice((0, 4, 8, 8, 16, 24, 6)) << 15 | (sew << 3 | r.choice((0, 1, 1, 2, 3)) | r.randrange(4) << 6) << 20]


def make_case(r, all_rows, groups, length):
    c = Case()
    c.v = [value(r) for _ in range(512)]
    for n in range(1, 32):
        c.x[n] = value(r)
        c.f[n] = value(r)
        if r.randrange(2):
            c.f[n] |= 0xffffffff00000000
    c.f[0] = value(r)
    for n in POINTERS:
        c.x[n] = DATA + r.randrange(0x100, 0xf00)
        if r.randrange(2):
            c.x[n] &= ~7
    if not r.randrange(3) and not OLD:
        c.x[r.choice(POINTERS)] = DATA_END - r.randrange(200)
    c.x[10], c.x[11], c.x[12] = r.randrange(0, 20), r.randrange(0, 130), r.randrange(0, 5)
    c.x[13], c.x[14] = r.choice((0, 1, 2, 4, 8, 16, 24, -4 & MASK, -8 & MASK, 3)), r.randrange(40)
    c.x[7] = r.choice((0, 8, 16, 24, 9, 17, 25, 10, 18, 26, 11, 7, 23, 31, 0xc0, 0xd8, 4, 0x100, 1 << 63, 5, 6, 14, 15))
    c.fcsr = r.choice((0, 0, 1, 1, r.randrange(5) << 5, r.getrandbits(5) | r.randrange(5) << 5))
    c.vcsr = r.getrandbits(3)
    if not r.randrange(40):
        c.status = r.choice((0x600, 0x6000, 0x400))
    words, vtype = configure(r, c.x[7])
    c.words += words
    for _ in range(r.randrange(3, length)):
        k = r.randrange(12)
        if k == 0:
            words, new = configure(r, c.x[7])
            vtype = new
            c.words += words
            continue
        if k == 1 and not r.randrange(4):  # a CSR: vstart, vxsat, vxrm, vcsr; small numbers
            csr = r.choice((9, 10, 15) if OLD else (8, 8, 9, 10, 15))  # QEMU 7.2 does not always clear vstart
            c.words.append(0x5073 | csr << 20 | r.randrange(4 if csr == 10 else 8) << 15 | r.choice((0, 5)) << 7)
            continue
        group = r.choice(groups)
        name, match, mask, fmt, cls = r.choice(all_rows[group])
        word = match | r.getrandbits(32) & ~mask
        if OLD and cls.startswith("VF") and vtype >> 3 & 7 < 2:  # it takes floats of 16 bits
            continue
        if match & 0x7f == 0x77 and r.randrange(8):
            c.words += configure_groups(r)
            vtype = c.words[-1] >> 20 & 0x3ff
        lmul = ((vtype or 0) & 7 ^ 4) - 4
        wide = "w" in name
        rd, rs1, rs2 = register(r, lmul, wide), register(r, lmul), register(r, lmul, wide)
        if cls in ("VLOAD", "VSTORE"):
            rs1 = r.choice(POINTERS)
            if "VLS" == fmt:
                rs2 = r.choice((0, 13, 13, 13, 14))
            if "N" in name and r.randrange(3):
                word &= ~(7 << 29)
            if "VLX" == fmt and r.randrange(4):  # small indices
                c.words.append(match_vand(rs2))
        elif fmt in ("VVX", "VMAX") and "slide" in name or "rgather_vx" in name:
            rs1 = r.choice((10, 11, 12, 14, r.randrange(32)))
        if fmt in ("VCOUNT", "VTOX", "VSETVL", "VSETVLI", "VSETIVLI"):
            rd = r.choice((0, 5, 6))
        word = (word & ~(31 << 7 | 31 << 15 | 31 << 20) | rd << 7 | rs1 << 15 | rs2 << 20) & ~mask & 0xffffffff | match
        if r.randrange(3):
            word = word | 1 << 25 & ~mask
        if name.startswith("vsha2") and vtype & 4:  # QEMU 10 refuses it though half a long register holds a group
            continue
        if not OLD and not r.randrange(60):
            word ^= 1 << r.randrange(7, 32)
            if word & 0x7f not in (0x57, 0x77) and word & 0x7000 not in (0, 0x5000, 0x6000, 0x7000):
                continue
            if word & 0x7f in (0x07, 0x27) and word >> 15 & 31 not in POINTERS:
                continue
            fmt, cls, name = "VLX" if word >> 26 & 1 else "", "VSTORE" if word & 0x7f == 0x27 else "", "changed"
        if reads_twice(word, fmt, cls, name):
            continue
        if loads_first_fault(word):  # a segment may be loaded in part beside the new vl
            word &= ~(7 << 29)
        c.words.append(word & 0xffffffff)
        if loads_first_fault(word) and not OLD:  # csrr t0,vl: to the end of its block QEMU 10 makes moves of the former vl
            c.words.append(0xc20022f3)
    c.words = c.words[:CASE_CODE // 4 - 1]
    return c


def loads_first_fault(word):
    """Whether it is a fault-only-first load, with segments or without."""
    return word & 0x7f == 0x07 and word & 0x7000 in (0, 0x5000, 0x6000, 0x7000) and word >> 26 & 3 == 0 and word >> 20 & 31 == 16


def reads_twice(word, fmt, cls, name):
    """
    Whether a register may be read with two EEWs. That is reserved (vol. I, V, 5.2), and illegal in rvftrace;
    QEMU 10 refuses it in some instructions only.
    """
    rd, rs1, rs2, vm = word >> 7 & 31, word >> 15 & 31, word >> 20 & 31, word >> 25 & 1
    near = -8 < rs1 - rs2 < 8
    if OLD and fmt not in ("VL", "VLS"):
        wide = "w" in name and (near or -8 < rd - rs1 < 8 or -8 < rd - rs2 < 8)
        if wide or fmt == "VLX" or (near and name == "vrgatherei16_vv"):
            return True
    if cls == "VSTORE":
        return (fmt == "VLX" and -8 < rd - rs2 < 8) or (not vm and not (rd and rs2))
    if name == "changed" and near and word & 0x7f == 0x57:
        return True
    return ((not vm and (rs2 == 0 or rs1 == 0) and fmt not in ("VL", "VLS", "VCOUNT", "VSETVL", "VID")) or
            (near and (name == "vcompress_vm" or "wred" in name)))


def match_vand(reg):
    """vand.vi reg,reg,15"""
    return 0x26003057 | reg << 7 | 15 << 15 | reg << 20


class Bench:
    def __init__(self, folder, vlen, rounds):
        self.folder, self.vlen, self.rounds, self.timed_out = folder, vlen, rounds, False
        self.stub, self.at = stub.load(folder, "vector", "rv64gcv")
        isa = "rv64imafdcv_zicntr_zifencei" + ("_zvl%db" % vlen if vlen > 128 else "") + os.environ.get("ISA", "" if OLD else "_zvfhmin_zvbb_zvbc_zvkng_zvksg")
        cpu = "rv64,h=false,v=true,vlen=%d" % vlen + os.environ.get("CPU", ",Zfh=false" if OLD else NEW_CPU)
        engine = os.environ.get("ENGINE", "translated" if ENGINES else "auto")
        self.ours = [os.path.join(BUILD, "rvftrace"), "run", "--quiet", "--audit", "off", "--account", "off", "--isa", isa,
                     "--memory", "128M", "--firmware", "none", "--console", "stdio", "--engine", engine]
        self.theirs = self.ours[:-1] + ["interpreter"] if ENGINES else self.emulator(cpu)

    @staticmethod
    def emulator(cpu):
        return [QEMU, "-M", "virt", "-cpu", cpu, "-m", "128M", "-bios", "none", "-display", "none", "-monitor",
                "none", "-serial", "stdio", "-kernel"]

    def run_both(self, cases, dump=MASK, limit=300):
        memory = bytearray(self.stub)
        struct.pack_into("<QQ", memory, self.at["count"] - RAM, len(cases), dump)
        struct.pack_into("<Q", memory, self.at["rounds"] - RAM, self.rounds)
        code, records = bytearray(), bytearray()
        for n, case in enumerate(cases):
            body = case.code()
            code += body + struct.pack("<I", EBREAK) + bytes(CASE_CODE - len(body) - 4)
            records += case.record(CODE + n * CASE_CODE, self.vlen)
        path = os.path.join(self.folder, "image.elf")
        write_image(path, RAM, [(RAM, bytes(memory)), (CODE, bytes(code)), (CASES, bytes(records))])
        out, self.timed_out = [], False
        running = [subprocess.Popen(c + [path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for c in (self.ours, self.theirs)]
        for child in running:
            try:
                text, _ = child.communicate(timeout=limit)
                out.append(re.findall(r"\b[0-9a-f]{16}\b", text.decode("ascii", "replace")))
            except subprocess.TimeoutExpired:
                child.kill()
                out.append(re.findall(r"\b[0-9a-f]{16}\n", child.communicate()[0].decode("ascii", "replace")))
                out[-1] = [line.strip() for line in out[-1]]
                self.timed_out = True
        return out


def shrink(bench, case):
    at = len(case.words) - 1
    while at >= 0:
        kept = case.words[:]
        del case.words[at]
        ours, theirs = bench.run_both([case], limit=10)
        if ours == theirs:
            case.words = kept
        at -= 1
    return case


def report(bench, case, where):
    case = shrink(bench, case)
    most = bench.rounds
    for bench.rounds in range(1, most + 1):  # the last one is shown: let it be the first that differs
        ours, theirs = bench.run_both([case], dump=0, limit=10)
        if ours != theirs:
            break
    where += " round %d" % bench.rounds
    bench.rounds = most
    lines = [where, stub.disassemble(bench.folder, case.code(), "riscv:rv64gcv")]
    tail = 6 + bench.vlen // 2 + 31 + 32 + 511 + 1
    if ours[:-tail] != theirs[:-tail]:
        lines.append("traps: rvftrace %s, QEMU %s" % (" ".join(ours[:-tail]), " ".join(theirs[:-tail])))
    names = NAMES + ["v%d.%d" % (n // (bench.vlen // 64), n % (bench.vlen // 64)) for n in range(bench.vlen // 2)]
    names += ["x%d" % n for n in range(1, 32)] + ["f%d" % n for n in range(32)] + ["data+%#x" % (8 * n) for n in range(511)]
    diffs = [(n, a, b) for n, a, b in zip(names, ours[-tail:], theirs[-tail:]) if a != b]
    lines += ["%s: rvftrace %s, QEMU %s" % d for d in diffs[:8]] + ["(%d in all)" % len(diffs)]
    lines.append("x: " + " ".join("%d=%#x" % (n, v) for n, v in enumerate(case.x) if n in (7, 8, 9, 10, 11, 12, 13, 14, 18, 19, 20)))
    lines.append("fcsr %#x vcsr %#x" % (case.fcsr, case.vcsr))
    print("\n".join(lines), flush=True)


def groups_of(all_rows):
    """Rows of one kind, so that each kind is as frequent."""
    out = {}
    for row in all_rows:
        out.setdefault((row[4], row[3]), []).append(row)
    return out


def search(bench, seed, seconds, count, most, length):
    start, batch, total, words, wrong = time.monotonic(), 0, 0, 0, 0
    names = os.environ.get("ROWS")
    # QEMU 7.2 aborts on the first two, and executes the third where vtype is reserved.
    left_out = "^vset|_rtz_|_rod_|^vmv[1248]r" if OLD else "^vset"
    table = [row for row in rows(os.environ.get("EXTENSIONS", "V" if OLD else NEW).split()) if not names or re.fullmatch(names, row[0])]
    table = [row for row in table if not re.search(left_out, row[0])]
    all_rows = groups_of(table)
    groups = sorted(all_rows, key=str)
    groups = [g for g in groups for _ in range(1 + len(all_rows[g]) // 4)]
    while (batch == 0 or time.monotonic() - start < seconds) and wrong < most:
        r = random.Random(seed * 1000003 + batch)
        cases = [make_case(r, all_rows, groups, length) for _ in range(count)]
        ours, theirs = bench.run_both(cases)
        timed_out = bench.timed_out
        if len(ours) == count and not timed_out:  # it may abort
            while len(theirs) < len(cases):
                del cases[len(theirs)], ours[len(theirs)]
                theirs += bench.run_both(cases[len(theirs):])[1]
        if len(ours) != len(cases) or len(theirs) != len(cases):
            print("seed %d batch %d: %d and %d of %d results%s" % (
                seed, batch, len(ours), len(theirs), count, ", there was no time for more" if timed_out else ""))
            wrong += not timed_out
        different = [n for n in range(min(len(ours), len(theirs))) if ours[n] != theirs[n]]
        for n in different[:4]:
            report(bench, cases[n], "seed %d batch %d case %d vlen %d" % (seed, batch, n, bench.vlen))
        if different:
            print("%d of %d cases differ" % (len(different), count))
        wrong += len(different)
        compared = min(len(ours), len(theirs))
        words += sum(len(c.words) for c in cases[:compared])
        total += compared
        batch += 1
    print("# vlen %d: %d cases, %d instructions compared in %.0f s (seed %d), %d differ" %
          (bench.vlen, total, words * bench.rounds, time.monotonic() - start, seed, wrong))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20, help="how long to search with each length (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000, help="in a batch (default: 1000)")
    parser.add_argument("--most", type=int, default=5, help="differences after which to end (default: 5)")
    parser.add_argument("--rounds", type=int, default=1, help="of each case, with other vectors (default: 1)")
    parser.add_argument("--length", type=int, default=16, help="most instructions of a case, below 30 (default: 16)")
    parser.add_argument("--engines", action="store_true", help="compare rvftrace's native code with its interpreter")
    parser.add_argument("--vlen", type=int, nargs="*", default=[128])
    options = parser.parse_args()
    wrong = 0
    for vlen in options.vlen:
        with tempfile.TemporaryDirectory() as folder:
            wrong += search(Bench(folder, vlen, options.rounds), options.seed, options.seconds, options.cases, options.most, options.length)
    print("%s - random vector programs come out as %s (seed %d)" % ("not ok" if wrong else "ok", "interpreted" if ENGINES else "on QEMU", options.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
