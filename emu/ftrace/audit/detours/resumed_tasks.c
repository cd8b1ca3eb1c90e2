/*
 * resumed_tasks.c - see resumed_tasks.h.
 *
 * A switch is an ordinary call, which returns when the task runs again: then the registers that a
 * call keeps are compared. A new task begins elsewhere and has nothing to be compared with; a
 * record of an ended task with the same address is not used for it, because it has another pc.
 */
#include "ftrace/audit/detours/resumed_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "cpu/store_order.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/call_stack.h"
#include "ftrace/audit/detours/resumed_vectors.h"
#include "ftrace/kernel/guest_table.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Tasks, interrupted places, and places where switches return to, that are known at one time. */
enum { TASKS_MAX = 1 << 12, INTERRUPTED_MAX = 1 << 8, PLACES_MAX = 16 };

/* Registers that one finding names. */
enum { NAMED_MAX = 5 };

/* Of a mask of registers: sp, tp, s0, s1, s2 to s11, as a call has to keep them. */
#define X(reg)            (UINT32_C(1) << (reg))
#define KEPT_BY_CALL      (X(REG_SP) | X(REG_TP) | X(8) | X(9) | UINT32_C(0x3ff) << 18)
#define KEPT_BY_INTERRUPT (UINT32_MAX & ~X(REG_ZERO))

/* Code that was left, and is to go on. */
struct left {
    uint64_t task, pc, cycle, step;
    uint32_t hart;
    uint8_t from;     /* of what was interrupted: the privilege */
    bool floats;      /* fregs are its own */
    uint32_t late;    /* registers whose loads wait (--stores delayed): their values come later */
    uint32_t vectors; /* their number in resumed_vectors.h; 0: none are compared */
    uint64_t regs[32], fregs[32];
};

/* The switch that a hart is in. */
struct switching {
    bool open;
    uint64_t previous, next;
};

struct place {
    uint64_t pa;
    uint32_t probe;
};

struct resumed_tasks {
    struct audit *audit;
    struct map index; /* task -> its number in `tasks' */
    VEC_OF(struct left) tasks;
    VEC_OF(struct left) interrupted; /* the oldest first */
    struct switching *switching;     /* of each hart */
    struct resumed_vectors *vectors; /* NULL: the harts have none */
    struct probe_owner owner;
    VEC_OF(struct place) places;
    uint64_t left_out;
};

static void take(struct left *l, struct hart *h, uint64_t task, uint64_t pc)
{
    *l = (struct left){.task = task,
                       .pc = pc,
                       .cycle = hart_cycles(h),
                       .step = cluster_steps(hart_cluster(h)),
                       .hart = hart_id(h),
                       .late = hart_late_registers(h)};
    memcpy(l->regs, hart_regs(h), sizeof l->regs);
}

/* ---- comparison ---- */

static uint32_t changed_registers(const struct left *l, const struct hart *h, uint32_t kept)
{
    const uint64_t *now = hart_regs(h);
    uint32_t changed = 0;

    if (LIKELY(!memcmp(now + 1, l->regs + 1, sizeof l->regs - sizeof *l->regs)))
        return 0;
    for (unsigned reg = 1; reg < 32; reg++)
        changed |= (uint32_t)(now[reg] != l->regs[reg]) << reg;
    return changed & kept & ~(l->late | hart_late_registers(h));
}

static uint32_t changed_floats(const struct left *l, const struct hart *h)
{
    const uint64_t *now = hart_fregs(h);
    uint32_t changed = 0;

    for (unsigned reg = 0; l->floats && reg < 32; reg++)
        changed |= (uint32_t)(now[reg] != l->fregs[reg]) << reg;
    return changed;
}

static void add_registers(struct finding *f, uint32_t changed, unsigned first,
                          const uint64_t *before, const uint64_t *now)
{
    for (unsigned n = 0; changed && n < NAMED_MAX; n++, changed &= changed - 1) {
        unsigned reg = (unsigned)__builtin_ctz(changed);

        audit_fact_register(f, LABEL_BEFORE, first + reg, before[reg]);
        audit_fact_register(f, LABEL_AFTER, first + reg, now[reg]);
    }
}

