/*
 * stops.c - see stops.h.
 *
 * A task that was interrupted goes on where a trap returns with its tp and sp. The kernel may have
 * moved its pc.
 */
#include "explore/stops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/disasm.h"
#include "cpu/isa/isa.h"
#include "explore/acts.h"
#include "explore/order.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/report.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "machine/machine.h"
#include "machine/plan.h"

enum { OP_TEXT = 16, TASK_TEXT = TASK_NAME_MAX + 32, PLACE_TEXT = PLACE_MAX + 64 };

struct stops {
    struct machine *machine;
    const struct report *report;
    unsigned hart;
    uint64_t pc, task, sp;
    uint64_t at, hart_insns; /* instructions of all harts, and of this one */
    char who[TASK_TEXT];     /* "work (4)"; "": not known */
    char place[PLACE_TEXT];  /* "between auipc and jalr of fib" */
    bool interrupted;
    uint64_t cause;
    bool holds, came_back;
    unsigned again; /* number of times that the task was interrupted again */
    bool goes_on;
    unsigned on; /* hart */
    uint64_t on_pc, on_at;
};

/* ---- the place ---- */

/* Writes the name of the instruction at va, and returns its size; 0: it cannot be read. */
static unsigned op_at(struct hart *h, uint64_t va, char op[OP_TEXT])
{
    char text[DISASM_MAX];
    uint32_t word;
    unsigned size;

    if (!hart_peek_insn(h, va, &word))
        return 0;
    size = disasm(va, word, NULL, text);
    snprintf(op, OP_TEXT, "%.*s", (int)strcspn(text, " \t"), text);
    return size;
}

/* Writes the name of the instruction before va, counted from the address `from'. */
static bool op_before(struct hart *h, uint64_t from, uint64_t va, char op[OP_TEXT])
{
    unsigned size = 1;

    while (from < va && size) {
        size = op_at(h, from, op);
        from += size;
    }
    return from == va && size;
}

static const struct site *site_around(const struct stops *s, struct hart *h, uint64_t va)
{
    const struct site_table *sites = watch_sites(s->report->watch);
    uint64_t pa;
    uint32_t id;

    if (!hart_translate(h, va, ACCESS_FETCH, &pa))
        return NULL;
    id = site_find(sites, pa, 1);
    return id == NO_SITE ? NULL : site_get(sites, id);
}

static void describe_stop(struct stops *s, struct hart *h)
{
    const struct site *site = site_around(s, h, s->pc);
    char next[OP_TEXT] = "?", before[OP_TEXT], place[PLACE_MAX];

    (void)op_at(h, s->pc, next);
    describe_place(place, s->report->symbols, s->report->lines, s->pc);
    if (site && site->function[0] && site->va < s->pc && op_before(h, site->va, s->pc, before))
        snprintf(s->place, PLACE_TEXT, "between %s and %s of %.200s", before, next, site->function);
    else if (site && site->function[0])
        snprintf(s->place, PLACE_TEXT, "before %s of %.200s", next, site->function);
    else
        snprintf(s->place, PLACE_TEXT, "before %s at %s", next, place);
}

static void describe_task(struct stops *s, struct hart *h)
{
    struct tasks *tasks = watch_tasks(s->report->watch);
    struct task task;

    if (!tasks || hart_mode(h) != PRIV_S || !tasks_read(tasks, h, s->task, &task))
        return;
    if (task.pid >= 0)
        snprintf(s->who, TASK_TEXT, "%s (%" PRId32 ")", task.name, task.pid);
    else
        snprintf(s->who, TASK_TEXT, "%s", task.name);
}

/* ---- the task, as it goes on ---- */

/* Whether the kernel may have moved the pc from one to the other within a place. */
static bool is_near(uint64_t a, uint64_t b)
{
    return (a < b ? b - a : a - b) <= SITE_BYTES_MAX;
}

static void on_event(void *ctx, const struct event *e)
{
    struct stops *s = ctx;

    if (e->kind == EVENT_TRAP && !s->interrupted && e->trap.interrupt &&
        hart_id(e->trap.hart) == s->hart && e->trap.epc == s->pc &&
        hart_insns(e->trap.hart) == s->hart_insns) {
        s->interrupted = true;
        s->cause = e->trap.cause;
    }
    if (e->kind != EVENT_TRAP_RETURN || !s->interrupted || s->goes_on ||
        hart_reg(e->trap_return.hart, REG_TP) != s->task ||
        hart_reg(e->trap_return.hart, REG_SP) != s->sp)
        return;
    s->on = hart_id(e->trap_return.hart);
    if (s->holds && is_near(e->trap_return.pc, s->pc)) {
        s->came_back = true;
        machine_ask_stop(s->machine);
        return;
    }
    s->goes_on = true;
    s->on_pc = e->trap_return.pc;
    s->on_at = machine_insns(s->machine);
}

struct stops *stops_new(struct machine *m, const struct report *r, unsigned hart)
{
    struct hart *h = cluster_hart(machine_cluster(m), hart);
    struct stops *s = xcalloc(1, sizeof *s);

    *s = (struct stops){.machine = m,
                        .report = r,
                        .hart = hart,
                        .pc = hart_pc(h),
                        .task = hart_reg(h, REG_TP),
                        .sp = hart_reg(h, REG_SP),
                        .at = machine_insns(m),
                        .hart_insns = hart_insns(h)};
    describe_stop(s, h);
    describe_task(s, h);
    cluster_listen(machine_cluster(m),
                   &(struct listener){.ctx = s,
                                      .kinds = EVENT_BIT(EVENT_TRAP) | EVENT_BIT(EVENT_TRAP_RETURN),
                                      .on_event = on_event});
    return s;
}

