/*
 * log_record_events.c - records all events but calls. See log_record_priv.h.
 */
#include "log/log_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/observer.h"
#include "ftrace/audit/audit.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/patch/updates.h"
#include "ftrace/report/describe.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/image.h"
#include "log/log_record_priv.h"
#include "mem/bus.h"

_Static_assert((int)LOG_INIT == (int)SITE_INIT && (int)LOG_OFF == (int)SITE_OFF &&
                   (int)LOG_ON == (int)SITE_ON && (int)LOG_SITE_STATES == (int)SITE_STATES &&
                   (int)LOG_SITE_FUNCTION == (int)SITE_FUNCTION,
               "the log has the numbers of enum site_state and enum site_kind");

/* ---- sending ---- */

void log_record_tell_loss(struct log_record *r)
{
    if (r->told || !__atomic_load_n(&r->lost, __ATOMIC_RELAXED))
        return;
    r->told = true;
    r->config.lost(r->config.ctx);
}

enum { EVENT_MORE_MAX = sizeof(struct log_update_hart) * LOG_HARTS_MAX };

_Static_assert((int)CONSOLE_BYTES <= (int)EVENT_MORE_MAX, "what an event points to");

/* An event, with the data that it points to. */
struct sent {
    struct log_event event;
    uint8_t more[EVENT_MORE_MAX];
};

static void write_event(void *ctx, const void *sent, size_t size)
{
    struct log_record *r = ctx;
    struct sent s;

    memcpy(&s, sent, size);
    if (s.event.kind == LOG_CONSOLE)
        s.event.console.bytes = s.more;
    if (s.event.kind == LOG_UPDATE)
        s.event.update.hart = (void *)s.more;
    log_write_event(r->writer, &s.event);
}

/* `more': the data that the event points to. */
void log_record_send(struct log_record *r, const struct log_event *e, const void *more, size_t size)
{
    struct sent *s;

    log_record_tell_loss(r);
    s = feed_message(r->feed, write_event, r, offsetof(struct sent, more) + size);
    s->event = *e;
    if (size)
        memcpy(s->more, more, size);
}

struct log_event log_record_event_of(struct hart *h, enum log_kind kind)
{
    struct log_event e = {.kind = kind, .hart = (uint8_t)hart_id(h)};

    hart_clocks(h, &e.cycle, &e.insns, &e.time);
    e.step = cluster_steps(hart_cluster(h));
    return e;
}

/* ---- code ---- */

uint8_t log_record_site_state(const struct log_record *r, uint32_t id)
{
    const struct site *s = site_get(watch_sites(r->watch), id);
    uint8_t bytes[SITE_BYTES_MAX] = {0};

    if (s->gone || !bus_read(cluster_bus(r->config.cluster), s->pa, bytes, s->size))
        return SITE_OTHER;
    return (uint8_t)site_state(watch_sites(r->watch), s, bytes, NULL);
}

static uint64_t text_va(const struct log_record *r, uint64_t pa)
{
    for (size_t i = 0; i < r->config.image->text_count; i++) {
        const struct image_text *text = &r->config.image->texts[i];

        if (pa - text->pa < text->size)
            return text->va + (pa - text->pa);
    }
    return 0;
}

/* The hart that a writer is or works for; hart 0 for a device. */
static struct hart *hart_of(const struct log_record *r, const struct writer *who)
{
    bool is_hart = who->kind == WRITER_HART || who->kind == WRITER_FIRMWARE;

    return cluster_hart(r->config.cluster, is_hart ? who->hart : 0);
}

static void on_store(struct log_record *r, const struct code_write *w)
{
    struct log_event e = log_record_event_of(hart_of(r, &w->who), LOG_STORE);
    uint32_t site = site_find(watch_sites(r->watch), w->pa, w->size);

    e.store = (struct log_store){.writer = (uint8_t)w->who.kind,
                                 .pc = w->who.pc,
                                 .pa = w->pa,
                                 .va = text_va(r, w->pa),
                                 .size = (uint8_t)w->size,
                                 .site = site,
                                 .before = SITE_OTHER,
                                 .after = SITE_OTHER};
    if (w->who.kind == WRITER_HART && e.step > w->who.step)
        e.store.late = e.step - w->who.step;
    memcpy(e.store.old_bytes, w->old_bytes, sizeof e.store.old_bytes);
    memcpy(e.store.new_bytes, w->new_bytes, sizeof e.store.new_bytes);
    if (site != NO_SITE && site < r->states.len) {
        e.store.before = r->states.at[site];
        e.store.after = r->states.at[site] = log_record_site_state(r, site);
    }
    log_record_send(r, &e, NULL, 0);
}

