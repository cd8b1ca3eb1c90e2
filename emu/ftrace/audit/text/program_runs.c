/*
 * program_runs.c - see program_runs.h.
 *
 * A hart's last run of each program is noted at its first instruction. When the kernel frees the
 * memory (vfree), another hart must have done one of these since: switched tasks, returned from the
 * trap in whose handler it has run the program, or taken a trap while it could be preempted. No
 * reader of RCU ends without. So a finding is sure; a hart that has left the program, but not yet
 * what has called it, is found, too: nothing has waited for it.
 */
#include "ftrace/audit/text/program_runs.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/tasks.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Programs that are known at one time, and have a probe each. */
enum { PROGRAMS_MAX = 1 << 10 };

/* A hart's last run of a program; step 0: none, or it is over. */
struct program_run {
    uint64_t step, cycle;
    uint32_t depth, switches; /* of struct audited_hart, then */
};

struct program {
    uint64_t va, pa;
    uint32_t probe;
};

struct program_runs {
    struct audit *audit;
    struct probe_owner at_start;
    unsigned harts;
    VEC_OF(struct program) programs;
    VEC_OF(struct program_run) runs; /* one of each hart for each program, in the same order */
};

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc);

struct program_runs *program_runs_new(struct audit *a)
{
    struct program_runs *p = xcalloc(1, sizeof *p);

    p->audit = a;
    p->harts = cluster_hart_count(a->config.cluster);
    p->at_start = (struct probe_owner){p, NULL, hit};
    return p;
}

static void uproot(struct program_runs *p, size_t i)
{
    cluster_uproot(p->audit->config.cluster, p->programs.at[i].probe);
}

void program_runs_free(struct program_runs *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->programs.len; i++)
        uproot(p, i);
    VEC_FREE(&p->programs);
    VEC_FREE(&p->runs);
    free(p);
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct program_runs *p = ctx;
    const struct audited_hart *now = &p->audit->harts[hart_id(h)];

    (void)id;
    (void)cookie;
    for (size_t i = 0; i < p->programs.len; i++)
        if (p->programs.at[i].va == pc)
            p->runs.at[i * p->harts + hart_id(h)] = (struct program_run){
                .step = cluster_steps(p->audit->config.cluster),
                .cycle = hart_cycles(h),
                .depth = now->depth,
                .switches = now->switches,
            };
    return PROBE_GO_ON;
}

/* ---- the end of a program ---- */

static void drop(struct program_runs *p, size_t i)
{
    size_t last = p->programs.len - 1;

    uproot(p, i);
    p->programs.at[i] = p->programs.at[last];
    for (unsigned h = 0; h < p->harts; h++)
        p->runs.at[i * p->harts + h] = p->runs.at[last * p->harts + h];
    p->programs.len = last;
    p->runs.len = last * p->harts;
}

static void report(const struct program_runs *p, struct hart *h, const struct program *program,
                   const struct program_run *run, uint32_t by)
{
    struct audit *a = p->audit;
    const struct hart *reader = cluster_hart(a->config.cluster, by);
    const struct breach b = {.rule = RULE_use_after_free,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_use_after_free, MESSAGE_PROGRAM_RUNS)};
    struct finding *f = audit_add(a, &b);
    struct fact *called;

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = program->va;
    called = audit_fact(f, LABEL_CALLED, FACT_MOMENT);
    called->hart = by;
    called->pc = program->va;
    called->cycle = run->cycle;
    called->step = run->step;
    audit_fact_moment(f, LABEL_RUNNING, reader, hart_pc(reader));
    audit_fact_moment(f, LABEL_FREED, h, hart_pc(h));
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact_message(f, LABEL_MISSING, MESSAGE_PROGRAM_RUNS);
    audit_fact_order(f);
}

/* Whether the hart may still be where it has called the program. */
static bool may_run(const struct program_runs *p, const struct program_run *run, uint32_t hart)
{
    const struct audited_hart *now = &p->audit->harts[hart];

    return run->step && p->audit->sees_switches && now->switches == run->switches;
}

