/*
 * verifier_mem.c - loads and stores of a program: the stack, values of maps, records, the context.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/string.h>

static struct bpf_func_state *func_of(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
    return env->cur->frame[reg->frameno];
}

/* ---- the stack ---- */

static u8 *slot_byte(struct bpf_func_state *func, int off)
{
    u32 byte = -off - 1;

    return byte / 8 < func->nr_slots ? &func->stack[byte / 8].slot_type[byte % 8] : NULL;
}

/* A slot that held a register holds bytes of which nothing is known. */
static void scrub_slot(struct bpf_stack_state *slot)
{
    int i;

    if (slot->slot_type[0] == STACK_SPILL)
        for (i = 0; i < 8; i++)
            slot->slot_type[i] = STACK_MISC;
    mark_not_init(&slot->spilled);
}

static int stack_write_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off,
                             int size, const struct bpf_reg_state *value)
{
    u32 spi = (u32)(-off - 1) / 8;
    struct bpf_stack_state *slot;
    bool zero = value && is_null(value);
    int i, err = grow_stack(func, spi + 1);

    if (err)
        return err;
    slot = &func->stack[spi];
    if (value && size == 8 && off % 8 == 0 && value->type != NOT_INIT) {
        if (value->type == PTR_TO_STACK && func != cur_func(env)) {
            verbose(env, "cannot spill pointers to stack into stack frame of the caller\n");
            return -EINVAL;
        }
        slot->spilled = *value;
        for (i = 0; i < 8; i++)
            slot->slot_type[i] = STACK_SPILL;
        return 0;
    }
    if (value && is_pointer(value)) {
        verbose(env, "invalid size of register spill\n");
        return -EACCES;
    }
    scrub_slot(slot);
    for (i = 0; i < size; i++)
        *slot_byte(func, off + i) = zero ? STACK_ZERO : STACK_MISC;
    return 0;
}

/* A store somewhere within [min, max). */
static int stack_write_var(struct bpf_func_state *func, int min_off, int max_off)
{
    int i, err = grow_stack(func, (u32)(-min_off - 1) / 8 + 1);

    if (err)
        return err;
    for (i = min_off; i < max_off; i++) {
        struct bpf_stack_state *slot = &func->stack[(u32)(-i - 1) / 8];

        scrub_slot(slot);
        *slot_byte(func, i) = STACK_MISC;
    }
    return 0;
}

static int bad_stack_read(struct bpf_verifier_env *env, int off, int at, int size)
{
    verbose(env, "invalid read from stack off %d+%d size %d\n", off, at, size);
    return -EACCES;
}

/* A load of size bytes at off into *dst (NULL: an atomic operation that needs no value). */
static int stack_read_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off,
                            int size, struct bpf_reg_state *dst)
{
    u32 spi = (u32)(-off - 1) / 8;
    struct bpf_stack_state *slot = spi < func->nr_slots ? &func->stack[spi] : NULL;
    bool zero = true;
    int i;

    if (slot && slot->slot_type[0] == STACK_SPILL) {
        if (size == 8 && off % 8 == 0) {
            if (dst)
                *dst = slot->spilled;
            return 0;
        }
        if (slot->spilled.type != SCALAR_VALUE) {
            verbose(env, "invalid size of register fill\n");
            return -EACCES;
        }
        if (dst)
            mark_unknown(dst);
        if (dst && off % 8 == 0 && is_const(&slot->spilled))
            mark_known(dst, tnum_cast(slot->spilled.var_off, size).value);
        return 0;
    }
    for (i = 0; i < size; i++) {
        const u8 *type = slot_byte(func, off + i);

        if (!type || *type == STACK_INVALID)
            return bad_stack_read(env, off, i, size);
        zero &= *type == STACK_ZERO;
    }
    if (dst && zero)
        mark_known(dst, 0);
    else if (dst)
        mark_unknown(dst);
    return 0;
}

static int stack_range(struct bpf_verifier_env *env, int regno, const struct bpf_reg_state *reg,
                       int off, int size, const char *what, int *min_off, int *max_off)
{
    s64 lo, hi;

    if (tnum_is_const(reg->var_off)) {
        lo = hi = (s64)reg->var_off.value + reg->off + off;
    } else {
        if (reg->smax >= BPF_MAX_VAR_OFF || reg->smin <= -BPF_MAX_VAR_OFF) {
            verbose(env, "invalid unbounded variable-offset%s stack R%d\n", what, regno);
            return -EACCES;
        }
        lo = reg->smin + reg->off + off;
        hi = reg->smax + reg->off + off;
    }
    if (lo >= -MAX_BPF_STACK && hi + (size ? size : 1) - 1 < 0 && lo < 0) {
        *min_off = lo;
        *max_off = hi + size;
        return 0;
    }
    if (tnum_is_const(reg->var_off))
        verbose(env, "invalid%s stack R%d off=%lld size=%d\n", what, regno, lo, size);
    else
        verbose(env, "invalid variable-offset%s stack R%d var_off=(0x%llx; 0x%llx) size=%d\n", what,
                regno, reg->var_off.value, reg->var_off.mask, size);
    return -EACCES;
}

