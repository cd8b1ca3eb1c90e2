#!/usr/bin/env python3
"""stencils.py - makes C tables of the object that emu/cpu/native/stencils.c is compiled to.

usage: stencils.py OBJECT >TABLES

Of each function it takes the bytes of the hot and of the cold part, and the relocations: those are the
holes that native.c fills. The jump to hole_next at the end of the hot part is left out. A function that
calls something outside of the object, or that always leaves its operation to the interpreter, is no stencil.
"""
import dataclasses
import re
import struct
import sys

SHIFT = 29  # HOLE_SHIFT of stencils.c on x86-64


@dataclasses.dataclass(frozen=True)
class Machine:
    """What must be known of the host's processor: its relocations and jumps."""

    fills: dict     # type of relocation -> how native_host_priv.h fills the hole
    near: dict      # type of relocation to an address near by -> what its addend has more than the address
    jump: int       # opcode of a jump, in the byte before or of the hole ...
    call: int       # ... and of a call
    opcode_at: int  # that byte, from the hole
    jump_size: int
    shifts: bool    # by numbers of 8 bits, which have no relocation


X86_64 = Machine(
    fills={1: "FILL_64", 2: "FILL_NEAR", 4: "FILL_NEAR", 10: "FILL_32", 11: "FILL_32"},  # R_X86_64_64, PC32, PLT32, 32, 32S
    near={2: -4, 4: -4}, jump=0xe9, call=0xe8, opcode_at=-1, jump_size=5, shifts=True)
AARCH64 = Machine(
    fills={274: "FILL_NUMBER", 279: "FILL_BRANCH_14", 280: "FILL_BRANCH_19", 282: "FILL_BRANCH_26",
           283: "FILL_BRANCH_26"},  # R_AARCH64_ADR_PREL_LO21, TSTBR14, CONDBR19, JUMP26, CALL26
    near={}, jump=0x14, call=0x94, opcode_at=3, jump_size=4, shifts=False)
MACHINES = {62: X86_64, 183: AARCH64}  # EM_...
PLACES = {**{str(n): n for n in range(6)}, "m": 6, "z": 7, "n": 7}
SPECIAL = ("exit", "far_", "branch_far", "native_", "vector_", "spill", "fill", "address")
BY_PLACE = ("spill", "fill", "address")


class Object:
    """The parts of an ELF object that are needed: sections, symbols, relocations by section."""

    def __init__(self, data):
        self.data = data
        machine, = struct.unpack_from("<H", data, 0x12)
        if machine not in MACHINES:
            raise SystemExit(f"stencils.py: an object for machine {machine}, of which nothing is known here")
        self.machine = MACHINES[machine]
        offset, = struct.unpack_from("<Q", data, 0x28)
        size, count, names = struct.unpack_from("<HHH", data, 0x3a)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + n * size) for n in range(count)]
        self.headers = headers
        self.names = [self.string(headers[names], h[0]) for h in headers]
        self.contents = [data[h[4]:h[4] + h[5]] if h[1] != 8 else b"" for h in headers]
        table = next(h for h in headers if h[1] == 2)
        strings = headers[table[6]]
        self.symbols = []
        for at in range(table[4], table[4] + table[5], 24):
            name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", data, at)
            self.symbols.append((self.string(strings, name), info & 15, section, value, length))
        self.relocations = {}
        for h in headers:
            if h[1] == 4:
                rows = [struct.unpack_from("<QQq", data, at) for at in range(h[4], h[4] + h[5], 24)]
                self.relocations[h[7]] = sorted((o, i & 0xffffffff, self.symbols[i >> 32], a) for o, i, a in rows)

    def string(self, section, at):
        start = section[4] + at
        return self.data[start:self.data.index(b"\0", start)].decode()


class NoStencil(Exception):
    """The function cannot be one."""


