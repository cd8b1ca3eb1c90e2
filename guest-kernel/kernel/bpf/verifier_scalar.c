/* verifier_scalar.c - what the verifier knows of a number: bounds, and which bits are known. */
#include "verifier.h"
#include <linux/string.h>

void set_const(struct bpf_reg_state *reg, u64 value)
{
    reg->var_off = tnum_const(value);
    reg->smin = reg->smax = value;
    reg->umin = reg->umax = value;
}

static void set_unbounded(struct bpf_reg_state *reg)
{
    reg->smin = S64_MIN;
    reg->smax = S64_MAX;
    reg->umin = 0;
    reg->umax = U64_MAX;
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

/* Draws what each part of the description tells of the others. */
void sync_bounds(struct bpf_reg_state *reg)
{
    struct tnum t = reg->var_off;
    int i;

    reg->smin = max(reg->smin, (s64)(t.value | (t.mask & (1ULL << 63))));
    reg->smax = min(reg->smax, (s64)(t.value | (t.mask & ~(1ULL << 63))));
    reg->umin = max(reg->umin, t.value);
    reg->umax = min(reg->umax, t.value | t.mask);
    for (i = 0; i < 2; i++) {
        /* Numbers of one sign are in the same order, signed or not. */
        if (reg->smin >= 0 || reg->smax < 0) {
            reg->umin = max(reg->umin, (u64)reg->smin);
            reg->umax = min(reg->umax, (u64)reg->smax);
        }
        if ((s64)reg->umax >= 0 || (s64)reg->umin < 0) {
            reg->smin = max(reg->smin, (s64)reg->umin);
            reg->smax = min(reg->smax, (s64)reg->umax);
        }
    }
    if (reg->umin <= reg->umax)
        reg->var_off = tnum_intersect(t, tnum_range(reg->umin, reg->umax));
}

/* The description of the lowest size bytes, zero-extended. */
void coerce_to_size(struct bpf_reg_state *reg, int size)
{
    u64 all = size >= 8 ? U64_MAX : (1ULL << (size * 8)) - 1;

    if (size >= 8)
        return;
    reg->var_off = tnum_cast(reg->var_off, size);
    if ((reg->umin & ~all) == (reg->umax & ~all)) {
        reg->umin &= all;
        reg->umax &= all;
    } else {
        reg->umin = 0;
        reg->umax = all;
    }
    reg->smin = reg->umin;
    reg->smax = reg->umax;
    sync_bounds(reg);
}

static bool add_overflows(s64 a, s64 b)
{
    s64 sum;

    return __builtin_add_overflow(a, b, &sum);
}

static bool sub_overflows(s64 a, s64 b)
{
    s64 difference;

    return __builtin_sub_overflow(a, b, &difference);
}

void scalar_add(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (add_overflows(dst->smin, src->smin) || add_overflows(dst->smax, src->smax)) {
        dst->smin = S64_MIN;
        dst->smax = S64_MAX;
    } else {
        dst->smin += src->smin;
        dst->smax += src->smax;
    }
    if (dst->umin + src->umin < src->umin || dst->umax + src->umax < src->umax) {
        dst->umin = 0;
        dst->umax = U64_MAX;
    } else {
        dst->umin += src->umin;
        dst->umax += src->umax;
    }
    dst->var_off = tnum_add(dst->var_off, src->var_off);
}

void scalar_sub(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    if (sub_overflows(dst->smin, src->smax) || sub_overflows(dst->smax, src->smin)) {
        dst->smin = S64_MIN;
        dst->smax = S64_MAX;
    } else {
        dst->smin -= src->smax;
        dst->smax -= src->smin;
    }
    if (dst->umin < src->umax) {
        dst->umin = 0;
        dst->umax = U64_MAX;
    } else {
        dst->umin -= src->umax;
        dst->umax -= src->umin;
    }
    dst->var_off = tnum_sub(dst->var_off, src->var_off);
}

static void unbound(struct bpf_reg_state *dst)
{
    dst->smin = S64_MIN;
    dst->smax = S64_MAX;
    dst->umin = 0;
    dst->umax = U64_MAX;
}

static void scalar_mul(struct bpf_reg_state *dst, const struct bpf_reg_state *src)
{
    dst->var_off = tnum_mul(dst->var_off, src->var_off);
    if (dst->umax > U32_MAX || src->umax > U32_MAX) {
        unbound(dst);
        return;
    }
    dst->umin *= src->umin;
    dst->umax *= src->umax;
    dst->smin = S64_MIN;
    dst->smax = S64_MAX;
}

static void scalar_bitwise(struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op)
{
    u64 least = max(dst->umin, src->umin), greatest = min(dst->umax, src->umax);

    if (op == BPF_AND)
        dst->var_off = tnum_and(dst->var_off, src->var_off);
    else if (op == BPF_OR)
        dst->var_off = tnum_or(dst->var_off, src->var_off);
    else
        dst->var_off = tnum_xor(dst->var_off, src->var_off);
    unbound(dst);
    if (op == BPF_AND)
        dst->umax = greatest;
    else if (op == BPF_OR)
        dst->umin = least;
}

/* The shift is known, and less than the width. */
static void scalar_shift(struct bpf_reg_state *dst, u8 op, u8 shift, u8 bits)
{
    u64 umin = dst->umin, umax = dst->umax;
    s64 smin = dst->smin, smax = dst->smax;

    unbound(dst);
    if (op == BPF_LSH) {
        dst->var_off = tnum_lshift(dst->var_off, shift);
        if (!shift || umax <= U64_MAX >> shift) {
            dst->umin = umin << shift;
            dst->umax = umax << shift;
        }
    } else if (op == BPF_RSH) {
        dst->var_off = tnum_rshift(dst->var_off, shift);
        dst->umin = umin >> shift;
        dst->umax = umax >> shift;
    } else if (bits == 64) {
        dst->var_off = tnum_arshift(dst->var_off, shift, 64);
        dst->smin = smin >> shift;
        dst->smax = smax >> shift;
    } else {
        dst->var_off = tnum_arshift(dst->var_off, shift, 32);
    }
}

void adjust_scalar(struct bpf_reg_state *dst, struct bpf_reg_state src, u8 op, bool wide)
{
    u8 bits = wide ? 64 : 32;

    if (!wide) {
        coerce_to_size(dst, 4);
        coerce_to_size(&src, 4);
    }
    dst->id = 0;
    switch (op) {
    case BPF_ADD: scalar_add(dst, &src); break;
    case BPF_SUB: scalar_sub(dst, &src); break;
    case BPF_MUL: scalar_mul(dst, &src); break;
    case BPF_AND:
    case BPF_OR:
    case BPF_XOR: scalar_bitwise(dst, &src, op); break;
    case BPF_LSH:
    case BPF_RSH:
    case BPF_ARSH:
        if (tnum_is_const(src.var_off) && src.var_off.value < bits)
            scalar_shift(dst, op, src.var_off.value, bits);
        else
            mark_unknown(dst);
        break;
    default: mark_unknown(dst);
    }
    sync_bounds(dst);
    if (!wide)
        coerce_to_size(dst, 4);
}
