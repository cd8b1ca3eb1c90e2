/* tnum.c - arithmetic of numbers of which some bits are known: tnum.h. */
#include <linux/tnum.h>

struct tnum tnum_const(u64 value)
{
    return TNUM(value, 0);
}

/* The bits above the highest one in which min and max differ are known. */
struct tnum tnum_range(u64 min, u64 max)
{
    u64 below = min ^ max;
    int shift;

    for (shift = 1; shift < 64; shift *= 2)
        below |= below >> shift;
    return TNUM(min & ~below, below);
}

struct tnum tnum_lshift(struct tnum a, u8 shift)
{
    return TNUM(a.value << shift, a.mask << shift);
}

struct tnum tnum_rshift(struct tnum a, u8 shift)
{
    return TNUM(a.value >> shift, a.mask >> shift);
}

struct tnum tnum_arshift(struct tnum a, u8 shift, u8 bits)
{
    if (bits == 32)
        return TNUM((u32)((s32)a.value >> shift), (u32)((s32)a.mask >> shift));
    return TNUM((s64)a.value >> shift, (s64)a.mask >> shift);
}

/* A bit of the sum is unknown if it differs between the least and the greatest sum, or is unknown
 * in an operand. */
struct tnum tnum_add(struct tnum a, struct tnum b)
{
    u64 least = a.value + b.value, greatest = least + (a.mask + b.mask);
    u64 unknown = (least ^ greatest) | a.mask | b.mask;

    return TNUM(least & ~unknown, unknown);
}

struct tnum tnum_sub(struct tnum a, struct tnum b)
{
    u64 middle = a.value - b.value, high = middle + a.mask, low = middle - b.mask;
    u64 unknown = (high ^ low) | a.mask | b.mask;

    return TNUM(middle & ~unknown, unknown);
}

struct tnum tnum_and(struct tnum a, struct tnum b)
{
    u64 ones = a.value & b.value, maybe = (a.value | a.mask) & (b.value | b.mask);

    return TNUM(ones, maybe & ~ones);
}

struct tnum tnum_or(struct tnum a, struct tnum b)
{
    u64 ones = a.value | b.value;

    return TNUM(ones, (a.mask | b.mask) & ~ones);
}

struct tnum tnum_xor(struct tnum a, struct tnum b)
{
    u64 unknown = a.mask | b.mask;

    return TNUM((a.value ^ b.value) & ~unknown, unknown);
}

/* Long multiplication: each bit of a that may be set adds b, shifted. */
struct tnum tnum_mul(struct tnum a, struct tnum b)
{
    struct tnum unknown = tnum_const(0);
    u64 known = a.value * b.value;

    for (; a.value || a.mask; a = tnum_rshift(a, 1), b = tnum_lshift(b, 1)) {
        if (a.value & 1)
            unknown = tnum_add(unknown, TNUM(0, b.mask));
        else if (a.mask & 1)
            unknown = tnum_add(unknown, TNUM(0, b.value | b.mask));
    }
    return tnum_add(tnum_const(known), unknown);
}

struct tnum tnum_intersect(struct tnum a, struct tnum b)
{
    u64 unknown = a.mask & b.mask;

    return TNUM((a.value | b.value) & ~unknown, unknown);
}

struct tnum tnum_cast(struct tnum a, u8 size)
{
    u64 kept = size >= 8 ? -1ULL : (1ULL << (size * 8)) - 1;

    return TNUM(a.value & kept, a.mask & kept);
}

bool tnum_is_aligned(struct tnum a, u64 size)
{
    return !size || !((a.value | a.mask) & (size - 1));
}

bool tnum_in(struct tnum a, struct tnum b)
{
    return !(b.mask & ~a.mask) && a.value == (b.value & ~a.mask);
}
