#!/usr/bin/env python3
"""float_cases.py - examples of every floating-point instruction, computed with
exact fractions. Written from the manual (volume I, 20 to 25) and sharing nothing
with emu/cpu: encodings, rounding and flags stand here a second time.

Prints lines for test_float_insn.c:
    V(row, word, fa1, fa2, fa3, a1, frm, "f" or "x", result, flags)
    L(row, word, eight bytes in memory, fa0)    S(row, word, fa0, eight bytes afterwards)
"""
import math
import random
from fractions import Fraction as Q

NX, UF, OF, DZ, NV = 1, 2, 4, 8, 16
RNE, RTZ, RDN, RUP, RMM, DYN = 0, 1, 2, 3, 4, 7
FORMATS = {"s": (8, 23, 0), "d": (11, 52, 1), "h": (5, 10, 2)}
INF, QNAN, SNAN = "inf", "qnan", "snan"
rng = random.Random(25)


def canonical(f):
    e, m, _ = FORMATS[f]
    return ((1 << e) - 1) << m | 1 << (m - 1)


def sign_of(f, bits):
    e, m, _ = FORMATS[f]
    return bits >> (e + m) & 1


def value(f, bits):
    """A Fraction (zero loses its sign), or INF, QNAN, SNAN."""
    e, m, _ = FORMATS[f]
    exponent, fraction = bits >> m & (1 << e) - 1, bits & (1 << m) - 1
    bias = (1 << e - 1) - 1
    if exponent == (1 << e) - 1:
        return INF if not fraction else QNAN if fraction >> (m - 1) else SNAN
    magnitude = Q(fraction, 1 << m) + (1 if exponent else 0)
    power = max(exponent, 1) - bias
    magnitude *= Q(2) ** power
    return -magnitude if sign_of(f, bits) else magnitude


def infinity(f, negative):
    e, m, _ = FORMATS[f]
    return negative << (e + m) | ((1 << e) - 1) << m


def integer(q, mode):
    """q rounded to an integer."""
    down = q.numerator // q.denominator
    rest = q - down
    if not rest:
        return down
    up = {RTZ: q < 0, RDN: False, RUP: True,
          RMM: rest > Q(1, 2) or (rest == Q(1, 2) and q > 0),
          RNE: rest > Q(1, 2) or (rest == Q(1, 2) and down & 1)}[mode]
    return down + bool(up)


def exponent_of(q):
    e = abs(q.numerator).bit_length() - q.denominator.bit_length()
    return e if abs(q) >= Q(2) ** e else e - 1


def pack(f, q, mode, zero_sign=0):
    """The result of rounding q, and the flags."""
    e, m, _ = FORMATS[f]
    bias = (1 << e - 1) - 1
    if q == 0:
        return zero_sign << (e + m), 0
    negative = int(q < 0)
    power = exponent_of(q)
    unbounded = integer(q / Q(2) ** (power - m), mode) * Q(2) ** (power - m)
    tiny = abs(unbounded) < Q(2) ** (1 - bias)
    power = max(power, 1 - bias)
    scaled = integer(q / Q(2) ** (power - m), mode)
    rounded = scaled * Q(2) ** (power - m)
    if abs(rounded) >= Q(2) ** (bias + 1):
        to_finite = mode == RTZ or (mode == RDN and not negative) or (mode == RUP and negative)
        return infinity(f, negative) - to_finite, OF | NX
    flags = 0 if rounded == q else NX | (UF if tiny else 0)
    magnitude = abs(scaled)
    if magnitude >= 1 << (m + 1):
        magnitude >>= 1
        power += 1
    if magnitude >> m:
        field = ((power + bias) << m) + (magnitude - (1 << m))
    else:
        field = magnitude
    return negative << (e + m) | field, flags


def nan(f, *values):
    return canonical(f), NV if SNAN in values else 0


def is_nan(v):
    return v in (QNAN, SNAN)


def add(f, a, b, mode):
    x, y, sa, sb = value(f, a), value(f, b), sign_of(f, a), sign_of(f, b)
    if is_nan(x) or is_nan(y):
        return nan(f, x, y)
    if x == INF or y == INF:
        if x == y and sa != sb:
            return canonical(f), NV
        return infinity(f, sa if x == INF else sb), 0
    both = sa if sa == sb and x == y == 0 else int(mode == RDN)
    return pack(f, x + y, mode, both)