/* Whether some hart may still run the program. */
static bool judge(struct program_runs *p, struct hart *h, size_t i)
{
    for (uint32_t by = 0; by < p->harts; by++) {
        const struct program_run *run = &p->runs.at[i * p->harts + by];

        if (by == hart_id(h) || !may_run(p, run, by))
            continue;
        report(p, h, &p->programs.at[i], run, by);
        return true;
    }
    return false;
}

/* ---- the end of a run ---- */

/* Ends the hart's runs of programs that began at this depth of nested traps or deeper. */
static void end_runs(struct program_runs *p, uint32_t hart, uint32_t depth)
{
    for (size_t i = 0; i < p->programs.len; i++) {
        struct program_run *run = &p->runs.at[i * p->harts + hart];

        if ((int32_t)(run->depth - depth) >= 0)
            run->step = 0;
    }
}

static bool may_be_preempted(const struct audit *a, struct hart *h)
{
    int32_t count;

    return !a->config.tasks ||
           !tasks_preempt_count(a->config.tasks, h, hart_reg(h, REG_TP), &count) || !count;
}

void program_runs_trap(struct program_runs *p, const struct trap_event *t)
{
    uint32_t hart = hart_id(t->hart);

    if (p->programs.len && (t->from == PRIV_U || may_be_preempted(p->audit, t->hart)))
        end_runs(p, hart, p->audit->harts[hart].depth - 1);
}

void program_runs_trap_return(struct program_runs *p, const struct trap_return_event *t)
{
    uint32_t hart = hart_id(t->hart);

    if (p->programs.len)
        end_runs(p, hart, p->audit->harts[hart].depth + 1);
}

bool program_runs_freed(struct program_runs *p, struct hart *h, uint64_t va)
{
    bool wrong = false;

    for (size_t i = p->programs.len; i-- > 0;)
        if (p->programs.at[i].va / PAGE_BYTES == va / PAGE_BYTES) {
            wrong |= judge(p, h, i);
            drop(p, i);
        }
    return wrong;
}

static uint32_t plant(struct program_runs *p, uint64_t pa)
{
    return cluster_plant(p->audit->config.cluster, pa, &p->at_start, 0);
}

void program_runs_begin(struct program_runs *p, const struct text_event *e)
{
    struct program new = {.va = e->va};

    for (size_t i = p->programs.len; i-- > 0;)
        if (p->programs.at[i].va == e->va)
            drop(p, i);
    if (p->programs.len == PROGRAMS_MAX || !hart_translate(e->hart, e->va, ACCESS_FETCH, &new.pa))
        return;
    new.probe = plant(p, new.pa);
    VEC_PUSH(&p->programs, new);
    for (unsigned h = 0; h < p->harts; h++)
        VEC_PUSH(&p->runs, ((struct program_run){0}));
    (void)hit(p, 0, 0, e->hart, e->va); /* its text is complete when a hart comes to it */
}

/* ---- state ---- */

static void program_io(struct state_io *io, struct program *program)
{
    STATE_IO(io, program->va);
    STATE_IO(io, program->pa);
}

static void run_io(struct state_io *io, struct program_run *run)
{
    STATE_IO(io, run->step);
    STATE_IO(io, run->cycle);
    STATE_IO(io, run->depth);
    STATE_IO(io, run->switches);
}

void program_runs_state_io(struct state_io *io, struct program_runs *p)
{
    for (size_t i = 0; io->loading && i < p->programs.len; i++)
        uproot(p, i);
    STATE_IO_VEC(io, &p->programs, PROGRAMS_MAX, program_io);
    STATE_IO_VEC(io, &p->runs, SIZE_MAX, run_io);
    if (!io->loading)
        return;
    if (p->runs.len != p->programs.len * p->harts)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < p->programs.len; i++)
        p->programs.at[i].probe =
            bus_ram_at(cluster_bus(p->audit->config.cluster), p->programs.at[i].pa)
                ? plant(p, p->programs.at[i].pa)
                : CLUSTER_NO_PROBE;
}
