/* verifier_jmp.c - conditional jumps: whether both ways are possible, and what each tells. */
#include "verifier.h"
#include <linux/errno.h>

static u8 flip(u8 op)
{
    switch (op) {
    case BPF_JGT: return BPF_JLT;
    case BPF_JGE: return BPF_JLE;
    case BPF_JLT: return BPF_JGT;
    case BPF_JLE: return BPF_JGE;
    case BPF_JSGT: return BPF_JSLT;
    case BPF_JSGE: return BPF_JSLE;
    case BPF_JSLT: return BPF_JSGT;
    case BPF_JSLE: return BPF_JSGE;
    default: return op;
    }
}

static void copy_equal(struct bpf_reg_state *reg, const void *known)
{
    const struct bpf_reg_state *from = known;

    if (reg->type == SCALAR_VALUE && reg->id == from->id)
        *reg = *from;
}

static void spread_equal(struct bpf_verifier_state *state, const struct bpf_reg_state *reg)
{
    struct bpf_reg_state known = *reg;

    if (known.type == SCALAR_VALUE && known.id)
        for_each_reg(state, copy_equal, &known);
}

struct links {
    u32 id, count;
};

static void count_links(struct bpf_reg_state *reg, const void *arg)
{
    struct links *links = (struct links *)arg;

    links->count += reg->type == SCALAR_VALUE && reg->id == links->id;
}

/* Notes which registers are refined along with this operand of a condition. */
static void note_links(struct bpf_verifier_env *env, const struct bpf_reg_state *reg)
{
    struct bpf_history *h = last_history(env);
    struct links links = {.id = reg->id};
    u32 i;

    if (reg->type != SCALAR_VALUE || !reg->id)
        return;
    for_each_reg(env->cur, count_links, &links);
    for (i = 0; i < BPF_REG_FP; i++) {
        const struct bpf_reg_state *other = &cur_regs(env)[i];

        if (other->type == SCALAR_VALUE && other->id == reg->id) {
            h->linked |= reg_bit(i);
            links.count--;
        }
    }
    if (links.count)
        h->flags |= BPF_HISTORY_LINKED_FAR;
}

struct null_check {
    u32 id;
    bool null;
};

static void decide_null(struct bpf_reg_state *reg, const void *arg)
{
    const struct null_check *check = arg;

    if (!(reg->type & PTR_MAYBE_NULL) || reg->id != check->id)
        return;
    if (check->null) {
        mark_known(reg, 0);
        return;
    }
    reg->type &= ~PTR_MAYBE_NULL;
    reg->id = 0;
    /* What was found in a map of maps is a map. */
    if (reg->type == PTR_TO_MAP_VALUE && reg->map->inner_map_meta) {
        reg->type = CONST_PTR_TO_MAP;
        reg->map = reg->map->inner_map_meta;
    }
}

void release_ref(struct bpf_verifier_state *state, u32 id)
{
    u32 i;

    for (i = 0; i < state->nr_refs; i++)
        if (state->refs[i].id == id) {
            state->refs[i] = state->refs[--state->nr_refs];
            return;
        }
}

/* The pointer is compared with NULL; a record that was not reserved need not be released. */
static void mark_null(struct bpf_verifier_state *state, u32 regno, bool null)
{
    const struct bpf_reg_state *reg = &state->frame[state->curframe]->regs[regno];
    struct null_check check = {reg->id, null};

    if (null && reg->ref_obj_id)
        release_ref(state, reg->ref_obj_id);
    for_each_reg(state, decide_null, &check);
}

static bool is_not_null(const struct bpf_reg_state *reg)
{
    return is_pointer(reg) && !(reg->type & PTR_MAYBE_NULL);
}

/* The number of an operand, of which a condition of 32 bits compares the lower half. */
static bool known_operand(const struct bpf_reg_state *reg, bool wide, u64 *value)
{
    struct tnum t = wide ? reg->var_off : tnum_subreg(reg->var_off);

    *value = t.value;
    return reg->type == SCALAR_VALUE && tnum_is_const(t);
}

