#!/usr/bin/env python3
"""difftest.py - random programs on rvftrace and on QEMU, and every difference.

    difftest.py [--seconds N] [--seed N] [--cases N]   search; a failure is shrunk and kept
    difftest.py --replay FILE...                       the cases of these files again

Each case is a short random program with registers, a mode, page tables and
special floating-point values; stub.S runs thousands of them behind physical
memory protection and prints a hash of what became of each. The instructions are
those of emu/cpu/isa/insn.def that QEMU knows, and words from anywhere. EXCLUDED says
what is left out, and why. Environment: BUILD, CROSS, QEMU, KEEP (a folder for
failures). Exit status: 0 all equal, 1 a difference, 2 the test cannot run.
"""
import argparse
import itertools
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
KEEP = os.environ.get("KEEP", os.path.join(BUILD, "difftest"))

# Extensions that both machines have. QEMU 7.2 sets A and D by hardware and has no menvcfg.ADUE.
ISA = "rv64imafdc_zicntr_zihpm_zifencei_zfh_zba_zbb_zbc_zbs_sstc_svadu_svinval_svnapot_svpbmt"
CPU = "rv64,h=false,v=false,Zfh=true,zba=true,zbb=true,zbc=true,zbs=true,svinval=true,svnapot=true,svpbmt=true"
COMMON = {"I", "M", "A", "F", "D", "C", "S", "Zicsr", "Zifencei", "Zba", "Zbb", "Zbc", "Zbs", "Zfh", "D_Zfh", "Svinval"}

ENGINES = ("translated", "interpreter")  # of every second batch

EXCLUDED = {
    "wfi": "would wait for ever: no interrupt comes",
    "sc_w": "whether a lone sc succeeds is the machine's choice (vol. I, 14.2); pairs are tested",
    "sc_d": "the same",
    "lr_w": "the same",
    "lr_d": "the same",
    "ctzw": "QEMU 7.2 counts into the upper half of the register",
    "sfence_w_inval": "QEMU 7.2 lets U mode have it (vol. II, 7)",
    "sfence_inval_ir": "the same",
    "jalr": "a wild target may loop; tested behind its auipc",
    "c_jr": "the same",
    "c_jalr": "the same",
}

CODE, DATA, TABLES, CASES, RAM = 0x80400000, 0x80200000, 0x80300000, 0x80800000, 0x80000000
CASE_CODE = 0x400
RECORD = 768
MASK = (1 << 64) - 1
FIELDS = ("fcsr", "mstatus", "satp", "menvcfg", "code_flags", "medeleg", "mideleg", "mie", "mip", "stvec", "link")
LINK = (TABLES + 0x2000) >> 12 << 10 | 1
MPP_S, MPP_M, SUM, MXR, TVM, TW, TSR, FS = 1 << 11, 3 << 11, 1 << 18, 1 << 19, 1 << 20, 1 << 21, 1 << 22, 3 << 13
SIE, SPIE = 1 << 1, 1 << 5
S_INTERRUPTS = 0x222
# (bits, cleared or set): never MPP 2, nor another UXL
MSTATUS_STEPS = [(SIE, 0), (SIE, 1), (SPIE, 0), (SPIE, 1), (1 << 3, 0), (1 << 3, 1), (1 << 7, 0), (1 << 8, 0), (1 << 8, 1), (1 << 11, 0),
                 (3 << 11, 0), (3 << 11, 1), (1 << 17, 0), (1 << 17, 0), (1 << 17, 1), (SUM, 0), (SUM, 1), (MXR, 0), (MXR, 1)]
DELEGABLE = 0x233c  # not the faults of fetches: they tell the stub of a trap to S mode
ADUE, PBMTE = 1 << 61, 1 << 62
POINTERS = (2, 8, 9, 18, 19, 20)  # hold addresses of data
SFENCE_VMA, EBREAK, NOP, CNOP, AUIPC_T2 = 0x12000073, 0x00100073, 0x13, 0x1, 0x17 | 7 << 7

