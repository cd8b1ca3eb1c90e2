/*
 * verifier_prune.c - finds out whether a state was verified before.
 *
 * Some states are kept with their instruction. A way ends where one of them allows all that the
 * present state does. A state that has not ended yet, and comes back unchanged, is an endless loop.
 */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>

enum {
    LOOP_STATES =
        8, /* of a loop that is under way: how many are compared to find out that it is endless */
};

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

static bool range_within(const struct bpf_reg_state *old, const struct bpf_reg_state *cur)
{
    return old->umin <= cur->umin && old->umax >= cur->umax && old->smin <= cur->smin &&
           old->smax >= cur->smax && tnum_in(old->var_off, cur->var_off);
}

/* What is safe with old is safe with cur. */
static bool reg_is_covered(struct bpf_verifier_env *env, const struct bpf_reg_state *old,
                           const struct bpf_reg_state *cur)
{
    if (old->type == NOT_INIT)
        return true;
    if (cur->type == NOT_INIT)
        return false;
    if (old->type == SCALAR_VALUE) {
        if (cur->type != SCALAR_VALUE || !range_within(old, cur))
            return false;
        return !old->id || ids_match(env, old->id, cur->id);
    }
    return old->type == cur->type && old->map == cur->map && old->mem_size == cur->mem_size &&
           old->off == cur->off && old->frameno == cur->frameno && range_within(old, cur) &&
           ids_match(env, old->id, cur->id) && ids_match(env, old->ref_obj_id, cur->ref_obj_id);
}

static bool slot_is_covered(struct bpf_verifier_env *env, const struct bpf_stack_state *old,
                            const struct bpf_stack_state *cur)
{
    int i;

    for (i = 0; i < 8; i++) {
        u8 a = old->slot_type[i], b = cur ? cur->slot_type[i] : STACK_INVALID;

        if (a == STACK_INVALID)
            continue;
        if (a == STACK_MISC && (b == STACK_MISC || b == STACK_ZERO))
            continue;
        if (a != b)
            return false;
        if (a == STACK_SPILL)
            return reg_is_covered(env, &old->spilled, &cur->spilled);
    }
    return true;
}

static bool func_is_covered(struct bpf_verifier_env *env, const struct bpf_func_state *old,
                            const struct bpf_func_state *cur, u16 live)
{
    u32 i;

    if (old->callsite != cur->callsite || old->subprogno != cur->subprogno)
        return false;
    for (i = 0; i < MAX_BPF_REG; i++)
        if (live & reg_bit(i) && !reg_is_covered(env, &old->regs[i], &cur->regs[i]))
            return false;
    for (i = 0; i < old->nr_slots; i++)
        if (!slot_is_covered(env, &old->stack[i], i < cur->nr_slots ? &cur->stack[i] : NULL))
            return false;
    return true;
}

static bool state_is_covered(struct bpf_verifier_env *env, const struct bpf_verifier_state *old,
                             const struct bpf_verifier_state *cur, int insn_idx)
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

        if (!func_is_covered(env, old->frame[i], cur->frame[i], live))
            return false;
    }
    return true;
}

/* Nothing changed since old, so a loop that led here does not end. */
static bool state_is_same(struct bpf_verifier_env *env, const struct bpf_verifier_state *old,
                          const struct bpf_verifier_state *cur, int insn_idx)
{
    return state_is_covered(env, old, cur, insn_idx) && state_is_covered(env, cur, old, insn_idx);
}

/* A way from the state ends: the states that led to it have one less. */
void way_ends(struct bpf_verifier_state *state)
{
    for (; state; state = state->parent)
        if (--state->branches)
            return;
}

static struct bpf_verifier_state_list *store_state(struct bpf_verifier_env *env, int insn_idx)
{
    struct bpf_verifier_state_list *sl = kzalloc(sizeof(*sl));

    if (!sl)
        return NULL;
    if (copy_state(&sl->state, env->cur)) {
        kfree(sl);
        return NULL;
    }
    sl->next = env->aux[insn_idx].states;
    env->aux[insn_idx].states = sl;
    sl->state.branches = 1;
    env->cur->parent = &sl->state;
    env->total_states++;
    env->peak_states = max(env->peak_states, env->total_states);
    return sl;
}

void drop_state(struct bpf_verifier_env *env, struct bpf_verifier_state_list **link)
{
    struct bpf_verifier_state_list *sl = *link;

    *link = sl->next;
    free_state_contents(&sl->state);
    kfree(sl);
    env->total_states--;
}

/* 1: the state is covered by an earlier one. 0: go on. Else an error. */
int check_visited(struct bpf_verifier_env *env, int insn_idx)
{
    struct bpf_verifier_state_list **link = &env->aux[insn_idx].states, *sl;
    u32 states = 0, looping = 0;
    bool add = env->prog->prog_flags & BPF_F_TEST_STATE_FREQ;

    if (env->jmps_processed - env->prev_jmps_processed >= 2 &&
        env->insn_processed - env->prev_insn_processed >= 8)
        add = true;
    while ((sl = *link)) {
        states++;
        if (sl->state.branches) {
            if (++looping <= LOOP_STATES && state_is_same(env, &sl->state, env->cur, insn_idx)) {
                verbose(env, "infinite loop detected at insn %d\n", insn_idx);
                return -EINVAL;
            }
            /* In a loop, do not store a state for each short round, and ever fewer of them. */
            if ((env->jmps_processed - env->prev_jmps_processed < 20 &&
                 env->insn_processed - env->prev_insn_processed < 100) ||
                env->insn_processed - env->prev_insn_processed < looping * 8)
                add = false;
        } else if (state_is_covered(env, &sl->state, env->cur, insn_idx)) {
            sl->hit++;
            return 1;
        } else {
            sl->miss++;
            /* A state that never helps costs time. None that is in use descends from it. */
            if (sl->miss > sl->hit * 3 + 3) {
                drop_state(env, link);
                continue;
            }
        }
        link = &sl->next;
    }
    env->max_states_per_insn = max(env->max_states_per_insn, states);
    if (!add)
        return 0;
    env->prev_jmps_processed = env->jmps_processed;
    env->prev_insn_processed = env->insn_processed;
    return store_state(env, insn_idx) ? 0 : -ENOMEM;
}
