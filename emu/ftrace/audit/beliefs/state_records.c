/*
 * state_records.c - compares the records of the kernel's ftrace with its ops and with its sites.
 *
 * A record has the number of the ops that trace its function, and says whether the site is on. All
 * records are compared when ftrace_lock is released, if ops, filters, records or sites have changed
 * since the last time. The kernel itself goes through all of them for each such change.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/beliefs/state_priv.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/sites/module_sites.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/bus.h"

/* Records of which is known what was reported: of more, nothing is reported twice. */
enum { TOLD_MAX = 1 << 18 };

/* How records, ops and sites may disagree. */
enum disagreement {
    RECORD_UNSORTED,
    RECORD_TWICE,
    RECORD_OF_FREED,
    RECORD_MISSING,
    RECORD_NEVER_ENABLED,
    RECORD_COUNT_WRONG,
    RECORD_LEFT_ON,
    RECORD_LEFT_OFF,
    RECORD_SITE_ON,
    RECORD_SITE_OFF,
    RECORD_REGS_WRONG,
    RECORD_TRAMPOLINE,
    RECORD_NAMES_OTHER,
    RECORD_NO_SITE,
    RECORD_INSIDE,
    RECORD_ASKED,
    RECORD_NAMELESS,
    DISAGREEMENTS
};

static const enum message messages[DISAGREEMENTS] = {
    [RECORD_UNSORTED] = MESSAGE_RECORD_UNSORTED,
    [RECORD_TWICE] = MESSAGE_RECORD_TWICE,
    [RECORD_OF_FREED] = MESSAGE_RECORD_OF_FREED,
    [RECORD_MISSING] = MESSAGE_RECORD_MISSING,
    [RECORD_NEVER_ENABLED] = MESSAGE_RECORD_NEVER_ENABLED,
    [RECORD_COUNT_WRONG] = MESSAGE_RECORD_COUNT,
    [RECORD_LEFT_ON] = MESSAGE_RECORD_LEFT_ON,
    [RECORD_LEFT_OFF] = MESSAGE_RECORD_LEFT_OFF,
    [RECORD_SITE_ON] = MESSAGE_RECORD_SITE_ON,
    [RECORD_SITE_OFF] = MESSAGE_RECORD_SITE_OFF,
    [RECORD_REGS_WRONG] = MESSAGE_RECORD_REGS,
    [RECORD_TRAMPOLINE] = MESSAGE_RECORD_TRAMPOLINE,
    [RECORD_NAMES_OTHER] = MESSAGE_RECORD_OPS,
    [RECORD_NO_SITE] = MESSAGE_RECORD_NO_SITE,
    [RECORD_INSIDE] = MESSAGE_RECORD_INSIDE,
    [RECORD_ASKED] = MESSAGE_RECORD_ASKED,
    [RECORD_NAMELESS] = MESSAGE_RECORD_NAMELESS,
};

/* One comparison of all records. */
struct comparison {
    struct audit *audit;
    struct state_records *state;
    const struct lock_event *lock;
    bool enabled;                                   /* the kernel turns sites on */
    uint64_t before;                                /* ip of the record before */
    uint32_t next;                                  /* the site after that of the record before */
    uint32_t of_image;                              /* sites of the image come first */
    uint64_t list_ops, trampoline, regs_trampoline; /* 0: the kernel has none */
    bool any;                                       /* there was a record of the image */
    bool *seen;                                     /* by site: it has a record */
    bool of_modules;                                /* some of these sites is a module's */
    uint64_t offset; /* of all records in their sites, by the first */
    /* The records of the present sorted part. */
    struct {
        uint32_t site;              /* the first one that is a module's; NO_SITE: there is none */
        struct ftrace_record first; /* that one; the first disabled one of it, if there is one */
        uint32_t count, disabled;
    } part;
};

void state_records_begin(struct state_records *s)
{
    *s = (struct state_records){.changed = true};
}

void state_records_store(const struct audit *a, struct state_records *s, const struct code_write *w)
{
    s->changed = s->changed || a->store.site != NO_SITE ||
                 site_find_literal(a->config.sites, w->pa, w->size) != NO_SITE;
}

/*
 * `callops': a trampoline that is called by a site takes the address of the ops from the word
 * before the function, and follows it.
 */