def flip(f, bits):
    e, m, _ = FORMATS[f]
    return bits ^ 1 << (e + m)


def fma(f, a, b, c, mode):
    x, y, z = value(f, a), value(f, b), value(f, c)
    sp, sc = sign_of(f, a) ^ sign_of(f, b), sign_of(f, c)
    if (x == INF and y == 0) or (x == 0 and y == INF):
        return canonical(f), NV
    if is_nan(x) or is_nan(y) or is_nan(z):
        return nan(f, x, y, z)
    if x == INF or y == INF:
        return (canonical(f), NV) if z == INF and sc != sp else (infinity(f, sp), 0)
    if z == INF:
        return infinity(f, sc), 0
    both = sp if sp == sc and x * y == z == 0 else int(mode == RDN)
    return pack(f, x * y + z, mode, both)


def mul(f, a, b, mode):
    x, y, s = value(f, a), value(f, b), sign_of(f, a) ^ sign_of(f, b)
    if is_nan(x) or is_nan(y):
        return nan(f, x, y)
    if INF in (x, y):
        return (canonical(f), NV) if 0 in (x, y) else (infinity(f, s), 0)
    return pack(f, x * y, mode, s)


def div(f, a, b, mode):
    x, y, s = value(f, a), value(f, b), sign_of(f, a) ^ sign_of(f, b)
    if is_nan(x) or is_nan(y):
        return nan(f, x, y)
    if x == y and x in (0, INF):
        return canonical(f), NV
    if x == INF:
        return infinity(f, s), 0
    if y == INF:
        return pack(f, Q(0), mode, s)
    if y == 0:
        return infinity(f, s), DZ
    return pack(f, x / y, mode, s)


