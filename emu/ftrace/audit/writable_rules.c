/*
 * writable_rules.c - the rule about text that can be written where it should not be.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/updates.h"

struct looking_hart {
    bool look;               /* at whether the text is still writable */
    uint64_t writable_since; /* cycle; 0: not seen so yet */
};

struct writable_rules {
    struct audit *audit;
    struct looking_hart *harts;
    bool text_protected;        /* the image's text was not writable once */
    bool module_text_protected; /* a module's */
};

enum { UNMAP_CYCLES = 10 * 1000 };

static void report_writable(struct audit *a, struct hart *h, const struct text_store *t,
                            uint64_t va)
{
    const struct breach b = {.rule = RULE_writable_text,
                             .hart = hart_id(h),
                             .site = t->site,
                             .pc = t->pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_writable_text, audit_function(a, t->pc))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, t->site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer =
        (struct writer){WRITER_HART, hart_id(h), t->pc, t->cycle};
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    audit_fact_message(f, LABEL_MAPPED, va == t->va ? MESSAGE_WRITABLE : MESSAGE_ALIAS);
}

/* Whether text, or the page of the hart's last store to it, can be written at this address. */
static bool is_writable(const struct audit *a, struct hart *h, uint64_t va, uint64_t text)
{
    uint64_t pa;

    return va && hart_translate(h, va, ACCESS_STORE, &pa) &&
           (pa / PAGE_BYTES == text / PAGE_BYTES ||
            (a->config.text && text_map_has(a->config.text, pa, 1)));
}

/*
 * Whether some hart changes text now: then an alias is in use. Harts share the addresses of
 * aliases.
 */
static bool is_patching(const struct audit *a)
{
    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++)
        if (updates_is_open(a->config.updates, i))
            return true;
    return false;
}

/*
 * Whether text that is writable where it is run is meant to be so. The kernel protects its own when
 * it has booted, and a module's before its first function runs, or never: the two are options.
 */
static bool is_left_writable(struct writable_rules *r, struct hart *h, const struct text_store *t,
                             bool own)
{
    const struct audit *a = r->audit;
    uint64_t pa;

    if (t->site != NO_SITE ? !site_get(a->config.sites, t->site)->module
                           : !text_map_module_label(a->config.text, t->pa, 1)) {
        r->text_protected |= !own;
        return !r->text_protected && !a->user_mode;
    }
    r->module_text_protected |= !own && hart_translate(h, t->va, ACCESS_LOAD, &pa) &&
                                pa / PAGE_BYTES == t->pa / PAGE_BYTES; /* it is not unloaded */
    return !r->module_text_protected;
}

/* The address at which the text of the hart's last store can be written; 0: none. */
static uint64_t writable_at(struct writable_rules *r, struct hart *h, const struct text_store *t)
{
    const struct audit *a = r->audit;
    bool own = is_writable(a, h, t->va, t->pa), meant = is_left_writable(r, h, t, own);

    if (own)
        return meant ? 0 : t->va;
    return t->alias != t->va && is_writable(a, h, t->alias, t->pa) ? t->alias : 0;
}

/*
 * After an update the alias through which it stored is gone, and text is no data. Kernels fence
 * before they unmap, so it is looked at when the hart takes a trap later, and twice, because
 * another hart may just be about to store.
 */
static void look(struct writable_rules *r, struct hart *h)
{
    struct looking_hart *own = &r->harts[hart_id(h)];
    const struct text_store *text = &r->audit->harts[hart_id(h)].text;
    uint64_t now = hart_cycles(h), va;

    if (now - text->cycle < UNMAP_CYCLES || !audit_translates(h) || is_patching(r->audit))
        return;
    va = writable_at(r, h, text);
    if (va && !own->writable_since) {
        own->writable_since = now;
    } else if (!va || now - own->writable_since >= UNMAP_CYCLES) {
        own->look = false;
        if (va)
            report_writable(r->audit, h, text, va);
    }
}

static void begin_to_look(struct writable_rules *r, const struct update_event *u)
{
    r->harts[u->writer].look = r->audit->harts[u->writer].text.va != 0;
    r->harts[u->writer].writable_since = 0;
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct writable_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    return r;
}

static void destroy(void *rules)
{
    struct writable_rules *r = rules;

    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct writable_rules *r = rules;

    if (r->harts[hart_id(e->trap.hart)].look)
        look(r, e->trap.hart);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    begin_to_look(rules, &e->update);
}

static void state_io(struct state_io *io, void *rules)
{
    struct writable_rules *r = rules;

    state_io_section(io, "writable-rules", 1);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++) {
        STATE_IO(io, r->harts[i].look);
        STATE_IO(io, r->harts[i].writable_since);
    }
    STATE_IO(io, r->text_protected);
    STATE_IO(io, r->module_text_protected);
}

const struct rule_family writable_family = {.create = create,
                                            .destroy = destroy,
                                            .event = on_event,
                                            .ftrace_event = on_ftrace_event,
                                            .state_io = state_io};