static bool names_nothing(const struct audit *a, struct hart *h, const struct site *s)
{
    uint64_t ops, first;

    return bus_read(cluster_bus(a->config.cluster),
                    (s->pa - site_traits(a->config.sites)->literal) & -UINT64_C(8), &ops,
                    sizeof ops) &&
           !hart_peek(h, ops, &first, sizeof first);
}

static void report_nameless(struct audit *a, const struct code_write *w, uint32_t id,
                            enum message wrong)
{
    const struct breach b = {.rule = RULE_wrong_record,
                             .hart = w->who.hart,
                             .site = id,
                             .pc = w->who.pc,
                             .cycle = w->who.cycle,
                             .step = w->who.step,
                             .cause =
                                 audit_cause(RULE_wrong_record, (uint64_t)RECORD_NAMELESS << 48)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, id);
    audit_fact_message(f, LABEL_WRONG, wrong);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = w->who;
}

void state_records_turned_on(struct audit *a, const struct code_write *w)
{
    const struct site_table *t = a->config.sites;
    uint32_t id = a->store.site;
    const struct site *s = id == NO_SITE ? NULL : site_get(t, id);
    struct hart *h;
    uint8_t bytes[SITE_BYTES_MAX];

    if (!s || s->kind != SITE_FUNCTION || w->who.kind != WRITER_HART ||
        site_traits(t)->tracer != TRACER_BY_SITE ||
        !bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size) ||
        !site_calls(t, s, site_state(t, s, bytes, NULL)))
        return;
    h = cluster_hart(a->config.cluster, w->who.hart);
    if (audit_translates(h) && names_nothing(a, h, s))
        report_nameless(a, w, id, messages[RECORD_NAMELESS]);
}

/* Not of the init text, which the kernel overwrites with all that is in it when it frees it. */
static bool is_kept(const struct audit *a, const struct site *s)
{
    return s->module || !a->config.text || text_map_has(a->config.text, s->pa, s->size);
}

/* A hart may have entered the trampoline just before, whether the site is off by now or not. */
void state_records_unnamed(struct audit *a, const struct code_write *w)
{
    const struct site_table *t = a->config.sites;
    uint32_t id = w->size == sizeof(uint64_t) ? site_find_literal(t, w->pa, w->size) : NO_SITE;
    uint64_t before, first;
    struct hart *h;

    if (id == NO_SITE || site_get(t, id)->gone || w->who.kind != WRITER_HART ||
        site_traits(t)->tracer != TRACER_BY_SITE || !is_kept(a, site_get(t, id)))
        return;
    h = cluster_hart(a->config.cluster, w->who.hart);
    memcpy(&before, w->old_bytes, sizeof before);
    if (audit_translates(h) && hart_peek(h, before, &first, sizeof first) &&
        names_nothing(a, h, site_get(t, id)))
        report_nameless(a, w, id, MESSAGE_RECORD_UNNAMED);
}

/* ---- evidence ---- */

static void add_memory(const struct audit *a, struct finding *f, uint32_t id)
{
    const struct site *s = site_get(a->config.sites, id);
    struct fact *fact;
    uint8_t bytes[SITE_BYTES_MAX];

    if (s->gone || !bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size))
        return;
    fact = audit_fact(f, LABEL_IN_MEMORY, FACT_BYTES);
    fact->va = s->va;
    fact->size = s->size;
    memcpy(fact->bytes, bytes, s->size);
}

static void add_numbers(struct finding *f, const struct ftrace_record *record)
{
    struct fact *fact = audit_fact(f, LABEL_RECORD, FACT_RECORD);

    fact->va = record->at;
    fact->pc = record->flags & RECORD_COUNT;
    fact->cycle = record->wanted;
    fact->size = record->flags & RECORD_ENABLED ? 1 : 0;
    if (record->wanted == 1)
        audit_fact(f, LABEL_OPS, FACT_PLACE)->va = record->ops;
}

/*
 * Whether this disagreement of the site was reported before; it is noted. A damaged record may have
 * an address that is no key of a map.
 */
