/*
 * store_stacks.c - see store_stacks.h.
 */
#include "ftrace/audit/store_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"

/* Stores of one hart with one instruction and one stack, from one cycle to another. */
struct run {
    struct store_stack store;
    uint32_t hart;
    uint64_t pc, sp, ra, task;
    uint64_t first, last;         /* cycles of the hart */
    uint64_t slots[STACK_FRAMES]; /* call_stack_take */
    uint64_t sum;                 /* of what is in the slots */
};

enum { RUNS_MAX = 128 };

/* The newest runs: a ring. */
struct store_stacks {
    struct run runs[RUNS_MAX];
    uint32_t count; /* of all runs ever begun */
};

/*
 * In pages of code that are no text there may be data, with a store every few cycles. A stack is
 * found at most once in this time for them.
 */
enum { OTHER_CYCLES = 10 * 1000 };

struct store_stacks *store_stacks_new(void)
{
    return xcalloc(1, sizeof(struct store_stacks));
}

void store_stacks_free(struct store_stacks *s)
{
    free(s);
}

static uint32_t kept(const struct store_stacks *s)
{
    return s->count < RUNS_MAX ? s->count : RUNS_MAX;
}

/* The run that was begun `back` runs before the newest. */
static struct run *run_at(struct store_stacks *s, uint32_t back)
{
    return &s->runs[(s->count - 1 - back) % RUNS_MAX];
}

/* A number that changes with the return addresses in memory. */
static uint64_t sum_of_slots(const struct run *r, struct hart *h)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < r->store.stack.count; i++) {
        uint64_t value;

        if (r->slots[i] && hart_peek(h, r->slots[i], &value, sizeof value))
            sum = (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
}

/* The newest run of stores by this instruction of the hart; NULL: there is none. */
static struct run *newest_of(struct store_stacks *s, uint32_t hart, uint64_t pc)
{
    for (uint32_t back = 0; back < kept(s); back++) {
        struct run *r = run_at(s, back);

        if (r->hart == hart && r->pc == pc)
            return r;
    }
    return NULL;
}

static bool is_same(const struct run *r, struct hart *h)
{
    return r->sp == hart_reg(h, REG_SP) && r->ra == hart_reg(h, REG_RA) &&
           r->task == call_stack_task(h);
}

static void begin_run(const struct audit *a, struct store_stacks *s, struct hart *h,
                      const struct writer *who)
{
    struct run *r;

    s->count++;
    r = run_at(s, 0);
    *r = (struct run){.hart = who->hart,
                      .pc = who->pc,
                      .sp = hart_reg(h, REG_SP),
                      .ra = hart_reg(h, REG_RA),
                      .task = call_stack_task(h),
                      .first = who->cycle,
                      .last = who->cycle};
    call_stack_take(a, h, hart_pc(h), &r->store.stack, r->slots);
    r->sum = sum_of_slots(r, h);
    if (!a->config.tasks || !tasks_read(a->config.tasks, h, r->task, &r->store.task))
        r->store.task = (struct task){.pid = -1};
}

void store_stacks_add(const struct audit *a, struct store_stacks *s, const struct code_write *w,
                      bool text)
{
    const struct writer *who = &w->who;
    struct hart *h = cluster_hart(a->config.cluster, who->hart);
    struct run *r = newest_of(s, who->hart, who->pc);

    if (r && is_same(r, h) && (!text || sum_of_slots(r, h) == r->sum))
        r->last = who->cycle;
    else if (text || !r || who->cycle - r->last > OTHER_CYCLES)
        begin_run(a, s, h, who);
}

const struct store_stack *store_stacks_of(const struct store_stacks *s, const struct writer *who)
{
    for (uint32_t i = 0; i < kept(s); i++) {
        const struct run *r = &s->runs[i];

        if (who->kind == WRITER_HART && r->hart == who->hart && r->pc == who->pc &&
            who->cycle >= r->first && who->cycle <= r->last)
            return &r->store;
    }
    return NULL;
}

static void run_io(struct state_io *io, struct run *r)
{
    call_stack_state_io(io, &r->store.stack);
    state_io_bytes(io, r->store.task.name, sizeof r->store.task.name);
    STATE_IO(io, r->store.task.pid);
    STATE_IO(io, r->hart);
    STATE_IO(io, r->pc);
    STATE_IO(io, r->sp);
    STATE_IO(io, r->ra);
    STATE_IO(io, r->task);
    STATE_IO(io, r->first);
    STATE_IO(io, r->last);
    STATE_IO(io, r->sum);
    for (unsigned i = 0; i < STACK_FRAMES; i++)
        STATE_IO(io, r->slots[i]);
    if (io->loading)
        r->store.task.name[TASK_NAME_MAX - 1] = '\0';
}

void store_stacks_state_io(struct state_io *io, struct store_stacks *s)
{
    STATE_IO(io, s->count);
    for (uint32_t i = 0; i < kept(s); i++)
        run_io(io, &s->runs[i]);
}