/* A finding at `code', which has lost something; NULL: it is not a new one. */
static struct finding *report(struct resumed_tasks *r, struct hart *h, const struct left *l,
                              uint64_t code, enum rule rule)
{
    struct audit *a = r->audit;
    const struct breach b = {.rule = rule,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = code,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(rule, code)};
    struct finding *f = audit_add(a, &b);
    struct fact *stopped;

    if (!f)
        return NULL;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = code;
    stopped = audit_fact(f, LABEL_STOPPED, FACT_MOMENT);
    stopped->hart = l->hart;
    stopped->pc = l->pc;
    stopped->cycle = l->cycle;
    stopped->step = l->step;
    audit_fact_moment(f, LABEL_RESUMED, h, l->pc);
    return f;
}

static void end_report(const struct resumed_tasks *r, struct hart *h, struct finding *f)
{
    audit_fact_task(r->audit, f, h);
    audit_fact_order(f);
}

/* One finding for all registers that are lost: integers or, if none of them is, the others. */
static void report_registers(struct resumed_tasks *r, struct hart *h, const struct left *l,
                             uint64_t code, uint32_t integers, uint32_t floats, uint32_t vectors)
{
    struct finding *f = report(r, h, l, code, RULE_clobbered_register);

    if (!f)
        return;
    add_registers(f, integers, 0, l->regs, hart_regs(h));
    if (!integers)
        add_registers(f, floats, FACT_FREG, l->fregs, hart_fregs(h));
    if (!integers && !floats)
        resumed_vectors_add_registers(r->vectors, l->vectors, h, vectors, f);
    end_report(r, h, f);
}

static void report_vector_state(struct resumed_tasks *r, struct hart *h, const struct left *l,
                                uint64_t code, uint32_t state)
{
    struct finding *f = report(r, h, l, code, RULE_clobbered_csr);

    if (!f)
        return;
    resumed_vectors_add_state(r->vectors, l->vectors, h, state, f);
    end_report(r, h, f);
}

static void compare(struct resumed_tasks *r, struct hart *h, const struct left *l, uint32_t kept,
                    uint64_t code)
{
    uint32_t integers = changed_registers(l, h, kept), floats = changed_floats(l, h);
    struct vectors_lost vectors = {0, 0};

    if (l->vectors)
        vectors = resumed_vectors_compare(r->vectors, l->vectors, h);
    if (UNLIKELY(integers | floats | vectors.registers))
        report_registers(r, h, l, code, integers, floats, vectors.registers);
    if (UNLIKELY(vectors.state))
        report_vector_state(r, h, l, code, vectors.state);
}

/* ---- what was interrupted ---- */

/* Its vectors are the caller's. */
static void forget(struct resumed_tasks *r, size_t i)
{
    memmove(&r->interrupted.at[i], &r->interrupted.at[i + 1],
            (r->interrupted.len - i - 1) * sizeof *r->interrupted.at);
    r->interrupted.len--;
}

static void drop_vectors(struct resumed_tasks *r, const struct left *l)
{
    if (l->vectors)
        resumed_vectors_drop(r->vectors, l->vectors);
}

/*
 * A switch to the task did not come back from a call of it: it is a new one. An ended task with the
 * same address may have been interrupted, and its program does not go on.
 */
static void drop_if_new(struct resumed_tasks *r, struct hart *h, uint64_t task)
{
    struct switching *s = &r->switching[hart_id(h)];

    if (LIKELY(!s->open || s->next != task))
        return;
    s->open = false;
    for (size_t i = r->interrupted.len; i-- > 0;) {
        const struct left l = r->interrupted.at[i];

        if (l.from != PRIV_U || l.task != task)
            continue;
        forget(r, i);
        drop_vectors(r, &l);
    }
}

/* ---- switches ---- */

static struct left *task_at(const struct resumed_tasks *r, uint64_t task)
{
    uint64_t known;

    return map_get(&r->index, task, &known) ? &r->tasks.at[known] : NULL;
}

/* The record of the task, which may be new; if there are too many, all are forgotten. */
static struct left *record_of(struct resumed_tasks *r, uint64_t task)
{
    struct left *known = task_at(r, task);

    if (known)
        return known;
    if (r->tasks.len == TASKS_MAX) {
        r->left_out += r->tasks.len;
        r->tasks.len = 0;
        map_clear(&r->index);
    }
    map_put(&r->index, task, r->tasks.len);
    VEC_PUSH(&r->tasks, (struct left){.task = task});
    return &r->tasks.at[r->tasks.len - 1];
}

