/*
 * verifier_prune.c - finds out whether a state was verified before.
 *
 * Some states are kept with their instruction. A way ends where one of them allows all that the
 * present state does. A state that has not ended yet, and comes back unchanged, is an endless loop.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>

/* The ids of two states stand for the same equalities. */
static bool ids_match(struct bpf_verifier_env *env, u32 old, u32 cur)
{
    u32 i;

    if (!old && !cur)
        return true;
    if (!old || !cur)
        return false;
    for (i = 0; i < env->idmap_used; i++)
        if (env->idmap[i].old == old || env->idmap[i].cur == cur)
            return env->idmap[i].old == old && env->idmap[i].cur == cur;
    if (env->idmap_used >= ID_MAP_SIZE)
        return false;
    env->idmap[env->idmap_used].old = old;
    env->idmap[env->idmap_used++].cur = cur;
    return true;
}

/*
 * Registers that have been equal must be so again; those of different ids may be. In the present
 * state an id of its own stands for none.
 */
static bool links_match(struct bpf_verifier_env *env, u32 old, u32 cur)
{
    u32 i;

    if (!old)
        return true;
    if (!cur)
        cur = ++env->tmp_id_gen | 1u << 31;
    for (i = 0; i < env->idmap_used; i++)
        if (env->idmap[i].old == old)
            return env->idmap[i].cur == cur;
    if (env->idmap_used >= ID_MAP_SIZE)
        return false;
    env->idmap[env->idmap_used].old = old;
    env->idmap[env->idmap_used++].cur = cur;
    return true;
}

static bool bounds_within(const struct bpf_range *old, const struct bpf_range *cur)
{
    return old->umin <= cur->umin && old->umax >= cur->umax && old->smin <= cur->smin &&
           old->smax >= cur->smax;
}

static bool range_within(const struct bpf_reg_state *old, const struct bpf_reg_state *cur)
{
    return bounds_within(&old->wide, &cur->wide) && bounds_within(&old->low, &cur->low) &&
           tnum_in(old->var_off, cur->var_off);
}

/* What is safe with old is safe with cur. exact: old's numbers are all that it could be. */
static bool reg_is_covered(struct bpf_verifier_env *env, const struct bpf_reg_state *old,
                           const struct bpf_reg_state *cur, bool exact)
{
    if (old->type == NOT_INIT)
        return true;
    if (cur->type == NOT_INIT)
        return false;
    if (old->type == SCALAR_VALUE) {
        if (cur->type != SCALAR_VALUE)
            return false;
        if (!old->precise && !exact)
            return true;
        return range_within(old, cur) && links_match(env, old->id, cur->id);
    }
    return old->type == cur->type && old->map == cur->map && old->mem_size == cur->mem_size &&
           old->off == cur->off && old->frameno == cur->frameno && range_within(old, cur) &&
           ids_match(env, old->id, cur->id) && ids_match(env, old->ref_obj_id, cur->ref_obj_id);
}

/* Bytes of which nothing is known, or a number that may be read as such. */
static bool is_any_number(const struct bpf_stack_state *slot)
{
    return !bpf_is_spilled(slot) || slot->spilled.type == SCALAR_VALUE;
}

bool slot_is_covered(struct bpf_verifier_env *env, const struct bpf_stack_state *old,
                     const struct bpf_stack_state *cur, bool exact)
{
    bool old_number = bpf_is_spilled(old) && old->spilled.type == SCALAR_VALUE;
    int i;

    if (!cur && !exact) /* it has not even been set in part */
        return false;
    if (!exact && old_number && !old->spilled.precise && is_any_number(cur))
        return true;
    for (i = 0; i < 8; i++) {
        u8 a = old->slot_type[i], b = cur ? cur->slot_type[i] : STACK_INVALID;

        if (a == STACK_INVALID)
            continue;
        if (a == STACK_MISC && !exact && is_any_number(cur))
            continue;
        if (a == STACK_MISC && (b == STACK_MISC || b == STACK_ZERO))
            continue;
        if (a != b)
            return false;
    }
    if (bpf_is_spilled(old))
        return reg_is_covered(env, &old->spilled, &cur->spilled, exact);
    return true;
}

static bool func_is_covered(struct bpf_verifier_env *env, const struct bpf_func_state *old,
                            const struct bpf_func_state *cur, u16 live, bool exact)
{
    u32 i;

    /* The end of a callback is compared with its beginning. */
    if (old->callsite != cur->callsite || old->subprogno != cur->subprogno ||
        old->callback != cur->callback)
        return false;
    for (i = 0; i < MAX_BPF_REG; i++)
        if (live & reg_bit(i) && !reg_is_covered(env, &old->regs[i], &cur->regs[i], exact))
            return false;
    for (i = 0; i < old->nr_slots; i++)
        if ((exact || old->slots_read >> i & 1) &&
            !slot_is_covered(env, &old->stack[i], i < cur->nr_slots ? &cur->stack[i] : NULL, exact))
            return false;
    return true;
}

