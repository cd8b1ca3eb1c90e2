/*
 * catchpoints.c - points that stop after an event of the machine (cpu/observer.h) or of ftrace
 * (ftrace/events/events.h). The target listens only to the kinds that some catchpoint needs, so a
 * kind that none needs costs nothing.
 */
#include "debug/target/target_priv.h"
#include "ftrace/watch.h"

static bool is_on(const struct target_point *p)
{
    return p->kind == TARGET_CATCH && !p->disabled;
}

void catch_listen(struct target *t)
{
    uint32_t kinds = TARGET_EVENTS | (t->changed ? EVENT_BIT(EVENT_TRAP_RETURN) : 0);
    uint32_t ftrace_kinds = 0;

    for (size_t i = 0; i < t->points.len; i++) {
        const struct target_point *p = &t->points.at[i];

        kinds |= is_on(p) ? p->catch.kinds : 0;
        ftrace_kinds |= is_on(p) ? p->catch.ftrace_kinds : 0;
    }
    cluster_listen_to(t->cluster, t, kinds);
    if (t->config.ftrace)
        ftrace_listen_to(watch_stream(t->config.ftrace), t, ftrace_kinds);
}

/* Returns the hart of the event; NULL: none, or an unknown one. */
static const struct hart *hart_of(const struct target *t, const struct event *e)
{
    switch (e->kind) {
    case EVENT_CODE_WRITE:
        return e->code_write.who.kind == WRITER_HART ? target_hart_at(t, e->code_write.who.hart)
                                                     : NULL;
    case EVENT_STALE_FETCH: return e->stale_fetch.hart;
    case EVENT_FENCE_I:
    case EVENT_SFENCE_VMA: return e->fence.hart;
    case EVENT_SATP: return e->satp.hart;
    case EVENT_TRAP: return e->trap.hart;
    case EVENT_TRAP_RETURN: return e->trap_return.hart;
    case EVENT_IPI_SENT:
    case EVENT_IPI_TAKEN: return e->ipi.hart;
    case EVENT_SBI_CALL: return e->sbi.hart;
    case EVENT_HART_STARTED:
    case EVENT_HART_STOPPED: return e->started.hart;
    case EVENT_CSR_WRITE: return e->csr_write.hart;
    default: return NULL;
    }
}

static bool is_noted(const struct target *t, unsigned number)
{
    for (size_t i = 0; i < t->caught.len; i++)
        if (t->caught.at[i].point == number)
            return true;
    return false;
}

static void note(struct target *t, const struct caught *c)
{
    VEC_PUSH(&t->caught, *c);
    machine_ask_stop(t->machine);
}

void catch_note(struct target *t, const struct event *e)
{
    const struct hart *h = t->quiet ? NULL : hart_of(t, e);

    for (size_t i = 0; i < t->points.len && !t->quiet; i++) {
        const struct target_point *p = &t->points.at[i];

        if (!is_on(p) || !(p->catch.kinds & EVENT_BIT(e->kind)) || is_noted(t, p->number) ||
            (p->hart != TARGET_ANY_HART && (!h || hart_id(h) != p->hart)) ||
            (p->catch.wants && !p->catch.wants(p->catch.ctx, e)))
            continue;
        note(t, &(struct caught){.point = p->number,
                                 .hart = h ? hart_id(h) : target_current_hart(t),
                                 .event = *e});
    }
}

/* A finding is of no hart: its evidence may be of several. */
void catch_note_ftrace(void *target, const struct ftrace_event *e)
{
    struct target *t = target;

    for (size_t i = 0; i < t->points.len && !t->quiet; i++) {
        const struct target_point *p = &t->points.at[i];

        if (!is_on(p) || !(p->catch.ftrace_kinds & FTRACE_BIT(e->kind)) || is_noted(t, p->number) ||
            p->hart != TARGET_ANY_HART ||
            (p->catch.wants_ftrace && !p->catch.wants_ftrace(p->catch.ctx, e)))
            continue;
        note(t, &(struct caught){.point = p->number,
                                 .hart = target_current_hart(t),
                                 .is_ftrace = true,
                                 .ftrace_event = *e});
    }
}

bool catch_decide(struct target *t)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->caught.len; i++) {
        struct caught c = t->caught.at[i];
        struct target_point *p = points_find(t, c.point);

        if (p && point_hit(p, c.hart))
            t->caught.at[kept++] = c;
    }
    t->caught.len = kept;
    return kept != 0;
}