/* -1 unknown, else whether the condition holds. */
static int known_outcome(const struct bpf_reg_state *dst, const struct bpf_reg_state *src, u8 op,
                         bool wide)
{
    u64 value;

    if (dst->type == SCALAR_VALUE && known_operand(src, wide, &value))
        return branch_outcome(dst, value, op, wide);
    if (src->type == SCALAR_VALUE && known_operand(dst, wide, &value))
        return branch_outcome(src, value, flip(op), wide);
    if (is_not_null(dst) && is_null(src) && wide) {
        if (op == BPF_JEQ)
            return 0;
        if (op == BPF_JNE)
            return 1;
    }
    return -1;
}

static void refine_state(struct bpf_verifier_state *state, const struct bpf_insn *insn,
                         struct bpf_reg_state src, bool holds)
{
    struct bpf_reg_state *regs = state->frame[state->curframe]->regs;
    struct bpf_reg_state *dst = &regs[insn->dst_reg];
    bool wide = BPF_CLASS(insn->code) == BPF_JMP;
    u8 op = BPF_OP(insn->code);
    u64 value;

    if (dst->type & PTR_MAYBE_NULL && is_null(&src) && wide && (op == BPF_JEQ || op == BPF_JNE)) {
        mark_null(state, insn->dst_reg, (op == BPF_JEQ) == holds);
        return;
    }
    if (dst->type != SCALAR_VALUE || src.type != SCALAR_VALUE)
        return;
    if (known_operand(&src, wide, &value)) {
        refine_scalar(dst, value, op, wide, holds);
    } else if (known_operand(dst, wide, &value)) {
        refine_scalar(&regs[insn->src_reg], value, flip(op), wide, holds);
        spread_equal(state, &regs[insn->src_reg]);
    } else if (wide && insn->dst_reg != insn->src_reg && op == (holds ? BPF_JEQ : BPF_JNE)) {
        refine_equal(dst, &regs[insn->src_reg]);
        spread_equal(state, &regs[insn->src_reg]);
    }
    spread_equal(state, dst);
}

/* Returns 1 if only the jump is possible, 0 to go on with the next instruction, or an error. */
int check_cond_jump(struct bpf_verifier_env *env, const struct bpf_insn *insn)
{
    struct bpf_reg_state *dst, src;
    struct bpf_verifier_state *other;
    bool wide = BPF_CLASS(insn->code) == BPF_JMP;
    int err, outcome;

    if (BPF_SRC(insn->code) == BPF_X ? insn->imm : insn->src_reg) {
        verbose(env, wide ? "BPF_JMP uses reserved fields\n" : "BPF_JMP32 uses reserved fields\n");
        return -EINVAL;
    }
    if (BPF_SRC(insn->code) == BPF_X) {
        err = check_reg_read(env, insn->src_reg);
        if (err)
            return err;
    }
    err = check_reg_read(env, insn->dst_reg);
    if (err)
        return err;
    if (BPF_SRC(insn->code) == BPF_X)
        src = cur_regs(env)[insn->src_reg];
    else
        mark_known(&src, (s64)insn->imm);
    dst = &cur_regs(env)[insn->dst_reg];
    outcome = known_outcome(dst, &src, BPF_OP(insn->code), wide);
    if (outcome >= 0) {
        mark_chain_precise(env, insn->dst_reg);
        if (BPF_SRC(insn->code) == BPF_X)
            mark_chain_precise(env, insn->src_reg);
        if (log_has(env, 3))
            log_changes(env);
        return outcome;
    }
    note_links(env, dst);
    if (BPF_SRC(insn->code) == BPF_X)
        note_links(env, &cur_regs(env)[insn->src_reg]);
    err = push_pending(env, env->insn_idx + insn->off + 1, &other);
    if (err)
        return err;
    refine_state(other, insn, src, true);
    refine_state(env->cur, insn, src, false);
    if (log_has(env, 3))
        log_changes(env);
    return 0;
}