static void on_fence(struct log_record *r, const struct fence_event *f, enum log_kind kind)
{
    struct log_event e = log_record_event_of(f->hart, kind);

    e.fence.remote = f->origin == FENCE_REMOTE;
    e.fence.requester = f->requester;
    e.fence.pc = f->pc;
    e.fence.one_address = f->one_address;
    e.fence.va = f->va;
    log_record_send(r, &e, NULL, 0);
}

static void on_stale(struct log_record *r, const struct stale_fetch *s)
{
    struct log_event e = log_record_event_of(s->hart, LOG_STALE);

    e.stale.pc = s->pc;
    e.stale.pa = s->pa;
    e.stale.size = (uint8_t)s->size;
    memcpy(e.stale.old_bytes, s->old_bytes, sizeof e.stale.old_bytes);
    memcpy(e.stale.new_bytes, s->new_bytes, sizeof e.stale.new_bytes);
    e.stale.old_known = s->old_known;
    e.stale.ran_old = s->chosen == FETCHED_OLD;
    e.stale.writer_known = s->writer_known;
    e.stale.writer_hart = (uint8_t)s->who.hart;
    e.stale.writer_pc = s->who.pc;
    e.stale.site = site_find(watch_sites(r->watch), s->pa, s->size);
    log_record_send(r, &e, NULL, 0);
}

static void on_translation(struct log_record *r, const struct stale_translation *t)
{
    struct log_event e = log_record_event_of(t->hart, LOG_STALE_TRANSLATION);

    e.translation.pc = t->pc;
    e.translation.va = t->va;
    e.translation.access = (uint8_t)t->access;
    e.translation.mode = (uint8_t)t->mode;
    e.translation.shift = (uint8_t)t->shift;
    e.translation.old_faults = t->old_faults;
    e.translation.new_faults = t->new_faults;
    e.translation.used_old = t->chose_old;
    e.translation.global = t->global;
    e.translation.asid = t->asid;
    e.translation.pte_pa = t->pte_pa;
    e.translation.old_pte = t->old_pte;
    e.translation.new_pte = t->new_pte;
    e.translation.old_pa = t->old_faults ? 0 : t->old_pa;
    e.translation.new_pa = t->new_faults ? 0 : t->new_pa;
    e.translation.writer_known = t->writer_known;
    e.translation.writer_hart = (uint8_t)(t->writer_known ? t->who.hart : 0);
    e.translation.writer_pc = t->writer_known ? t->who.pc : 0;
    log_record_send(r, &e, NULL, 0);
}

static void on_update(struct log_record *r, const struct update_event *u)
{
    const struct updates *updates = watch_updates(r->watch);
    size_t last = updates_count(updates);
    struct log_event e =
        log_record_event_of(cluster_hart(r->config.cluster, u->writer), LOG_UPDATE);
    struct log_update_hart harts[LOG_HARTS_MAX] = {0};
    const struct update *update = last ? updates_get(updates, last - 1) : NULL;

    if (!update || update->last_stamp != u->stamp)
        return; /* there were too many, and it was not kept */
    e.update.writer = u->writer;
    e.update.end = (uint8_t)update->end;
    e.update.first = update->writer.cycle;
    e.update.last = update->last_cycle;
    e.update.stores = update->stores;
    e.update.patches = update->patches;
    e.update.rounds = update->rounds;
    e.update.ipis = update->ipis;
    for (unsigned i = 0; i < r->config.run.harts; i++) {
        const struct update_hart *h = updates_hart(updates, last - 1, i);

        harts[i] = (struct log_update_hart){(uint8_t)h->role, h->fences, h->stale_cycles};
    }
    log_record_send(r, &e, harts, r->config.run.harts * sizeof *harts);
}