class Maker:
    """Collects bytes, holes and literals."""

    def __init__(self, obj):
        self.obj = obj
        self.literals = bytearray()
        self.literal_at = {}
        self.holes = []
        self.bytes = bytearray()
        self.stencils = []
        self.by_name = {}
        self.hole_names = {"self", "cold", "literal"}
        self.cold_at = {n: (s, v, l) for n, t, s, v, l in obj.symbols if t == 2 and n.endswith(".cold")}

    def literal(self, section, offset, size):
        """Offset in the table of literals for the bytes there; 16 of them serve every load."""
        key = section, offset
        if key not in self.literal_at:
            while len(self.literals) % 16:
                self.literals.append(0)
            self.literal_at[key] = len(self.literals)
            self.literals += self.obj.contents[section][offset:offset + size].ljust(size, b"\0")
        return self.literal_at[key]

    def target(self, name, symbol, addend, kind, parts):
        """(hole, addend) for a relocation."""
        sym_name, sym_type, section, value, _ = symbol
        if sym_name.startswith("hole_"):
            return sym_name[5:], addend
        if section == 0:
            raise NoStencil(sym_name)
        near = self.obj.machine.near
        bias = near.get(kind, 0)
        at = value + addend - bias
        for part, (part_section, start, length) in zip(("self", "cold"), parts):
            if part_section == section and start <= at < start + length:
                return part, at - start + bias
        if self.obj.names[section].startswith(".rodata") and kind in near:
            return "literal", self.literal(section, at, 16) + bias
        raise SystemExit(f"stencils.py: {name}: a reference to {sym_name or self.obj.names[section]}+{at:#x}, "
                         f"type {sym_type}, which native.c cannot make")

    def part_holes(self, name, part, parts, base):
        section, start, length = part
        found = []
        for offset, kind, symbol, addend in self.obj.relocations.get(section, ()):
            if not start <= offset < start + length:
                continue
            if kind not in self.obj.machine.fills:
                raise SystemExit(f"stencils.py: {name}: relocation of type {kind}")
            hole, addend = self.target(name, symbol, addend, kind, parts)
            found.append((base + offset - start, self.obj.machine.fills[kind], hole, addend))
        return found

    def add(self, name, section, start, length):
        parts = [(section, start, length)]
        if name + ".cold" in self.cold_at:
            parts.append(self.cold_at[name + ".cold"])
        code = [bytearray(self.obj.contents[s][a:a + n]) for s, a, n in parts]
        holes = self.part_holes(name, parts[0], parts, 0)
        hot = code[0]
        machine = self.obj.machine
        if holes and holes[-1][2] == "next" and holes[-1][0] == len(hot) - 4 and hot[holes[-1][0] + machine.opcode_at] == machine.jump:
            hot = hot[:-machine.jump_size]
            holes.pop()
        cold = code[1] if len(code) > 1 else b""
        if len(parts) > 1:
            holes += self.part_holes(name, parts[1], parts, len(hot))
        code = hot + cold
        for at, _, hole, _ in holes:
            if hole == "exit" and code[at + machine.opcode_at] == machine.call:
                code[at + machine.opcode_at] = machine.jump
        if machine.shifts and re.match(r"S_(sll|srl|sra)iw?_", name):
            at = [m.start() + 2 for m in re.finditer(rb"\xc1[\xc0-\xff]" + bytes([SHIFT]), code[:len(hot)])]
            if len(at) != 1:
                raise SystemExit(f"stencils.py: {name}: {len(at)} shifts by {SHIFT}")
            holes.append((at[0], "FILL_8", "shift", 0))
        if machine.shifts and re.match(r"V_vs(ll|rl)_vi_[23]", name):
            at = [m.start() + 2 for m in re.finditer(rb"[\x72\x73][\xc0-\xff]" + bytes([SHIFT]), code[:len(hot)])]
            if len(at) != 1:
                raise SystemExit(f"stencils.py: {name}: {len(at)} shifts by {SHIFT}")
            holes.append((at[0], "FILL_8", "scalar", 0))
        self.put(name, code[:len(hot)], code[len(hot):], holes)

    def put(self, name, hot, cold, holes):
        self.hole_names.update(h[2] for h in holes)
        self.by_name[name] = len(self.stencils) + 1
        self.stencils.append((len(self.bytes), len(hot), len(cold), len(self.holes), len(holes), name))
        self.bytes += hot + cold
        self.holes += holes


def is_special(name):
    return name.startswith(SPECIAL)


def constant(name):
    return name.upper() if name.startswith("uop_") else f"OP_{name}"


def make(obj):
    maker = Maker(obj)
    none = []
    for name, kind, section, value, size in sorted(obj.symbols, key=lambda s: (s[2], s[3])):
        if kind != 2 or not section or name.endswith(".cold"):
            continue
        if not re.match(r"[ACSMTV]_[a-z0-9_]+_[0-9mzn]{3}$", name):
            raise SystemExit(f"stencils.py: {name} is no stencil: a stencil may call it without a relocation")
        try:
            if obj.names[section] == ".text.unlikely" and not is_special(name[2:]):
                raise NoStencil("")  # all of it is cold
            maker.add(name, section, value, size)
        except NoStencil:
            none.append(name)
    return maker, none