static bool is_told(struct state_records *s, uint64_t ip, enum disagreement what)
{
    uint64_t told = 0;

    if (ip == UINT64_MAX)
        return false;
    if (!map_get(&s->told, ip, &told) && s->told.len == TOLD_MAX) {
        s->left_out++;
        return true;
    }
    if (told >> what & 1)
        return true;
    map_put(&s->told, ip, told | UINT64_C(1) << what);
    return false;
}

/* Adds the address, and the site that has a byte near it. */
static void add_place(const struct comparison *c, struct finding *f, uint64_t ip)
{
    const struct site_table *t = c->audit->config.sites;
    uint32_t near = NO_SITE;
    uint64_t pa;

    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = ip;
    if (hart_translate(c->lock->hart, ip, ACCESS_LOAD, &pa))
        near = site_find(t, pa - SITE_BYTES_MAX, 2 * SITE_BYTES_MAX);
    if (near != NO_SITE)
        audit_fact(f, LABEL_NEAR, FACT_SITE)->site = near;
}

/* Reports that the record of the address disagrees. `record': NULL if there is none. */
static void report(struct comparison *c, uint64_t ip, uint32_t site, enum disagreement what,
                   const struct ftrace_record *record)
{
    struct audit *a = c->audit;
    const struct breach b = {.rule = RULE_wrong_record,
                             .hart = hart_id(c->lock->hart),
                             .site = site,
                             .pc = ip,
                             .cycle = hart_cycles(c->lock->hart),
                             .cause =
                                 audit_cause(RULE_wrong_record, audit_function(a, c->lock->caller) ^
                                                                    (uint64_t)what << 48)};
    struct finding *f;

    if (is_told(c->state, ip, what))
        return;
    f = audit_add(a, &b);
    if (!f)
        return;
    audit_fact_site(f, site);
    if (site == NO_SITE)
        add_place(c, f, ip);
    if (record)
        add_numbers(f, record);
    audit_fact_message(f, LABEL_WRONG, messages[what]);
    if (site != NO_SITE) {
        const struct patch *p = patch_log_last(a->config.log, site);

        add_memory(a, f, site);
        if (p)
            audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = p->who;
    }
    audit_fact_moment(f, LABEL_JUDGED, c->lock->hart, c->lock->caller);
    audit_fact_task(a, f, c->lock->hart);
    audit_fact_order(f);
}

/* The kernel is about to take up a table that has not all functions of its module. */
void state_records_taken(struct audit *a, const struct site_taken_event *e)
{
    const struct breach b = {
        .rule = RULE_wrong_record,
        .hart = hart_id(e->hart),
        .site = NO_SITE,
        .pc = e->lacking,
        .cycle = hart_cycles(e->hart),
        .cause = audit_cause(RULE_wrong_record, audit_function(a, hart_pc(e->hart)))};
    struct finding *f = e->site == NO_SITE ? audit_add(a, &b) : NULL;

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = e->lacking;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_TABLE_LACKS);
    audit_fact_moment(f, LABEL_JUDGED, e->hart, hart_pc(e->hart));
    audit_fact_task(a, f, e->hart);
    audit_fact_order(f);
}

/* ---- one record ---- */

/* The site of the image that begins at or before the address and has it; NO_SITE: none has. */
static uint32_t find_in_image(struct comparison *c, uint64_t ip)
{
    const struct site_table *t = c->audit->config.sites;
    const struct site *s = c->next < c->of_image ? site_get(t, c->next) : NULL;
    size_t id = c->next;

    if (!s || ip < s->va || ip - s->va >= s->size) {
        id = PARTITION_POINT(i, c->of_image, site_get(t, (uint32_t)i)->va <= ip);
        if (!id)
            return NO_SITE;
        s = site_get(t, (uint32_t)--id);
    }
    c->next = (uint32_t)id + 1;
    return ip - s->va < s->size ? (uint32_t)id : NO_SITE;
}

/*
 * The site that has a record's address; of the image also one that is gone. *offset: the distance
 * from its start.
 */
static uint32_t site_of(struct comparison *c, uint64_t ip, uint64_t *offset)
{
    uint32_t id = find_in_image(c, ip);
    uint64_t pa;

    if (id != NO_SITE) {
        *offset = ip - site_get(c->audit->config.sites, id)->va;
        return id;
    }
    if (!hart_translate(c->lock->hart, ip, ACCESS_LOAD, &pa))
        return NO_SITE;
    id = site_find(c->audit->config.sites, pa, 1);
    if (id != NO_SITE)
        *offset = pa - site_get(c->audit->config.sites, id)->pa;
    return id;
}

