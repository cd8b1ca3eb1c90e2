/*
 * verifier_mem.c - loads and stores, and memory that is given to helpers: the stack, values of
 * maps, the context.
 *
 * All accesses are aligned, as some RISC-V have no others.
 */
#include "verifier.h"
#include <linux/errno.h>

static u32 bytes_of(u8 size)
{
    switch (size) {
    case BPF_B: return 1;
    case BPF_H: return 2;
    case BPF_W: return 4;
    default: return 8;
    }
}

static int check_alignment(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, s32 off,
                           u32 size)
{
    if (!(off & (s32)(size - 1)) && size <= 1ull << reg->zeros)
        return 0;
    return reject(env, -EACCES, "misaligned access off %d size %u", off, size);
}

/* ---- values of maps ---- */

static int check_value(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, s32 off,
                       u32 size, bool write)
{
    const struct bpf_map *map = reg->map;
    s64 first = (s64)off + (s64)reg->umin, last = (s64)off + (s64)reg->umax + size;

    if (first < 0 || last > map->value_size)
        return reject(env, -EACCES, "invalid access to map value, value_size=%u off=%lld size=%u",
                      map->value_size, (long long)(first < 0 ? first : last - size), size);
    if (map->map_flags & (write ? BPF_F_RDONLY_PROG : BPF_F_WRONLY_PROG))
        return reject(env, -EACCES, "%s into map forbidden", write ? "write" : "read");
    return 0;
}

/* ---- the stack ---- */

static struct bpf_stack_slot *slot_at(const struct bpf_verifier_env *env, s32 off)
{
    return &env->state->slots[(-off - 1) / 8];
}

static u8 bit_at(s32 off)
{
    return (u8)(1u << (off & 7));
}

static int check_stack(struct bpf_verifier_env *env, s32 off, u32 size)
{
    if (off < -MAX_BPF_STACK || off >= 0 || size > (u32)-off)
        return reject(env, -EACCES, "invalid stack access off=%d size=%u", off, size);
    if (env->prog->stack_depth < (u32)-off)
        env->prog->stack_depth = -off;
    return 0;
}

/* All bytes are numbers that were written. */
static int check_stack_read(struct bpf_verifier_env *env, s32 off, u32 size)
{
    const struct bpf_stack_slot *slot;
    s32 at;

    for (at = off; at < off + (s32)size; at++) {
        slot = slot_at(env, at);
        if (!(slot->written & bit_at(at)) || (slot->spilled && slot->reg.type != SCALAR_VALUE))
            return reject(env, -EACCES, "invalid read from stack off %d+%d size %u", off, at - off,
                          size);
    }
    return 0;
}

/* The bytes become unknown numbers. */
static void write_stack(struct bpf_verifier_env *env, s32 off, u32 size)
{
    s32 at;

    for (at = off; at < off + (s32)size; at++) {
        struct bpf_stack_slot *slot = slot_at(env, at);

        if (slot->spilled && slot->reg.type != SCALAR_VALUE)
            slot->written = 0; /* what is left of the pointer is not read */
        slot->spilled = false;
        slot->written |= bit_at(at);
    }
}

static void spill(struct bpf_verifier_env *env, s32 off, const struct bpf_reg_state *reg)
{
    struct bpf_stack_slot *slot = slot_at(env, off);

    slot->written = 0xff;
    slot->spilled = true;
    slot->reg = *reg;
}

/* ---- loads and stores ---- */

/* Memory that an instruction accesses by the register. */
static int check_access(struct bpf_verifier_env *env, u32 regno, s32 off, u32 size, bool write)
{
    const struct bpf_reg_state *reg = reg_of(env, regno);
    struct bpf_prog *prog = env->prog;
    int err = 0;

    if (reg->type == PTR_TO_STACK || reg->type == PTR_TO_MAP_VALUE || reg->type == PTR_TO_CTX)
        err = check_alignment(env, reg, reg->off + off, size);
    if (err)
        return err;
    switch (reg->type) {
    case PTR_TO_STACK: return check_stack(env, reg->off + off, size);
    case PTR_TO_MAP_VALUE: return check_value(env, reg, reg->off + off, size, write);
    case PTR_TO_CTX:
        if (!bpf_ctx_access_ok(prog->type, off, size, write))
            return reject(env, -EACCES, "invalid bpf_context access off=%d size=%u", off, size);
        prog->max_ctx_offset = max(prog->max_ctx_offset, off + size);
        return 0;
    default:
        return reject(env, -EACCES, "R%u invalid mem access '%s'", regno, reg_type_name(reg->type));
    }
}