static void plant(struct resumed_tasks *r, uint64_t pa)
{
    for (size_t i = 0; i < r->places.len; i++)
        if (r->places.at[i].pa == pa)
            return;
    if (r->places.len == PLACES_MAX) {
        r->left_out++;
        return;
    }
    VEC_PUSH(&r->places,
             ((struct place){pa, cluster_plant(r->audit->config.cluster, pa, &r->owner, 0)}));
}

void resumed_tasks_switch(struct resumed_tasks *r, struct hart *h)
{
    uint64_t previous = hart_reg(h, REG_A0), back = hart_reg(h, REG_RA), pa;
    struct switching *s = &r->switching[hart_id(h)];

    drop_if_new(r, h, previous);
    *s = (struct switching){true, previous, hart_reg(h, REG_A1)};
    if (previous != hart_reg(h, REG_TP) || previous == UINT64_MAX || !guest_code(h, back, &pa))
        return;
    take(record_of(r, previous), h, previous, back);
    plant(r, pa);
}

/*
 * The result is the previous task, as its caller has to finish that one. gp is the task's only if
 * it is an address of the kernel: one that has no use for it leaves a program's there.
 */
static uint32_t kept_by_switch(const struct left *l)
{
    return KEPT_BY_CALL | X(REG_A0) | ((int64_t)l->regs[REG_GP] < 0 ? X(REG_GP) : 0);
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct resumed_tasks *r = ctx;
    struct switching *s = &r->switching[hart_id(h)];
    const struct left *l = s->open && hart_mode(h) == PRIV_S ? task_at(r, s->next) : NULL;
    struct left expected;
    uint64_t code;

    (void)id;
    (void)cookie;
    if (!l || l->pc != pc)
        return PROBE_GO_ON;
    s->open = false;
    if (!symbols_find(r->audit->config.symbols, "__switch_to", &code))
        return PROBE_GO_ON;
    expected = *l;
    expected.regs[REG_A0] = s->previous;
    compare(r, h, &expected, kept_by_switch(l), code);
    return PROBE_GO_ON;
}

/* ---- interrupts ---- */

/*
 * What runs in the kernel is known by its stack, and a program by its task. Where no task is known
 * by tp (which would be the number of the hart), sp has to do.
 */
static bool is_of(const struct left *l, unsigned mode, uint64_t task, uint64_t sp)
{
    return l->from == mode && (mode == PRIV_U ? l->task == task : l->regs[REG_SP] == sp);
}

/* Whether what was interrupted goes on as if nothing had happened. */
static bool is_transparent(const struct trap_event *t)
{
    return t->interrupt || t->cause == EXC_FETCH_PAGE || t->cause == EXC_LOAD_PAGE ||
           t->cause == EXC_STORE_PAGE;
}

void resumed_tasks_trap(struct resumed_tasks *r, const struct trap_event *t)
{
    enum { CSR_SSCRATCH = 0x140 };
    struct left *l;
    uint64_t task;

    if (t->to != PRIV_S || !is_transparent(t) || !r->audit->sees_switches ||
        !hart_csr(t->hart, CSR_SSCRATCH, &task))
        return;
    if (r->interrupted.len == INTERRUPTED_MAX) { /* as by traps without end: none returns */
        r->left_out += r->interrupted.len;
        while (r->interrupted.len)
            drop_vectors(r, &r->interrupted.at[--r->interrupted.len]);
    }
    VEC_RESERVE(&r->interrupted, 1);
    l = &r->interrupted.at[r->interrupted.len++];
    take(l, t->hart, t->from == PRIV_U ? task : hart_reg(t->hart, REG_TP), t->epc);
    l->from = (uint8_t)t->from;
    l->floats = t->from == PRIV_U && hart_status(t->hart).sstatus & SSTATUS_FS;
    if (l->floats)
        memcpy(l->fregs, hart_fregs(t->hart), sizeof l->fregs);
    if (r->vectors)
        l->vectors = resumed_vectors_keep(r->vectors, t->hart);
}

static uint64_t trap_vector(struct hart *h)
{
    enum { CSR_STVEC = 0x105 };
    uint64_t vector;

    return hart_csr(h, CSR_STVEC, &vector) ? vector & ~UINT64_C(3) : 0;
}

/*
 * A program may go on elsewhere: in a handler of a signal, or after a replaced instruction. Then
 * nothing is known of what it was interrupted in.
 */