SPECIAL_INT = [0, 1, 2, MASK, MASK - 1, 1 << 63, (1 << 63) - 1, 1 << 31, (1 << 31) - 1, 0xffffffff80000000, 0xffffffff, 1 << 32,
               0x5555555555555555, 0xaaaaaaaaaaaaaaaa, 0xff, 0x80, 0x8000, 63, 64, 31, 32]
SPECIAL_D = [0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x3fefffffffffffff, 0x3ff8000000000000,
             0x4000000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
             0x7fffffffffffffff, 0x41dfffffffc00000, 0x41e0000000000000, 0x43e0000000000000, 0x3ca0000000000000, 0x3fe0000000000000]
SPECIAL_S = [0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x3f7fffff, 0x3fc00000, 0x40000000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
             0x7f800001, 0x7fffffff, 0x4f000000, 0x5f000000, 0x33800000, 0x3f000000]
SPECIAL_H = [0, 1, 0x3ff, 0x400, 0x3c00, 0x3bff, 0x7bff, 0x7c00, 0x7e00, 0x7c01, 0x7fff, 0x4000]
# CSRs that S and U mode read equally on both. Of those in NOT_ALIKE QEMU keeps reserved bits.
NOT_ALIKE = (0x106, 0x10a, 0x141, 0x180)  # scounteren, senvcfg, sepc; a random satp is a loop of faults
MACHINE_CSRS = [0x342, 0x343]
CSRS = [0x100, 0x104, 0x105, 0x140, 0x142, 0x143, 0x144, 1, 2, 3, 1, 2, 3]


def rows():
    """The table's rows: (name, match, mask, format, compressed)."""
    out = []
    with open(os.path.join(ROOT, "emu/cpu/isa/insn.def")) as f:
        for line in f:
            m = re.match(r"([IC])\((\w+),\s*(\w+),\s*(0x\w+),\s*(0x\w+),\s*(\w+),", line)
            if m and m[2] in COMMON and m[3] not in EXCLUDED:
                out.append((m[3], int(m[4], 16), int(m[5], 16), m[6], m[1] == "C"))
    return out


ROWS = rows()
WILD = {"B", "J", "C_J", "C_B"}


class Case:
    """Words with their sizes, and the initial state."""

    def __init__(self):
        self.words = []
        self.inside = set()  # numbers of words that run behind the one before them or not at all
        self.x = [0] * 32
        self.f = [0] * 32
        for name in FIELDS:
            setattr(self, name, 0)
        self.link = LINK
        self.ptes = [0] * 16

    def code(self):
        return b"".join(struct.pack("<I" if w & 3 == 3 else "<H", w) for w in self.words)

    def record(self, begin):
        end = begin + len(self.code())
        fields = self.x + self.f + [self.fcsr, self.mstatus, self.satp, begin, end] + self.ptes
        fields += [self.code_flags, self.menvcfg, self.medeleg, self.mideleg, self.mie, self.mip, self.stvec, self.link]
        return struct.pack("<%dQ" % len(fields), *fields).ljust(RECORD, b"\0")

    def text(self, comment):
        state = {k: getattr(self, k) for k in FIELDS}
        lines = ["# " + line for line in comment.splitlines()]
        lines += ["%s %#x" % item for item in state.items()]
        for name in ("x", "f", "ptes"):
            lines.append(name + " " + " ".join("%#x" % v for v in getattr(self, name)))
        lines.append("words " + " ".join("%#x" % w for w in self.words))
        return "\n".join(lines) + "\n"

    @staticmethod
    def parse(path):
        c = Case()
        with open(path) as f:
            for line in f:
                name, _, rest = line.partition(" ")
                if name in ("x", "f", "ptes", "words"):
                    setattr(c, name, [int(v, 16) for v in rest.split()])
                elif name in FIELDS:
                    setattr(c, name, int(rest, 16))
        return c


# ---- generating cases ----

