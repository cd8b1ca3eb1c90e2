/*
 * state_rules.c - the rules about what the kernel believes of its code: the records of ftrace
 * (state_records.c), its filters (state_named.c) and its calls of the graph tracer (state_graph.c),
 * the static keys of jump labels (state_labels.c), the table of kprobes (state_probes.c), and that
 * other harts are stopped while several instructions change.
 *
 * Records, keys and kprobes are in order whenever the kernel's lock of them is free. So they are
 * compared when a hart is about to release it, which is the end of each change, whatever function
 * made it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/module_sites.h"
#include "load/symbols.h"
#include "mem/bus.h"

struct state_rules {
    struct audit *audit;
    struct kernel_probes *at_tracer; /* where trampolines are made to call another tracer */
    struct state_records records;
    struct state_named named;
    struct state_graph graph;
    struct state_labels labels;
    struct state_probes probes;
};

/* ---- several instructions are changed while other harts may run them ---- */

bool state_rules_module_runs(const struct audit *a, uint32_t site)
{
    return a->config.module_sites && module_sites_runs(a->config.module_sites, site);
}

/* Whether the site may be run: those of a module that is being loaded are not. */
static bool is_run(const struct audit *a, uint32_t id)
{
    return !site_get(a->config.sites, id)->module || state_rules_module_runs(a, id);
}

static bool differs(const struct patch *p, const uint8_t *memory, unsigned at)
{
    return memcmp(p->old_bytes + at, memory + at, 4) != 0;
}

/*
 * Whether the change takes more than one instruction: two of them differ, or one does and what the
 * site has now is only half of a change. One instruction that is replaced by one store is whole at
 * each moment, as a call of another tracer may be.
 */
static bool changes_several(const struct audit *a, const struct site *s, const struct patch *p,
                            const uint8_t *memory)
{
    unsigned count = 0;

    for (unsigned at = 0; at + 4 <= s->size; at += 4)
        count += differs(p, memory, at);
    return count > 1 || (count && site_state(a->config.sites, s, memory, NULL) == SITE_OTHER);
}

/* As compiled, with compressed nops. */
static bool is_compiled(const struct audit *a, const struct site *s, const uint8_t *bytes)
{
    return s->kind == SITE_FUNCTION && site_traits(a->config.sites)->place == SITE_AT_ENTRY &&
           site_state(a->config.sites, s, bytes, NULL) == SITE_INIT;
}

/*
 * Whether this is a change of which harts must not see a part. Compressed nops that are merged are
 * another rule's, and that they are made again is no harm. A breakpoint is one instruction.
 */
static bool is_change_of_state(const struct audit *a, const struct site *s, const struct patch *p,
                               const uint8_t *memory)
{
    return !is_compiled(a, s, p->old_bytes) && !is_compiled(a, s, memory) &&
           !site_has_breakpoint(s, p->old_bytes) && !site_has_breakpoint(s, memory) &&
           changes_several(a, s, p, memory);
}

