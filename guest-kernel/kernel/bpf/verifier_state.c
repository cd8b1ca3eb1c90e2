/* verifier_state.c - states of the verifier: made, copied, and put aside to be followed later. */
#include "verifier.h"
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

void free_func_state(struct bpf_func_state *func)
{
    if (!func)
        return;
    kfree(func->stack);
    kfree(func);
}

void free_state_contents(struct bpf_verifier_state *state)
{
    int i;

    for (i = 0; i < MAX_CALL_FRAMES; i++)
        free_func_state(state->frame[i]);
    memset(state->frame, 0, sizeof(state->frame));
    kfree(state->history);
    state->history = NULL;
    state->nr_history = state->max_history = 0;
}

static struct bpf_func_state *copy_func_state(const struct bpf_func_state *src)
{
    struct bpf_func_state *func = kmalloc(sizeof(*func));

    if (!func)
        return NULL;
    *func = *src;
    func->stack = NULL;
    if (src->nr_slots) {
        func->stack = kmalloc(src->nr_slots * sizeof(*func->stack));
        if (!func->stack) {
            kfree(func);
            return NULL;
        }
        memcpy(func->stack, src->stack, src->nr_slots * sizeof(*func->stack));
    }
    return func;
}

int copy_state(struct bpf_verifier_state *dst, const struct bpf_verifier_state *src)
{
    u32 i;

    *dst = *src;
    memset(dst->frame, 0, sizeof(dst->frame));
    dst->history = NULL;
    dst->max_history = src->nr_history;
    if (src->nr_history) {
        dst->history = kmalloc(src->nr_history * sizeof(*dst->history));
        if (!dst->history)
            return -ENOMEM;
        memcpy(dst->history, src->history, src->nr_history * sizeof(*dst->history));
    }
    for (i = 0; i <= src->curframe; i++) {
        dst->frame[i] = copy_func_state(src->frame[i]);
        if (!dst->frame[i]) {
            free_state_contents(dst);
            return -ENOMEM;
        }
    }
    return 0;
}

/* Makes room for the slots up to the one of this number. */
int grow_stack(struct bpf_func_state *func, u32 slots)
{
    struct bpf_stack_state *stack;

    if (slots <= func->nr_slots)
        return 0;
    stack = kzalloc(slots * sizeof(*stack));
    if (!stack)
        return -ENOMEM;
    if (func->nr_slots)
        memcpy(stack, func->stack, func->nr_slots * sizeof(*stack));
    kfree(func->stack);
    func->stack = stack;
    func->nr_slots = slots;
    return 0;
}

void init_func_state(struct bpf_func_state *func, int callsite, u32 frameno, u32 subprogno)
{
    int i;

    memset(func, 0, sizeof(*func));
    func->callsite = callsite;
    func->frameno = frameno;
    func->subprogno = subprogno;
    for (i = 0; i < MAX_BPF_REG; i++)
        mark_not_init(&func->regs[i]);
    mark_pointer(&func->regs[BPF_REG_FP], PTR_TO_STACK);
    func->regs[BPF_REG_FP].frameno = frameno;
}

/* Calls fn for each register, and each one that is spilled, of all frames. */
void for_each_reg(struct bpf_verifier_state *state,
                  void (*fn)(struct bpf_reg_state *reg, const void *arg), const void *arg)
{
    u32 f, i;

    for (f = 0; f <= state->curframe; f++) {
        struct bpf_func_state *func = state->frame[f];

        for (i = 0; i < MAX_BPF_REG; i++)
            fn(&func->regs[i], arg);
        for (i = 0; i < func->nr_slots; i++)
            if (bpf_is_spilled(&func->stack[i]))
                fn(&func->stack[i].spilled, arg);
    }
}

int push_pending(struct bpf_verifier_env *env, int insn_idx, struct bpf_verifier_state **state)
{
    struct bpf_verifier_stack_elem *p = kzalloc(sizeof(*p));
    int err = -ENOMEM;

    if (p)
        err = copy_state(&p->state, env->cur);
    if (err) {
        kfree(p);
        return err;
    }
    p->insn_idx = insn_idx;
    p->prev_insn_idx = env->insn_idx;
    p->next = env->stack;
    env->stack = p;
    if (p->state.parent)
        p->state.parent->branches++;
    if (++env->stack_size > 8192) {
        verbose(env, "The sequence of %d jumps is too complex.\n", (int)env->stack_size);
        return -E2BIG;
    }
    *state = &p->state;
    return 0;
}

/* Takes up the last way that was left; false: none. */
bool pop_pending(struct bpf_verifier_env *env)
{
    struct bpf_verifier_stack_elem *p = env->stack;

    if (!p)
        return false;
    free_state_contents(env->cur);
    *env->cur = p->state;
    env->insn_idx = p->insn_idx;
    env->prev_insn_idx = p->prev_insn_idx;
    env->stack = p->next;
    env->stack_size--;
    kfree(p);
    return true;
}