def integer(r):
    k = r.randrange(4)
    if k == 0:
        return r.choice(SPECIAL_INT)
    v = r.getrandbits(64)
    return v if k == 1 else v >> r.randrange(64) if k == 2 else -(v >> r.randrange(64)) & MASK


def floating(r):
    k = r.randrange(8)
    if k < 3:
        return r.choice(SPECIAL_D) | r.getrandbits(1) << 63
    if k < 5:
        return 0xffffffff00000000 | r.choice(SPECIAL_S) | r.getrandbits(1) << 31
    if k == 5:
        return 0xffffffffffff0000 | r.choice(SPECIAL_H) | r.getrandbits(1) << 15
    v = r.getrandbits(64)
    return 0xffffffff00000000 | v & 0xffffffff if k == 6 else v


def b_imm(offset):
    return (offset >> 12 & 1) << 31 | (offset >> 5 & 63) << 25 | (offset >> 1 & 15) << 8 | (offset >> 11 & 1) << 7


def j_imm(offset):
    return (offset >> 20 & 1) << 31 | (offset >> 1 & 1023) << 21 | (offset >> 11 & 1) << 20 | (offset >> 12 & 255) << 12


def cb_imm(o):
    return (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 | (o >> 6 & 3) << 5 | (o >> 1 & 3) << 3 | (o >> 5 & 1) << 2


def cj_imm(o):
    return ((o >> 11 & 1) << 12 | (o >> 4 & 1) << 11 | (o >> 8 & 3) << 9 | (o >> 10 & 1) << 8 | (o >> 6 & 1) << 7 |
            (o >> 7 & 1) << 6 | (o >> 1 & 7) << 3 | (o >> 5 & 1) << 2)


def is_wild(word):
    """Whether a random word is a jump, branch or reservation, or a wfi."""
    if word & 3 != 3:
        quadrant, funct3 = word & 3, word >> 13 & 7
        return (quadrant == 1 and funct3 in (5, 6, 7)) or (quadrant == 2 and funct3 == 4 and not word >> 2 & 31)
    opcode = word & 0x7f
    return (opcode in (0x63, 0x67, 0x6f, 0x2f) or
            (opcode == 0x73 and not word >> 12 & 7) or (opcode == 0x1b and word >> 20 == 0x601) or
            (opcode == 0x73 and word >> 20 in (0x100,) + NOT_ALIKE) or (word & 0x1f) == 0x1f)


def fill(r, row):
    """An instruction of the row with useful operands."""
    name, match, mask, fmt, compressed = row
    word = match | r.getrandbits(16 if compressed else 32) & ~mask & (0xffff if compressed else 0xffffffff)
    rd = r.randrange(32)
    if rd in POINTERS and r.randrange(8):
        rd = r.choice((5, 6, 7, 10, 11, 12))
    if fmt in ("LOAD", "FLOAD"):
        word = word & ~(31 << 15 | 31 << 7) | r.choice(POINTERS) << 15 | (rd if fmt == "LOAD" else r.randrange(32)) << 7
    elif fmt in ("S", "FSTORE"):
        word = word & ~(31 << 15) | r.choice(POINTERS) << 15
    elif fmt == "AMO":
        word = word & ~(31 << 15 | 31 << 7) | r.choice((18, 19, 20)) << 15 | rd << 7
    elif fmt == "J":
        word = match | rd << 7
    elif fmt in ("CSR", "CSRI"):
        word = word & 0xfffff | (r.choice(CSRS) if r.randrange(8) else r.choice([n for n in (r.getrandbits(12),) if n not in NOT_ALIKE] or [0x140])) << 20
        word = word & ~(31 << 7) | rd << 7
        if word >> 20 == 0x100:  # QEMU 7.2 takes any UXL, and aborts on what comes of it
            word = word & ~0x7000 | r.choice((6, 7)) << 12
    elif not compressed and fmt not in ("FENCE", "SFENCE", "NONE"):
        word = (word & ~(31 << 7) | rd << 7) & ~mask & 0xffffffff | match
    return word


def size(word):
    return 4 if word & 3 == 3 else 2


def aim(r, words, inside):
    """
    Sends every jump to the start of an instruction further on, and not `inside` of a group that
    must run whole: elsewhere might be a way back.
    """
    for n, word in enumerate(words):
        auipc_jump = word == AUIPC_T2 and n + 1 < len(words)
        first = n + 1 + auipc_jump
        target = min(len(words), first + r.randrange(6))
        while target in inside:
            target += 1
        offset = sum(size(w) for w in words[n:target])
        if auipc_jump:
            words[n + 1] = words[n + 1] & 0xfffff | offset << 20
        elif word & 0x7f == 0x63:
            words[n] = word & 0x01fff07f | b_imm(offset)
        elif word & 0x7f == 0x6f:
            words[n] = word & 0xfff | j_imm(offset)
        elif word & 0xe003 in (0xc001, 0xe001):
            words[n] = word & 0xe383 | cb_imm(offset)
        elif word & 0xe003 == 0xa001:
            words[n] = 0xa001 | cj_imm(offset)


def align(base):
    """andi base,base,-8. In QEMU 7.2 a misaligned sc fails without a trap, and a misaligned AMO is reported as a load."""
    return 0x13 | base << 7 | 7 << 12 | base << 15 | 0xff8 << 20


def delegate(r, c, machine):
    """Traps and interrupts to S mode, some of them pending."""
    c.medeleg = r.getrandbits(16) & DELEGABLE
    loads = c.medeleg & 0x2030
    c.medeleg |= loads << 2  # QEMU 7.2 calls an AMO's fault a load's: either goes where both go
    c.mideleg = r.getrandbits(16) & S_INTERRUPTS
    c.mie = r.getrandbits(16) & S_INTERRUPTS
    c.mip = r.choice((0, 0, 2, 0x20, 0x22, 0x200))
    if c.mip == 0x200:  # QEMU 7.2 takes the lowest number first, whatever the manual's order (vol. II, 3.1.9)
        c.mip = c.mip if not machine else 0
        c.mideleg &= ~2
    c.stvec = r.choice((0, 1, 0x1000, 0x8000000000000001, DATA + 1, r.getrandbits(64) & ~2))
    c.mstatus |= r.choice((0, SIE)) | r.choice((0, SPIE))


PMP_FREE = [n for n in range(16) if n not in (12, 13)]  # those two are the stub's way to the devices


def machine_group(r):
    """Instructions of M mode: CSRs of its own; of those whose reserved values are not alike, the others."""
    kind = r.randrange(6)
    if kind < 3:
        if kind == 1:
            (value, clears), csr = r.choice(MSTATUS_STEPS), 0x300
        elif kind == 2:
            value, clears, csr = r.getrandbits(12) & 0xa2, r.randrange(2), r.choice((0x303, 0x304, 0x344))
        else:  # entries 8 to 11, never locked, never W without R
            value, clears, csr = r.getrandbits(32) & 0x1d1d1d1d, 0, 0x3a2
        lui = 0x37 | 5 << 7 | (value + 0x800 & 0xfffff000)
        addi = 0x13 | 5 << 7 | 5 << 15 | (value & 0xfff) << 20
        return [lui, addi, 0x73 | 6 << 7 | (2 + clears) << 12 | 5 << 15 | csr << 20]
    if kind == 3:  # somewhere in RAM: QEMU has other devices. Its TOR sees the address below when pmpcfg is
        # written. sfence.vma as the manual asks (vol. II, 3.7.2)
        return [0x13 | 5 << 7 | 5 << 12 | r.randrange(32) << 15 | 38 << 20, 0x20000 << 12 | 0x37 | 6 << 7, 0x33 | 5 << 7 | 6 << 12 | 5 << 15 | 6 << 20,
                0x1073 | 6 << 7 | 5 << 15 | 0x3b0 + r.choice(PMP_FREE) << 20,
                0x73 | 6 << 7 | 6 << 12 | 1 << 15 | 0x3a2 << 20, SFENCE_VMA]
    if kind == 4:  # mcounteren has 32, the same
        return [0x5073 | 6 << 7 | r.randrange(3) << 12 | r.randrange(32) << 15 | 0x306 << 20]
    return [0x73 | r.choice((5, 6, 7, 10)) << 7 | r.choice((1, 2, 3, 5, 6, 7)) << 12 | r.randrange(32) << 15 | r.choice(MACHINE_CSRS) << 20]


def make_case(r):
    c = Case()
    machine = not r.randrange(5)
    supervisor = r.randrange(2)
    for n in range(1, 32):
        c.x[n] = integer(r)
    for n in POINTERS:
        c.x[n] = DATA + r.randrange(0x800, 0x3700)
        if r.randrange(2):
            c.x[n] &= ~15
    if not r.randrange(8):
        # QEMU 7.2 reports the address of the whole access for a fault at the end of memory protection's range
        c.x[r.choice(POINTERS)] = DATA + 0x1000 * r.choice((1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) - r.randrange(8)
    c.f = [floating(r) for _ in range(32)]
    c.fcsr = r.choice((0, 0, 0, r.getrandbits(5), r.getrandbits(8)))
    c.mstatus = 2 << 32 | FS | TW | TSR | (MPP_M if machine else supervisor * MPP_S)
    for bit in (SUM, MXR, TVM):
        c.mstatus |= bit * r.randrange(2)
    c.menvcfg = ADUE | PBMTE * r.randrange(2)
    user = 0x10 * (1 - supervisor)
    if r.randrange(5) > 1:
        mode = r.choice((8, 8, 9, 10))
        c.satp = mode << 60 | r.getrandbits(16) << 44 | TABLES + (0, 0x3000, 0x4000)[mode - 8] >> 12
    if r.randrange(2):
        delegate(r, c, machine)
    if not r.randrange(16):
        c.link ^= 1 << r.randrange(10)
    c.code_flags = 0xcb | user
    for n in range(16):
        flags = 0xc7 | user
        if not r.randrange(3):
            flags ^= 1 << r.randrange(8)
        if not r.randrange(12):
            flags ^= r.choice((1 << 8, 1 << 9, 1 << 63))  # QEMU 7.2 ignores the reserved ones, and PBMTE
        if flags >> 63:
            flags |= 0xc0  # QEMU 7.2 sets A and D before it looks at N
        c.ptes[n] = (DATA + 0x1000 * (n % 3)) >> 12 << 10 | flags  # QEMU 7.2 checks what lies behind the page, too: not the last
    chosen = set()

    def add(*group):
        c.inside.update(range(len(c.words) + 1, len(c.words) + len(group)))
        c.words += group

    for _ in range(r.randrange(4, 40)):
        k = r.randrange(20)
        if machine and k < 5:
            begin = len(c.words)
            add(*machine_group(r))
            chosen.update(range(begin, len(c.words)))
        elif k == 0:
            word = r.getrandbits(32)
            if word & 3 != 3:
                word &= 0xffff
            if not is_wild(word):
                c.words.append(word)
        elif k == 1:
            row = r.choice(ROWS)
            word = fill(r, row) ^ 1 << r.randrange(2, 16 if row[4] else 32)
            if not is_wild(word):
                c.words.append(word)
        elif k == 2 and not c.satp:  # lr and sc of one address, where neither can fault
            wide, base = r.randrange(2), r.choice((18, 19, 20))
            lr = 0x1000202f | wide << 12 | base << 15 | 5 << 7
            sc = 0x1800202f | wide << 12 | base << 15 | 6 << 7 | r.randrange(32) << 20
            add(0x13 | base << 7 | 0x401 << 20, 0x1013 | base << 7 | base << 15 | 21 << 20, lr, sc)
        elif k == 3:  # a jump forwards through a register
            link = r.choice((0, 1, 5))
            add(AUIPC_T2, 0x67 | link << 7 | 7 << 15)
        else:
            row = r.choice(ROWS)
            if machine and row[0] in ("mret", "sret"):
                continue  # to where the last trap was: for ever
            if machine and row[3] == "AMO" and c.satp:
                continue  # QEMU 7.2 asks memory protection about the load before the page about the store
            word = fill(r, row)
            if row[4] and row[3] not in WILD and is_wild(word):
                continue  # c.add of x0 is c.jalr
            add(*[align(word >> 15 & 31), word] if row[3] == "AMO" else [word])
    aim(r, c.words, c.inside)
    if machine:  # only what machine_group chose
        c.words = [w & 0xfffff | 0x140 << 20 if w & 0x7f == 0x73 and w >> 12 & 7 and w >> 20 not in CSRS and n not in chosen else w
                   for n, w in enumerate(c.words)]
    if c.medeleg or c.mideleg:  # stvec might come to lie in the code, for ever: sscratch
        c.words = [w ^ 0x045 << 20 if w & 0x7f == 0x73 and w >> 20 == 0x105 else w for w in c.words]
    return c


# ---- running them ----

class Bench:
    """The stub, assembled, and images made of it. `engine`: rvftrace's."""

    def __init__(self, folder):
        self.folder = folder
        self.engine = ENGINES[0]
        self.stub, self.at = stub.load(folder, "stub")

    def image(self, cases, dump=None):
        memory = bytearray(self.stub)
        struct.pack_into("<QQ", memory, self.at["count"] - RAM, len(cases), MASK if dump is None else dump)
        code, records = bytearray(), bytearray()
        for n, case in enumerate(cases):
            body = case.code()
            code += body + struct.pack("<I", EBREAK) + bytes(CASE_CODE - len(body) - 4)
            records += case.record(CODE + n * CASE_CODE)
        path = os.path.join(self.folder, "image.elf")
        parts = [(RAM, bytes(memory)), (CODE, bytes(code)), (CASES, bytes(records))]
        write_image(path, RAM, parts)
        return path

    def run_both(self, cases, dump=None, limit=90):
        """The lines of rvftrace and of QEMU; None for one that did not end."""
        image = self.image(cases, dump)
        ours = [os.path.join(BUILD, "rvftrace"), "run", "--quiet", "--audit", "off", "--account", "off", "--isa", ISA,
                "--engine", self.engine, "--firmware", "none", "--console", "stdio", image]
        theirs = [QEMU, "-M", "virt", "-cpu", CPU, "-m", "256M", "-bios", "none", "-display", "none", "-monitor", "none",
                  "-serial", "stdio", "-kernel", image]
        running = [subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                   for command in (ours, theirs)]
        out = []
        for child in running:
            try:
                text, _ = child.communicate(timeout=limit)
                out.append(text.decode("ascii", "replace").split())
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                out.append(None)
        return out


def differs(bench, case):
    ours, theirs = bench.run_both([case], limit=10)
    return ours != theirs


def shrink(bench, case):
    """Removes instructions as long as the two differ."""
    starts = [n for n in range(len(case.words)) if n not in case.inside] + [len(case.words)]
    groups = [case.words[a:b] for a, b in zip(starts, starts[1:])]
    for number in (16, 8, 4, 2, 1):
        at = 0
        while at < len(groups):
            case.words = sum(groups[:at] + groups[at + number:], [])
            if case.words and differs(bench, case):
                del groups[at:at + number]
            else:
                at += number
    for at, group in enumerate(groups):  # what has to stay may still be nops
        nops = [NOP if word & 3 == 3 else CNOP for word in group]
        case.words = sum(groups[:at] + [nops] + groups[at + 1:], [])
        if differs(bench, case):
            groups[at] = nops
    case.words = sum(groups, [])
    return case


NAMES = (["x%d" % n for n in range(1, 32)] + ["f%d" % n for n in range(32)] +
         ["fcsr", "sscratch", "sepc", "scause", "stval", "stvec", "mie", "medeleg", "mideleg", "satp", "mip", "sstatus"] + ["pte%d" % n for n in range(16)] + ["memory"])


def explain(bench, case):
    """The output of the two for a case with a difference."""
    ours, theirs = bench.run_both([case], dump=0, limit=10)
    if ours is None or theirs is None:
        return "%s does not come to an end" % ("rvftrace" if ours is None else "QEMU")
    lines, last = [], len(NAMES) + 1
    ours_traps, theirs_traps = ours[:-last], theirs[:-last]
    for n in range(0, max(len(ours_traps), len(theirs_traps)), 4):
        a, b = ours_traps[n:n + 4], theirs_traps[n:n + 4]
        if a != b:
            lines.append("trap %d (mcause mepc mtval mpp): rvftrace %s, QEMU %s" % (n // 4, " ".join(a), " ".join(b)))
    for name, a, b in zip(NAMES, ours[-last:-1], theirs[-last:-1]):
        if a != b:
            lines.append("%s: rvftrace %s, QEMU %s" % (name, a, b))
    return "\n".join(lines) or "(the hashes differ, the dumps do not)"


def listing(bench, case):
    return stub.disassemble(bench.folder, case.code())


def report(bench, case, where):
    case = shrink(bench, case)
    comment = "%s\n%s\n%s" % (where, listing(bench, case), explain(bench, case))
    os.makedirs(KEEP, exist_ok=True)
    path = os.path.join(KEEP, re.sub(r"\W+", "-", where) + ".case")
    with open(path, "w") as f:
        f.write(case.text(comment))
    print(comment + "\nkept as " + path, flush=True)


def compare_batch(bench, cases, where):
    """The cases that both ran, and the numbers of those that differ. QEMU 7.2 aborts on a few."""
    while True:
        ours, theirs = bench.run_both(cases)
        if ours is None or theirs is None:
            print("%s: %s does not come to an end" % (where, "rvftrace" if ours is None else "QEMU"))
            return cases, list(range(len(cases))) if ours is None else []
        if len(ours) != len(cases):
            return cases, [len(ours)]
        if len(theirs) == len(cases):
            return cases, [n for n in range(len(cases)) if ours[n] != theirs[n]]
        cases = cases[:len(theirs)] + cases[len(theirs) + 1:]


def search(bench, seed, seconds, count):
    start, batch, cases_run, words, wrong = time.monotonic(), 0, 0, 0, 0
    while (batch == 0 or time.monotonic() - start < seconds) and wrong < 5:
        where = "seed %d batch %d" % (seed, batch)
        bench.engine = ENGINES[batch % len(ENGINES)]
        r = random.Random(seed * 1000003 + batch)
        cases, different = compare_batch(bench, [make_case(r) for _ in range(count)], where)
        for n in different[:3]:
            report(bench, cases[n], "%s case %d" % (where, n))
        wrong += len(different)
        cases_run += len(cases)
        words += sum(len(c.words) for c in cases)
        batch += 1
    print("# %d cases, %d instructions compared in %.0f s (seed %d)" % (cases_run, words, time.monotonic() - start, seed))
    return wrong


def replay(bench, files):
    wrong = 0
    for path, bench.engine in itertools.product(files, ENGINES):
        same = not differs(bench, Case.parse(path))
        print("%s - %s comes out as on QEMU" % ("ok" if same else "not ok", os.path.basename(path)))
        wrong += not same
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20, help="how long to search (default: 20)")
    parser.add_argument("--seed", type=int, default=1, help="of the programs (default: 1)")
    parser.add_argument("--cases", type=int, default=1000, help="in a batch (default: 1000)")
    parser.add_argument("--replay", nargs="*", metavar="FILE", help="instead: run these kept cases again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        if options.replay is not None:
            return 1 if replay(bench, options.replay) else 0
        wrong = search(bench, options.seed, options.seconds, options.cases)
        print("%s - random programs come out as on QEMU (seed %d)" % ("not ok" if wrong else "ok", options.seed))
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