static void report_running(struct audit *a, const struct code_write *w, const struct site *s,
                           const struct patch *p, uint32_t by)
{
    const struct hart *h = cluster_hart(a->config.cluster, by);
    const struct breach b = {.rule = RULE_harts_running,
                             .hart = w->who.hart,
                             .site = p->site,
                             .pc = w->who.pc,
                             .cycle = w->who.cycle,
                             .step = w->who.step,
                             .cause =
                                 audit_cause(RULE_harts_running, audit_function(a, w->who.pc))};
    struct finding *f = audit_add(a, &b);
    struct fact *fact;

    if (!f)
        return;
    audit_fact_site(f, p->site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = w->who;
    fact = audit_fact(f, LABEL_OLD, FACT_BYTES);
    fact->va = s->va;
    fact->size = s->size;
    memcpy(fact->bytes, p->old_bytes, s->size);
    audit_fact_moment(f, LABEL_RUNNING, h, hart_pc(h));
    audit_fact_order(f);
}

static void check_stopped(struct audit *a, const struct code_write *w)
{
    const struct text_store *last = w->who.kind == WRITER_HART ? &a->harts[w->who.hart].text : NULL;
    uint8_t memory[SITE_BYTES_MAX];
    const struct patch *p;
    const struct site *s;
    uint32_t by;

    if (!last || last->stamp != w->stamp || last->site == NO_SITE ||
        a->traits->patching != PATCHED_STOPPED)
        return;
    s = site_get(a->config.sites, last->site);
    p = a->store.patch;
    by = patch_rules_onlooker(a, w);
    if (by == NO_HART || !p || p->stamp != w->stamp ||
        !bus_read(cluster_bus(a->config.cluster), s->pa, memory, s->size) ||
        !is_change_of_state(a, s, p, memory) || !is_run(a, last->site))
        return;
    report_running(a, w, s, p, by);
}

/* ---- what the parts need ---- */

struct hart *audit_hart_in_kernel(const struct audit *a)
{
    struct cluster *c = a->config.cluster;

    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (hart_mode(cluster_hart(c, i)) == PRIV_S)
            return cluster_hart(c, i);
    return NULL;
}

/* A lock begins with its owner; in the low bits are flags. False: the kernel has no such lock. */
static bool lock_owner(const struct audit *a, struct hart *h, const char *name, uint64_t *owner)
{
    enum { OWNER_FLAGS = 7 };
    uint64_t va;

    if (!a->config.symbols || !symbols_find(a->config.symbols, name, &va) ||
        !hart_peek(h, va, owner, sizeof *owner))
        return false;
    *owner &= ~(uint64_t)OWNER_FLAGS;
    return true;
}

bool audit_lock_is_free(const struct audit *a, struct hart *h, const char *name)
{
    uint64_t owner;

    return lock_owner(a, h, name, &owner) && !owner;
}

bool audit_lock_is_taken(const struct audit *a, struct hart *h, const char *name)
{
    uint64_t owner;

    return lock_owner(a, h, name, &owner) && owner;
}

/* ---- the family ---- */

static void on_tracer(void *ctx, unsigned which, struct hart *h)
{
    const struct state_rules *r = ctx;

    (void)which;
    state_ops_tracer(r->audit, h, hart_reg(h, REG_A0));
}

bool state_rules_probe_was_freed(const struct audit *a, uint64_t va)
{
    const struct state_rules *r = a->rules[FAMILY_state];

    return state_probes_named_freed(&r->probes, va);
}

static void *create(struct audit *a)
{
    static const char *const tracer[] = {"ftrace_update_ftrace_func"};
    struct state_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    if (a->config.image && a->config.symbols)
        r->at_tracer = kernel_probes_new(a->config.cluster, a->config.image, a->config.symbols,
                                         tracer, ARRAY_LEN(tracer), on_tracer, r);
    state_records_begin(&r->records);
    return r;
}

static void destroy(void *rules)
{
    struct state_rules *r = rules;

    kernel_probes_free(r->at_tracer);
    map_free(&r->records.told);
    map_free(&r->named.told);
    map_free(&r->labels.keys);
    map_free(&r->labels.told);
    map_free(&r->probes.armed);
    map_free(&r->probes.told);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct state_rules *r = rules;

    check_stopped(r->audit, &e->code_write);
    state_records_store(r->audit, &r->records, &e->code_write);
    state_records_turned_on(r->audit, &e->code_write);
    state_records_unnamed(r->audit, &e->code_write);
    state_labels_store(r->audit, &r->labels, &e->code_write);
    state_probes_store(r->audit, &e->code_write);
}

static void on_ftrace_lock(struct state_rules *r, const struct lock_event *e)
{
    if (state_records_compare(r->audit, &r->records, e))
        state_named_changed(&r->named);
    state_named_compare(r->audit, &r->named, e);
    state_graph_compare(r->audit, &r->graph, e);
    state_ops_compare(r->audit, e);
}

static void on_alarm(struct state_rules *r, const struct alarm_event *e)
{
    state_records_alarm(r->audit, &r->records, e->hart, e->alarm->site, e->alarm->caller);
    state_probes_alarm(r->audit, e->hart, e->alarm->site, e->alarm->caller);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    struct state_rules *r = rules;

    if (e->kind == FTRACE_SITE_TAKEN)
        state_records_taken(r->audit, &e->taken);
    else if (e->kind == FTRACE_KEY_CALLED)
        state_labels_called(r->audit, &r->labels, &e->key);
    else if (e->kind == FTRACE_ALARM)
        on_alarm(r, &e->alarm);
    else if (e->kind == FTRACE_MODULE_FREED)
        state_probes_freed(r->audit, &r->probes, e->text.hart);
    else if (e->kind == FTRACE_TEXT_LIVE) {
        if (e->text.of_module)
            state_labels_live(r->audit, &r->labels, e->text.hart);
    } else if (e->lock.lock == LOCK_FTRACE)
        on_ftrace_lock(r, &e->lock);
    else if (e->lock.lock == LOCK_JUMP_LABEL)
        state_labels_compare(r->audit, &r->labels, &e->lock);
    else
        state_probes_compare(r->audit, &r->probes, &e->lock);
}

uint64_t state_rules_left_out(const struct state_rules *r)
{
    return r->records.left_out + r->probes.left_out;
}

uint64_t state_rules_labels_left_out(const struct state_rules *r)
{
    return r->labels.left_out;
}

static void end(void *rules)
{
    struct state_rules *r = rules;

    state_labels_end(r->audit, &r->labels);
    state_named_end(r->audit, &r->named);
    state_graph_end(r->audit, &r->graph);
}

static void state_io(struct state_io *io, void *rules)
{
    struct state_rules *r = rules;

    state_io_section(io, "state-rules", 5);
    STATE_IO(io, r->graph.is_wrong);
    STATE_IO(io, r->graph.active);
    STATE_IO(io, r->graph.since);
    STATE_IO(io, r->records.changed);
    STATE_IO(io, r->records.version);
    STATE_IO(io, r->records.left_out);
    state_io_map(io, &r->records.told);
    state_io_map(io, &r->named.told);
    STATE_IO(io, r->named.left);
    state_io_map(io, &r->labels.keys);
    state_io_map(io, &r->labels.told);
    STATE_IO(io, r->labels.scanned_at);
    STATE_IO(io, r->labels.left_out);
    state_io_map(io, &r->probes.armed);
    state_io_map(io, &r->probes.told);
    STATE_IO(io, r->probes.count);
    STATE_IO(io, r->probes.scanned_at);
    STATE_IO(io, r->probes.left_out);
}

const struct rule_family state_family = {.create = create,
                                         .destroy = destroy,
                                         .event = on_event,
                                         .ftrace_event = on_ftrace_event,
                                         .end = end,
                                         .state_io = state_io};
