/*
 * verifier_scalar.c - what the verifier knows of a number: bounds, and which bits are known.
 *
 * There are bounds of the whole number, and of its lower half as a number of its own; the bits are
 * of both. What an operation does to bounds is the same for both widths.
 */
#include "verifier.h"
#include <linux/string.h>

/* ---- bounds of one width ---- */

static u64 all_ones(int bits)
{
    return bits == 64 ? U64_MAX : U32_MAX;
}

static s64 signed_max(int bits)
{
    return bits == 64 ? S64_MAX : S32_MAX;
}

static s64 with_sign(u64 value, int bits)
{
    return bits == 64 ? (s64)value : (s64)(s32)value;
}

static void forget_signed(struct bpf_range *r, int bits)
{
    r->smin = -signed_max(bits) - 1;
    r->smax = signed_max(bits);
}

static void forget_unsigned(struct bpf_range *r, int bits)
{
    r->umin = 0;
    r->umax = all_ones(bits);
}

static void forget(struct bpf_range *r, int bits)
{
    forget_signed(r, bits);
    forget_unsigned(r, bits);
}

static void set_range(struct bpf_range *r, u64 value, int bits)
{
    r->umin = r->umax = value & all_ones(bits);
    r->smin = r->smax = with_sign(value, bits);
}

static void intersect(struct bpf_range *r, const struct bpf_range *other)
{
    r->smin = max(r->smin, other->smin);
    r->smax = min(r->smax, other->smax);
    r->umin = max(r->umin, other->umin);
    r->umax = min(r->umax, other->umax);
}

static bool contradicts(const struct bpf_range *r)
{
    return r->smin > r->smax || r->umin > r->umax;
}

/* What known bits tell. */
static void learn_bits(struct bpf_range *r, struct tnum t, int bits)
{
    u64 sign = 1ULL << (bits - 1);
    struct bpf_range known = {
        .smin = with_sign(t.value | (t.mask & sign), bits),
        .smax = with_sign(t.value | (t.mask & ~sign), bits),
        .umin = t.value,
        .umax = t.value | t.mask,
    };

    intersect(r, &known);
}

/* Numbers of one sign are in the same order, with the sign and without. */
static void learn_sign(struct bpf_range *r, int bits)
{
    u64 all = all_ones(bits);

    if (r->smin >= 0 || r->smax < 0) {
        r->umin = max(r->umin, (u64)r->smin & all);
        r->umax = min(r->umax, (u64)r->smax & all);
    }
    if (!((r->umin ^ r->umax) >> (bits - 1))) {
        r->smin = max(r->smin, with_sign(r->umin, bits));
        r->smax = min(r->smax, with_sign(r->umax, bits));
    }
}

static void range_add(struct bpf_range *dst, const struct bpf_range *src, int bits)
{
    u64 umin = dst->umin + src->umin, umax = dst->umax + src->umax;
    s64 smin, smax;

    if (__builtin_add_overflow(dst->smin, src->smin, &smin) ||
        __builtin_add_overflow(dst->smax, src->smax, &smax) || smin != with_sign(smin, bits) ||
        smax != with_sign(smax, bits)) {
        forget_signed(dst, bits);
    } else {
        dst->smin = smin;
        dst->smax = smax;
    }
    if (umin < src->umin || umax < src->umax || umax > all_ones(bits)) {
        forget_unsigned(dst, bits);
    } else {
        dst->umin = umin;
        dst->umax = umax;
    }
}

static void range_sub(struct bpf_range *dst, const struct bpf_range *src, int bits)
{
    s64 smin, smax;

    if (__builtin_sub_overflow(dst->smin, src->smax, &smin) ||
        __builtin_sub_overflow(dst->smax, src->smin, &smax) || smin != with_sign(smin, bits) ||
        smax != with_sign(smax, bits)) {
        forget_signed(dst, bits);
    } else {
        dst->smin = smin;
        dst->smax = smax;
    }
    if (dst->umin < src->umax) {
        forget_unsigned(dst, bits);
    } else {
        dst->umin -= src->umax;
        dst->umax -= src->umin;
    }
}

static void range_mul(struct bpf_range *dst, const struct bpf_range *src, int bits)
{
    u64 half = all_ones(bits) >> (bits / 2);

    forget_signed(dst, bits);
    if (dst->umax > half || src->umax > half) {
        forget_unsigned(dst, bits);
    } else {
        dst->umin *= src->umin;
        dst->umax *= src->umax;
    }
}