/* ---- the address of a record ---- */

/* Whether the record is the first one of the comparison that may tell where in sites they are. */
static bool is_first(const struct comparison *c)
{
    return c->offset == UINT64_MAX;
}

/*
 * A record has the address of its site; that of its second instruction in kernels that change only
 * this one (Linux 6.16). It is the same for all of them.
 */
static void check_offset(struct comparison *c, const struct ftrace_record *r, uint32_t id,
                         uint64_t offset)
{
    bool at_once = site_traits(c->audit->config.sites)->patching == PATCHED_AT_ONCE;
    bool good = !offset || (at_once && offset == 4);

    if (!good || (!is_first(c) && offset != c->offset))
        report(c, r->ip, id, RECORD_INSIDE, r);
    else
        c->offset = offset;
}

/* Whether an address without a site is in code all of whose sites are known. */
static bool lacks_site(const struct comparison *c, uint64_t ip)
{
    const struct audit_config *config = &c->audit->config;
    uint64_t offset = is_first(c) ? 0 : c->offset, pa;

    if (config->image && image_is_text(config->image, ip, 2))
        return !site_is_left_out(config->sites, ip - offset);
    if (config->text && text_map_find(config->text, ip, &pa) == TEXT_IMAGE)
        return !site_is_left_out(config->sites, ip - offset);
    return config->module_sites &&
           module_sites_lack(config->module_sites, c->lock->hart, ip - offset);
}

static void check_place(struct comparison *c, const struct ftrace_record *r)
{
    uint64_t told;

    if (r->ip == UINT64_MAX ||
        (map_get(&c->state->told, r->ip, &told) && told >> RECORD_NO_SITE & 1))
        return; /* the search takes long */
    if (lacks_site(c, r->ip))
        report(c, r->ip, NO_SITE, RECORD_NO_SITE, r);
}

static void check_order(struct comparison *c, const struct ftrace_record *r, uint32_t site)
{
    if (!r->begins_page && r->ip <= c->before)
        report(c, r->ip, site, r->ip == c->before ? RECORD_TWICE : RECORD_UNSORTED, r);
    c->before = r->ip;
}

/* Whether the site was changed to what the flags ask for. The last two need that it has one ops. */
static bool is_as_asked(uint64_t flags)
{
    bool one = (flags & RECORD_COUNT) == 1;

    return !(flags & RECORD_REGS) == !(flags & RECORD_REGS_EN) &&
           !(flags & RECORD_TRAMP) == !(flags & RECORD_TRAMP_EN) &&
           (one && flags & RECORD_DIRECT) == !!(flags & RECORD_DIRECT_EN) &&
           (one && flags & RECORD_OPS) == !!(flags & RECORD_OPS_EN);
}

static void check_wanted(struct comparison *c, const struct ftrace_record *r, uint32_t site)
{
    bool is_on = r->flags & RECORD_ENABLED, wanted = r->wanted && c->enabled;

    if ((r->flags & RECORD_COUNT) != r->wanted)
        report(c, r->ip, site, RECORD_COUNT_WRONG, r);
    else if (is_on != wanted)
        report(c, r->ip, site, is_on ? RECORD_LEFT_ON : RECORD_LEFT_OFF, r);
    else if (!(r->flags & RECORD_REGS) != !r->wanted_regs && r->wanted)
        report(c, r->ip, site, RECORD_REGS_WRONG, r);
    else if (is_on && wanted && !is_as_asked(r->flags))
        report(c, r->ip, site, RECORD_ASKED, r);
}