/* Linux's KSYM_NAME_LEN. */
enum { SYMBOL_NAME_MAX = 512 };

/* A site, without the numbers of its strings. */
struct seen_site {
    struct log_site site;
    bool has_module;
    char module[MODULE_NAME_MAX];
    char function[SYMBOL_NAME_MAX]; /* only the used part is sent */
};

static void write_site(void *ctx, const void *seen_site, size_t size)
{
    const struct seen_site *s = seen_site;
    struct log_record *r = ctx;
    struct log_site site = s->site;

    (void)size;
    site.function = log_write_name(r->writer, s->function);
    site.module = log_write_string(r->writer, s->has_module ? s->module : NULL);
    VEC_PUSH(&r->site_names, s->function[0] ? site.function : LOG_NONE);
    log_write_site(r->writer, &site);
}

void log_record_define_site(struct log_record *r, uint32_t id)
{
    const struct site *s = site_get(watch_sites(r->watch), id);
    struct seen_site seen = {.site = {.va = s->va,
                                      .pa = s->pa,
                                      .kind = (uint8_t)s->kind,
                                      .size = s->size,
                                      .state = log_record_site_state(r, id)},
                             .has_module = s->module != NULL};

    snprintf(seen.function, sizeof seen.function, "%s", s->function);
    snprintf(seen.module, sizeof seen.module, "%s", s->module ? s->module : "");
    VEC_PUSH(&r->states, seen.site.state);
    feed_put(r->feed, write_site, r, &seen,
             offsetof(struct seen_site, function) + strlen(seen.function) + 1);
}

static void forget_names(void *ctx, const void *nothing, size_t size)
{
    const struct log_record *r = ctx;

    (void)nothing;
    (void)size;
    log_write_forget_names(r->writer);
}

static void on_site(struct log_record *r, uint32_t id)
{
    struct log_event e = log_record_event_of(cluster_hart(r->config.cluster, 0), LOG_SITE);

    feed_put(r->feed, forget_names, r, "", 0);
    map_clear(&r->met);
    while (r->states.len <= id)
        log_record_define_site(r, (uint32_t)r->states.len);
    e.site.site = id;
    e.site.gone = site_get(watch_sites(r->watch), id)->gone;
    log_record_send(r, &e, NULL, 0);
}

/* ---- findings ---- */

/* Writes the evidence as text, a line for each fact; the caller frees it. */
static char *evidence(const struct log_record *r, const struct finding *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    for (unsigned i = 0; out && i < f->fact_count; i++) {
        char fact[FACT_TEXT_MAX];

        describe_fact(fact, watch_sites(r->watch), r->config.symbols, r->config.lines,
                      &f->facts[i]);
        fprintf(out, "%s %s\n", fact_label_name(f->facts[i].label), fact);
    }
    if (out)
        (void)fclose(out);
    return text ? text : xstrdup("");
}

static void on_finding(struct log_record *r, const struct finding_event *found)
{
    const struct finding *f;
    struct log_event e;
    char *text;

    if (found->finding == NO_FINDING)
        return;
    f = audit_get(watch_audit(r->watch), found->finding);
    feed_settle(r->feed);
    text = evidence(r, f);
    e = log_record_event_of(cluster_hart(r->config.cluster, f->examples[0].hart), LOG_FINDING);
    e.finding.number = found->finding + 1;
    e.finding.rule = log_write_string(r->writer, rule_name(f->rule));
    e.finding.severity = log_write_string(r->writer, severity_name(rule_severity(f->rule)));
    e.finding.text = log_write_string(r->writer, text);
    e.finding.site = f->examples[0].site;
    e.finding.pc = f->examples[0].pc;
    log_write_event(r->writer, &e);
    free(text);
}

/* ---- other events ---- */

static void on_trap(struct log_record *r, const struct trap_event *t)
{
    struct log_event e = log_record_event_of(t->hart, LOG_TRAP);

    log_record_look_at_name(r, t->hart);
    if (r->config.calls_only)
        return;
    e.trap.interrupt = t->interrupt;
    e.trap.cause = t->cause;
    e.trap.epc = t->epc;
    e.trap.tval = t->tval;
    e.trap.from = (uint8_t)t->from;
    e.trap.to = (uint8_t)t->to;
    log_record_send(r, &e, NULL, 0);
}