def numbers(values, width=24):
    values = list(values)
    return ",\n".join("    " + ", ".join(values[n:n + width]) for n in range(0, len(values), width))


def write(maker, none):
    print("/* Made by mk/stencils.py of emu/cpu/native/stencils.c. */")
    print("#ifdef STENCIL_BYTES")
    print("enum hole {\n" + ",\n".join(f"    HOLE_{n}" for n in sorted(maker.hole_names)) + "\n};\n")
    print(f"static const uint8_t stencil_bytes[] = {{\n{numbers(map(str, maker.bytes))}\n}};\n")
    print("static const struct stencil_hole stencil_holes[] = {")
    print(",\n".join(f"    {{{at}, {kind}, HOLE_{hole}, {addend}}}" for at, kind, hole, addend in maker.holes))
    print("};\n\nstatic const struct stencil stencils[] = {\n    {0},")
    for at, hot, cold, holes, count, name in maker.stencils:
        print(f"    {{{at}, {hot}, {cold}, {holes}, {count}}}, /* {name} */")
    print("};\n")
    literals = maker.literals or b"\0"
    print(f"static const uint8_t stencil_literals[] = {{\n{numbers(map(str, literals))}\n}};\n#endif\n")
    sets, by_address = {}, set()
    for name, number in maker.by_name.items():
        kind, rest = name[0], name[2:]
        op, places = rest.rsplit("_", 1)
        if is_special(op):
            suffix = f"_{places[0]}" if op in BY_PLACE else "_by_look_up" if kind == "T" else ""
            print(f"enum {{ STENCIL_{op}{suffix} = {number} }};")
        else:
            if kind == "A":
                by_address.add(op)
            of_kind = sets.setdefault(op, {}).setdefault("S" if kind in "AC" else kind, {})
            of_kind[places] = number
            d, a, c = places
            if kind == "C" and "m" not in (a, c):  # those have the holes of their sources
                of_kind[d + c + a] = number
    print("\n#ifdef STENCIL_SETS")
    rows = []
    for op, kinds in sets.items():
        if "V" in kinds:
            of_width = {int(places[0]): number for places, number in kinds["V"].items()}
            print(f"static const uint16_t widths_{op}[4] = {{{', '.join(str(of_width.get(n, 0)) for n in range(4))}}};")
            used = "USES_A" if next(iter(kinds["V"]))[1] == "m" else "0"
            rows.append(f"    [{constant(op)}] = {{NULL, 0, NULL, widths_{op}, {used}}}")
            continue
        main = kinds.get("S") or kinds["M"]
        few = "S" not in kinds
        shape = next(iter(main))
        look_ups = "NULL"
        if "T" in kinds:
            look_ups = f"look_ups_{op}"
            of_place = {PLACES[places[0]]: number for places, number in kinds["T"].items()}
            print(f"static const uint16_t {look_ups}[8] = {{{', '.join(str(of_place.get(n, 0)) for n in range(8))}}};")
        table = [0] * 512
        for places, number in main.items():
            d, a, c = (PLACES[p] for p in places)
            table[d * 64 + a * 8 + c] = number
        if few or len(main) == 1:
            name = "NULL"
            single = next(iter(main.values()))
        else:
            name, single = f"places_{op}", 0
            print(f"static const uint16_t {name}[512] = {{\n{numbers(map(str, table))}\n}};")
        used = "|".join([f"USES_{u}" for u, p in zip("DAC", shape) if p != "n"] +
                        ["USES_ADDRESS"] * (op in by_address)) or "0"
        fallback = kinds.get("M", {})
        fallback = next(iter(fallback.values()), 0)
        rows.append(f"    [{constant(op)}] = {{{name}, {single or fallback}, {look_ups}, NULL, {used}}}")
    print("\nstatic const struct stencil_set stencil_sets[UOP_COUNT] = {\n" + ",\n".join(rows) + "\n};\n#endif")
    print(f"/* None: {' '.join(sorted(none))} */")


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    with open(sys.argv[1], "rb") as f:
        obj = Object(f.read())
    write(*make(obj))


if __name__ == "__main__":
    main()
