/*
 * sleepers.c - see sleepers.h.
 */
#include "ftrace/audit/guest/sleepers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/kernel/tasks.h"

/* More than these are not followed: they sleep for the same reason. */
enum { SLEEPERS_MAX = 64 };

/* Cycles between two looks, and for which a task sleeps that hangs: one second and twenty. */
enum { LOOK_CYCLES = 1000 * 1000 * 1000 };
#define HUNG_CYCLES (20 * (uint64_t)LOOK_CYCLES)

struct sleeper {
    uint64_t tp, since;
    bool runnable;
    bool seen; /* by the present look */
};

struct sleepers {
    const struct audit *audit;
    uint64_t next_look, now; /* cycles */
    VEC_OF(struct sleeper) list;
};

struct sleepers *sleepers_new(const struct audit *a)
{
    struct sleepers *s = xcalloc(1, sizeof *s);

    s->audit = a;
    s->next_look = LOOK_CYCLES;
    return s;
}

void sleepers_free(struct sleepers *s)
{
    VEC_FREE(&s->list);
    free(s);
}

/* Whether a hart runs the task, or one is where its task cannot be known. */
static bool may_run(const struct cluster *c, uint64_t tp)
{
    for (unsigned i = 0; i < cluster_hart_count(c); i++) {
        struct hart *h = cluster_hart(c, i);

        if (hart_sync_stamp(h) != UINT64_MAX &&
            (hart_mode(h) == PRIV_M || call_stack_task(h) == tp || hart_reg(h, REG_TP) == tp))
            return true;
    }
    return false;
}

/* Of a task that could run it must be known when it does. */
static void on_task(void *ctx, uint64_t tp, bool runnable)
{
    struct sleepers *s = ctx;

    if (runnable && (!s->audit->sees_switches || may_run(s->audit->config.cluster, tp)))
        return;
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.at[i].tp == tp && s->list.at[i].runnable == runnable) {
            s->list.at[i].seen = true;
            return;
        }
    if (s->list.len < SLEEPERS_MAX)
        VEC_PUSH(&s->list,
                 ((struct sleeper){.tp = tp, .since = s->now, .runnable = runnable, .seen = true}));
}

/* Only a hart in the kernel can read the list. */
static void look(struct sleepers *s, struct hart *h)
{
    size_t kept = 0;

    s->now = hart_cycles(h);
    s->next_look = s->now + LOOK_CYCLES;
    for (size_t i = 0; i < s->list.len; i++)
        s->list.at[i].seen = false;
    tasks_each_kept(s->audit->config.tasks, h, on_task, s);
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.at[i].seen)
            s->list.at[kept++] = s->list.at[i];
    s->list.len = kept;
}

/* The task has run meanwhile. */
static void forget(struct sleepers *s, uint64_t tp)
{
    for (size_t i = 0; i < s->list.len; i++)
        if (s->list.at[i].tp == tp)
            s->list.at[i] = s->list.at[--s->list.len];
}

void sleepers_trap(struct sleepers *s, const struct trap_event *t)
{
    if (UNLIKELY(s->list.len) && t->from == PRIV_U)
        forget(s, call_stack_task(t->hart));
    if (t->from == PRIV_S && hart_cycles(t->hart) >= s->next_look && s->audit->config.tasks)
        look(s, t->hart);
}

/* A long system call may sleep often and shortly, whenever the list is read. */
void sleepers_runs(struct sleepers *s, uint64_t tp)
{
    if (UNLIKELY(s->list.len))
        forget(s, tp);
}

bool sleepers_longest(struct sleepers *s, struct hart *h, bool at_all, struct sleeping *found)
{
    const struct sleeper *longest = NULL;

    if (!s->audit->config.tasks)
        return false;
    if (hart_mode(h) == PRIV_S)
        look(s, h);
    for (size_t i = 0; i < s->list.len; i++)
        if (!longest || s->list.at[i].since < longest->since)
            longest = &s->list.at[i];
    if (!longest || (!at_all && s->now - longest->since < HUNG_CYCLES))
        return false;
    *found = (struct sleeping){longest->tp, s->now - longest->since, longest->runnable};
    return true;
}

static void sleeper_io(struct state_io *io, struct sleeper *one)
{
    STATE_IO(io, one->tp);
    STATE_IO(io, one->since);
    STATE_IO(io, one->runnable);
}

void sleepers_state_io(struct state_io *io, struct sleepers *s)
{
    state_io_section(io, "sleepers", 2);
    STATE_IO(io, s->next_look);
    STATE_IO(io, s->now);
    STATE_IO_VEC(io, &s->list, SLEEPERS_MAX, sleeper_io);
}