static void on_trap_return(struct log_record *r, const struct trap_return_event *t)
{
    struct log_event e = log_record_event_of(t->hart, LOG_TRAP_RETURN);

    log_record_look_at_name(r, t->hart);
    if (r->config.calls_only)
        return;
    e.trap_return.pc = t->pc;
    e.trap_return.from = (uint8_t)t->from;
    e.trap_return.to = (uint8_t)t->to;
    log_record_send(r, &e, NULL, 0);
}

static void on_ipi(struct log_record *r, const struct ipi_event *i, bool sent)
{
    struct log_event e = log_record_event_of(sent && i->sender ? i->sender : i->hart,
                                             sent ? LOG_IPI_SENT : LOG_IPI_TAKEN);

    e.ipi.hart = hart_id(i->hart);
    e.ipi.interrupt = i->interrupt;
    log_record_send(r, &e, NULL, 0);
}

static void on_sbi(struct log_record *r, const struct sbi_event *s)
{
    struct log_event e = log_record_event_of(s->hart, LOG_SBI);

    e.sbi.extension = s->extension;
    e.sbi.function = s->function;
    log_record_send(r, &e, NULL, 0);
}

static void on_hart(struct log_record *r, struct hart *h, enum log_kind kind)
{
    struct log_event e = log_record_event_of(h, kind);

    log_record_send(r, &e, NULL, 0);
}

void log_record_on_event(void *ctx, const struct event *e)
{
    struct log_record *r = ctx;

    if (!r->begun)
        return;
    switch (e->kind) {
    case EVENT_CODE_WRITE: on_store(r, &e->code_write); break;
    case EVENT_STALE_FETCH: on_stale(r, &e->stale_fetch); break;
    case EVENT_STALE_TRANSLATION: on_translation(r, e->stale_translation); break;
    case EVENT_FENCE_I: on_fence(r, &e->fence, LOG_FENCE_I); break;
    case EVENT_SFENCE_VMA: on_fence(r, &e->fence, LOG_SFENCE_VMA); break;
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_TRAP_RETURN: on_trap_return(r, &e->trap_return); break;
    case EVENT_IPI_SENT: on_ipi(r, &e->ipi, true); break;
    case EVENT_IPI_TAKEN: on_ipi(r, &e->ipi, false); break;
    case EVENT_SBI_CALL: on_sbi(r, &e->sbi); break;
    case EVENT_HART_STARTED: on_hart(r, e->started.hart, LOG_HART_STARTED); break;
    case EVENT_HART_STOPPED: on_hart(r, e->started.hart, LOG_HART_STOPPED); break;
    case EVENT_HART_WAITS: on_hart(r, e->started.hart, LOG_IDLE); break;
    case EVENT_HART_WOKEN: on_hart(r, e->started.hart, LOG_WOKEN); break;
    default: break;
    }
}

void log_record_on_ftrace_event(void *ctx, const struct ftrace_event *e)
{
    struct log_record *r = ctx;

    if (!r->begun)
        return;
    switch (e->kind) {
    case FTRACE_UPDATE_ENDED: on_update(r, &e->update); break;
    case FTRACE_SITE_CHANGED: on_site(r, e->site.id); break;
    case FTRACE_FINDING: on_finding(r, &e->finding); break;
    default: break;
    }
}

void log_record_flush_console(struct log_record *r)
{
    struct log_event e;

    if (!r->printed_len)
        return;
    e = log_record_event_of(cluster_hart(r->config.cluster, r->printing), LOG_CONSOLE);
    e.console.len = r->printed_len;
    log_record_send(r, &e, r->printed, r->printed_len);
    r->printed_len = 0;
}

void log_record_console(struct log_record *r, unsigned hart, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; r->begun && i < len; i++) {
        if (hart != r->printing)
            log_record_flush_console(r);
        r->printing = hart;
        r->printed[r->printed_len++] = bytes[i];
        if (bytes[i] == '\n' || r->printed_len == CONSOLE_BYTES)
            log_record_flush_console(r);
    }
}
