/*
 * guest_rules.c - the rule about what the guest itself notices, and about its death
 * (docs/rules.md): it panics, warns, reports an exception of its own code, turns ftrace off, or
 * hangs.
 *
 * What the kernel says of itself comes as events (ftrace/kernel/alarms.h). Hangs are hangs.c.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/guest/guest_evidence.h"
#include "ftrace/audit/guest/hangs.h"
#include "ftrace/kernel/alarms.h"

/*
 * Alarms of one task on one hart within this time are about one thing: a warning that is printed,
 * an exception that is reported and ends in a panic.
 */
enum { EPISODE_CYCLES = 5 * 1000 * 1000 };

struct last_alarm {
    bool any;
    uint8_t kind;
    uint64_t task, cycle, cause, place;
};

struct guest_hart {
    struct taken exception;
    struct last_alarm alarm;
};

struct guest_rules {
    struct audit *audit;
    struct guest_hart *harts;
    struct hangs *hangs;
    bool panicked;
};

static struct guest_hart *state_of(const struct guest_rules *r, const struct hart *h)
{
    return &r->harts[hart_id(h)];
}

/* ---- what the kernel says ---- */

/* Whether the hart's last alarm was raised by the same task, not long ago. */
static bool is_recent(const struct last_alarm *last, const struct hart *h)
{
    return last->any && last->task == hart_reg(h, REG_TP) &&
           hart_cycles(h) - last->cycle <= EPISODE_CYCLES;
}

/* Two warnings at different places are two causes, however close they are. */
static uint64_t cause_of(const struct guest_rules *r, const struct hart *h,
                         const struct alarm *alarm, uint64_t place)
{
    const struct last_alarm *last = &state_of(r, h)->alarm;

    if (is_recent(last, h) && (alarm->kind != ALARM_WARNING || last->kind != ALARM_WARNING))
        return last->cause;
    return audit_cause(RULE_guest_noticed, audit_function(r->audit, place));
}

static void report_alarm(const struct guest_rules *r, struct hart *h, const struct alarm *alarm,
                         uint64_t place, uint64_t cause)
{
    const struct taken *exception = &state_of(r, h)->exception;
    struct finding *f = guest_evidence_begin(r->audit, h, place, cause);

    if (!f)
        return;
    if (!alarm->place && exception->cycle)
        guest_evidence_exception(f, h, exception);
    audit_fact_text(f, LABEL_SAID, "%s%s%s", alarm->function, alarm->text[0] ? ": " : "()",
                    alarm->text);
    audit_fact_moment(f, LABEL_CALLED, h, alarm->caller);
    if (alarm->place && alarm->place != alarm->caller)
        audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = alarm->place;
    if (alarm->site)
        audit_fact(f, LABEL_SITE, FACT_PLACE)->va = alarm->site;
    guest_evidence_end(r->audit, f, h);
}

/*
 * Linux prints the message of a warning, and then traps, by which it learns the line from its table
 * of bugs: whether this is that trap. The two are in one function, one after the other.
 */
static bool is_line_of_last(const struct last_alarm *last, const struct hart *h,
                            const struct alarm *alarm, uint64_t place)
{
    enum { NEAR_BYTES = 64 };

    return is_recent(last, h) && last->kind == ALARM_WARNING && alarm->kind == ALARM_WARNING &&
           alarm->text[0] && place > last->place && place - last->place <= NEAR_BYTES;
}

static void add_line(const struct guest_rules *r, uint64_t cause, const struct alarm *alarm)
{
    struct finding *f = audit_known(r->audit, cause);

    if (!f || f->fact_count == FACTS_MAX)
        return;
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_PLACE)
            return;
    audit_fact_text(f, LABEL_PLACE, "%s", alarm->text);
}

static void on_alarm(struct guest_rules *r, struct hart *h, const struct alarm *alarm)
{
    struct guest_hart *state = state_of(r, h);
    uint64_t place = alarm->place             ? alarm->place
                     : state->exception.cycle ? state->exception.pc
                                              : alarm->caller;
    uint64_t cause;

    /* After a panic there is no more to be said; and a warning is printed after it was raised. */
    if (r->panicked || (is_recent(&state->alarm, h) && (alarm->nested || alarm->printed)))
        return;
    if (is_line_of_last(&state->alarm, h, alarm, place)) {
        add_line(r, state->alarm.cause, alarm);
        return;
    }
    cause = cause_of(r, h, alarm, place);
    report_alarm(r, h, alarm, place, cause);
    state->alarm = (struct last_alarm){.any = true,
                                       .kind = (uint8_t)alarm->kind,
                                       .task = hart_reg(h, REG_TP),
                                       .cycle = hart_cycles(h),
                                       .cause = cause,
                                       .place = place};
    r->panicked |= alarm->kind == ALARM_PANIC;
}

static void on_trap(const struct guest_rules *r, const struct trap_event *t)
{
    hangs_trap(r->hangs, t);
    if (t->to == PRIV_S && t->from == PRIV_S && !t->interrupt)
        state_of(r, t->hart)->exception = (struct taken){
            t->epc, t->cause, t->tval, hart_cycles(t->hart), cluster_steps(hart_cluster(t->hart))};
}

/*
 * Whether the kernel has come so far that code was changed, or a program has run. An image that
 * dies before is mostly not for this machine, and the message about the end of the run says why.
 */
static bool has_begun(const struct audit *a)
{
    uint32_t hart;

    return a->user_mode || guest_evidence_last_patch(a, &hart);
}

static void end(void *rules)
{
    struct guest_rules *r = rules;

    if (!r->panicked && r->audit->end.how != RUN_OVER && has_begun(r->audit))
        hangs_judge(r->hangs);
}

void guest_rules_task_runs(const struct audit *a, const struct hart *h, uint64_t tp)
{
    const struct guest_rules *r = a->rules[FAMILY_guest];

    hangs_switch(r->hangs, h, tp);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct guest_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    r->hangs = hangs_new(a);
    return r;
}

static void destroy(void *rules)
{
    struct guest_rules *r = rules;

    hangs_free(r->hangs);
    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct guest_rules *r = rules;

    switch (e->kind) {
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_HART_WAITS: hangs_wait(r->hangs, e->started.hart); break;
    case EVENT_SBI_CALL: hangs_sbi_call(r->hangs, &e->sbi); break;
    case EVENT_IPI_SENT: hangs_ipi_sent(r->hangs, &e->ipi); break;
    default: break;
    }
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    on_alarm(rules, e->alarm.hart, e->alarm.alarm);
}

static void hart_io(struct state_io *io, struct guest_hart *h)
{
    STATE_IO(io, h->exception.pc);
    STATE_IO(io, h->exception.cause);
    STATE_IO(io, h->exception.value);
    STATE_IO(io, h->exception.cycle);
    STATE_IO(io, h->exception.step);
    STATE_IO(io, h->alarm.any);
    STATE_IO_BELOW(io, h->alarm.kind, ALARM_KINDS);
    STATE_IO(io, h->alarm.task);
    STATE_IO(io, h->alarm.cycle);
    STATE_IO(io, h->alarm.cause);
    STATE_IO(io, h->alarm.place);
}

static void state_io(struct state_io *io, void *rules)
{
    struct guest_rules *r = rules;

    state_io_section(io, "guest-rules", 4);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        hart_io(io, &r->harts[i]);
    STATE_IO(io, r->panicked);
    hangs_state_io(io, r->hangs);
}

const struct rule_family guest_family = {.create = create,
                                         .destroy = destroy,
                                         .event = on_event,
                                         .ftrace_event = on_ftrace_event,
                                         .end = end,
                                         .state_io = state_io};
