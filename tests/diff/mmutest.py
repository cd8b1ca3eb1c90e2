#!/usr/bin/env python3
"""mmutest.py - random programs about address translation: on rvftrace, on QEMU, and in a model.

    mmutest.py [--seconds N] [--seed N] [--programs N] [--modes MODE...]

A program builds page tables at random (Sv39, Sv48, Sv57; pages and superpages of all sizes, NAPOT,
pointers that lead anywhere), changes them, fences as little as the manual permits (by address, by
address space, by Svinval's sequences), changes satp, and fetches, loads and stores in U, S and M
mode, with MPRV, SUM and MXR, misaligned and across pages; half of the programs also write pmpcfg and
pmpaddr at random, the last one of a run locks entries. mmu.S runs it and prints a hash of all
traps and values. Model below, which is written from the manual (vol. II, 3.7 and 4.3 to 4.6), says what must come out;
rvftrace must agree in each mode of --translate, as the programs fence. QEMU must agree for the programs that leave out
what QEMU_DOUBTS names. Environment: BUILD, CROSS, QEMU. Exit status: 0 all equal, 1 a difference,
2 the test cannot run.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
import time

import pmp
import stub
from elf_image import write_image

BUILD = os.environ.get("BUILD", "build")
QEMU = os.environ.get("QEMU", "qemu-system-riscv64")
ISA = "rv64imafdc_zicntr_zihpm_zifencei_zba_zbb_zbc_zbs_sstc_svadu_svinval_svnapot_svpbmt"
CPU = "rv64,h=false,v=false,svinval=true,svnapot=true,svpbmt=true"
MODES = ["stale", "coherent", "random:1", "invalid"]

# What a program for QEMU 7.2 leaves out.
QEMU_DOUBTS = {
    "reserved": "QEMU ignores bits 54 to 60 of an entry",
    "pbmt": "QEMU takes PBMT 3, and PBMT where menvcfg.PBMTE is 0",
    "napot": "QEMU sets A and D before it looks at the size of a NAPOT entry",
    "adue": "QEMU sets A and D by hardware, always",
    "table": "QEMU says page fault where the table is not memory, the manual access fault",
    "amo": "QEMU says load where an AMO faults, the manual store",
    "mprv": "QEMU lets data through without MPRV in the page that M mode fetches from",
    "pmp-part": "QEMU asks about the bytes after the first page of two, and gives the address of the whole access",
    "pmp-update": "QEMU does not ask memory protection whether A and D may be set",
}

MASK = (1 << 64) - 1
RAM, DATA, TABLES, TEMPLATE, RECORDS, HOLE = 0x80000000, 0x80200000, 0x80300000, 0x80400000, 0x80800000, 0xc0000000
PAGES, TABLE_COUNT = 16, 16
V, R, W, X, U, G, A, D = (1 << n for n in range(8))
N, PBMT, RESERVED, PPN = 1 << 63, 3 << 61, 0x7f << 54, ((1 << 44) - 1) << 10
ADUE, PBMTE = 1 << 61, 1 << 62
MPP_S, MPP_M, MPRV, SUM, MXR, XL = 1 << 11, 3 << 11, 1 << 17, 1 << 18, 1 << 19, 2 << 32 | 2 << 34
STVEC = -4096 & MASK
EBREAK, CEBREAK, ADDI_A0 = 0x00100073, 0x9002, 0x513
BEGIN, ENTRY, FENCE, SATP, EXECUTE, EXECUTE_M, FOLD, END, PMP_ADDRESS, PMP_CFG = range(1, 11)
FETCH, LOAD, STORE = range(3)
PAGE_FAULT, ACCESS_FAULT, PMP_BIT = (12, 13, 15), (1, 5, 7), (pmp.X, pmp.R, pmp.W)
DATA_AREA, TABLE_AREA = (DATA, PAGES * 4096), (TABLES, TABLE_COUNT * 4096)

# name: word, bytes, kind (rd a0, rs1 a1, rs2 a2)
UNITS = [("addi", ADDI_A0, 0, FETCH)] + [
    (name, word | 11 << 15 | 10 << 7, size, LOAD) for name, word, size in
    (("lb", 0x0003, 1), ("lh", 0x1003, 2), ("lw", 0x2003, 4), ("ld", 0x3003, 8), ("lbu", 0x4003, 1), ("lhu", 0x5003, 2),
     ("lwu", 0x6003, 4))] + [
    (name, word | 11 << 15 | 12 << 20, size, STORE) for name, word, size in
    (("sb", 0x0023, 1), ("sh", 0x1023, 2), ("sw", 0x2023, 4), ("sd", 0x3023, 8))] + [
    (name, word | 11 << 15 | 12 << 20 | 10 << 7, size, "amo") for name, word, size in
    (("amoadd.d", 0x0000302f, 8), ("amoswap.w", 0x0800202f, 4))]
BY_WORD = {word: (name, size, kind) for name, word, size, kind in UNITS[1:]}


def template():
    """The pages of data: units of eight bytes, an instruction and an ebreak; the last one goes on in the next page."""
    out = bytearray()
    for page in range(PAGES):
        for u in range(512):
            word = UNITS[u % len(UNITS)][1] if u != 511 else ADDI_A0
            if word == ADDI_A0:
                word |= (page * 37 + u & 0x7ff) << 20
            if u == 0:  # the second half of an addi that begins in the page before
                out += struct.pack("<HHI", (0x700 | page) << 4, CEBREAK, EBREAK)
            elif u == 511:
                out += struct.pack("<IHH", word, CEBREAK, ADDI_A0)
            else:
                out += struct.pack("<II", word, EBREAK)
    return out


PRISTINE = template()


class Fault(Exception):
    """An exception of the machine: its cause and value."""

    def __init__(self, cause, value):
        super().__init__()
        self.cause, self.value = cause, value


class Unfit(Exception):
    """The access is none that a program may make, such as one to the stub."""


class Model:
    """Memory, satp and what the manual says of an access."""

    def __init__(self, menvcfg, medeleg):
        self.data, self.tables = bytearray(PRISTINE), bytearray(TABLE_COUNT * 4096)
        self.satp, self.menvcfg, self.medeleg = 0, menvcfg, medeleg
        self.doubts = set()
        self.pmp = pmp.Pmp()

    def entry(self, pa):
        """The entry there; None: it is not memory."""
        if TABLES <= pa < TABLES + TABLE_COUNT * 4096:
            return struct.unpack_from("<Q", self.tables, pa - TABLES)[0]
        if HOLE <= pa < HOLE + (1 << 28):
            return None
        raise Unfit

    def put_entry(self, pa, value):
        struct.pack_into("<Q", self.tables, pa - TABLES, value)

    def levels(self):
        return (self.satp >> 60) - 5 if self.satp >> 60 else 0

    def is_bad(self, pte):
        """Whether the encoding of the entry is reserved; what QEMU does not see is noted."""
        bad = False
        if pte & RESERVED:
            self.doubts.add("reserved")
            bad = True
        if pte & PBMT and (pte & PBMT == PBMT or not self.menvcfg & PBMTE):
            self.doubts.add("pbmt")
            bad = True
        return bad or pte & (R | W) == W

    def update(self, pte_pa, value, va, access):
        """Sets A and D, if memory protection lets S mode store there."""
        if not self.pmp.permits(pte_pa, 8, pmp.W, 1):
            self.doubts.add("pmp-update")
            raise Fault(ACCESS_FAULT[access], va)
        self.put_entry(pte_pa, value)

    def leaf(self, va, pte, pte_pa, level, access, mode, mstatus):
        """Checks a leaf, sets A and D, and returns the physical address; None: a page fault."""
        shift = 12 + 9 * level
        page = (pte & PPN) >> 10
        if mode == 0 and not pte & U or mode == 1 and pte & U and (access == FETCH or not mstatus & SUM):
            return None
        permitted = {FETCH: pte & X, LOAD: pte & R or (mstatus & MXR and pte & X), STORE: pte & W}[access]
        if not permitted:
            return None
        if pte & N:
            if level or page & 15 != 8:
                self.doubts.add("napot")
                return None
            shift, page = 16, page & ~15
        elif page << 12 & (1 << shift) - 1:
            return None
        updated = pte | A | (D if access == STORE else 0)
        if updated != pte:
            if not self.menvcfg & ADUE:
                self.doubts.add("adue")
                return None
            self.update(pte_pa, updated, va, access)
        return page << 12 & ~((1 << shift) - 1) | va & (1 << shift) - 1

    def translate(self, va, access, mode, mstatus):
        """The physical address of an access in that mode: 0 U, 1 S, 3 M."""
        levels = self.levels()
        if mode == 3 or not levels:
            return va
        fault = Fault(PAGE_FAULT[access], va)
        bits = 12 + 9 * levels
        if va >> bits - 1 not in (0, (1 << 65 - bits) - 1):
            raise fault
        table = (self.satp & (1 << 44) - 1) << 12
        for level in reversed(range(levels)):
            pte_pa = table + (va >> 12 + 9 * level & 511) * 8
            pte = self.entry(pte_pa)
            if not self.pmp.permits(pte_pa, 8, pmp.R, 1):
                raise Fault(ACCESS_FAULT[access], va)
            if pte is None:
                self.doubts.add("table")
                raise Fault(ACCESS_FAULT[access], va)
            if not pte & V or self.is_bad(pte):
                raise fault
            if pte & (R | X):
                pa = self.leaf(va, pte, pte_pa, level, access, mode, mstatus)
                if pa is None:
                    raise fault
                return pa
            if pte & (A | D | U | N | PBMT):
                raise fault
            table = (pte & PPN) >> 10 << 12
        raise fault

    def place(self, va, pa, size, access):
        """The offset in the data."""
        if HOLE <= pa < HOLE + (1 << 28) and not va % max(size, 1):
            raise Fault(ACCESS_FAULT[access], va)
        if not DATA <= pa <= DATA + PAGES * 4096 - size:
            raise Unfit
        return pa - DATA

    def protect(self, both, pas, access, mode, may_split):
        """Asks memory protection about the parts of an access."""
        if len(both) == 2 and self.pmp.is_mixed(pas[0], sum(size for _, size in both)):
            self.doubts.add("pmp-part")
        try:
            for (at, size), pa in zip(both, pas):
                if not self.pmp.permits(pa, size, PMP_BIT[access], mode, may_split):
                    if at != both[0][0]:
                        self.doubts.add("pmp-part")
                    raise Fault(ACCESS_FAULT[access], at)
        except pmp.Mixed:
            raise Unfit from None

    def parts(self, va, size, access, mode, mstatus):
        """The offsets in the data, and sizes, of an access, which may be in two pages."""
        first = min(size, 4096 - va % 4096)
        both, pas = [(va, first), (va + first & MASK, size - first)][:1 + (first < size)], []
        before = bytes(self.tables) if len(both) == 2 else None
        for at, n in both:
            pas.append(self.translate(at, access, mode, mstatus))
            if len(both) == 2 and HOLE <= pas[-1] < HOLE + (1 << 28):
                raise Unfit  # which of two faults comes first is the machine's choice
            if len(pas) < len(both) and not self.pmp.permits(pas[0], 1, PMP_BIT[access], mode):
                raise Unfit  # the same
        try:
            self.protect(both, pas, access, mode, access == FETCH or va % size)
        except Fault:
            if before is not None and before != self.tables:
                raise Unfit from None  # whether D was set for the other part
            raise
        return [(self.place(at, pa, n, access), n) for (at, n), pa in zip(both, pas)]

    def read(self, parts):
        return int.from_bytes(b"".join(self.data[at:at + n] for at, n in parts), "little")

    def write(self, parts, value):
        raw, done = (value & MASK).to_bytes(8, "little"), 0
        for at, n in parts:
            self.data[at:at + n] = raw[done:done + n]
            done += n

    def fetch(self, pc, mode, mstatus):
        """The instruction at pc."""
        half = self.read(self.parts(pc, 2, FETCH, mode, mstatus)) if pc % 4096 == 4094 else None
        if half is None:
            parts = self.parts(pc, 4 if pc % 4096 <= 4092 else 2, FETCH, mode, mstatus)
            return self.read(parts) if self.data[parts[0][0]] & 3 == 3 else self.read([(parts[0][0], 2)])
        if half & 3 != 3:
            return half
        return half | self.read(self.parts(pc + 2 & MASK, 2, FETCH, mode, mstatus)) << 16

    def access(self, word, a1, a2, mode, mstatus):
        """Does what the instruction says, and returns a0."""
        name, size, kind = BY_WORD[word]
        if kind == LOAD:
            value = self.read(self.parts(a1, size, LOAD, mode, mstatus))
            top = 1 << size * 8 - 1
            return value if name.endswith("u") or not value & top else value - 2 * top & MASK
        if kind == "amo":
            if a1 % size:
                raise Unfit
            try:
                parts = self.parts(a1, size, STORE, mode, mstatus)
            except Fault:
                self.doubts.add("amo")
                raise
            old = self.read(parts)
            self.write(parts, old + a2 if name == "amoadd.d" else a2)
            return old if size == 8 or not old >> 31 else old | 0xffffffff << 32
        self.write(self.parts(a1, size, STORE, mode, mstatus), a2)
        return 0

    def run(self, pc, a1, a2, mode, mstatus):
        """One unit of the data: a0, cause, pc and value of the trap at its end."""
        a0, at = 0, pc
        data_mode = mstatus >> 11 & 3 if mode == 3 and mstatus & MPRV else mode
        try:
            word = self.fetch(pc, mode, mstatus)
            if word not in (EBREAK, CEBREAK):
                if word in BY_WORD:
                    if data_mode != mode and pc >> 12 in (a1 >> 12, a1 + 7 >> 12):
                        self.doubts.add("mprv")
                    a0 = self.access(word, a1, a2, data_mode, mstatus)
                elif word & 0xfffff == ADDI_A0:
                    a0 = word >> 20 if word >> 31 == 0 else (word >> 20) - 4096 & MASK
                else:
                    raise Unfit
                at = pc + 4 & MASK
                if self.fetch(at, mode, mstatus) not in (EBREAK, CEBREAK):
                    raise Unfit
            return a0, 3, at, 0
        except Fault as fault:
            return a0, fault.cause, at, fault.value

    def no_page(self, va, mstatus):
        """The cause of a fetch by S mode where no page is."""
        try:
            self.translate(va, FETCH, 1, mstatus)
        except Fault as fault:
            return fault.cause
        raise Unfit

    def execute(self, pc, a1, a2, mode, mstatus):
        """What the stub folds after an instruction."""
        a0, cause, at, value = self.run(pc, a1, a2, mode, mstatus)
        if mode < 3 and self.medeleg >> cause & 1:
            if not self.levels():
                raise Unfit
            return [a0, self.no_page(STVEC, mstatus), STVEC, STVEC, MPP_S, cause, at, value]
        return [a0, cause, at, value, (0, MPP_S, 0, MPP_M)[mode], 0, 0, 0]


class Program:
    """A list of records, and what the stub must fold."""

    def __init__(self, r, for_qemu, locks=False):
        self.r, self.for_qemu, self.locks = r, for_qemu, locks
        self.protects = locks or bool(r.randrange(2))
        menvcfg = ADUE | PBMTE if for_qemu else r.choice((ADUE, 0)) | r.choice((PBMTE, 0))
        medeleg = r.choice((0, 0xa0a0 & r.getrandbits(16)))
        self.model = Model(menvcfg, medeleg)
        self.records, self.folded = [(BEGIN, menvcfg, medeleg)], []
        self.touched = [{} for _ in range(TABLE_COUNT)]  # index -> True: entries that were written
        self.spaces, self.space = {}, None  # address space -> (mode, root), since the last fence of all
        self.had_global = False  # there was a global entry since then: harts may use one that no access has needed
        self.areas = [self.area() for _ in range(6)]
        self.executed = 0
        self.recent = []  # (satp, arguments of attempt) of what came to its end
        self.switch()
        for _ in range(r.randrange(6, 14)):
            self.edit()
        while self.executed < 48 and len(self.records) < 400:
            self.step()
        self.finish()

    # ---- addresses ----

    def area(self):
        """(upper bits, log2 of the size of a superpage that it suits, or 12)."""
        return self.r.getrandbits(64), self.r.choice((12, 12, 12, 21, 21, 30, 39))

    def address(self, offset):
        """An address somewhere, with that offset in its page."""
        r, levels = self.r, self.model.levels()
        if not levels:
            return r.choice((DATA, DATA, DATA, HOLE)) + r.randrange(PAGES) * 4096 + offset
        bits = 12 + 9 * levels
        upper, shift = r.choice(self.areas)
        shift = min(shift, bits - 9)
        low = DATA + r.randrange(PAGES) * 4096 if shift > 12 else 0
        va = upper & ~((1 << shift) - 1) | low & (1 << shift) - 1
        if shift == 12:
            va += r.randrange(3) * 4096
        va &= (1 << bits) - 1
        if va >> bits - 9 == 511:  # the page of stvec is there
            va ^= 1 << bits - 9
        if va >> bits - 1:
            va |= MASK & ~((1 << bits) - 1)
        if not r.randrange(24):
            va ^= 1 << r.randrange(bits - 1, 64)
            if va >> 12 == STVEC >> 12:
                va ^= 1 << 63
        return (va & ~4095) + offset & MASK

    # ---- page tables ----

    def random_entry(self, level, old):
        r = self.r
        k = r.randrange(16)
        if k == 0:
            return 0
        if k == 1 and old:
            return old ^ 1 << r.choice((0, 1, 2, 3, 4, 5, 6, 7))
        if k == 2 and old and not self.for_qemu:
            return old ^ 1 << r.choice((54, 57, 60, 61, 62, 63))
        if level and k < 11 or k == 3:
            pte = TABLES + r.randrange(2, TABLE_COUNT) * 4096 >> 12 << 10 | V
            if not r.randrange(24):
                pte = HOLE >> 12 << 10 | V
            if not r.randrange(16):
                pte |= r.choice((G, G, A, D, U))
            return pte
        shift = 12 + 9 * level
        page = (DATA + (r.randrange(PAGES) * 4096 if not level else 0)) >> shift << shift - 12
        flags = V | A | D | r.choice((R, R | W, R | W | X, R | W | X, R | X, R | X, X, X | W, W)) | r.choice((0, U))
        if not r.randrange(4):
            flags ^= r.choice((A, D, A | D, G))
        if not level and not r.randrange(8):
            page = DATA >> 12 | 8
            flags |= N
        if not r.randrange(10):
            page ^= 1 << r.randrange(4)
        if not r.randrange(24):
            page = HOLE >> 12
        if not r.randrange(8):
            flags |= r.choice((1, 2)) << 61
        return page << 10 | flags

    def paths(self, table):
        """The ways to a table in the spaces in use: (space, level, address, whether a pointer is global)."""
        found = set()

        def go(space, at, level, va, is_global):
            if at == table:
                found.add((space, level, va, is_global))
            if level == 0 or len(found) > 8:
                return
            for index in self.touched[at]:
                pte = struct.unpack_from("<Q", self.model.tables, at * 4096 + index * 8)[0]
                target = ((pte & PPN) >> 10 << 12) - TABLES
                if pte & V and not pte & (R | W | X) and 0 <= target < TABLE_COUNT * 4096:
                    go(space, target >> 12, level - 1, va | index << 12 + 9 * level, is_global or bool(pte & G))

        for space, (mode, root) in self.spaces.items():
            go(space, root, mode - 6, 0, False)
        return found

    def fence(self, form, va=0, space=0):
        self.records.append((FENCE, form, va, space))
        if form in (0, 4):
            self.spaces = {self.space[0]: self.space[1:]} if self.space else {}
            self.had_global = any(self.model.entry(TABLES + table * 4096 + index * 8) & G
                                  for table in range(TABLE_COUNT) for index in self.touched[table])

    def fence_entry(self, index, old, new, paths):
        """The fence after the change of an entry: one of the weakest that are enough."""
        r, forms = self.r, [(0, 0, 0)]
        is_global = any(p[3] for p in paths) or (old | new) & G
        if old & V and not old & (R | W | X):  # what is below a pointer may be global, too
            is_global |= self.had_global
        spaces = {p[0] for p in paths}
        leaves = {(level, va | index << 12 + 9 * level) for _, level, va, _ in paths}
        if not paths:
            forms.append(None)
        if len(spaces) == 1 and not is_global:
            forms.append((2, 0, min(spaces)))
        simple = all(not pte & V or pte & (R | W | X) and not pte & N for pte in (old, new))
        if simple and len(leaves) == 1 and len(paths) <= 8:
            (level, va), = leaves
            bits = 12 + 9 * (self.space[1] - 5 if self.space else 3)
            va |= r.getrandbits(12 + 9 * level)
            if va >> bits - 1 & 1:
                va |= MASK & ~((1 << bits) - 1)
            forms += [(1, va, 0)] * 2
            if len(spaces) == 1 and not is_global:
                forms += [(3, va, min(spaces))] * 3
        form = r.choice(forms)
        if form:
            self.fence(form[0] + 4 * (not r.randrange(3)), *form[1:])

    def edit(self, va=None):
        """Changes an entry on the way of an address, and fences."""
        r, model = self.r, self.model
        levels = model.levels()
        if not levels:
            return
        va = self.address(0) if va is None else va
        table, level = self.space[2], levels - 1
        stop = r.choice((0, 0, 0, 0, 1, r.randrange(levels)))
        while True:
            index = va >> 12 + 9 * level & 511
            at = TABLES + table * 4096 + index * 8
            old = model.entry(at)
            target = ((old & PPN) >> 10 << 12) - TABLES
            if level <= stop or not old & V or old & (R | W | X) or not 0 <= target < TABLE_COUNT * 4096:
                break
            table, level = target >> 12, level - 1
        if table < 2 and index == 511:
            return
        new = self.random_entry(level, old)
        before = self.paths(table)
        self.touched[table][index] = True
        model.put_entry(at, new)
        self.records.append((ENTRY, at, new))
        self.had_global |= bool(new & G)
        self.fence_entry(index, old, new, before | self.paths(table))

    def switch(self):
        """Another satp."""
        r, model = self.r, self.model
        if not r.randrange(8):
            value, self.space = 0, None
        else:
            space, mode, root = r.choice((0, 1, 7, 0xffff)), r.choice((8, 8, 9, 10)), r.randrange(2)
            value = mode << 60 | space << 44 | TABLES + root * 4096 >> 12
            if not r.randrange(10):  # no such mode: nothing is written
                bad = r.choice((1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 14, 15)) << 60 | value & ~(15 << 60)
                self.records.append((SATP, bad))
                self.folded.append([model.satp])
            self.space = (space, mode, root)
        self.records.append((SATP, value))
        self.folded.append([value])
        model.satp = value
        if not self.space:
            return
        known = self.spaces.get(space)
        self.spaces[space] = (mode, root)
        if self.had_global:
            self.fence(r.choice((0, 4)))
        elif known and known != (mode, root):
            self.fence(*r.choice(((0, 0, 0), (2, 0, space), (6, 0, space))))

    # ---- instructions ----

    def write_pmp(self, n, address, cfg):
        """
        Writes entry n, and fences (vol. II, 3.7.2); not where an entry would end within eight bytes of the tables, which the
        stub stores. QEMU sees the base of a TOR when pmpcfg is written.
        """
        model, half = self.model, n // pmp.CFG_BYTES
        if model.pmp.with_entry(n, address, cfg).splits(TABLE_AREA):
            return
        self.records.append((PMP_ADDRESS, n, address))
        self.folded.append([model.pmp.write_address(n, address)])
        shift = n % pmp.CFG_BYTES * 8
        value = model.pmp.read_cfg(half) & ~(0xff << shift) | cfg << shift
        for other, written in ((half, value), (1 - half, model.pmp.read_cfg(1 - half))):
            self.records.append((PMP_CFG, other, written))
            self.folded.append([model.pmp.write_cfg(other, written)])
        self.fence(0)

    def protect(self):
        """Another entry of memory protection, and sometimes a lock."""
        r, model = self.r, self.model
        if model.pmp.cfg[0] & 7 == 7 and not model.pmp.cfg[15]:  # first of all, the last entry permits the rest
            self.write_pmp(15, *pmp.EVERYTHING)
            self.write_pmp(0, 0, 0)
        n, cfg = r.randrange(16 if not r.randrange(4) else 15), pmp.random_cfg(r, self.for_qemu)
        address = pmp.random_address(r, (DATA_AREA, DATA_AREA, TABLE_AREA), cfg & pmp.MATCHING)
        if cfg & pmp.MATCHING == pmp.TOR and n and r.randrange(4):
            below = pmp.random_address(r, [(max(DATA, (address << 2) - 0x3000) & ~4095, 0x3000)], pmp.TOR)
            self.write_pmp(n - 1, below, model.pmp.cfg[n - 1] & ~pmp.MATCHING)
        self.write_pmp(n, address, cfg)
        if self.locks and not r.randrange(3) and not pmp.spoils(model.pmp, n, DATA_AREA):
            self.write_pmp(n, model.pmp.address[n], model.pmp.cfg[n] | pmp.L)

    def step(self):
        k = self.r.randrange(20)
        if self.protects and not self.r.randrange(4):
            self.protect()
        recent = [again for satp, again in self.recent if satp == self.model.satp] if self.space else []
        if k < 10 and recent:  # an entry that was used: before and after the change
            again = self.r.choice(recent)
            self.edit(self.r.choice([again[n] for n in (0, 1) if again[3] < 3 or n == 1]))
            self.attempt(*again)
        elif k < 4:
            self.edit()
        elif k == 10:
            self.switch()
        else:
            self.execute()

    def attempt(self, pc, a1, a2, mode, mstatus, dull=lambda seen: False):
        """Executes an instruction, unless it is none that a program may, or a dull one."""
        model = self.model
        saved = bytearray(model.data), bytearray(model.tables)
        model.doubts = set()
        try:
            seen = model.execute(pc, a1, a2, mode, mstatus)
        except Unfit:
            seen = None
        if seen is None or dull(seen) or self.for_qemu and model.doubts:
            model.data, model.tables = saved
            return False
        self.folded.append(seen)
        self.executed += 1
        if seen[1] == 3:
            self.recent = self.recent[-7:] + [(model.satp, (pc, a1, a2, mode, mstatus))]
        self.records.append((EXECUTE_M if mode == 3 else EXECUTE, mstatus | (MPP_S if mode == 1 else 0), pc, a1, a2))
        return True

    def execute(self):
        r = self.r
        for left in reversed(range(40)):
            mode = r.choice((0, 1, 1, 3))
            mstatus = XL | r.choice((0, SUM)) | r.choice((0, MXR))
            unit = r.randrange(1, 511)
            pc = unit * 8 if r.randrange(8) else r.choice((4, 2, 4094, 4094, 4088))
            a1 = r.randrange(0, 4096, 8) if r.randrange(4) else r.choice((r.randrange(4096), 4096 - r.randrange(1, 8)))
            name = UNITS[unit % len(UNITS)][0]
            if name.startswith("amo"):
                a1 &= ~7
            pc, a1, a2 = self.address(pc), self.address(a1), r.getrandbits(64)
            if mode == 3:
                pc = DATA + r.randrange(PAGES) * 4096 + unit * 8
                mstatus |= r.choice((MPRV, MPRV, MPRV, 0)) | r.choice((0, MPP_S, MPP_S, MPP_M))
            if self.attempt(pc, a1, a2, mode, mstatus, lambda seen, left=left: left and r.randrange(24) and
                            (seen[1] in (1, 12) or seen[1] in PAGE_FAULT and r.randrange(2))):
                return

    def finish(self):
        """The entries that were written, with their A and D, and two pages of the data."""
        model = self.model
        for table in range(TABLE_COUNT):
            for index in sorted(self.touched[table]):
                self.fold_memory(TABLES + table * 4096 + index * 8, model.tables, table * 4096 + index * 8, 1)
        readable = [page for page in range(PAGES)
                    if all(model.pmp.permits(DATA + page * 4096 + at, 8, pmp.R, pmp.MACHINE) for at in range(0, 4096, 8))]
        for page in self.r.sample(readable, min(2, len(readable))):
            self.fold_memory(DATA + page * 4096, model.data, page * 4096, 512)
        self.records.append((END,))

    def fold_memory(self, pa, memory, at, count):
        self.records.append((FOLD, pa, count))
        self.folded.append(list(struct.unpack_from("<%dQ" % count, memory, at)))

    def hash(self):
        value = 0
        for group in self.folded:
            for folded in group:
                value = (value ^ folded) * 0x9e3779b97f4a7c15 & MASK
                value ^= value >> 31
        return "%016x" % value


# ---- running them ----

class Bench:
    """The stub, assembled, and images made of it."""

    def __init__(self, folder):
        self.folder = folder
        self.stub, at = stub.load(folder, "mmu")
        self.dump = at["dump"] - RAM

    def image(self, programs, dump=None):
        memory, records = bytearray(self.stub), bytearray()
        struct.pack_into("<Q", memory, self.dump, MASK if dump is None else dump)
        for program in programs:
            for record in program.records:
                records += struct.pack("<8Q", *record, *[0] * (8 - len(record)))
        records += bytes(64)
        path = os.path.join(self.folder, "image.elf")
        parts = [(RAM, bytes(memory)), (TEMPLATE, bytes(PRISTINE)), (RECORDS, bytes(records))]
        write_image(path, RAM, parts)
        return path

    def run(self, image, machine):
        """The lines that the machine prints: `QEMU', or a mode of --translate with further options."""
        if machine == "QEMU":
            command = [QEMU, "-M", "virt", "-cpu", CPU, "-m", "256M", "-bios", "none", "-display", "none", "-monitor", "none",
                       "-serial", "stdio", "-kernel", image]
        else:
            command = [os.path.join(BUILD, "rvftrace"), "run", "--quiet", "--audit", "off", "--account", "off", "--isa", ISA,
                       "--memory", "256M", "--firmware", "none", "--console", "stdio", "--translate", *machine.split(), image]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
        except subprocess.TimeoutExpired:
            return ["does not come to an end"]
        return done.stdout.decode("ascii", "replace").split() or [done.stderr.decode("utf-8", "replace")]


def name_of(record):
    """A record in words."""
    kind = record[0]
    words = " ".join("%#x" % v for v in record[1:])
    return {ENTRY: "entry ", FENCE: "fence ", SATP: "satp ", EXECUTE: "execute (mstatus pc a1 a2) ",
            EXECUTE_M: "execute in M (mstatus pc a1 a2) ", FOLD: "memory ", PMP_ADDRESS: "pmpaddr ", PMP_CFG: "pmpcfg "}[kind] + words


def explain(bench, program, machine):
    """The first difference of the program, and what comes before it."""
    got = bench.run(bench.image([program], 0), machine)
    lines, at, groups = [], 0, iter(program.folded)
    for record in program.records[1:-1]:
        lines.append(name_of(record))
        if record[0] in (ENTRY, FENCE):
            continue
        expected = next(groups)
        seen = got[at:at + len(expected)]
        at += len(expected)
        if seen != ["%016x" % v for v in expected]:
            differs = next(n for n in range(len(expected)) if n >= len(seen) or int(seen[n], 16) != expected[n])
            return "\n".join(lines[-60:]) + "\nexpected %s\n%s %s (from value %d on)" % (
                " ".join("%x" % v for v in expected[:8]) if record[0] != FOLD else "%x" % expected[differs], machine,
                " ".join(s.lstrip("0") or "0" for s in seen[:8]) if record[0] != FOLD else " ".join(seen[differs:differs + 1]), differs)
    return "\n".join(lines) + "\n(equal when it runs alone)"


def compare(bench, programs, machine, where):
    """Prints the programs whose hash is not that of the model."""
    got = bench.run(bench.image(programs), machine)
    wrong = [n for n, p in enumerate(programs) if n >= len(got) or got[n] != p.hash()]
    for n in wrong[:2]:
        print("%s, program %d on %s:\n%s" % (where, n, machine, explain(bench, programs[n], machine)), flush=True)
    return len(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0, help="how long to search (default: one batch)")
    parser.add_argument("--seed", type=int, default=1, help="of the programs (default: 1)")
    parser.add_argument("--programs", type=int, default=100, help="in a batch, half of them for QEMU, too (default: 100)")
    parser.add_argument("--modes", nargs="*", default=MODES, metavar="MODE", help="of --translate; further options may follow")
    options = parser.parse_args()
    start, batch, wrong, count, executed = time.monotonic(), 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        while (not batch or time.monotonic() - start < options.seconds) and not wrong:
            where = "seed %d batch %d" % (options.seed, batch)
            r = random.Random(options.seed * 1000003 + batch)
            programs = [Program(r, n % 2 == 0, n >= options.programs - 2) for n in range(options.programs)]
            for n, mode in enumerate(options.modes):  # what is locked stays so: one such program a run, the last
                wrong += compare(bench, programs[:-2] + [programs[-1 - n % 2]], mode, where)
            wrong += compare(bench, programs[::2], "QEMU", where)
            count += len(programs)
            executed += sum(p.executed for p in programs)
            batch += 1
    print("# %d programs, %d instructions in each of %d modes, half of them on QEMU, in %.0f s (seed %d)" % (
        count, executed, len(options.modes), time.monotonic() - start, options.seed))
    print("%s - translations come out as the manual says, and as on QEMU (seed %d)" % ("not ok" if wrong else "ok", options.seed))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