/* The bits of the result tell the rest. */
static void range_bitwise(struct bpf_range *dst, const struct bpf_range *src, u8 op, int bits)
{
    u64 least = max(dst->umin, src->umin), greatest = min(dst->umax, src->umax);

    forget(dst, bits);
    if (op == BPF_AND)
        dst->umax = greatest;
    else if (op == BPF_OR)
        dst->umin = least;
}

/* The shift is less than the width. */
static void range_shift(struct bpf_range *dst, u8 op, u8 shift, int bits)
{
    struct bpf_range old = *dst;

    forget(dst, bits);
    if (op == BPF_LSH && old.umax <= all_ones(bits) >> shift) {
        dst->umin = old.umin << shift;
        dst->umax = old.umax << shift;
    } else if (op == BPF_RSH) {
        dst->umin = old.umin >> shift;
        dst->umax = old.umax >> shift;
    } else if (op == BPF_ARSH) {
        dst->smin = old.smin >> shift;
        dst->smax = old.smax >> shift;
    }
}

/* ---- registers ---- */

struct tnum tnum_subreg(struct tnum a)
{
    return tnum_cast(a, 4);
}

struct tnum tnum_with_subreg(struct tnum a, struct tnum low)
{
    return TNUM((a.value & ~(u64)U32_MAX) | low.value, (a.mask & ~(u64)U32_MAX) | low.mask);
}

void set_const(struct bpf_reg_state *reg, u64 value)
{
    reg->var_off = tnum_const(value);
    set_range(&reg->wide, value, 64);
    set_range(&reg->low, value, 32);
}

static void set_unbounded(struct bpf_reg_state *reg)
{
    forget(&reg->wide, 64);
    forget(&reg->low, 32);
    reg->var_off = tnum_unknown;
}

void mark_known(struct bpf_reg_state *reg, u64 value)
{
    memset(reg, 0, sizeof(*reg));
    reg->type = SCALAR_VALUE;
    set_const(reg, value);
}

void mark_unknown(struct bpf_reg_state *reg)
{
    memset(reg, 0, sizeof(*reg));
    reg->type = SCALAR_VALUE;
    set_unbounded(reg);
}

void mark_not_init(struct bpf_reg_state *reg)
{
    mark_unknown(reg);
    reg->type = NOT_INIT;
}

void mark_pointer(struct bpf_reg_state *reg, u32 type)
{
    mark_known(reg, 0);
    reg->type = type;
}

bool is_unbounded(const struct bpf_reg_state *reg)
{
    return tnum_is_unknown(reg->var_off) && reg->wide.smin == S64_MIN &&
           reg->wide.smax == S64_MAX && !reg->wide.umin && reg->wide.umax == U64_MAX &&
           reg->low.smin == S32_MIN && reg->low.smax == S32_MAX && !reg->low.umin &&
           reg->low.umax == U32_MAX;
}

/* What the bounds of the number and those of its lower half tell of each other. */
static void learn_halves(struct bpf_reg_state *reg)
{
    struct bpf_range *wide = &reg->wide, *low = &reg->low;
    u64 upper = wide->umin & ~(u64)U32_MAX;

    if (wide->smin >= S32_MIN && wide->smax <= S32_MAX) {
        low->smin = max(low->smin, wide->smin);
        low->smax = min(low->smax, wide->smax);
    }
    if ((wide->umin ^ wide->umax) >> 32)
        return;
    low->umin = max(low->umin, (u64)(u32)wide->umin);
    low->umax = min(low->umax, (u64)(u32)wide->umax);
    wide->umin = max(wide->umin, upper | low->umin);
    wide->umax = min(wide->umax, upper | low->umax);
}

void sync_bounds(struct bpf_reg_state *reg)
{
    int i;

    for (i = 0; i < 2; i++) {
        learn_bits(&reg->wide, reg->var_off, 64);
        learn_bits(&reg->low, tnum_subreg(reg->var_off), 32);
        learn_sign(&reg->wide, 64);
        learn_sign(&reg->low, 32);
        learn_halves(reg);
        learn_sign(&reg->wide, 64);
        learn_sign(&reg->low, 32);
        if (reg->wide.umin <= reg->wide.umax)
            reg->var_off = tnum_intersect(reg->var_off, tnum_range(reg->wide.umin, reg->wide.umax));
        if (reg->low.umin <= reg->low.umax)
            reg->var_off = tnum_with_subreg(
                reg->var_off, tnum_intersect(tnum_subreg(reg->var_off),
                                             tnum_range(reg->low.umin, reg->low.umax)));
    }
}