int check_load(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    u32 size = bytes_of(BPF_SIZE(insn->code));
    struct bpf_reg_state *dst, value;
    const struct bpf_stack_slot *slot;
    s32 off;
    int err;

    if (BPF_MODE(insn->code) != BPF_MEM || insn->imm)
        return reject(env, -EINVAL, "BPF_LDX uses reserved fields");
    err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_write(env, insn->dst_reg);
    if (!err)
        err = check_access(env, insn->src_reg, insn->off, size, false);
    if (err)
        return err;
    mark_unknown(&value, size * 8);
    dst = reg_of(env, insn->src_reg);
    if (dst->type == PTR_TO_STACK) {
        off = dst->off + insn->off;
        slot = slot_at(env, off);
        if (size == 8 && slot->spilled)
            value = slot->reg;
        else
            err = check_stack_read(env, off, size);
    }
    *reg_of(env, insn->dst_reg) = value;
    return err;
}

static bool is_atomic_op(s32 op)
{
    switch (op) {
    case BPF_ADD:
    case BPF_AND:
    case BPF_OR:
    case BPF_XOR:
    case BPF_ADD | BPF_FETCH:
    case BPF_AND | BPF_FETCH:
    case BPF_OR | BPF_FETCH:
    case BPF_XOR | BPF_FETCH:
    case BPF_XCHG:
    case BPF_CMPXCHG: return true;
    default: return false;
    }
}

static int check_number(struct bpf_verifier_env *env, u32 regno)
{
    int err = check_reg_read(env, regno);

    if (!err && reg_of(env, regno)->type != SCALAR_VALUE)
        err = reject(env, -EACCES, "R%u leaks addr into mem", regno);
    return err;
}

static int check_atomic(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    u32 size = bytes_of(BPF_SIZE(insn->code));
    const struct bpf_reg_state *ptr;
    int err = check_reg_read(env, insn->dst_reg);

    if (!is_atomic_op(insn->imm) || size < 4)
        return reject(env, -EINVAL, "BPF_ATOMIC uses invalid atomic opcode %02x", (u8)insn->imm);
    if (!err)
        err = check_number(env, insn->src_reg);
    if (!err && insn->imm == BPF_CMPXCHG)
        err = check_number(env, BPF_REG_0);
    else if (!err && insn->imm & BPF_FETCH)
        err = check_reg_write(env, insn->src_reg);
    if (err)
        return err;
    ptr = reg_of(env, insn->dst_reg);
    err = check_access(env, insn->dst_reg, insn->off, size, true);
    if (!err)
        err = check_access(env, insn->dst_reg, insn->off, size, false);
    if (!err && ptr->type == PTR_TO_STACK) {
        err = check_stack_read(env, ptr->off + insn->off, size);
        write_stack(env, ptr->off + insn->off, size);
    }
    if (insn->imm == BPF_CMPXCHG)
        mark_unknown(reg_of(env, BPF_REG_0), size * 8);
    else if (insn->imm & BPF_FETCH)
        mark_unknown(reg_of(env, insn->src_reg), size * 8);
    return err;
}

int check_store(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    u32 size = bytes_of(BPF_SIZE(insn->code));
    bool by_reg = BPF_CLASS(insn->code) == BPF_STX;
    struct bpf_reg_state value;
    const struct bpf_reg_state *ptr;
    int err;

    if (by_reg && BPF_MODE(insn->code) == BPF_ATOMIC)
        return check_atomic(env, insn);
    if (BPF_MODE(insn->code) != BPF_MEM || (by_reg ? insn->imm != 0 : insn->src_reg != 0))
        return reject(env, -EINVAL, "BPF_ST%s uses reserved fields", by_reg ? "X" : "");
    err = check_reg_read(env, insn->dst_reg);
    if (!err && by_reg)
        err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_access(env, insn->dst_reg, insn->off, size, true);
    if (err)
        return err;
    mark_known(&value, insn->imm);
    if (by_reg)
        value = *reg_of(env, insn->src_reg);
    ptr = reg_of(env, insn->dst_reg);
    if (ptr->type == PTR_TO_STACK && size == 8)
        spill(env, ptr->off + insn->off, &value);
    else if (value.type != SCALAR_VALUE)
        return reject(env, -EACCES, "R%u leaks addr into mem", insn->src_reg);
    else if (ptr->type == PTR_TO_STACK)
        write_stack(env, ptr->off + insn->off, size);
    return 0;
}

int check_mem_arg(struct bpf_verifier_env *env, u32 regno, u32 size, bool fills, bool always)
{
    const struct bpf_reg_state *reg = reg_of(env, regno);
    int err;

    if (reg->type == PTR_TO_MAP_VALUE)
        return check_value(env, reg, reg->off, size, fills);
    if (reg->type != PTR_TO_STACK)
        return reject(env, -EACCES, "R%u type=%s expected=fp, map_value", regno,
                      reg_type_name(reg->type));
    err = check_stack(env, reg->off, size);
    if (!err && !(fills && always))
        err = check_stack_read(env, reg->off, size);
    if (!err && fills)
        write_stack(env, reg->off, size);
    return err;
}