static void note_stack_depth(struct bpf_verifier_env *env, struct bpf_func_state *func, int off)
{
    struct bpf_subprog_info *subprog = &env->subprog[func->subprogno];

    if (subprog->stack_depth < -off)
        subprog->stack_depth = -off;
}

/* For a helper: bytes [reg, reg + size), which it fills (uninit), or reads and may write. */
int check_stack_arg(struct bpf_verifier_env *env, int regno, struct bpf_reg_state *reg, int size,
                    bool zero_ok, bool uninit)
{
    struct bpf_func_state *func = func_of(env, reg);
    bool fixed = tnum_is_const(reg->var_off);
    int min_off, max_off, i, err;

    if (!size && !zero_ok) {
        verbose(env, "invalid zero-sized read\n");
        return -EACCES;
    }
    err = stack_range(env, regno, reg, 0, size, " indirect access to", &min_off, &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (uninit && fixed)
        return stack_write_var(func, min_off, max_off);
    for (i = min_off; i < max_off; i++) {
        u8 *type = slot_byte(func, i);

        if (!type || *type == STACK_INVALID) {
            if (fixed)
                verbose(env, "invalid indirect read from stack R%d off %d+%d size %d\n", regno,
                        min_off, i - min_off, size);
            else
                verbose(env,
                        "invalid indirect read from stack R%d var_off (0x%llx; 0x%llx)+%d size "
                        "%d\n",
                        regno, reg->var_off.value, reg->var_off.mask, i - min_off, size);
            return -EACCES;
        }
    }
    /* The helper may write what it reads. */
    return max_off > min_off ? stack_write_var(func, min_off, max_off) : 0;
}

/* ---- memory ---- */

/* Bytes [off, off + size) of an object of mem_size bytes. */
static int check_region(struct bpf_verifier_env *env, int regno, const struct bpf_reg_state *reg,
                        s64 off, int size, u32 mem_size, bool zero_ok)
{
    bool size_ok = size > 0 || (!size && zero_ok);

    if (off >= 0 && size_ok && (u64)off + size <= mem_size)
        return 0;
    if (reg->type == PTR_TO_MAP_VALUE)
        verbose(env, "invalid access to map value, value_size=%d off=%lld size=%d\n", (int)mem_size,
                off, size);
    else
        verbose(env, "invalid access to memory, mem_size=%u off=%lld size=%d\n", mem_size, off,
                size);
    (void)regno;
    return -EACCES;
}

int check_region_access(struct bpf_verifier_env *env, int regno, const struct bpf_reg_state *reg,
                        int off, int size, u32 mem_size, bool zero_ok)
{
    int err;

    off += reg->off;
    if (reg->smin < 0 && (reg->smin == S64_MIN || off + reg->smin != (s64)(s32)(off + reg->smin) ||
                          reg->smin + off < 0)) {
        verbose(env,
                "R%d min value is negative, either use unsigned index or do a if (index >=0) "
                "check.\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->smin + off, size, mem_size, zero_ok);
    if (err) {
        verbose(env, "R%d min value is outside of the allowed memory range\n", regno);
        return err;
    }
    if (reg->umax >= BPF_MAX_VAR_OFF) {
        verbose(env, "R%d unbounded memory access, make sure to bounds check any such access\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->umax + off, size, mem_size, zero_ok);
    if (err)
        verbose(env, "R%d max value is outside of the allowed memory range\n", regno);
    return err;
}

int check_map_flags(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
                    int size, bool write)
{
    u32 flags = reg->map->map_flags;

    if (write ? flags & BPF_F_RDONLY_PROG : flags & BPF_F_WRONLY_PROG) {
        verbose(env, "%s map forbidden, value_size=%d off=%d size=%d\n",
                write ? "write into" : "read from", (int)reg->map->value_size, off, size);
        return -EACCES;
    }
    return 0;
}

/* A pointer that must be exactly the one that the program was given. */
int check_exact_pointer(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int regno)
{
    if (reg->off < 0) {
        verbose(env, "negative offset %s ptr R%d off=%d disallowed\n", reg_type_name(reg->type),
                regno, reg->off);
        return -EACCES;
    }
    if (reg->off) {
        verbose(env, "dereference of modified %s ptr R%d off=%d disallowed\n",
                reg_type_name(reg->type), regno, reg->off);
        return -EACCES;
    }
    if (!tnum_equals_const(reg->var_off, 0)) {
        verbose(env, "variable %s access var_off=(0x%llx; 0x%llx) disallowed\n",
                reg_type_name(reg->type), reg->var_off.value, reg->var_off.mask);
        return -EACCES;
    }
    return 0;
}

static int check_alignment(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
                           int size)
{
    bool stack = reg->type == PTR_TO_STACK;
    s64 at = (s64)reg->off + off;

    if (!stack && !env->strict)
        return 0;
    if (size == 1 || tnum_is_aligned(tnum_add(reg->var_off, tnum_const(at)), size))
        return 0;
    verbose(env, "misaligned %saccess off (0x%llx; 0x%llx)+%d+%d size %d\n",
            stack                           ? "stack "
            : reg->type == PTR_TO_MAP_VALUE ? "value "
            : reg->type == PTR_TO_CTX       ? "context "
                                            : "",
            reg->var_off.value, reg->var_off.mask, reg->off, off, size);
    return -EACCES;
}

static int check_ctx_access(struct bpf_verifier_env *env, int regno,
                            const struct bpf_reg_state *reg, int off, int size, bool write)
{
    int err = check_exact_pointer(env, reg, regno);

    if (err)
        return err;
    if (!bpf_ctx_access_ok(env->prog->type, off, size, write)) {
        verbose(env, "invalid bpf_context access off=%d size=%d\n", off, size);
        return -EACCES;
    }
    if (env->prog->max_ctx_offset < (u32)(off + size))
        env->prog->max_ctx_offset = off + size;
    return 0;
}

static int check_stack_access(struct bpf_verifier_env *env, int regno,
                              const struct bpf_reg_state *reg, int off, int size, bool write,
                              const struct bpf_reg_state *value, struct bpf_reg_state *dst)
{
    struct bpf_func_state *func = func_of(env, reg);
    int min_off, max_off, i, err;

    err = stack_range(env, regno, reg, off, size, write ? " write to" : " read from", &min_off,
                      &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (tnum_is_const(reg->var_off))
        return write ? stack_write_fixed(env, func, min_off, size, value)
                     : stack_read_fixed(env, func, min_off, size, dst);
    if (write)
        return stack_write_var(func, min_off, max_off);
    for (i = min_off; i < max_off; i++) {
        const u8 *type = slot_byte(func, i);

        if (!type || *type == STACK_INVALID) {
            verbose(env, "invalid read from stack R%d var_off (0x%llx; 0x%llx)+%d size %d\n", regno,
                    reg->var_off.value, reg->var_off.mask, i - min_off, size);
            return -EACCES;
        }
    }
    if (dst)
        mark_unknown(dst);
    return 0;
}

/* A load from a value that never changes gives a known number. */
static bool read_const_value(const struct bpf_reg_state *reg, int off, int size,
                             struct bpf_reg_state *dst)
{
    u64 addr, value = 0;
    int at = reg->off + off + (int)reg->var_off.value;

    if (!bpf_map_is_rdonly(reg->map) || !tnum_is_const(reg->var_off) ||
        !reg->map->ops->direct_value_addr || reg->map->ops->direct_value_addr(reg->map, &addr, at))
        return false;
    memcpy(&value, (const void *)(unsigned long)(addr + at), size);
    mark_known(dst, value);
    return true;
}

/*
 * A load or store through a register. value: what is stored, NULL: a number. dst: where a load
 * puts its description, NULL: nowhere.
 */
static int check_mem_access(struct bpf_verifier_env *env, int regno, int off, int bpf_size,
                            bool write, const struct bpf_reg_state *value,
                            struct bpf_reg_state *dst)
{
    static const int sizes[] = {4, 2, 1, 8};
    struct bpf_reg_state ptr = cur_regs(env)[regno], *reg = &ptr;
    int size = sizes[bpf_size >> 3], err;

    err = check_alignment(env, reg, off, size);
    if (err)
        return err;
    switch (reg->type) {
    case PTR_TO_MAP_VALUE:
        err = check_map_flags(env, reg, reg->off + off, size, write);
        if (!err)
            err = check_region_access(env, regno, reg, off, size, reg->map->value_size, false);
        if (!err && dst && !read_const_value(reg, off, size, dst))
            mark_unknown(dst);
        break;
    case PTR_TO_MEM:
        err = check_region_access(env, regno, reg, off, size, reg->mem_size, false);
        if (!err && dst)
            mark_unknown(dst);
        break;
    case PTR_TO_CTX:
        err = check_ctx_access(env, regno, reg, off, size, write);
        if (!err && dst)
            mark_unknown(dst);
        break;
    case PTR_TO_STACK:
        err = check_stack_access(env, regno, reg, off, size, write, value, dst);
        break;
    default:
        verbose(env, "R%d invalid mem access '%s'\n", regno, reg_type_name(reg->type));
        return -EACCES;
    }
    if (!err && dst && size < 8 && dst->type == SCALAR_VALUE)
        coerce_to_size(dst, size);
    return err;
}

/* The same instruction must always access the same kind of memory. */
static int check_mem_kind(struct bpf_verifier_env *env, int regno)
{
    struct bpf_insn_aux_data *aux = &env->aux[env->insn_idx];
    u8 kind = cur_regs(env)[regno].type & 0xff;
    bool special = kind == PTR_TO_CTX;

    if (!aux->mem_kind)
        aux->mem_kind = kind;
    if (aux->mem_kind != kind && (special || aux->mem_kind == PTR_TO_CTX)) {
        verbose(env, "same insn cannot be used with different pointers\n");
        return -EINVAL;
    }
    return 0;
}

int check_load(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state value;
    int err = check_reg_read(env, insn->src_reg);

    if (!err)
        err = check_reg_write(env, insn->dst_reg);
    if (!err)
        err = check_mem_access(env, insn->src_reg, insn->off, BPF_SIZE(insn->code), false, NULL,
                               &value);
    if (!err)
        err = check_mem_kind(env, insn->src_reg);
    if (!err)
        cur_regs(env)[insn->dst_reg] = value;
    return err;
}

static int check_atomic(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *regs = cur_regs(env), value, fetched;
    int size = BPF_SIZE(insn->code), load = -1, err;
    s32 op = insn->imm & ~BPF_FETCH;

    if (!(insn->imm == BPF_XCHG || insn->imm == BPF_CMPXCHG || op == BPF_ADD || op == BPF_AND ||
          op == BPF_OR || op == BPF_XOR)) {
        verbose(env, "BPF_ATOMIC uses invalid atomic opcode %02x\n", insn->imm);
        return -EINVAL;
    }
    if (size != BPF_W && size != BPF_DW) {
        verbose(env, "invalid atomic operand size\n");
        return -EINVAL;
    }
    err = check_reg_read(env, insn->src_reg);
    if (!err)
        err = check_reg_read(env, insn->dst_reg);
    if (!err && insn->imm == BPF_CMPXCHG)
        err = check_reg_read(env, BPF_REG_0);
    if (err)
        return err;
    if (regs[insn->dst_reg].type == PTR_TO_CTX) {
        verbose(env, "BPF_ATOMIC stores into R%d %s is not allowed\n", insn->dst_reg,
                reg_type_name(regs[insn->dst_reg].type));
        return -EACCES;
    }
    if (insn->imm & BPF_FETCH) {
        load = insn->imm == BPF_CMPXCHG ? BPF_REG_0 : insn->src_reg;
        err = check_reg_write(env, load);
        if (err)
            return err;
    }
    mark_unknown(&value);
    err = check_mem_access(env, insn->dst_reg, insn->off, size, false, NULL, &fetched);
    if (!err)
        err = check_mem_access(env, insn->dst_reg, insn->off, size, true, &value, NULL);
    if (err || load < 0)
        return err;
    mark_unknown(&fetched);
    if (size == BPF_W)
        coerce_to_size(&fetched, 4);
    regs[load] = fetched;
    return 0;
}

int check_store(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state value;
    int err;

    if (BPF_CLASS(insn->code) == BPF_ST) {
        if (BPF_MODE(insn->code) != BPF_MEM || insn->src_reg) {
            verbose(env, "BPF_ST uses reserved fields\n");
            return -EINVAL;
        }
        mark_known(&value, (s64)insn->imm);
    } else {
        if (BPF_MODE(insn->code) == BPF_ATOMIC)
            return check_atomic(env, insn);
        if (BPF_MODE(insn->code) != BPF_MEM || insn->imm) {
            verbose(env, "BPF_STX uses reserved fields\n");
            return -EINVAL;
        }
        err = check_reg_read(env, insn->src_reg);
        if (err)
            return err;
        value = cur_regs(env)[insn->src_reg];
        /* The bytes that are stored do not share the register's later refinements. */
        if (value.type == SCALAR_VALUE)
            value.id = 0;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_CLASS(insn->code) == BPF_ST && cur_regs(env)[insn->dst_reg].type == PTR_TO_CTX) {
        verbose(env, "BPF_ST stores into R%d %s is not allowed\n", insn->dst_reg,
                reg_type_name(PTR_TO_CTX));
        return -EACCES;
    }
    err = check_mem_access(env, insn->dst_reg, insn->off, BPF_SIZE(insn->code), true, &value, NULL);
    return err ? err : check_mem_kind(env, insn->dst_reg);
}
