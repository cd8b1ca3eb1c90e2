/*
 * verifier_precision.c - which numbers mattered.
 *
 * What was found out about a state holds for another one whose numbers are different, unless the
 * bounds of a number decided something: the way at a condition, an address, a size. When they do,
 * the instructions are followed back to where the number came from, and the registers and spilled
 * registers on which it depends are marked in each stored state on the way. States are compared
 * (verifier_prune.c) when all ways from the stored one are verified, so by its final marks. In the
 * present state there are no marks: nothing is compared with it.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Registers and slots, of each frame, whose origin is sought. */
struct sought {
    u16 regs[MAX_CALL_FRAMES];
    u64 slots[MAX_CALL_FRAMES];
};

static bool nothing_left(const struct sought *s)
{
    int i;

    for (i = 0; i < MAX_CALL_FRAMES; i++)
        if (s->regs[i] || s->slots[i])
            return false;
    return true;
}

int note_history(struct bpf_verifier_env *env)
{
    struct bpf_verifier_state *cur = env->cur;
    u32 room = cur->max_history ? cur->max_history * 2 : 16;
    struct bpf_history *grown;

    if (cur->nr_history == cur->max_history) {
        grown = kmalloc(room * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        if (cur->nr_history)
            memcpy(grown, cur->history, cur->nr_history * sizeof(*grown));
        kfree(cur->history);
        cur->history = grown;
        cur->max_history = room;
    }
    cur->history[cur->nr_history++] =
        (struct bpf_history){.insn_idx = env->insn_idx, .frame = cur->curframe};
    return 0;
}

struct bpf_history *last_history(struct bpf_verifier_env *env)
{
    return &env->cur->history[env->cur->nr_history - 1];
}

/* All numbers in the states before st: where these came from is not followed. */
static void mark_all_precise(struct bpf_verifier_state *st)
{
    u32 f, i;

    while ((st = st->parent)) {
        for (f = 0; f <= st->curframe; f++) {
            struct bpf_func_state *func = st->frame[f];

            for (i = 0; i < BPF_REG_FP; i++)
                func->regs[i].precise = func->regs[i].type == SCALAR_VALUE;
            for (i = 0; i < func->nr_slots; i++)
                func->stack[i].spilled.precise =
                    bpf_is_spilled(&func->stack[i]) && func->stack[i].spilled.type == SCALAR_VALUE;
        }
    }
}

/* The registers that an instruction sets come from what it reads. */
static void back_over_alu(const struct bpf_insn *insn, u16 *regs)
{
    u16 dst = reg_bit(insn->dst_reg);
    u8 op = BPF_OP(insn->code);

    if (!(*regs & dst))
        return;
    if (op == BPF_MOV)
        *regs &= ~dst;
    if (op != BPF_END && op != BPF_NEG && BPF_SRC(insn->code) == BPF_X)
        *regs |= reg_bit(insn->src_reg);
}

static void back_over_call(const struct bpf_insn *insn, u32 frame, struct sought *s)
{
    if (insn->src_reg == BPF_PSEUDO_CALL) { /* its arguments are the caller's */
        s->regs[frame] |= s->regs[frame + 1] & CALL_ARGS;
        s->regs[frame + 1] = 0;
        s->slots[frame + 1] = 0;
    } else {
        s->regs[frame] &= ~(CALL_ARGS | reg_bit(BPF_REG_0));
    }
}

/* False: unknown. */
static bool back_over_jump(const struct bpf_insn *insn, const struct bpf_history *h,
                           struct sought *s)
{
    u16 *regs = &s->regs[h->frame], both = reg_bit(insn->dst_reg) | reg_bit(insn->src_reg);

    switch (BPF_OP(insn->code)) {
    case BPF_JA: return true;
    case BPF_CALL:
        if (calls_callback(insn))
            return false;
        back_over_call(insn, h->frame, s);
        return true;
    case BPF_EXIT: /* of a function that was called */
        *regs |= s->regs[h->frame - 1] & reg_bit(BPF_REG_0);
        s->regs[h->frame - 1] &= ~(CALL_ARGS | reg_bit(BPF_REG_0));
        return true;
    default: break;
    }
    /* A register that is equal to an operand was refined, too. */
    if (h->flags & BPF_HISTORY_LINKED_FAR)
        return false;
    if (BPF_SRC(insn->code) == BPF_K)
        both = reg_bit(insn->dst_reg);
    if (*regs & (both | h->linked))
        *regs |= both | h->linked;
    return true;
}

static void back_over_store(const struct bpf_insn *insn, const struct bpf_history *h,
                            struct sought *s)
{
    u64 slot = 1ULL << h->slot;

    if (BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC) {
        if (insn->imm & BPF_FETCH)
            s->regs[h->frame] &= ~reg_bit(insn->imm == BPF_CMPXCHG ? BPF_REG_0 : insn->src_reg);
        return;
    }
    if (!(h->flags & BPF_HISTORY_SLOT) || !(s->slots[h->slot_frame] & slot))
        return;
    s->slots[h->slot_frame] &= ~slot;
    if (BPF_CLASS(insn->code) == BPF_STX)
        s->regs[h->frame] |= reg_bit(insn->src_reg);
}

/* Takes back one instruction. False: it is not known from where what is sought comes. */
static bool back_over(struct bpf_verifier_env *env, const struct bpf_history *h, struct sought *s)
{
    const struct bpf_insn *insn = &env->prog->insns[h->insn_idx];
    u16 *regs = &s->regs[h->frame];

    log_back_over(env, h->insn_idx, *regs, s->slots[h->frame]);
    switch (BPF_CLASS(insn->code)) {
    case BPF_ALU:
    case BPF_ALU64: back_over_alu(insn, regs); return true;
    case BPF_LDX:
        if (!(*regs & reg_bit(insn->dst_reg)))
            return true;
        *regs &= ~reg_bit(insn->dst_reg);
        if (h->flags & BPF_HISTORY_SLOT)
            s->slots[h->slot_frame] |= 1ULL << h->slot;
        return true;
    case BPF_LD: *regs &= ~reg_bit(insn->dst_reg); return true;
    case BPF_ST:
    case BPF_STX: back_over_store(insn, h, s); return true;
    default: return back_over_jump(insn, h, s);
    }
}

/* Marks what is sought in a frame of a stored state, and forgets what is no number. True: new. */
static bool mark_frame(struct bpf_func_state *func, u16 *regs, u64 *slots)
{
    bool marked = false;
    u32 i;

    for (i = 0; i < MAX_BPF_REG; i++) {
        if (!(*regs & reg_bit(i)))
            continue;
        if (func->regs[i].type != SCALAR_VALUE) {
            *regs &= ~reg_bit(i);
            continue;
        }
        marked |= !func->regs[i].precise;
        func->regs[i].precise = true;
    }
    for (i = 0; i < MAX_BPF_STACK / 8; i++) {
        if (!(*slots >> i & 1))
            continue;
        if (i >= func->nr_slots || !bpf_is_spilled(&func->stack[i]) ||
            func->stack[i].spilled.type != SCALAR_VALUE) {
            *slots &= ~(1ULL << i);
            continue;
        }
        marked |= !func->stack[i].spilled.precise;
        func->stack[i].spilled.precise = true;
    }
    return marked;
}

static bool mark_state(struct bpf_verifier_env *env, struct bpf_verifier_state *st,
                       struct sought *s)
{
    bool marked = false;
    u32 f;

    for (f = 0; f <= st->curframe; f++)
        if (s->regs[f] || s->slots[f])
            marked |= mark_frame(st->frame[f], &s->regs[f], &s->slots[f]);
    log_marks(env, st, s->regs[st->curframe], s->slots[st->curframe], marked);
    return marked;
}

/* skip: the last instruction is the present one, which is not done yet. */
static void find_origin(struct bpf_verifier_env *env, struct sought *s, bool skip)
{
    struct bpf_verifier_state *st = env->cur;
    u32 n = st->nr_history - skip;
    int last = env->insn_idx;

    for (;;) {
        log_search(env, last, st->first_insn_idx);
        while (n) {
            if (!back_over(env, &st->history[--n], s)) {
                mark_all_precise(st);
                return;
            }
            if (nothing_left(s))
                return;
        }
        st = st->parent;
        if (!st || !mark_state(env, st, s) || nothing_left(s))
            return;
        last = st->last_insn_idx;
        n = st->nr_history;
    }
}

void mark_chain_precise(struct bpf_verifier_env *env, int regno)
{
    struct sought s = {.regs = {0}};

    s.regs[env->cur->curframe] = reg_bit(regno);
    if (cur_regs(env)[regno].type == SCALAR_VALUE)
        find_origin(env, &s, true);
}

void propagate_precision(struct bpf_verifier_env *env, const struct bpf_verifier_state *old)
{
    struct sought s = {.regs = {0}};
    u32 f, i;

    for (f = 0; f <= old->curframe; f++) {
        const struct bpf_func_state *func = old->frame[f];

        for (i = 0; i < BPF_REG_FP; i++)
            if (func->regs[i].precise)
                s.regs[f] |= reg_bit(i);
        for (i = 0; i < func->nr_slots; i++)
            if (bpf_is_spilled(&func->stack[i]) && func->stack[i].spilled.precise)
                s.slots[f] |= 1ULL << i;
    }
    if (!nothing_left(&s))
        find_origin(env, &s, false);
}

void mark_slot_read(struct bpf_verifier_env *env, u32 frame, u32 slot)
{
    struct bpf_verifier_state *st = env->cur;
    u64 bit = 1ULL << slot;

    while (frame <= st->curframe && !(st->frame[frame]->slots_written & bit)) {
        st = st->parent;
        if (!st || frame > st->curframe || st->frame[frame]->slots_read & bit)
            return;
        st->frame[frame]->slots_read |= bit;
    }
}

void propagate_reads(struct bpf_verifier_env *env, const struct bpf_verifier_state *old)
{
    u32 f, i;

    for (f = 0; f <= old->curframe; f++)
        for (i = 0; i < MAX_BPF_STACK / 8; i++)
            if (old->frame[f]->slots_read >> i & 1)
                mark_slot_read(env, f, i);
}