void coerce_to_size(struct bpf_reg_state *reg, int size)
{
    u64 all = size >= 8 ? U64_MAX : (1ULL << (size * 8)) - 1;
    struct bpf_range *wide = &reg->wide;

    if (size >= 8)
        return;
    reg->var_off = tnum_cast(reg->var_off, size);
    if ((wide->umin & ~all) == (wide->umax & ~all)) {
        wide->umin &= all;
        wide->umax &= all;
    } else {
        wide->umin = 0;
        wide->umax = all;
    }
    wide->smin = wide->umin;
    wide->smax = wide->umax;
    if (size < 4)
        forget(&reg->low, 32);
    sync_bounds(reg);
}

void scalar_add(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    range_add(&dst->wide, &src->wide, 64);
    range_add(&dst->low, &src->low, 32);
    dst->var_off = tnum_add(dst->var_off, src->var_off);
}

void scalar_sub(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    range_sub(&dst->wide, &src->wide, 64);
    range_sub(&dst->low, &src->low, 32);
    dst->var_off = tnum_sub(dst->var_off, src->var_off);
}

static void scalar_mul(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    range_mul(&dst->wide, &src->wide, 64);
    range_mul(&dst->low, &src->low, 32);
    dst->var_off = tnum_mul(dst->var_off, src->var_off);
}

static void scalar_bitwise(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op)
{
    if (op == BPF_AND)
        dst->var_off = tnum_and(dst->var_off, src->var_off);
    else if (op == BPF_OR)
        dst->var_off = tnum_or(dst->var_off, src->var_off);
    else
        dst->var_off = tnum_xor(dst->var_off, src->var_off);
    range_bitwise(&dst->wide, &src->wide, op, 64);
    range_bitwise(&dst->low, &src->low, op, 32);
}

static struct tnum tnum_shift(struct tnum a, u8 op, u8 shift, u8 bits)
{
    if (op == BPF_LSH)
        return tnum_lshift(a, shift);
    return op == BPF_RSH ? tnum_rshift(a, shift) : tnum_arshift(a, shift, bits);
}

static void scalar_shift64(struct bpf_reg_state *dst, u8 op, u8 shift)
{
    struct bpf_range low = dst->low;

    dst->var_off = tnum_shift(dst->var_off, op, shift, 64);
    range_shift(&dst->wide, op, shift, 64);
    if (op == BPF_LSH && shift == 32) { /* the first half of what extends the sign */
        dst->wide.smin = (s64)((u64)low.smin << 32);
        dst->wide.smax = (s64)((u64)low.smax << 32);
    }
    if (op == BPF_LSH && shift < 32)
        range_shift(&dst->low, op, shift, 32);
    else
        forget(&dst->low, 32);
}

/* The rest follows from the lower half. */
static void scalar_shift32(struct bpf_reg_state *dst, u8 op, u8 shift)
{
    dst->var_off = tnum_subreg(tnum_shift(tnum_subreg(dst->var_off), op, shift, 32));
    range_shift(&dst->low, op, shift, 32);
    forget(&dst->wide, 64);
}

static void scalar_shift(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op,
                         bool wide)
{
    struct tnum shift = wide ? src->var_off : tnum_subreg(src->var_off);

    if (!tnum_is_const(shift) || shift.value >= (wide ? 64 : 32))
        set_unbounded(dst);
    else if (wide)
        scalar_shift64(dst, op, shift.value);
    else
        scalar_shift32(dst, op, shift.value);
}

void adjust_scalar(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op, bool wide)
{
    struct bpf_reg_state operand = *src; /* which may be dst */

    dst->id = 0;
    if (contradicts(wide ? &operand.wide : &operand.low)) { /* this way is never taken */
        mark_unknown(dst);
        return;
    }
    switch (op) {
    case BPF_ADD: scalar_add(dst, &operand); break;
    case BPF_SUB: scalar_sub(dst, &operand); break;
    case BPF_MUL: scalar_mul(dst, &operand); break;
    case BPF_AND:
    case BPF_OR:
    case BPF_XOR: scalar_bitwise(dst, &operand, op); break;
    case BPF_LSH:
    case BPF_RSH:
    case BPF_ARSH: scalar_shift(dst, &operand, op, wide); break;
    default: set_unbounded(dst);
    }
    if (wide) {
        sync_bounds(dst);
        return;
    }
    forget(&dst->wide, 64);
    coerce_to_size(dst, 4);
}

/* ---- conditions ---- */