/* What the site names in `callops', if the record says that it names its only ops. */
static void check_named(struct comparison *c, const struct ftrace_record *r, uint32_t id)
{
    const struct audit *a = c->audit;
    const struct site *s = site_get(a->config.sites, id);
    uint64_t value, named = r->flags & RECORD_OPS_EN ? r->ops : c->list_ops;

    if (site_traits(a->config.sites)->tracer != TRACER_BY_SITE || !c->list_ops ||
        ((r->flags & RECORD_OPS_EN) && r->wanted != 1) ||
        !bus_read(cluster_bus(a->config.cluster),
                  (s->pa - site_traits(a->config.sites)->literal) & -UINT64_C(8), &value,
                  sizeof value))
        return;
    /* That it names one that is not registered any more is another rule's. */
    if (value != named &&
        (value == c->list_ops || ftrace_records_has_ops(a->config.records, c->lock->hart, value)))
        report(c, r->ip, id, RECORD_NAMES_OTHER, r);
}

static void check_trampoline(struct comparison *c, const struct ftrace_record *r, uint32_t id,
                             uint64_t target)
{
    bool regs = r->flags & RECORD_REGS_EN;

    if (r->flags & (RECORD_TRAMP_EN | RECORD_DIRECT_EN) || !c->regs_trampoline || !c->trampoline)
        return;
    if (target == (regs ? c->trampoline : c->regs_trampoline))
        report(c, r->ip, id, RECORD_TRAMPOLINE, r);
}

static void check_site(struct comparison *c, const struct ftrace_record *r, uint32_t id)
{
    const struct audit *a = c->audit;
    const struct site *s = site_get(a->config.sites, id);
    bool is_on = r->flags & RECORD_ENABLED, calls;
    unsigned literal = site_traits(a->config.sites)->literal;
    uint8_t bytes[SITE_BYTES_MAX];
    enum site_state state;
    uint64_t target;

    if (audit_by_debugger(a, s->pa - literal, s->size + literal) ||
        !bus_read(cluster_bus(a->config.cluster), s->pa, bytes, s->size))
        return;
    state = site_state(a->config.sites, s, bytes, &target);
    calls = site_calls(a->config.sites, s, state);
    if (state == SITE_OTHER) /* half of a patch is another rule's; or it has a breakpoint */
        return;
    if (calls != is_on)
        report(c, r->ip, id, calls ? RECORD_SITE_ON : RECORD_SITE_OFF, r);
    else if (is_on) {
        check_named(c, r, id);
        check_trampoline(c, r, id, target);
    }
}

/*
 * A record of a module that is being loaded is not patched. If most in a part of a module that runs
 * are so, the kernel has not noticed that it is loaded, or not enabled all of them. A few may be
 * excluded for good.
 */
static void end_part(struct comparison *c)
{
    if (c->part.site != NO_SITE && c->part.disabled > c->part.count / 2 &&
        state_rules_module_runs(c->audit, c->part.site))
        report(c, c->part.first.ip, c->part.site, RECORD_NEVER_ENABLED, &c->part.first);
    c->part.site = NO_SITE;
    c->part.count = c->part.disabled = 0;
}

static void note_in_part(struct comparison *c, const struct ftrace_record *r, uint32_t site)
{
    if (r->begins_page)
        end_part(c);
    c->part.count++;
    c->part.disabled += (r->flags & RECORD_DISABLED) != 0;
    if (site == NO_SITE || !site_get(c->audit->config.sites, site)->module)
        return;
    if (c->part.site == NO_SITE ||
        (r->flags & RECORD_DISABLED && !(c->part.first.flags & RECORD_DISABLED))) {
        c->part.site = site;
        c->part.first = *r;
    }
}

static void compare_record(void *ctx, const struct ftrace_record *r)
{
    struct comparison *c = ctx;
    const struct site *s;
    uint64_t offset = 0;
    uint32_t id;

    if (!r->ip)
        return;
    id = site_of(c, r->ip, &offset);
    note_in_part(c, r, id);
    check_order(c, r, id);
    s = id == NO_SITE ? NULL : site_get(c->audit->config.sites, id);
    if (s) {
        c->seen[id] = true;
        c->any |= !s->module;
        c->of_modules |= s->module != NULL;
        check_offset(c, r, id, offset);
    } else {
        check_place(c, r);
    }
    if (r->flags & RECORD_DISABLED)
        return;
    if (s && s->gone) {
        report(c, r->ip, id, RECORD_OF_FREED, r);
        return;
    }
    check_wanted(c, r, id);
    if (s)
        check_site(c, r, id);
}

/* ---- sites without a record ---- */

