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

/* The bytes of a slot that is written are not those of a register any more. */
static void scrub_slot(struct bpf_stack_state *slot)
{
    int i;

    if (bpf_is_spilled(slot))
        for (i = 0; i < 8; i++)
            if (slot->slot_type[i] != STACK_INVALID)
                slot->slot_type[i] = STACK_MISC;
    mark_not_init(&slot->spilled);
}

/* The present instruction spills a register there, or fills it. */
static void note_slot(struct bpf_verifier_env *env, const struct bpf_func_state *func, u32 spi)
{
    struct bpf_history *h = last_history(env);

    h->flags |= BPF_HISTORY_SLOT;
    h->slot_frame = func->frameno;
    h->slot = spi;
}

static int spill(struct bpf_verifier_env *env, struct bpf_func_state *func, u32 spi, int size,
                 const struct bpf_reg_state *value)
{
    struct bpf_stack_state *slot = &func->stack[spi];
    int i;

    if (is_pointer(value) && size != 8) {
        verbose(env, "invalid size of register spill\n");
        return -EACCES;
    }
    if (value->type == PTR_TO_STACK && func != cur_func(env)) {
        verbose(env, "cannot spill pointers to stack into stack frame of the caller\n");
        return -EINVAL;
    }
    note_slot(env, func, spi);
    for (i = 0; i < 8; i++)
        if (i >= 8 - size)
            slot->slot_type[i] = STACK_SPILL;
        else if (slot->slot_type[i] != STACK_INVALID)
            slot->slot_type[i] = STACK_MISC;
    slot->spilled = *value;
    if (size < 8) {
        if (value->wide.umax >> (size * 8)) /* it is not equal to the register */
            slot->spilled.id = 0;
        coerce_to_size(&slot->spilled, size);
    }
    return 0;
}

/* NULL: a number of which nothing is known. */
static bool is_spillable(const struct bpf_reg_state *value, int off, int size)
{
    if (!value || value->type == NOT_INIT)
        return false;
    if (is_pointer(value))
        return size < 8 || off % 8 == 0;
    return off % 8 == 0 && !is_null(value) && !is_unbounded(value);
}

static int stack_write_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off,
                             int size, const struct bpf_reg_state *value)
{
    u32 spi = (u32)(-off - 1) / 8;
    bool zero = value && is_null(value);
    int i, err = grow_stack(func, spi + 1);

    if (err)
        return err;
    env->changed_slots |= 1ULL << spi;
    if (size == 8)
        func->slots_written |= 1ULL << spi;
    if (is_spillable(value, off, size))
        return spill(env, func, spi, size, value);
    scrub_slot(&func->stack[spi]);
    for (i = 0; i < size; i++)
        *slot_byte(func, off + i) = zero ? STACK_ZERO : STACK_MISC;
    return 0;
}

/* A store somewhere within [min, max). zero: what was zero stays so. */
static int stack_write_var(struct bpf_func_state *func, int min_off, int max_off, bool zero)
{
    int i, err = grow_stack(func, (u32)(-min_off - 1) / 8 + 1);

    if (err)
        return err;
    for (i = min_off; i < max_off; i++) {
        u32 spi = (u32)(-i - 1) / 8;

        scrub_slot(&func->stack[spi]);
        if (!zero || *slot_byte(func, i) != STACK_ZERO)
            *slot_byte(func, i) = STACK_MISC;
    }
    return 0;
}

/* For the log. */
static void note_slots_changed(struct bpf_verifier_env *env, int min_off, int max_off)
{
    int spi;

    for (spi = (-max_off) / 8; min_off < max_off && spi <= (-min_off - 1) / 8; spi++)
        env->changed_slots |= 1ULL << spi;
}

static void mark_slots_read(struct bpf_verifier_env *env, const struct bpf_func_state *func,
                            int min_off, int max_off)
{
    int spi;

    for (spi = (-max_off) / 8; min_off < max_off && spi <= (-min_off - 1) / 8; spi++)
        mark_slot_read(env, func->frameno, spi);
}

static int bad_stack_read(struct bpf_verifier_env *env, int off, int at, int size)
{
    verbose(env, "invalid read from stack off %d+%d size %d\n", off, at, size);
    return -EACCES;
}

/* How many bytes of the register are in the slot. */
static int spill_size(const struct bpf_stack_state *slot)
{
    int i = 8;

    while (i && slot->slot_type[i - 1] == STACK_SPILL)
        i--;
    return 8 - i;
}

static int fill(struct bpf_verifier_env *env, struct bpf_func_state *func, int off, int size,
                struct bpf_reg_state *dst)
{
    u32 spi = (u32)(-off - 1) / 8;
    const struct bpf_stack_state *slot = &func->stack[spi];
    bool aligned = off % 8 == 0;

    if (slot->spilled.type != SCALAR_VALUE && size != 8) {
        verbose(env, "invalid size of register fill\n");
        return -EACCES;
    }
    if (aligned && size == spill_size(slot)) {
        note_slot(env, func, spi);
        if (dst)
            *dst = slot->spilled;
        return 0;
    }
    if (dst)
        mark_unknown(dst);
    if (dst && aligned && size < spill_size(slot) && is_const(&slot->spilled)) {
        note_slot(env, func, spi);
        mark_known(dst, tnum_cast(slot->spilled.var_off, size).value);
    }
    return 0;
}

/*
 * The first byte that is not in a slot of which a part has been set, or -1; *zero: all are 0. The
 * other parts of such a slot may be read: what they tell of the kernel is no secret for a
 * privileged user.
 */