void stops_hold(struct stops *s, bool on)
{
    s->holds = on;
}

bool stops_came_back(struct stops *s, unsigned *hart)
{
    bool back = s->came_back;

    s->came_back = false;
    s->again += back;
    *hart = s->on;
    return back;
}

bool stops_went_on(const struct stops *s)
{
    return s->goes_on;
}

/* ---- words ---- */

/* "work (4) on hart 0", or "hart 0". */
static void name_stopped(const struct stops *s, char text[TASK_TEXT + OP_TEXT])
{
    snprintf(text, TASK_TEXT + OP_TEXT, "%s%shart %u", s->who, s->who[0] ? " on " : "", s->hart);
}

static const char *interrupt_name(uint64_t cause)
{
    switch (cause) {
    case IRQ_STI:
    case IRQ_MTI: return "the timer";
    case IRQ_SSI:
    case IRQ_MSI: return "an interrupt of another hart";
    default: return "an interrupt";
    }
}

/* What was awaited: "hart 1 had stored to fib". any: who has done it, if the hart is not said. */
static void describe_act(const struct stops *s, const struct act *a, const char *any,
                         char text[PLACE_TEXT])
{
    const struct site_table *sites = watch_sites(s->report->watch);
    const char *function = !(a->place & PLACE_PAGE) && a->place < site_count(sites)
                               ? site_get(sites, a->place)->function
                               : "";
    char who[OP_TEXT], at[PLACE_MAX] = "code";

    snprintf(who, sizeof who, "%s", any);
    if (a->hart != ANY_HART)
        snprintf(who, sizeof who, "hart %u", a->hart);
    if (function[0])
        snprintf(at, sizeof at, "the site of %.200s", function);
    switch ((enum act_kind)a->kind) {
    case ACT_EXECUTE: snprintf(text, PLACE_TEXT, "%s had executed %s", who, at); break;
    case ACT_STORE: snprintf(text, PLACE_TEXT, "%s had stored to %s", who, at); break;
    case ACT_FENCE:
        snprintf(text, PLACE_TEXT, "the fence.i of hart %u that %s executed or asked for", a->other,
                 who);
        break;
    case ACT_SEND:
        snprintf(text, PLACE_TEXT, "%s had sent an interrupt to hart %u", who, a->other);
        break;
    case ACT_TAKE: snprintf(text, PLACE_TEXT, "%s had taken an interrupt", who); break;
    case ACT_START: snprintf(text, PLACE_TEXT, "%s had started hart %u", who, a->other); break;
    case ACT_ACCESS:
        describe_place(at, s->report->symbols, NULL, a->va);
        snprintf(text, PLACE_TEXT, "%s had %s %.200s", who, a->other ? "stored to" : "loaded", at);
        break;
    case ACT_LOCK:
    case ACT_UNLOCK:
    case ACT_KINDS: break;
    }
}

void stops_describe_tick(const struct stops *s, const struct act *until, char text[STOP_TEXT])
{
    char who[TASK_TEXT + OP_TEXT], place[PLACE_MAX], n[GROUPED_MAX], act[PLACE_TEXT];
    const char *by = interrupt_name(s->cause);
    size_t used;

    name_stopped(s, who);
    if (!s->interrupted) {
        snprintf(text, STOP_TEXT, "time passes %s, where %s is, without an interrupt", s->place,
                 who);
        return;
    }
    if (until)
        describe_act(s, until, "another task", act);
    used = (size_t)snprintf(text, STOP_TEXT, "%s interrupted %.200s by %s, %s%.200s%s", who,
                            s->place, by, until ? "and kept there until " : "", until ? act : "",
                            until ? ", " : "");
    if (used >= STOP_TEXT)
        return;
    if (!s->goes_on) {
        snprintf(text + used, STOP_TEXT - used, "not continued before the end of this run");
        return;
    }
    grouped(n, s->on_at - s->at);
    if (s->on_pc == s->pc) {
        snprintf(text + used, STOP_TEXT - used, "continued on hart %u after %s instructions", s->on,
                 n);
        return;
    }
    describe_place(place, s->report->symbols, s->report->lines, s->on_pc);
    snprintf(text + used, STOP_TEXT - used, "continued on hart %u at %.160s after %s instructions",
             s->on, place, n);
}

void stops_describe_late(const struct stops *s, const struct plan_step *step,
                         const struct act *until, char text[STOP_TEXT])
{
    char who[TASK_TEXT + OP_TEXT], act[PLACE_TEXT], place[PLACE_MAX], n[GROUPED_MAX];

    name_stopped(s, who);
    grouped(n, step->until - step->at);
    if (until)
        describe_act(s, until, "another hart", act);
    if (step->kind == PLAN_HOLD) {
        snprintf(text, STOP_TEXT,
                 "what %s stores %.200s is not seen by others%s%.200s, for %s instructions", who,
                 s->place, until ? " until " : "", until ? act : "", n);
        return;
    }
    describe_place(place, s->report->symbols, s->report->lines, step->pc);
    snprintf(text, STOP_TEXT,
             "the load of hart %u at %.200s returns what was there %s instructions before",
             step->hart, place, n);
}

void stops_describe_stall(const struct stops *s, const struct act *until, uint64_t insns,
                          char text[STOP_TEXT])
{
    char who[TASK_TEXT + OP_TEXT], act[PLACE_TEXT], n[GROUPED_MAX];

    name_stopped(s, who);
    grouped(n, insns);
    if (until)
        describe_act(s, until, "another hart", act);
    snprintf(text, STOP_TEXT, "%s stopped %.200s%s%.200s, continued there after %s instructions",
             who, s->place, until ? " until " : "", until ? act : "", n);
}
