/*
 * wakeup_check.c - runs a guest kernel and measures, by the machine's clock, how long tasks waited
 * from their wake-up until they ran, while one of the tracers wakeup, wakeup_rt and wakeup_dl was
 * on.
 *
 * wakeup_check [-a bootargs] KERNEL
 *
 * Which tasks these tracers follow is computed here once more, from what is in the kernel's memory.
 * "told" is from the call of the probe of the wake-up to that of the switch's;
 * tests/guest/latency.sh compares it with what the tracer says. "whole" is of the same wake-ups,
 * from the call that puts the task into a run queue to that which switches to it, and so has the
 * tracer's own time, too.
 */
#include "kernel_clock.h"

#include "load/lines.h"

/* Linux's names. */
enum { MAX_DL_PRIO = 0, MAX_RT_PRIO = 100, MAX_PRIO = 140, SCHED_DEADLINE = 6 };
enum { A0 = 10, A1, A2, A3, TP = 4 };
enum { CLASSES = 3, TRACERS = 3, WAITING = 64 };

/* Of a task that is in a run queue and has not run. */
struct waiting {
    uint64_t task, since, from;
};

struct check {
    struct kernel_clock kernel;
    uint64_t enqueue[CLASSES], wakeup, sched_switch, switch_to, start, stop, init[TRACERS];
    uint64_t prio, policy;          /* places in a task_struct */
    bool window, rt, dl;            /* rt, dl: the tracer is wakeup_rt, wakeup_dl */
    bool switching;                 /* to the task that was followed */
    struct waiting queued[WAITING]; /* the newest */
    unsigned next;
    uint64_t task, told_at; /* of the task that is followed; 0: none */
    int followed_prio;
    struct longest told, whole;
};

static int read_int(struct hart *h, uint64_t at)
{
    int value = 0;

    if (!hart_peek(h, at, &value, sizeof value)) {
        fprintf(stderr, "wakeup_check: nothing at 0x%" PRIx64 "\n", at);
        exit(1);
    }
    return value;
}

static bool is_followed(const struct check *c, struct hart *h, uint64_t task)
{
    int prio = read_int(h, task + c->prio);

    if (read_int(h, task + c->policy) == SCHED_DEADLINE)
        return c->followed_prio >= MAX_DL_PRIO;
    return !c->dl && prio < c->followed_prio && prio < read_int(h, hart_reg(h, TP) + c->prio) &&
           (!c->rt || prio < MAX_RT_PRIO);
}

static void forget(struct check *c)
{
    c->task = 0;
    c->followed_prio = MAX_PRIO + 1;
}

static void on_wakeup(struct check *c, struct hart *h, uint64_t task)
{
    if (!c->window || !is_followed(c, h, task))
        return;
    c->task = task;
    c->followed_prio = read_int(h, task + c->prio);
    c->told_at = hart_cycles(h);
}

static void note(struct longest *l, uint64_t cycles, uint64_t from, uint64_t to)
{
    if (cycles > l->cycles)
        *l = (struct longest){cycles, from, to};
}

static void on_switch(struct check *c, struct hart *h, uint64_t next, uint64_t pc)
{
    if (!c->window || next != c->task)
        return;
    note(&c->told, hart_cycles(h) - c->told_at, c->wakeup, pc);
    forget(c);
    c->switching = true;
}

/* The task's entry, or the oldest. */
static struct waiting *find_waiting(struct check *c, uint64_t task)
{
    for (unsigned i = 0; i < WAITING; i++)
        if (c->queued[i].task == task)
            return &c->queued[i];
    return &c->queued[c->next++ % WAITING];
}

static void on_enqueue(struct check *c, struct hart *h, uint64_t task, uint64_t function)
{
    *find_waiting(c, task) = (struct waiting){task, hart_cycles(h), function};
}

static void on_switch_to(struct check *c, struct hart *h, uint64_t next, uint64_t pc)
{
    struct waiting *w = find_waiting(c, next);

    if (c->switching && w->task == next)
        note(&c->whole, hart_cycles(h) - w->since, w->from, pc);
    c->switching = false;
    w->task = 0;
}

static void on_call(void *ctx, const struct event *e)
{
    struct check *c = ctx;
    struct hart *h = e->transfer.hart;
    uint64_t to = e->transfer.target;

    for (int i = 0; i < CLASSES; i++)
        if (to == c->enqueue[i])
            on_enqueue(c, h, hart_reg(h, A1), to);
    for (int i = 0; i < TRACERS; i++)
        if (to == c->init[i]) {
            c->rt = i == 1;
            c->dl = i == 2;
        }
    if (to == c->wakeup)
        on_wakeup(c, h, hart_reg(h, A1));
    else if (to == c->sched_switch)
        on_switch(c, h, hart_reg(h, A3), e->transfer.pc);
    else if (to == c->switch_to)
        on_switch_to(c, h, hart_reg(h, A1), e->transfer.pc);
    else if (to == c->start || to == c->stop) {
        c->window = to == c->start;
        c->switching = false;
        forget(c);
    }
}

static void print(void *ctx)
{
    const struct check *c = ctx;

    kernel_clock_print(&c->kernel, "told", &c->told);
    kernel_clock_print(&c->kernel, "whole", &c->whole);
}

static bool find_members(struct check *c)
{
    struct lines *lines = lines_new(c->kernel.image);
    bool found = lines_member(lines, "task_struct", "prio", &c->prio) &&
                 lines_member(lines, "task_struct", "policy", &c->policy);

    lines_free(lines);
    return found;
}

int main(int argc, char **argv)
{
    static const char *const classes[CLASSES] = {"enqueue_rt", "enqueue_dl", "enqueue_fair"},
                             *const inits[TRACERS] = {"wakeup_tracer_init", "wakeup_rt_tracer_init",
                                                      "wakeup_dl_tracer_init"};
    struct check c = {0};
    struct listener l = {&c, EVENT_BIT(EVENT_CALL), on_call};

    if (!kernel_clock_init(&c.kernel, argc, argv) || !find_members(&c))
        return 64;
    for (int i = 0; i < CLASSES; i++)
        c.enqueue[i] = kernel_clock_address(&c.kernel, classes[i]);
    for (int i = 0; i < TRACERS; i++)
        c.init[i] = kernel_clock_address(&c.kernel, inits[i]);
    c.wakeup = kernel_clock_address(&c.kernel, "probe_wakeup");
    c.sched_switch = kernel_clock_address(&c.kernel, "probe_wakeup_sched_switch");
    c.switch_to = kernel_clock_address(&c.kernel, "__switch_to");
    c.start = kernel_clock_address(&c.kernel, "wakeup_tracer_start");
    c.stop = kernel_clock_address(&c.kernel, "wakeup_tracer_stop");
    return kernel_clock_run(&c.kernel, &l, print);
}