def sqrt(f, a, mode):
    x = value(f, a)
    if is_nan(x):
        return nan(f, x)
    if x == 0:
        return a, 0
    if sign_of(f, a):
        return canonical(f), NV
    if x == INF:
        return a, 0
    # Far more bits of the root than any format has, and a sticky bit if there is a remainder.
    shift = 2400
    scaled = x * Q(2) ** shift
    n = scaled.numerator // scaled.denominator
    root = math.isqrt(n)
    exact = root * root == scaled
    return pack(f, Q(root) / Q(2) ** (shift // 2) + (0 if exact else Q(1, 2 ** 2000)), mode)


def to_int(f, a, width, signed, mode):
    x = value(f, a)
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    if x == INF:
        result, flags = (low if sign_of(f, a) else high), NV
    elif is_nan(x):
        result, flags = high, NV
    else:
        result, flags = integer(x, mode), 0
        flags = NX if result != x else 0
        if not low <= result <= high:
            result, flags = (low if result < low else high), NV
    result &= (1 << width) - 1
    if width == 32 and result >> 31:
        result |= 0xffffffff00000000
    return result, flags


def from_int(f, x, width, signed, mode):
    x &= (1 << width) - 1
    if signed and x >> (width - 1):
        x -= 1 << width
    return pack(f, Q(x), mode)


def convert(to, f, a, mode):
    x = value(f, a)
    if is_nan(x):
        return nan(to, x)
    if x == INF:
        return infinity(to, sign_of(f, a)), 0
    return pack(to, x, mode, sign_of(f, a))


def round_int(f, a, mode, tell):
    x = value(f, a)
    if is_nan(x):
        return nan(f, x)
    if x == INF:
        return a, 0
    whole = integer(x, mode)
    bits, _ = pack(f, Q(whole), mode, sign_of(f, a))
    return bits, NX if tell and whole != x else 0


def minmax(f, a, b, greater, strict):
    x, y = value(f, a), value(f, b)
    flags = NV if SNAN in (x, y) else 0
    if is_nan(x) or is_nan(y):
        if strict or (is_nan(x) and is_nan(y)):
            return canonical(f), flags
        return (b if is_nan(x) else a), flags
    key = lambda v, s: (float("-inf") if s else float("inf")) if v == INF else v
    kx, ky = (key(x, sign_of(f, a)), -sign_of(f, a)), (key(y, sign_of(f, b)), -sign_of(f, b))
    return (a if (kx > ky) == greater else b) if kx != ky else a, flags


def compare(f, a, b, how, quiet):
    x, y = value(f, a), value(f, b)
    if is_nan(x) or is_nan(y):
        return 0, NV if not quiet or SNAN in (x, y) else 0
    key = lambda v, s: (float("-inf") if s else float("inf")) if v == INF else v
    x, y = key(x, sign_of(f, a)), key(y, sign_of(f, b))
    return int({"eq": x == y, "lt": x < y, "le": x <= y}[how]), 0


def classify(f, a):
    e, m, _ = FORMATS[f]
    v, s = value(f, a), sign_of(f, a)
    if v == INF:
        return 1 << (0 if s else 7)
    if is_nan(v):
        return 1 << (8 if v == SNAN else 9)
    if v == 0:
        return 1 << (3 if s else 4)
    if abs(v) < Q(2) ** (2 - (1 << e - 1)):
        return 1 << (2 if s else 5)
    return 1 << (1 if s else 6)


def modular(a):
    x = value("d", a)
    if x == INF or is_nan(x):
        return 0, NV
    whole = integer(x, RTZ)
    flags = NV if not -(1 << 31) <= whole < 1 << 31 else NX if whole != x else 0
    low = whole & 0xffffffff
    return low | (0xffffffff00000000 if low >> 31 else 0), flags


# ---- patterns ----

def specials(f):
    e, m, _ = FORMATS[f]
    bias, one = (1 << e - 1) - 1, 1 << m
    top = ((1 << e) - 1) << m
    out = [0, 1, one - 1, one, one + 1, bias << m, (bias << m) + 1, (bias << m) - 1, (bias - 1) << m,
           (bias + 1) << m, (bias << m) | one >> 1, (bias + 1) << m | one >> 2, top - 1, top - one,
           top, top | one >> 1, top | 1, top | one >> 2, (bias + m + 1) << m, (bias + 31) << m,
           ((bias + 31) << m) - 1, min((bias + 63) << m, top - 1), (bias - m) << m, (bias - m - 1) << m]
    return out + [flip(f, v) for v in out]


def pattern(f):
    e, m, _ = FORMATS[f]
    bits = rng.getrandbits(1 + e + m)
    kind = rng.randrange(4)
    if kind == 0:
        return rng.choice(specials(f))
    if kind == 1:
        return bits
    if kind == 2:
        bits &= ~((1 << rng.randrange(m)) - 1)
    near = (1 << e - 1) - 1 + rng.randrange(-5, 6)
    return bits & ~(((1 << e) - 1) << m) | near << m


def box(f, bits):
    return bits if f == "d" else bits | (0xffffffff00000000 if f == "s" else 0xffffffffffff0000)


def unboxed(f, reg):
    """Any register value."""
    width = {"s": 32, "h": 16, "d": 64}[f]
    if reg >> width != (1 << 64 - width) - 1:
        return canonical(f)
    return reg & (1 << width) - 1


def register(f):
    """A value that is usually NaN-boxed."""
    reg = box(f, pattern(f))
    return reg ^ 1 << 63 if f != "d" and rng.randrange(12) == 0 else reg


# ---- words: fd is fa0, sources fa1 fa2 fa3, integers a0 and a1 ----

A0, A1, A2, A3 = 10, 11, 12, 13


def op(funct5, f, rs2, rm):
    return 0x53 | A0 << 7 | rm << 12 | A1 << 15 | rs2 << 20 | FORMATS[f][2] << 25 | funct5 << 27


def h(v):
    return "0x%x" % v


def emit(row, word, a, b, c, x, frm, kind, result, flags):
    print("V(%s, %s, %s, %s, %s, %s, %d, '%s', %s, %d)" %
          (row, h(word), h(a), h(b), h(c), h(x), frm, kind, h(result), flags))


def modes():
    """(rm, frm, mode): each mode, static and dynamic."""
    mode = rng.randrange(5)
    return (DYN, mode, mode) if rng.randrange(2) else (mode, rng.randrange(8), mode)


COUNT = 60


def arithmetic(f):
    for row, funct5, compute in (("fadd", 0, add), ("fmul", 2, mul), ("fdiv", 3, div),
                                 ("fsub", 1, lambda f, a, b, m: add(f, a, flip(f, b), m))):
        for _ in range(COUNT):
            rm, frm, mode = modes()
            a, b = register(f), register(f)
            result, flags = compute(f, unboxed(f, a), unboxed(f, b), mode)
            emit(f"{row}_{f}", op(funct5, f, A2, rm), a, b, 0, 0, frm, "f", box(f, result), flags)
    signs = {"fmadd": (0x43, 0, 0), "fmsub": (0x47, 0, 1), "fnmsub": (0x4b, 1, 0), "fnmadd": (0x4f, 1, 1)}
    for row, (opcode, negate, subtract) in signs.items():
        for _ in range(COUNT):
            rm, frm, mode = modes()
            a, b, c = register(f), register(f), register(f)
            if rng.randrange(2):
                c = box(f, flip(f, mul(f, unboxed(f, a), unboxed(f, b), RNE)[0]))
            x, y, z = unboxed(f, a), unboxed(f, b), unboxed(f, c)
            result, flags = fma(f, flip(f, x) if negate else x, y, flip(f, z) if subtract else z, mode)
            word = opcode | A0 << 7 | rm << 12 | A1 << 15 | A2 << 20 | FORMATS[f][2] << 25 | A3 << 27
            emit(f"{row}_{f}", word, a, b, c, 0, frm, "f", box(f, result), flags)
    for row, funct5, rs2, compute in (("fsqrt", 11, 0, sqrt), ("fround", 8, 4, lambda f, a, m: round_int(f, a, m, False)),
                                      ("froundnx", 8, 5, lambda f, a, m: round_int(f, a, m, True))):
        for _ in range(COUNT):
            rm, frm, mode = modes()
            a = register(f)
            result, flags = compute(f, unboxed(f, a), mode)
            emit(f"{row}_{f}", op(funct5, f, rs2, rm), a, 0, 0, 0, frm, "f", box(f, result), flags)


def selection(f):
    e, m, _ = FORMATS[f]
    top = 1 << e + m
    sign = {"fsgnj": lambda a, b: a & top - 1 | b & top, "fsgnjn": lambda a, b: a & top - 1 | ~b & top,
            "fsgnjx": lambda a, b: a ^ b & top}
    for n, row in enumerate(sign):
        for _ in range(COUNT // 3):
            a, b = register(f), register(f)
            emit(f"{row}_{f}", op(4, f, A2, n), a, b, 0, 0, 0, "f",
                 box(f, sign[row](unboxed(f, a), unboxed(f, b))), 0)
    for row, rm, greater, strict in (("fmin", 0, False, False), ("fmax", 1, True, False),
                                     ("fminm", 2, False, True), ("fmaxm", 3, True, True)):
        for _ in range(COUNT):
            a, b = register(f), register(f)
            result, flags = minmax(f, unboxed(f, a), unboxed(f, b), greater, strict)
            emit(f"{row}_{f}", op(5, f, A2, rm), a, b, 0, 0, 0, "f", box(f, result), flags)
    for row, rm, how, quiet in (("feq", 2, "eq", True), ("flt", 1, "lt", False), ("fle", 0, "le", False),
                                ("fltq", 5, "lt", True), ("fleq", 4, "le", True)):
        for _ in range(COUNT):
            a = register(f)
            b = a if rng.randrange(6) == 0 else register(f)
            result, flags = compare(f, unboxed(f, a), unboxed(f, b), how, quiet)
            emit(f"{row}_{f}", op(20, f, A2, rm), a, b, 0, 0, 0, "x", result, flags)
    for bits in specials(f):
        emit(f"fclass_{f}", op(28, f, 0, 1), box(f, bits), 0, 0, 0, 0, "x", classify(f, bits), 0)


def integers(f):
    for n, (name, width, signed) in enumerate((("w", 32, 1), ("wu", 32, 0), ("l", 64, 1), ("lu", 64, 0))):
        for _ in range(COUNT):
            rm, frm, mode = modes()
            a = register(f)
            result, flags = to_int(f, unboxed(f, a), width, signed, mode)
            emit(f"fcvt_{name}_{f}", op(24, f, n, rm), a, 0, 0, 0, frm, "x", result, flags)
            x = rng.getrandbits(64) >> rng.randrange(64)
            x = rng.choice([x, -x & (1 << 64) - 1, 0, 1 << 63, (1 << 63) - 1, 0x80000000, 0x7fffffff])
            result, flags = from_int(f, x, width, signed, mode)
            emit(f"fcvt_{f}_{name}", op(26, f, n, rm), 0, 0, 0, x, frm, "f", box(f, result), flags)


def moves(f):
    name, width = {"s": ("w", 32), "d": ("d", 64), "h": ("h", 16)}[f]
    load, store, funct3 = {"s": ("flw", "fsw", 2), "d": ("fld", "fsd", 3), "h": ("flh", "fsh", 1)}[f]
    mask = (1 << width) - 1
    for _ in range(8):
        a = rng.getrandbits(64)
        low = a & mask
        extended = low | (~mask & (1 << 64) - 1 if low >> width - 1 else 0)
        emit(f"fmv_x_{name}", op(28, f, 0, 0), a, 0, 0, 0, 0, "x", extended, 0)
        emit(f"fmv_{name}_x", op(30, f, 0, 0), 0, 0, 0, a, 0, "f", box(f, low), 0)
        fill = 0xa5a5a5a5a5a5a5a5
        print("L(%s, %s, %s, %s)" % (load, h(0x07 | A0 << 7 | funct3 << 12 | A1 << 15), h(a), h(box(f, low))))
        print("S(%s, %s, %s, %s)" % (store, h(0x27 | funct3 << 12 | A1 << 15 | A0 << 20), h(a), h(fill & ~mask | low)))
    constants = [-1, None, Q(1, 65536), Q(1, 32768), Q(1, 256), Q(1, 128), Q(1, 16), Q(1, 8), Q(1, 4), Q(5, 16),
                 Q(3, 8), Q(7, 16), Q(1, 2), Q(5, 8), Q(3, 4), Q(7, 8), 1, Q(5, 4), Q(3, 2), Q(7, 4), 2,
                 Q(5, 2), 3, 4, 8, 16, 128, 256, 32768, 65536]
    e, m, _ = FORMATS[f]
    for n in range(32):
        bits = (1 << m if n == 1 else infinity(f, 0) if n == 30 else canonical(f) if n == 31
                else pack(f, Q(constants[n]), RNE)[0])
        emit(f"fli_{f}", op(30, f, 1, 0) & ~(31 << 15) | n << 15, 0, 0, 0, 0, 0, "f", box(f, bits), 0)


def conversions():
    for to in FORMATS:
        for f in FORMATS:
            for _ in range(COUNT if to != f else 0):
                rm, frm, mode = modes()
                a = register(f)
                result, flags = convert(to, f, unboxed(f, a), mode)
                emit(f"fcvt_{to}_{f}", op(8, to, FORMATS[f][2], rm), a, 0, 0, 0, frm, "f", box(to, result), flags)
    for _ in range(COUNT * 2):
        a = pattern("d")
        if rng.randrange(2):
            a = a & ~(0x7ff << 52) | (1023 + rng.randrange(100)) << 52
        result, flags = modular(a)
        emit("fcvtmod_w_d", op(24, "d", 8, 1), a, 0, 0, 0, 0, "x", result, flags)


def compressed():
    """c.fld fa0,8(a1) and similar ones, with their offsets."""
    for n in range(4):
        a = rng.getrandbits(64)
        print("L(c_fld, %s, %s, %s)" % (h(0x2000 | (A1 - 8) << 7 | (A0 - 8) << 2), h(a), h(a)))
        print("S(c_fsd, %s, %s, %s)" % (h(0xa000 | (A1 - 8) << 7 | (A0 - 8) << 2), h(a), h(a)))
        print("L(c_fldsp, %s, %s, %s)" % (h(0x2002 | A0 << 7), h(a), h(a)))
        print("S(c_fsdsp, %s, %s, %s)" % (h(0xa002 | A0 << 2), h(a), h(a)))


for each in FORMATS:
    arithmetic(each)
    selection(each)
    integers(each)
    moves(each)
conversions()
compressed()