static int stack_bytes_set(struct bpf_func_state *func, int min_off, int max_off, bool *zero)
{
    int i;

    *zero = true;
    for (i = min_off; i < max_off; i++) {
        const u8 *type = slot_byte(func, i);

        if (!type)
            return i - min_off;
        *zero &= *type == STACK_ZERO;
    }
    return -1;
}

/* A load of size bytes at off into *dst (NULL: an atomic operation that needs no value). */
static int stack_read_fixed(struct bpf_verifier_env *env, struct bpf_func_state *func, int off,
                            int size, struct bpf_reg_state *dst)
{
    u32 spi = (u32)(-off - 1) / 8;
    bool zero;
    int unset;

    mark_slot_read(env, func->frameno, spi);
    if (spi < func->nr_slots && bpf_is_spilled(&func->stack[spi]))
        return fill(env, func, off, size, dst);
    unset = stack_bytes_set(func, off, off + size, &zero);
    if (unset >= 0)
        return bad_stack_read(env, off, unset, size);
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
        if (reg->wide.smax >= BPF_MAX_VAR_OFF || reg->wide.smin <= -BPF_MAX_VAR_OFF) {
            verbose(env, "invalid unbounded variable-offset%s stack R%d\n", what, regno);
            return -EACCES;
        }
        lo = reg->wide.smin + reg->off + off;
        hi = reg->wide.smax + reg->off + off;
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
    bool fixed = tnum_is_const(reg->var_off), zero;
    int min_off, max_off, i, err;

    if (!size && !zero_ok) {
        verbose(env, "invalid zero-sized read\n");
        return -EACCES;
    }
    err = stack_range(env, regno, reg, 0, size, " indirect access to", &min_off, &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (uninit && fixed) {
        note_slots_changed(env, min_off, max_off);
        for (i = (-max_off + 7) / 8; (i + 1) * 8 <= -min_off; i++)
            func->slots_written |= 1ULL << i;
        return stack_write_var(func, min_off, max_off, false);
    }
    mark_slots_read(env, func, min_off, max_off);
    i = stack_bytes_set(func, min_off, max_off, &zero);
    if (i >= 0 && fixed)
        verbose(env, "invalid indirect read from stack R%d off %d+%d size %d\n", regno, min_off, i,
                size);
    else if (i >= 0)
        verbose(env, "invalid indirect read from stack R%d var_off (0x%llx; 0x%llx)+%d size %d\n",
                regno, reg->var_off.value, reg->var_off.mask, i, size);
    if (i >= 0)
        return -EACCES;
    /* The helper may write what it reads. */
    return max_off > min_off ? stack_write_var(func, min_off, max_off, false) : 0;
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
    if (reg->wide.smin < 0 &&
        (reg->wide.smin == S64_MIN || off + reg->wide.smin != (s64)(s32)(off + reg->wide.smin) ||
         reg->wide.smin + off < 0)) {
        verbose(env,
                "R%d min value is negative, either use unsigned index or do a if (index >=0) "
                "check.\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->wide.smin + off, size, mem_size, zero_ok);
    if (err) {
        verbose(env, "R%d min value is outside of the allowed memory range\n", regno);
        return err;
    }
    if (reg->wide.umax >= BPF_MAX_VAR_OFF) {
        verbose(env, "R%d unbounded memory access, make sure to bounds check any such access\n",
                regno);
        return -EACCES;
    }
    err = check_region(env, regno, reg, reg->wide.umax + off, size, mem_size, zero_ok);
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

/* The stack is always strict. */
static int check_alignment(struct bpf_verifier_env *env, const struct bpf_reg_state *reg, int off,
                           int size, bool strict)
{
    bool stack = reg->type == PTR_TO_STACK;
    s64 at = (s64)reg->off + off;

    if (!stack && !strict)
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
    int min_off, max_off, unset, err;
    bool zero;

    err = stack_range(env, regno, reg, off, size, write ? " write to" : " read from", &min_off,
                      &max_off);
    if (err)
        return err;
    note_stack_depth(env, func, min_off);
    if (tnum_is_const(reg->var_off))
        return write ? stack_write_fixed(env, func, min_off, size, value)
                     : stack_read_fixed(env, func, min_off, size, dst);
    if (write)
        note_slots_changed(env, min_off, max_off);
    if (write)
        return stack_write_var(func, min_off, max_off, value && is_null(value));
    mark_slots_read(env, func, min_off, max_off);
    unset = stack_bytes_set(func, min_off, max_off, &zero);
    if (unset >= 0) {
        verbose(env, "invalid read from stack R%d var_off (0x%llx; 0x%llx)+%d size %d\n", regno,
                reg->var_off.value, reg->var_off.mask, unset, size);
        return -EACCES;
    }
    if (dst && zero)
        mark_known(dst, 0);
    else if (dst)
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

    err = check_alignment(env, reg, off, size, env->strict);
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
    /* Also with BPF_F_ANY_ALIGNMENT: RISC-V has no misaligned atomics. */
    err = check_alignment(env, &regs[insn->dst_reg], insn->off, size == BPF_W ? 4 : 8, true);
    if (!err)
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
    if (!err)
        err = check_mem_kind(env, insn->dst_reg);
    /* Zeros on the stack are known without a spilled register, to which they could be followed. */
    if (!err && BPF_CLASS(insn->code) == BPF_STX && is_null(&value) &&
        cur_regs(env)[insn->dst_reg].type == PTR_TO_STACK)
        mark_chain_precise(env, insn->src_reg);
    return err;
}