static bool state_is_covered(struct bpf_verifier_env *env, const struct bpf_verifier_state *old,
                             const struct bpf_verifier_state *cur, int insn_idx, bool exact)
{
    u32 i;

    if (old->curframe != cur->curframe || old->nr_refs != cur->nr_refs)
        return false;
    env->idmap_used = 0;
    for (i = 0; i < old->nr_refs; i++)
        if (!ids_match(env, old->refs[i].id, cur->refs[i].id))
            return false;
    for (i = 0; i <= old->curframe; i++) {
        u16 live = i == old->curframe ? env->aux[insn_idx].live
                                      : env->aux[old->frame[i + 1]->callsite + 1].live & 0x3c0;

        if (!func_is_covered(env, old->frame[i], cur->frame[i], live, exact))
            return false;
    }
    return true;
}

/* Nothing changed since old, so a loop that led here does not end. */
static bool state_is_same(struct bpf_verifier_env *env, const struct bpf_verifier_state *old,
                          const struct bpf_verifier_state *cur, int insn_idx)
{
    return state_is_covered(env, old, cur, insn_idx, true) &&
           state_is_covered(env, cur, old, insn_idx, true);
}

/* A way from the state ends: the states that led to it have one less. */
void way_ends(struct bpf_verifier_state *state)
{
    for (; state; state = state->parent)
        if (--state->branches)
            return;
}

/* The present state is kept; what follows descends from it. */
static int store_state(struct bpf_verifier_env *env, int insn_idx)
{
    struct bpf_verifier_state_list *sl = kzalloc(sizeof(*sl));
    struct bpf_verifier_state *cur = env->cur;
    u32 f;

    if (!sl)
        return -ENOMEM;
    if (copy_state(&sl->state, cur)) {
        kfree(sl);
        return -ENOMEM;
    }
    sl->next = env->aux[insn_idx].states;
    env->aux[insn_idx].states = sl;
    sl->state.branches = 1;
    sl->state.last_insn_idx = env->prev_insn_idx;
    cur->parent = &sl->state;
    cur->first_insn_idx = insn_idx;
    cur->nr_history = 0;
    for (f = 0; f <= cur->curframe; f++)
        cur->frame[f]->regs_written = cur->frame[f]->slots_written = 0;
    env->total_states++;
    env->peak_states++;
    return 0;
}

void drop_state(struct bpf_verifier_state_list **link)
{
    struct bpf_verifier_state_list *sl = *link;

    *link = sl->next;
    free_state_contents(&sl->state);
    kfree(sl);
}

/* A state that never helps costs time. */
static void evict_state(struct bpf_verifier_env *env, struct bpf_verifier_state_list **link)
{
    struct bpf_verifier_state_list *sl = *link;

    if (sl->state.branches) { /* the present state descends from it */
        *link = sl->next;
        sl->next = env->evicted;
        env->evicted = sl;
    } else {
        drop_state(link);
        env->peak_states--;
    }
}

/* The state at the beginning of a callback, which is compared with no other. */
static int store_callback_entry(struct bpf_verifier_env *env, int insn_idx)
{
    struct bpf_func_state *func = cur_func(env);
    int err;

    func->callback = ++env->id_gen;
    err = store_state(env, insn_idx);
    func->callback_entry = env->cur->parent;
    return err;
}

int check_visited(struct bpf_verifier_env *env, int insn_idx)
{
    struct bpf_verifier_state_list **link = &env->aux[insn_idx].states, *sl;
    u32 jmps = env->jmps_processed - env->prev_jmps_processed;
    u32 insns = env->insn_processed - env->prev_insn_processed, states = 0;
    bool add = env->prog->prog_flags & BPF_F_TEST_STATE_FREQ || (jmps >= 2 && insns >= 8);

    if (cur_func(env)->in_callback && !cur_func(env)->callback)
        return store_callback_entry(env, insn_idx);
    while ((sl = *link)) {
        states++;
        if (sl->state.branches) {
            if (state_is_same(env, &sl->state, env->cur, insn_idx)) {
                verbose(env, "infinite loop detected at insn %d\n", insn_idx);
                return -EINVAL;
            }
            /* In a loop, not each short round is kept. */
            if (jmps < 20 && insns < 100)
                add = false;
        } else if (state_is_covered(env, &sl->state, env->cur, insn_idx, bpf_check_exact)) {
            sl->hit++;
            propagate_reads(env, &sl->state);
            propagate_precision(env, &sl->state);
            return 1;
        }
        if (add)
            sl->miss++;
        if (sl->miss > sl->hit * 3 + 3)
            evict_state(env, link);
        else
            link = &sl->next;
    }
    env->max_states_per_insn = max(env->max_states_per_insn, states);
    if (!add)
        return 0;
    env->prev_jmps_processed = env->jmps_processed;
    env->prev_insn_processed = env->insn_processed;
    return store_state(env, insn_idx);
}