/* Whether some site of the module has a record: the kernel takes up all of them at once. */
static bool is_taken_up(const struct comparison *c, const char *module)
{
    const struct site_table *t = c->audit->config.sites;

    for (uint32_t id = c->of_image; c->of_modules && id < site_count(t); id++)
        if (c->seen[id] && !site_get(t, id)->gone && !strcmp(site_get(t, id)->module, module))
            return true;
    return false;
}

static bool must_have_record(const struct comparison *c, uint32_t id)
{
    const struct audit *a = c->audit;
    const struct site *s = site_get(a->config.sites, id);

    if (s->kind != SITE_FUNCTION || s->gone)
        return false;
    if (s->module)
        return state_rules_module_runs(a, id) || is_taken_up(c, s->module);
    return a->config.text && text_map_is_exact(a->config.text) &&
           text_map_has(a->config.text, s->pa, s->size);
}

static void look_for_missing(struct comparison *c)
{
    const struct site_table *t = c->audit->config.sites;

    for (uint32_t id = 0; c->any && id < site_count(t); id++)
        if (!c->seen[id] && must_have_record(c, id))
            report(c, site_get(t, id)->va, id, RECORD_MISSING, NULL);
}

/* ---- all of them ---- */

static uint32_t sites_of_image(const struct site_table *t)
{
    return (uint32_t)PARTITION_POINT(i, site_count(t), !site_get(t, (uint32_t)i)->module);
}

static uint64_t address_of(const struct audit *a, const char *name)
{
    uint64_t va;

    return symbols_find(a->config.symbols, name, &va) ? va : 0;
}

static bool compare_all(struct audit *a, struct state_records *s, const struct lock_event *lock)
{
    struct ftrace_records *records = a->config.records;
    struct comparison c = {.audit = a,
                           .state = s,
                           .lock = lock,
                           .enabled = ftrace_records_enabled(records, lock->hart),
                           .of_image = sites_of_image(a->config.sites),
                           .part = {.site = NO_SITE},
                           .offset = UINT64_MAX,
                           .list_ops = address_of(a, "ftrace_list_ops"),
                           .trampoline = address_of(a, "ftrace_caller"),
                           .regs_trampoline = address_of(a, "ftrace_regs_caller")};
    bool good;

    c.seen = xcalloc(site_count(a->config.sites) + 1, sizeof *c.seen);
    good = ftrace_records_read(records, lock->hart, compare_record, &c);
    if (good) {
        end_part(&c);
        look_for_missing(&c);
    }
    free(c.seen);
    return good;
}

bool state_records_compare(struct audit *a, struct state_records *s, const struct lock_event *lock)
{
    struct ftrace_records *records = a->config.records;
    uint64_t version;

    if (!records || !sites_are_patched(a->config.sites))
        return false;
    if (!ftrace_records_known(records)) {
        s->left_out += s->changed;
        s->changed = false;
        return false;
    }
    if (ftrace_records_dead(records, lock->hart))
        return false;
    if (!ftrace_records_version(records, lock->hart, &version)) {
        s->left_out++;
        return false;
    }
    if (!s->changed && version == s->version)
        return false;
    s->changed = false;
    s->version = version;
    s->left_out += !compare_all(a, s, lock);
    return true;
}

/* The site that was at the address in a module whose text is gone; NO_SITE: there was none. */
static uint32_t find_freed(const struct site_table *t, struct hart *h, uint64_t va)
{
    uint64_t pa;

    for (uint32_t id = 0; id < site_count(t); id++) {
        const struct site *s = site_get(t, id);

        if (va - s->va < s->size && s->module &&
            (s->gone || !hart_translate(h, va, ACCESS_FETCH, &pa)))
            return id;
    }
    return NO_SITE;
}

void state_records_alarm(struct audit *a, struct state_records *s, struct hart *h, uint64_t ip,
                         uint64_t caller)
{
    const struct lock_event at = {h, LOCK_FTRACE, caller};
    struct comparison c = {.audit = a, .state = s, .lock = &at};
    uint32_t id = ip ? find_freed(a->config.sites, h, ip) : NO_SITE;

    if (id != NO_SITE)
        report(&c, ip, id, RECORD_OF_FREED, NULL);
}
