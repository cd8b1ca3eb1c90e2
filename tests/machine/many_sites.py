#!/usr/bin/env python3
"""many_sites.py - writes a guest with as many traced functions and jump labels as one wants: what a run keeps for each can be measured.

    many_sites.py FILE COUNT [--calls N]

Function number n, `f` and n in hexadecimal, is a site of the layout pfe8, a jump label of the static key `key`, and a return. The program
calls the first N, as their sites were compiled (no site is patched), and ends."""
import argparse
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "diff"))
from elf_image import write_image  # noqa: E402

START, TEXT, FUNCTION = 0x80000000, 0x80010000, 16
SITE = b"\x01\0" * 4  # c.nop: as the compiler leaves it
BODY = SITE + struct.pack("<II", 0x00000013, 0x00008067)  # the label's nop, ret
NOTYPE, OBJECT, FUNC, GLOBAL = 0, 1, 2, 0x10


def u_type(opcode, rd, value):
    return (value + 0x800 & 0xfffff000) | rd << 7 | opcode


def i_type(opcode, rd, funct3, rs1, value):
    return (value & 0xfff) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def load_number(rd, value):
    """lui and addiw of a number of 32 bits, and the zero extension of it."""
    return [u_type(0x37, rd, value), i_type(0x1b, rd, 0, rd, value), i_type(0x13, rd, 1, rd, 32), i_type(0x13, rd, 5, rd, 32)]


def program(calls):
    """Calls the functions, and writes `pass` to the test finisher."""
    s0, s1, ra = 8, 9, 1
    start = load_number(s0, TEXT) + load_number(s1, TEXT + FUNCTION * calls)
    loop = [0x00940863,                                # beq s0, s1, past the loop
            i_type(0x67, ra, 0, s0, 0),                # jalr ra, 0(s0)
            i_type(0x13, s0, 0, s0, FUNCTION),         # addi s0, s0, 16
            0xff5ff06f]                                # j back to the beq
    end = load_number(s0, 0x00100000) + load_number(s1, 0x5555) + [0x00942023, 0x0000006f]  # sw s1, 0(s0); j .
    return b"".join(struct.pack("<I", word) for word in start + loop + end)


def write_guest(path, count, calls):
    text_end = TEXT + FUNCTION * count
    mcount = text_end + 0xfff & ~0xfff
    jumps = mcount + 8 * count
    key = jumps + 16 * count
    code = [TEXT + FUNCTION * n for n in range(count)]
    table = bytearray(16 * count)
    for n, at in enumerate(code):
        entry = jumps + 16 * n
        struct.pack_into("<iiq", table, 16 * n, at + 8 - entry, at + 12 - entry - 4, key - entry - 8)
    main = program(calls)
    text = main.ljust(TEXT - START, b"\0") + BODY * count
    symbols = [("_start", START, len(main), GLOBAL | FUNC), ("ftrace_call", START + 0x800, 0, GLOBAL | NOTYPE),
               ("__start_mcount_loc", mcount, 0, GLOBAL), ("__stop_mcount_loc", jumps, 0, GLOBAL),
               ("__start___jump_table", jumps, 0, GLOBAL), ("__stop___jump_table", key, 0, GLOBAL), ("key", key, 16, GLOBAL | OBJECT)]
    symbols += [(f"f{n:x}", at, FUNCTION, GLOBAL | FUNC) for n, at in enumerate(code)]
    write_image(path, START, [(START, text), (mcount, struct.pack(f"<{count}Q", *code) + bytes(table) + bytes(16))], symbols)


def main():
    parser = argparse.ArgumentParser(usage="many_sites.py FILE COUNT [--calls N]")
    parser.add_argument("file")
    parser.add_argument("count", type=int)
    parser.add_argument("--calls", type=int, default=0)
    args = parser.parse_args()
    write_guest(args.file, args.count, args.calls)


if __name__ == "__main__":
    main()