/* Refines the bounds by `number op val`, which holds. */
static void refine_range(struct bpf_range *r, u64 val, u8 op, int bits)
{
    s64 sval = with_sign(val, bits);

    val &= all_ones(bits);
    switch (op) {
    case BPF_JGT:
        if (val != all_ones(bits))
            r->umin = max(r->umin, val + 1);
        break;
    case BPF_JGE: r->umin = max(r->umin, val); break;
    case BPF_JLT:
        if (val)
            r->umax = min(r->umax, val - 1);
        break;
    case BPF_JLE: r->umax = min(r->umax, val); break;
    case BPF_JSGT:
        if (sval != signed_max(bits))
            r->smin = max(r->smin, sval + 1);
        break;
    case BPF_JSGE: r->smin = max(r->smin, sval); break;
    case BPF_JSLT:
        if (sval != -signed_max(bits) - 1)
            r->smax = min(r->smax, sval - 1);
        break;
    case BPF_JSLE: r->smax = min(r->smax, sval); break;
    case BPF_JNE: /* only at the edges of the range */
        if (r->umin == val && val != all_ones(bits))
            r->umin++;
        if (r->umax == val && val)
            r->umax--;
        break;
    default: break;
    }
}

void refine_scalar(struct bpf_reg_state *reg, u64 val, u8 op, bool wide, bool holds)
{
    if (!wide)
        val = (u32)val;
    if (op == BPF_JSET) {
        if (!holds)
            reg->var_off = tnum_and(reg->var_off, tnum_const(~val));
        else if (val && !(val & (val - 1))) /* a single bit is set */
            reg->var_off = tnum_or(reg->var_off, tnum_const(val));
        sync_bounds(reg);
        return;
    }
    if (!holds)
        op = negate_condition(op);
    if (op == BPF_JEQ && wide) {
        set_const(reg, val);
        return;
    }
    if (op == BPF_JEQ) {
        reg->var_off = tnum_with_subreg(reg->var_off, tnum_const(val));
        set_range(&reg->low, val, 32);
    } else {
        refine_range(wide ? &reg->wide : &reg->low, val, op, wide ? 64 : 32);
    }
    sync_bounds(reg);
}

void refine_equal(struct bpf_reg_state *a, struct bpf_reg_state *b)
{
    intersect(&a->wide, &b->wide);
    intersect(&a->low, &b->low);
    a->var_off = tnum_intersect(a->var_off, b->var_off);
    sync_bounds(a);
    b->wide = a->wide;
    b->low = a->low;
    b->var_off = a->var_off;
}

u8 negate_condition(u8 op)
{
    switch (op) {
    case BPF_JEQ: return BPF_JNE;
    case BPF_JNE: return BPF_JEQ;
    case BPF_JGT: return BPF_JLE;
    case BPF_JGE: return BPF_JLT;
    case BPF_JLT: return BPF_JGE;
    case BPF_JLE: return BPF_JGT;
    case BPF_JSGT: return BPF_JSLE;
    case BPF_JSGE: return BPF_JSLT;
    case BPF_JSLT: return BPF_JSGE;
    case BPF_JSLE: return BPF_JSGT;
    default: return 0;
    }
}

static int outcome_of_range(const struct bpf_range *r, u64 val, u8 op, int bits)
{
    s64 sval = with_sign(val, bits);

    switch (op) {
    case BPF_JEQ:
    case BPF_JNE:
        if (val < r->umin || val > r->umax || sval < r->smin || sval > r->smax)
            return op == BPF_JNE;
        return -1;
    case BPF_JGT: return r->umin > val ? 1 : r->umax <= val ? 0 : -1;
    case BPF_JGE: return r->umin >= val ? 1 : r->umax < val ? 0 : -1;
    case BPF_JLT: return r->umax < val ? 1 : r->umin >= val ? 0 : -1;
    case BPF_JLE: return r->umax <= val ? 1 : r->umin > val ? 0 : -1;
    case BPF_JSGT: return r->smin > sval ? 1 : r->smax <= sval ? 0 : -1;
    case BPF_JSGE: return r->smin >= sval ? 1 : r->smax < sval ? 0 : -1;
    case BPF_JSLT: return r->smax < sval ? 1 : r->smin >= sval ? 0 : -1;
    default: /* BPF_JSLE */ return r->smax <= sval ? 1 : r->smin > sval ? 0 : -1;
    }
}

int branch_outcome(const struct bpf_reg_state *reg, u64 val, u8 op, bool wide)
{
    struct tnum t = wide ? reg->var_off : tnum_subreg(reg->var_off);

    if (!wide)
        val = (u32)val;
    if (op == BPF_JSET) {
        if (t.value & val)
            return 1;
        return (t.value | t.mask) & val ? -1 : 0;
    }
    if (op == BPF_JEQ || op == BPF_JNE) {
        if (tnum_equals_const(t, val))
            return op == BPF_JEQ;
        if ((t.value ^ val) & ~t.mask)
            return op == BPF_JNE;
    }
    return wide ? outcome_of_range(&reg->wide, val, op, 64)
                : outcome_of_range(&reg->low, val, op, 32);
}
