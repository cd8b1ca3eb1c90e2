#!/usr/bin/env python3
"""cfitest.py - random programs with landing pads and a shadow stack on rvftrace and on QEMU, and every difference.

    cfitest.py [--seconds N] [--seed N] [--cases N]

Zicfilp and Zicfiss, in U, S and M mode, switched on and off by menvcfg, senvcfg and mseccfg, with pages of all kinds. cfi.S
runs the cases and prints a hash of what became of each. QEMU must be 10 or newer. What a case leaves out has its reason in
QEMU_DOUBTS. Environment: BUILD, CROSS, QEMU. Exit status: 0 all equal, 1 a difference, 2 the test cannot run.
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

BUILD = os.environ.get("BUILD", "build")
QEMU = os.environ.get("QEMU", "qemu-system-riscv64")
ISA = "rv64imafdc_zicbom_zicbop_zicboz_zicfilp_zicfiss_zicntr_zicsr_zifencei_zimop_zcmop_svadu"
CPU = "rv64,h=false,v=false,zicfilp=true,zicfiss=true,zimop=true,zcmop=true,svadu=true"

RAM, TABLES, DATA, CODE, CASES = 0x80000000, 0x80200000, 0x80300000, 0x80400000, 0x81000000
UCODE, SCODE, VDATA = 0x40200000, 0x40400000, 0x40800000
CASE_CODE, RECORD, PAGES = 0x100, 512, 16
MASK = (1 << 64) - 1
V, R, W, X, U, G, A, D = (1 << n for n in range(8))
ADUE, SSE, LPE, CBOS = 1 << 61, 8, 4, 0xf0
MLPE = 1 << 10
MPRV, SUM, MXR, SPELP, MPELP, XL = 1 << 17, 1 << 18, 1 << 19, 1 << 23, 1 << 41, 2 << 32 | 2 << 34
EBREAK, SOFTWARE_CHECK = 0x00100073, 18
POINTERS = (8, 9, 18, 19)
LABELS = (0, 1, 0xfffff, 0x12345)


# What a case leaves out.
QEMU_DOUBTS = {
    "senvcfg": "QEMU shows senvcfg.SSE as it was written when menvcfg.SSE is clear, the manual zero",
    "elsewhere": "QEMU lets the shadow stack be where a page is written or executed; the manual says access fault, as tests/isa/insn/cfi.c does",
    "machine": "QEMU says access fault at 0 for ssamoswap in M mode, with MPRV, too",
    "misaligned": "QEMU says access fault for a misaligned ssamoswap, the manual permits both",
    "ssp": "QEMU keeps the low bits that are written to ssp, which the manual has as zero",
    "spelp": "QEMU leaves SPELP and MPELP alone at a trap from a mode that enforces no landing pads, the manual clears them",
    "cbo": "QEMU lets a cache block of the shadow stack be managed once a load has been there",
    "amo": "a load of QEMU's AMO sets A where its store faults",
    "reserved": "QEMU takes a page of the shadow stack for a reserved entry where SSE of the mode is clear, the manual where menvcfg's is",
}


def i_type(opcode, funct3, rd, rs1, imm):
    return opcode | rd << 7 | funct3 << 12 | rs1 << 15 | (imm & 0xfff) << 20


def s_type(opcode, funct3, rs1, rs2, imm):
    return opcode | (imm & 31) << 7 | funct3 << 12 | rs1 << 15 | rs2 << 20 | (imm >> 5 & 127) << 25


def lpad(label):
    return 0x17 | label << 12


class Case:
    """Registers, CSRs, entries and code."""

    def __init__(self, r):
        self.r = r
        self.mode = r.choice((0, 0, 1, 1, 3))
        self.code, self.linked = bytearray(), False
        self.x = [0] + [r.getrandbits(64) for _ in range(31)]
        for n in POINTERS:
            self.x[n] = self.pointer()
        self.x[7] = r.choice(LABELS) << 12 | r.getrandbits(12) | (r.getrandbits(32) << 32 if r.randrange(2) else 0)
        self.ssp = self.pointer() & ~7
        self.menvcfg = CBOS | r.choice((ADUE, ADUE, 0)) | r.choice((SSE, SSE, SSE, 0)) | r.choice((LPE, LPE, 0))
        self.senvcfg = CBOS | r.choice((SSE, SSE, SSE, 0)) | r.choice((LPE, LPE, 0))
        self.mseccfg = r.choice((MLPE, MLPE, 0))
        self.status = XL | self.mode << 11 | r.choice((0, SUM)) | r.choice((0, MXR)) | r.choice((0, 0, 0, MPELP))
        enforced = {0: self.senvcfg & LPE, 1: self.menvcfg & LPE, 3: self.mseccfg}[self.mode]
        if enforced and not r.randrange(3):  # "spelp"
            self.status |= SPELP
        if self.mode == 3:
            self.status |= r.choice((0, 0, MPRV))
        self.medeleg = r.choice((0, 1 << SOFTWARE_CHECK, 1 << SOFTWARE_CHECK | 0xa1f4))
        if not self.menvcfg & SSE:
            self.senvcfg &= ~SSE  # "senvcfg"
        own = {0: self.senvcfg, 1: self.menvcfg, 3: 0}[self.mode]
        self.has_shadow = self.menvcfg & SSE == own & SSE  # "reserved"
        self.entries = [self.entry(n) for n in range(PAGES)]
        for _ in range(r.randrange(4, 14)):
            self.step()

    def pointer(self):
        """An address of data, near the beginning or the end of a page."""
        r = self.r
        at = VDATA + r.randrange(PAGES) * 4096 + r.choice((r.randrange(64), 4096 - r.randrange(1, 64), 0))
        return at if not r.randrange(5) else at & ~7

    def entry(self, n):
        r = self.r
        rights = r.choice((W, W, W, W, R, W | X))  # "elsewhere"
        if rights == W and not self.has_shadow:
            rights = R
        flags = V | A | D | rights | (U if (self.mode == 1) == (not r.randrange(8)) else 0)
        if not r.randrange(6):
            flags ^= r.choice((A, D, V, A | D))
        return DATA + n * 4096 >> 12 << 10 | flags

    def put(self, word, size=4):
        if len(self.code) + size <= CASE_CODE - 24:
            self.code += word.to_bytes(size, "little")

    def register(self):
        return self.r.choice((0, 1, 5, 6, 10, 11, 12, 13))

    def shadow(self):
        r = self.r
        k = r.randrange(12)
        if k < 3:
            self.put(0xce004073 | r.choice((1, 5)) << 20)
        elif k < 6:
            self.put(0xcdc04073 | r.choice((1, 5)) << 15)
        elif k == 6:
            self.put(r.choice((0x6081, 0x6281)), 2)
        elif k == 7:
            self.put(0xcdc04073 | self.register() << 7)
        elif k == 8:
            kind = r.choice((1, 2, 3, 5, 6, 7))
            operand = r.choice((0, 8, 16, 24)) if kind > 4 else r.choice((0, self.aligned_pointer()))  # "ssp"
            self.put(i_type(0x73, kind, self.register(), operand, 0x011))
        elif self.mode < 3:  # "machine", "misaligned"
            self.put(0x4800202f | r.randrange(2) << 12 | self.register() << 7 | self.aligned_pointer() << 15 | self.register() << 20 |
                     r.randrange(4) << 25)

    def aligned_pointer(self):
        return self.r.choice([n for n in POINTERS if self.x[n] % 8 == 0] or [0])

    def memory(self):
        r = self.r
        pointer = r.choice(POINTERS)
        if r.randrange(5) < 3:
            self.put(i_type(0x03, r.randrange(7), self.register(), pointer, r.choice((0, 0, 8, -8))))
        else:
            self.put(s_type(0x23, r.randrange(4), pointer, self.register(), r.choice((0, 0, 8, -8))))

    def jump(self):
        """An indirect jump over some bytes, to a landing pad or to something else."""
        r = self.r
        by, rd, skipped = r.choice((6, 10, 11) if self.linked else (1, 5, 6, 7, 10, 11)), r.choice((0, 0, 1, 5, 10)), r.choice((0, 2, 4))
        self.linked |= rd in (1, 5)  # it leads back: a return by it, whose auipc was skipped, would never end
        if by == 7:
            self.x[7] = r.getrandbits(64)
        if len(self.code) % 4 and r.randrange(4):
            self.put(0x0001, 2)
        self.put(0x17 | by << 7)  # auipc
        if r.randrange(3) or by in (1, 5, 7):
            self.put(i_type(0x67, 0, rd, by, 8 + skipped))
        else:
            self.put(i_type(0x13, 0, by, by, 10 + skipped))
            self.put((0x8002 if r.randrange(2) else 0x9002) | by << 7, 2)
        for _ in range(skipped // 2):
            self.put(0x0001, 2)
        k = r.randrange(8)
        if k < 5:
            self.put(lpad(r.choice((0, self.x[7] >> 12 & 0xfffff, self.x[7] >> 12 & 0xfffff, r.choice(LABELS)))))
        elif k == 5:
            self.put(0, 2)
        else:
            self.put(0x0001, 2)

    def step(self):
        r = self.r
        k = r.randrange(16)
        if k < 7:
            self.shadow()
        elif k < 10:
            self.memory()
        elif k < 14:
            self.jump()
        elif k == 14:
            self.put(r.choice((0x81c04073 | r.getrandbits(32) & 0x4c3f8f80, 0x82004073 | r.getrandbits(32) & 0x4dff8f80)))
        else:
            self.put(lpad(r.choice(LABELS)))

    def record(self, n):
        base = {0: UCODE, 1: SCODE, 3: CODE}[self.mode] + n * CASE_CODE
        fields = self.x + [self.ssp, self.menvcfg, self.senvcfg, self.mseccfg, self.status, self.medeleg, base,
                           base + len(self.code), (CODE + n * CASE_CODE - base) & MASK] + self.entries
        return struct.pack("<%dQ" % len(fields), *(f & MASK for f in fields)).ljust(RECORD, b"\0")


def tables():
    """The root, and the table below it: the code twice, and the data."""
    root, middle = bytearray(4096), bytearray(4096)
    struct.pack_into("<Q", root, 8, TABLES + 0x1000 >> 12 << 10 | V)
    struct.pack_into("<Q", middle, 8, CODE >> 12 << 10 | V | R | X | A | D | U)
    struct.pack_into("<Q", middle, 16, CODE >> 12 << 10 | V | R | X | A | D)
    struct.pack_into("<Q", middle, 32, TABLES + 0x2000 >> 12 << 10 | V)
    return bytes(root + middle) + bytes(4096)


def assert_new():
    """Ends the program with status 2 where QEMU is older than 10."""
    try:
        text = subprocess.run([QEMU, "--version"], capture_output=True, text=True).stdout
    except OSError:
        text = ""
    found = re.search(r"version (\d+)", text)
    if not found or int(found[1]) < 10:
        print("cfitest: needs QEMU 10 or newer, which QEMU names", file=sys.stderr)
        sys.exit(2)


class Bench:
    """The stub, assembled, and images made of it."""

    def __init__(self, folder):
        self.folder = folder
        self.stub, self.at = stub.load(folder, "cfi")
        self.ours = [os.path.join(BUILD, "rvftrace"), "run", "--quiet", "--audit", "off", "--account", "off", "--isa", ISA,
                     "--memory", "128M", "--firmware", "none", "--console", "stdio"]
        self.theirs = [QEMU, "-M", "virt", "-cpu", CPU, "-m", "128M", "-bios", "none", "-display", "none", "-monitor",
                       "none", "-serial", "stdio", "-kernel"]

    def run_both(self, cases, dump=MASK):
        memory = bytearray(self.stub)
        struct.pack_into("<QQ", memory, self.at["count"] - RAM, len(cases), dump)
        code = b"".join((bytes(c.code) + struct.pack("<I", EBREAK)).ljust(CASE_CODE, b"\0") for c in cases)
        records = b"".join(c.record(n) for n, c in enumerate(cases))
        path = os.path.join(self.folder, "image.elf")
        write_image(path, RAM, [(RAM, bytes(memory)), (TABLES, tables()), (CODE, code), (CASES, records)])
        out = []
        for command in (self.ours, self.theirs):
            try:
                done = subprocess.run(command + [path], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
                out.append(re.findall(r"\b[0-9a-f]{16}\b", done.stdout.decode("ascii", "replace")))
            except subprocess.TimeoutExpired:
                out.append(["timeout"])
        return out


def report(bench, case, where):
    ours, theirs = bench.run_both([case], 0)
    print(where + " mode %d" % case.mode)
    print(stub.disassemble(bench.folder, case.code))
    print("ssp %#x menvcfg %#x senvcfg %#x mseccfg %#x mstatus %#x medeleg %#x" % (
        case.ssp, case.menvcfg, case.senvcfg, case.mseccfg, case.status, case.medeleg))
    print("x: " + " ".join("%d=%#x" % (n, case.x[n]) for n in (1, 5, 7) + POINTERS))
    print("entries " + " ".join("%x:%02x" % (n, e & 0xff) for n, e in enumerate(case.entries)))
    at = next((n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
    print("value %d: rvftrace %s\nQEMU %s" % (at, " ".join(ours[max(0, at - 5):at + 8]), " ".join(theirs[max(0, at - 5):at + 8])), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0, help="how long to search (default: one batch)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=1000, help="in a batch (default: 1000)")
    options = parser.parse_args()
    assert_new()
    start, batch, wrong, count = time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        while (not batch or time.monotonic() - start < options.seconds) and not wrong:
            r = random.Random(options.seed * 1000003 + batch)
            cases = [Case(r) for _ in range(options.cases)]
            ours, theirs = bench.run_both(cases)
            different = [n for n in range(len(cases)) if ours[n:n + 1] != theirs[n:n + 1] or not ours[n:n + 1]]
            for n in different[:3]:
                report(bench, cases[n], "seed %d batch %d case %d" % (options.seed, batch, n))
            wrong += len(different)
            count += len(cases)
            batch += 1
    print("# %d cases in %.0f s (seed %d), %d differ" % (count, time.monotonic() - start, options.seed, wrong))
    print("%s - landing pads and the shadow stack come out as on QEMU (seed %d)" % ("not ok" if wrong else "ok", options.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
