/*
 * resume.c - running, and the reason of the stop as a value (target.h).
 */
#include "debug/target/target_priv.h"

/* ---- running ---- */

/*
 * Prepares one call of machine_run. A run may take several: it continues after an access to a
 * watchpoint whose condition is false.
 */
void resume_begin_piece(struct target *t)
{
    t->hit = HIT_NONE;
    t->hit_point = 0;
    t->patched = false;
    t->accesses.len = 0;
    t->caught.len = 0;
    t->findings_piece = target_findings(t);
}

bool resume_passes(struct target *t, struct stop stop)
{
    bool asked = t->accesses.len || t->caught.len;
    bool watched = t->accesses.len && watchpoint_decide(t, hart_id(stop.hart));
    bool caught = t->caught.len && catch_decide(t);

    return asked && !watched && !caught && stop.reason == STOP_ASKED && !t->patched &&
           target_findings(t) == t->findings_piece;
}

struct stop resume_run(struct target *t, uint64_t max_insns,
                       struct stop (*machine)(struct target *t, uint64_t max_insns))
{
    struct stop stop;

    if (max_insns > t->config.max_insns)
        max_insns = t->config.max_insns;
    do {
        resume_begin_piece(t);
        stop = machine(t, max_insns);
    } while (resume_passes(t, stop));
    return stop;
}

struct stop resume_until(struct target *t, uint64_t max_insns)
{
    return resume_run(t, max_insns, history_run);
}

void resume_begin(struct target *t, unsigned from_hart)
{
    history_open(t);
    t->findings_before = target_findings(t);
    watchpoint_follow(t); /* the user may have changed registers or memory */
    if (from_hart < target_hart_count(t))
        points_pass(t, target_hart_at(t, from_hart));
}

/* ---- the reason of a stop ---- */

bool resume_at_limit(const struct target *t, struct stop stop)
{
    return stop.reason == STOP_CYCLES ||
           (stop.reason == STOP_INSNS && machine_insns(t->machine) >= t->config.max_insns);
}

/* Finds the reason of a stop by a probe of this target, or of another owner. */
static void explain_probe(const struct target *t, struct target_stop *s)
{
    s->of_hart = true;
    switch (t->hit) {
    case HIT_NONE: s->reason = TARGET_STOP_PROBE; break;
    case HIT_POINT:
        s->reason = TARGET_STOP_BREAKPOINT;
        s->point = t->hit_point;
        break;
    case HIT_GOAL:
    case HIT_TURN: s->reason = TARGET_STOP_DONE; break;
    }
}

/* Finds the reason of a stop on request: by this target, by the auditor, or by the user. */
static void explain_request(const struct target *t, struct target_stop *s)
{
    if (s->access_count) {
        const struct writer *who = &s->accesses[0].who;

        s->reason = TARGET_STOP_WATCHPOINT;
        s->point = s->accesses[0].point;
        s->of_hart = true; /* a write by a device counts for the hart that is running */
        s->hart = who->kind == WRITER_HART ? who->hart : s->hart;
    } else if (t->caught.len) {
        s->reason = TARGET_STOP_CATCH;
        s->point = t->caught.at[0].point;
        if (t->caught.at[0].is_ftrace)
            s->ftrace_event = &t->caught.at[0].ftrace_event;
        else
            s->event = &t->caught.at[0].event;
        s->of_hart = true;
        s->hart = t->caught.at[0].hart;
    } else if (t->patched) {
        s->reason = TARGET_STOP_PATCH;
        s->of_hart = true;
    } else {
        s->reason = s->findings ? TARGET_STOP_FINDING : TARGET_STOP_INTERRUPTED;
    }
}

static void explain_end(struct target_stop *s, enum target_stop_reason reason)
{
    s->reason = reason;
    s->of_hart = reason != TARGET_STOP_ASLEEP;
    s->code = s->machine.code;
}

static struct target_stop explain(const struct target *t, struct stop stop)
{
    struct target_stop s = {.hart = hart_id(stop.hart),
                            .machine = stop,
                            .patched = t->patched,
                            .site = t->patched_site,
                            .writer = t->patched_by,
                            .accesses = t->accesses.at,
                            .access_count = t->accesses.len,
                            .findings = target_findings(t) - t->findings_before};

    switch (stop.reason) {
    case STOP_PROBE: explain_probe(t, &s); break;
    case STOP_ASKED: explain_request(t, &s); break;
    case STOP_INSNS:
    case STOP_CYCLES:
        s.reason = resume_at_limit(t, stop) ? TARGET_STOP_LIMIT : TARGET_STOP_DONE;
        break;
    case STOP_EXIT: explain_end(&s, TARGET_STOP_EXIT); break;
    case STOP_RESET: explain_end(&s, TARGET_STOP_RESET); break;
    case STOP_STUCK: explain_end(&s, TARGET_STOP_STUCK); break;
    case STOP_ASLEEP: explain_end(&s, TARGET_STOP_ASLEEP); break;
    }
    return s;
}

static bool ends_guest(enum target_stop_reason reason)
{
    return reason == TARGET_STOP_EXIT || reason == TARGET_STOP_RESET || reason == TARGET_STOP_STUCK;
}

void resume_delete_temporary(struct target *t, unsigned number)
{
    const struct target_point *p = target_find_point(t, number);

    if (p && p->temporary)
        (void)!target_delete_point(t, number);
}

struct target_stop resume_finish(struct target *t, struct stop stop)
{
    struct target_stop s = explain(t, stop);

    goals_drop(t, false);
    t->ended = t->ended || ends_guest(s.reason);
    if (t->hit != HIT_NONE)
        points_pass(t, stop.hart);
    resume_delete_temporary(t, s.point);
    for (size_t i = 0; i < s.access_count; i++)
        resume_delete_temporary(t, s.accesses[i].point);
    for (size_t i = 0; i < t->caught.len; i++)
        resume_delete_temporary(t, t->caught.at[i].point);
    return s;
}

bool target_ended(const struct target *t)
{
    return t->ended;
}

struct target_stop target_run_to(struct target *t, unsigned from_hart,
                                 const struct target_goal *goals, size_t count)
{
    unsigned reader = from_hart < target_hart_count(t) ? from_hart : target_current_hart(t);

    resume_begin(t, from_hart);
    for (size_t i = 0; i < count; i++)
        goal_add(t, reader, &goals[i], false);
    return resume_finish(t, resume_until(t, UINT64_MAX));
}

struct target_stop target_run(struct target *t, unsigned from_hart, const struct target_goal *goal)
{
    return target_run_to(t, from_hart, goal, goal ? 1 : 0);
}
