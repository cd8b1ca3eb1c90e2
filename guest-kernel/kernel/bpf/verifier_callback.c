/*
 * verifier_callback.c - functions of a program that a helper calls: bpf_loop().
 *
 * How often it does is not known, so neither what the stacks hold of which the function was given
 * an address. Therefore all numbers on the stacks are forgotten first; pointers stay. From there
 * one way goes on behind the call, and one through the function. Where that ends, the stacks must
 * be as they were or tell less: then another round can do nothing new, and what holds behind the
 * call holds after any number of rounds.
 */
#include "verifier.h"
#include <linux/errno.h>

static void forget_numbers(struct bpf_verifier_state *state)
{
    u32 f, i, k;

    for (f = 0; f <= state->curframe; f++) {
        struct bpf_func_state *func = state->frame[f];

        for (i = 0; i < func->nr_slots; i++) {
            struct bpf_stack_state *slot = &func->stack[i];

            if (bpf_is_spilled(slot) && is_pointer(&slot->spilled))
                continue;
            mark_not_init(&slot->spilled);
            for (k = 0; k < 8; k++)
                if (slot->slot_type[k] != STACK_INVALID)
                    slot->slot_type[k] = STACK_MISC;
        }
    }
}

/* The way on which the helper has come to its end. */
static int push_return(struct bpf_verifier_env *env)
{
    struct bpf_verifier_state *other;
    struct bpf_func_state *func;
    int err = push_pending(env, env->insn_idx + 1, &other);

    if (err)
        return err;
    func = other->frame[other->curframe];
    clobber_caller_saved(env, func->regs);
    func->regs_written |= CALL_ARGS | reg_bit(BPF_REG_0);
    mark_unknown(&func->regs[BPF_REG_0]);
    return 0;
}

int check_callback_call(struct bpf_verifier_env *env, int subprog, int *next)
{
    struct bpf_func_state *caller = cur_func(env), *callee;
    int err;

    forget_numbers(env->cur);
    err = push_return(env);
    if (err)
        return err;
    callee = enter_function(env, subprog, &err);
    if (!callee)
        return err;
    callee->in_callback = true;
    mark_unknown(&callee->regs[BPF_REG_1]); /* the number of the round */
    callee->regs[BPF_REG_2] = caller->regs[BPF_REG_3];
    clobber_caller_saved(env, caller->regs);
    caller->regs_written |= CALL_ARGS | reg_bit(BPF_REG_0);
    *next = env->subprog[subprog].start;
    log_entry(env);
    return 0;
}

/* Numbers, or the same pointer as before. */
static bool slot_is_kept(struct bpf_verifier_env *env, const struct bpf_stack_state *old,
                         const struct bpf_stack_state *cur)
{
    if (bpf_is_spilled(old))
        return slot_is_covered(env, old, cur, true);
    return !bpf_is_spilled(cur) || cur->spilled.type == SCALAR_VALUE;
}

static int check_stacks_kept(struct bpf_verifier_env *env, const struct bpf_verifier_state *entry)
{
    u32 f, i;

    env->idmap_used = 0;
    for (f = 0; f < env->cur->curframe; f++) {
        const struct bpf_func_state *old = entry->frame[f], *cur = env->cur->frame[f];

        for (i = 0; i < old->nr_slots; i++) {
            if (slot_is_kept(env, &old->stack[i], &cur->stack[i]))
                continue;
            verbose(env, "callback changes the pointer at fp%d of frame %d\n", -(int)(i + 1) * 8,
                    (int)f);
            return -EINVAL;
        }
    }
    return 0;
}

int check_callback_end(struct bpf_verifier_env *env)
{
    const struct bpf_verifier_state *entry = cur_func(env)->callback_entry;
    const struct bpf_reg_state *r0 = &cur_regs(env)[BPF_REG_0];
    u32 i;

    if (r0->type != SCALAR_VALUE) {
        verbose(env, "R0 not a scalar value\n");
        return -EACCES;
    }
    mark_chain_precise(env, BPF_REG_0);
    if (!tnum_in(tnum_range(0, 1), r0->var_off)) {
        verbose(env, "At callback return the register R0 has ");
        if (tnum_is_unknown(r0->var_off))
            verbose(env, "unknown scalar value");
        else
            verbose(env, "value (0x%llx; 0x%llx)", r0->var_off.value, r0->var_off.mask);
        verbose(env, " should have been in (0x0; 0x1)\n");
        return -EINVAL;
    }
    for (i = entry->nr_refs; i < env->cur->nr_refs; i++)
        verbose(env, "Unreleased reference id=%d alloc_insn=%d\n", (int)env->cur->refs[i].id,
                env->cur->refs[i].insn_idx);
    if (entry->nr_refs != env->cur->nr_refs)
        return -EINVAL;
    for (i = 0; i < entry->nr_refs; i++) {
        if (entry->refs[i].id == env->cur->refs[i].id)
            continue;
        verbose(env, "callback releases a reference of its caller\n");
        return -EINVAL;
    }
    return check_stacks_kept(env, entry);
}