void resumed_tasks_trap_return(struct resumed_tasks *r, const struct trap_return_event *t)
{
    uint64_t task = call_stack_task(t->hart), sp = hart_reg(t->hart, REG_SP);

    if (t->from != PRIV_S)
        return;
    if (t->to == PRIV_U)
        drop_if_new(r, t->hart, task);
    for (size_t i = r->interrupted.len; i-- > 0;) {
        struct left l;

        if (!is_of(&r->interrupted.at[i], t->to, task, sp))
            continue;
        l = r->interrupted.at[i];
        forget(r, i);
        if (l.pc == t->pc)
            compare(r, t->hart, &l, KEPT_BY_INTERRUPT, trap_vector(t->hart));
        drop_vectors(r, &l);
        return;
    }
}

/* ---- life, state ---- */

struct resumed_tasks *resumed_tasks_new(struct audit *a)
{
    struct resumed_tasks *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->switching = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->switching);
    r->vectors = resumed_vectors_new(a->config.cluster);
    r->owner = (struct probe_owner){r, NULL, hit};
    return r;
}

void resumed_tasks_free(struct resumed_tasks *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->places.len; i++)
        cluster_uproot(r->audit->config.cluster, r->places.at[i].probe);
    VEC_FREE(&r->places);
    VEC_FREE(&r->tasks);
    VEC_FREE(&r->interrupted);
    map_free(&r->index);
    free(r->switching);
    resumed_vectors_free(r->vectors);
    free(r);
}

uint64_t resumed_tasks_left_out(const struct resumed_tasks *r)
{
    return r->left_out;
}

static void left_io(struct state_io *io, struct left *l)
{
    STATE_IO(io, l->task);
    STATE_IO(io, l->pc);
    STATE_IO(io, l->cycle);
    STATE_IO(io, l->step);
    STATE_IO(io, l->hart);
    STATE_IO(io, l->from);
    STATE_IO(io, l->floats);
    STATE_IO(io, l->late);
    STATE_IO(io, l->vectors);
    for (unsigned i = 0; i < 32; i++)
        STATE_IO(io, l->regs[i]);
    for (unsigned i = 0; i < 32; i++)
        STATE_IO(io, l->fregs[i]);
}

/* Only what was interrupted has vectors, and those that are kept. */
static void check_vectors(struct state_io *io, const struct resumed_tasks *r)
{
    bool right = true;

    for (size_t i = 0; i < r->tasks.len; i++)
        right = right && !r->tasks.at[i].vectors;
    for (size_t i = 0; i < r->interrupted.len; i++) {
        uint32_t number = r->interrupted.at[i].vectors;

        right = right && (!number || (r->vectors && resumed_vectors_has(r->vectors, number)));
    }
    if (!right)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

/* Restores what follows from the tasks. */
static void index_tasks(struct state_io *io, struct resumed_tasks *r)
{
    map_clear(&r->index);
    for (size_t i = 0; i < r->tasks.len; i++)
        if (r->tasks.at[i].task == UINT64_MAX)
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else
            map_put(&r->index, r->tasks.at[i].task, i);
}

static void place_io(struct state_io *io, struct place *p)
{
    STATE_IO(io, p->pa);
}

static void places_io(struct state_io *io, struct resumed_tasks *r)
{
    const struct bus *bus = cluster_bus(r->audit->config.cluster);

    for (size_t i = 0; io->loading && i < r->places.len; i++)
        cluster_uproot(r->audit->config.cluster, r->places.at[i].probe);
    STATE_IO_VEC(io, &r->places, PLACES_MAX, place_io);
    for (size_t i = 0; io->loading && i < r->places.len; i++) {
        struct place *p = &r->places.at[i];

        p->probe = CLUSTER_NO_PROBE;
        if (io->error || !bus_ram_at(bus, p->pa))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        else
            p->probe = cluster_plant(r->audit->config.cluster, p->pa, &r->owner, 0);
    }
}

void resumed_tasks_state_io(struct state_io *io, struct resumed_tasks *r)
{
    state_io_section(io, "resumed tasks", 2);
    if (r->vectors)
        resumed_vectors_io(io, r->vectors);
    STATE_IO_VEC(io, &r->tasks, TASKS_MAX, left_io);
    STATE_IO_VEC(io, &r->interrupted, INTERRUPTED_MAX, left_io);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++) {
        STATE_IO(io, r->switching[i].open);
        STATE_IO(io, r->switching[i].previous);
        STATE_IO(io, r->switching[i].next);
    }
    STATE_IO(io, r->left_out);
    places_io(io, r);
    if (io->loading) {
        index_tasks(io, r);
        check_vectors(io, r);
    }
}
