/*
 * writable_rules.c - the rules about text that can be written, and data that can be executed.
 *
 * The page tables are looked at when something has just been done with text, and in the end: after
 * an update, when a module or a program of BPF is complete, when the first program runs.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/bpf_text.h"
#include "ftrace/kernel/kernel_probes.h"
#include "ftrace/kernel/modules.h"
#include "ftrace/kernel/open_pages.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/updates.h"

enum { CSR_SATP = 0x180 };

struct looking_hart {
    bool look;               /* at whether the text is still writable */
    uint64_t since;          /* the stamp of the first store of its update */
    uint64_t writable_since; /* cycle; 0: not seen so yet */
};

struct suspect {
    uint64_t va;
    bool data; /* it is of the image's data, and can be executed */
};

struct writable_rules {
    struct audit *audit;
    struct looking_hart *harts;
    bool text_protected;        /* the image's text was not writable once */
    bool module_text_protected; /* a module's */
    bool booted;                /* all of the image's text was looked at, as a program has run */
    /* Looks at all of the kernel's mappings. */
    uint64_t next_walk; /* at this cycle of a hart, or at once if an update has ended */
    uint32_t walks_left;
    bool walk_soon;
    struct suspect suspect; /* a page that had too many rights at the last walk; va 0: none */
    uint64_t suspect_since;
    struct kernel_probes *at_set_memory_x; /* NULL: there is no image */
};

/* Walks that ends of updates may cause; others come in intervals that double. */
enum { WALKS_MAX = 16, FIRST_WALK_CYCLES = 1000 * 1000 };

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
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer = text_store_writer(t, hart_id(h));
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

/*
 * The address at which the text of the hart's last store can be written, or any text through a page
 * that the update has stored through; 0: none.
 */
static uint64_t writable_at(struct writable_rules *r, struct hart *h, const struct text_store *t)
{
    const struct audit *a = r->audit;
    uint64_t pa;
    bool own = is_writable(a, h, t->va, t->pa) && hart_translate(h, t->va, ACCESS_FETCH, &pa);
    bool meant = is_left_writable(r, h, t, own);

    if (own)
        return meant ? 0 : t->va;
    for (unsigned i = 0; i < ALIASES_MAX; i++)
        if (t->aliases[i].stamp && t->aliases[i].stamp >= r->harts[hart_id(h)].since &&
            is_writable(a, h, t->aliases[i].va, t->pa))
            return t->aliases[i].va;
    return 0;
}

/* Whether the text of the store was not freed since. */
static bool is_still_text(const struct audit *a, const struct text_store *t)
{
    uint64_t pa;

    if (t->site != NO_SITE)
        return !site_get(a->config.sites, t->site)->gone;
    return text_map_find(a->config.text, t->va, &pa) != TEXT_NONE ||
           text_map_module_label(a->config.text, t->pa, 1);
}

/*
 * After an update the aliases through which it stored are gone, and text is no data. Kernels fence
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
    if (!is_still_text(r->audit, text)) {
        own->look = false;
        return;
    }
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
    r->harts[u->writer].since = u->first_stamp;
    r->harts[u->writer].writable_since = 0;
}

/* ---- text that is complete ---- */

/* For audit_cause: all modules, all programs of BPF, and the image are a cause each. */
enum { CAUSE_IMAGE = 1, CAUSE_MODULE, CAUSE_BPF, CAUSE_OTHER, CAUSE_BEFORE, CAUSE_DATA };

static void report_page(struct writable_rules *r, struct hart *h, uint64_t va, uint64_t key)
{
    static const enum message messages[] = {
        [CAUSE_IMAGE] = MESSAGE_WRITABLE, [CAUSE_MODULE] = MESSAGE_WRITABLE,
        [CAUSE_BPF] = MESSAGE_WRITABLE,   [CAUSE_OTHER] = MESSAGE_OPEN,
        [CAUSE_BEFORE] = MESSAGE_OPENED,  [CAUSE_DATA] = MESSAGE_DATA_OPEN,
    };
    enum rule rule = key == CAUSE_DATA ? RULE_executable_data : RULE_writable_text;
    const struct breach b = {.rule = rule,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(rule, key)};
    struct finding *f = audit_add(r->audit, &b);

    if (!f)
        return;
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    audit_fact_message(f, LABEL_MAPPED, messages[key]);
    audit_fact_moment(f, LABEL_JUDGED, h, hart_pc(h));
}

static bool is_open_page(struct hart *h, uint64_t va)
{
    uint64_t pa;

    return hart_translate(h, va, ACCESS_STORE, &pa) && hart_translate(h, va, ACCESS_FETCH, &pa);
}

/* The first page of [va, va + size) that can be written and executed; 0: there is none. */
static uint64_t first_open_page(struct hart *h, uint64_t va, uint64_t size)
{
    for (uint64_t at = va / PAGE_BYTES * PAGE_BYTES; at < va + size; at += PAGE_BYTES)
        if (is_open_page(h, at))
            return at;
    return 0;
}

/* Whether all of it can be written and executed: the kernel protects nothing. */
static bool is_all_open(struct hart *h, uint64_t va, uint64_t size)
{
    for (uint64_t at = va / PAGE_BYTES * PAGE_BYTES; at < va + size; at += PAGE_BYTES)
        if (!is_open_page(h, at))
            return false;
    return true;
}

/*
 * Whether something of the image behind this text can be read and not written, as constants are:
 * then the kernel does protect what must not be written.
 */
static bool protects_constants(struct hart *h, uint64_t va)
{
    enum { PAGES_MAX = 1 << 14 };
    uint64_t at = (va + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, pa;

    for (unsigned n = 0; n < PAGES_MAX && hart_translate(h, at, ACCESS_LOAD, &pa);
         n++, at += PAGE_BYTES)
        if (!hart_translate(h, at, ACCESS_STORE, &pa))
            return true;
    return false;
}

/* The first program has run: what the kernel protects, it has. */
static void check_image(struct writable_rules *r, struct hart *h)
{
    uint64_t va, size, page;

    for (size_t i = 0;
         r->audit->config.text && text_map_range(r->audit->config.text, i, &va, &size); i++) {
        if (is_all_open(h, va, size) && !protects_constants(h, va + size))
            continue;
        r->text_protected = true;
        page = first_open_page(h, va, size);
        if (page)
            report_page(r, h, page < va ? va : page, CAUSE_IMAGE);
    }
}

/* Whether the image's text is protected. */
static bool is_image_protected(const struct writable_rules *r, struct hart *h)
{
    uint64_t va, size;

    return r->audit->config.text && text_map_range(r->audit->config.text, 0, &va, &size) &&
           !is_open_page(h, va);
}

/* A kernel that leaves its own text writable protects none. */
static void check_new(struct writable_rules *r, const struct text_event *t)
{
    r->module_text_protected |= t->of_module && !t->writable;
    if (t->writable && is_image_protected(r, t->hart))
        report_page(r, t->hart, t->writable < t->va ? t->va : t->writable,
                    t->of_module ? CAUSE_MODULE : CAUSE_BPF);
}

/*
 * set_memory_x(address, pages) is called: what it makes executable must not be writable. It would
 * be both until that is mended, however soon.
 */
static void on_set_memory_x(void *ctx, unsigned which, struct hart *h)
{
    enum { PAGES_MAX = 1 << 14 };
    struct writable_rules *r = ctx;
    uint64_t va = hart_reg(h, REG_A0), pages = hart_reg(h, REG_A0 + 1), pa;

    (void)which;
    if (!r->audit->user_mode || !is_image_protected(r, h))
        return;
    for (uint64_t i = 0; i < pages && i < PAGES_MAX; i++)
        if (hart_translate(h, va + i * PAGE_BYTES, ACCESS_STORE, &pa)) {
            report_page(r, h, va + i * PAGE_BYTES, CAUSE_BEFORE);
            return;
        }
}

/* What was protected when it was complete is so in the end. */
static void check_areas(struct writable_rules *r, struct hart *h)
{
    const struct text_map *text = r->audit->config.text;

    for (size_t i = 0; i < text_map_area_count(text); i++) {
        const struct text_area *a = text_map_area(text, i);
        uint64_t page = first_open_page(h, a->va, a->size);

        if (page && is_image_protected(r, h))
            report_page(r, h, page < a->va ? a->va : page,
                        a->kind == TEXT_MODULE ? CAUSE_MODULE : CAUSE_BPF);
    }
}

/* ---- everything else that the kernel maps ---- */

struct search {
    const struct writable_rules *rules;
    struct hart *hart;
    struct suspect found; /* va 0: none was */
};

/* Whether a page that can be written and executed is judged elsewhere: text of image, modules or
 * programs. */
static bool is_judged(const struct search *s, uint64_t va)
{
    const struct audit_config *config = &s->rules->audit->config;
    char name[MODULE_NAME_MAX];
    uint64_t pa;

    return text_map_find(config->text, va, &pa) != TEXT_NONE ||
           (config->programs && bpf_text_name_at(config->programs, va, NULL)) ||
           (config->symbols && module_name_at(config->cluster, s->hart, config->symbols, va, name));
}

/* Takes the first page that can be written, too, and otherwise the first one of data. */
static bool take_page(void *ctx, const struct open_page *page)
{
    struct search *s = ctx;
    bool data = text_map_is_data(s->rules->audit->config.text, page->va, page->size);

    if (page->writable ? !data && is_judged(s, page->va) : !data)
        return true;
    s->found = (struct suspect){page->va, data};
    return false;
}

/* A page that should have fewer rights; va 0: there is none, or the kernel protects nothing. */
static struct suspect find_open_page(const struct writable_rules *r, struct hart *h)
{
    struct search s = {.rules = r, .hart = h};
    uint64_t satp;

    if (is_image_protected(r, h) && hart_csr(h, CSR_SATP, &satp))
        (void)open_pages_find(cluster_bus(r->audit->config.cluster), satp, take_page, &s);
    return s.found;
}

static void walk(struct writable_rules *r, struct hart *h)
{
    uint64_t now = hart_cycles(h);

    if (r->walk_soon && r->walks_left)
        r->walks_left--;
    else if (now < r->next_walk)
        return;
    r->walk_soon = false;
    r->next_walk = 2 * now + FIRST_WALK_CYCLES;
    r->suspect = find_open_page(r, h);
    r->suspect_since = now;
}

static bool is_still_open(struct hart *h, struct suspect s)
{
    uint64_t pa;

    return s.data ? hart_translate(h, s.va, ACCESS_FETCH, &pa) : is_open_page(h, s.va);
}

static void report_suspect(struct writable_rules *r, struct hart *h, struct suspect s)
{
    report_page(r, h, s.va, s.data ? CAUSE_DATA : CAUSE_OTHER);
}

/* A page may be so for a moment, while its permissions are changed. */
static void check_suspect(struct writable_rules *r, struct hart *h)
{
    uint64_t now = hart_cycles(h);

    if (now >= r->suspect_since && now - r->suspect_since < UNMAP_CYCLES)
        return;
    if (is_still_open(h, r->suspect))
        report_suspect(r, h, r->suspect);
    r->suspect.va = 0;
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    static const char *const names[] = {"set_memory_x"};
    struct writable_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    r->walks_left = WALKS_MAX;
    if (a->config.image && a->config.symbols)
        r->at_set_memory_x =
            kernel_probes_new(a->config.cluster, a->config.image, a->config.symbols, names,
                              ARRAY_LEN(names), on_set_memory_x, r);
    return r;
}

static void destroy(void *rules)
{
    struct writable_rules *r = rules;

    kernel_probes_free(r->at_set_memory_x);
    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    struct writable_rules *r = rules;

    if (r->harts[hart_id(e->trap.hart)].look)
        look(r, e->trap.hart);
    if (!r->audit->user_mode ||
        (!r->suspect.va && !r->walk_soon && hart_cycles(e->trap.hart) < r->next_walk) ||
        !audit_maps_text(r->audit, e->trap.hart))
        return;
    if (!r->booted)
        check_image(r, e->trap.hart);
    r->booted = true;
    if (r->suspect.va)
        check_suspect(r, e->trap.hart);
    else
        walk(r, e->trap.hart);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    struct writable_rules *r = rules;

    if (e->kind == FTRACE_TEXT_LIVE) {
        check_new(r, &e->text);
        return;
    }
    begin_to_look(r, &e->update);
    r->walk_soon = r->walks_left > 0;
}

/* Any hart in the kernel has its mappings. */
static void end(void *rules)
{
    struct writable_rules *r = rules;
    unsigned harts = cluster_hart_count(r->audit->config.cluster), i = 0;
    struct suspect found;
    struct hart *h;

    while (i < harts && !audit_maps_text(r->audit, cluster_hart(r->audit->config.cluster, i)))
        i++;
    if (i == harts || !r->audit->config.text || is_patching(r->audit))
        return;
    h = cluster_hart(r->audit->config.cluster, i);
    check_areas(r, h);
    if (!r->booted || r->audit->end.how == RUN_CUT)
        return;
    found = find_open_page(r, h);
    if (found.va)
        report_suspect(r, h, found);
}

static void state_io(struct state_io *io, void *rules)
{
    struct writable_rules *r = rules;

    state_io_section(io, "writable-rules", 4);
    for (unsigned i = 0; i < cluster_hart_count(r->audit->config.cluster); i++) {
        STATE_IO(io, r->harts[i].look);
        STATE_IO(io, r->harts[i].since);
        STATE_IO(io, r->harts[i].writable_since);
    }
    STATE_IO(io, r->text_protected);
    STATE_IO(io, r->module_text_protected);
    STATE_IO(io, r->booted);
    STATE_IO(io, r->next_walk);
    STATE_IO(io, r->walks_left);
    STATE_IO(io, r->walk_soon);
    STATE_IO(io, r->suspect.va);
    STATE_IO(io, r->suspect.data);
    STATE_IO(io, r->suspect_since);
}

const struct rule_family writable_family = {.create = create,
                                            .destroy = destroy,
                                            .event = on_event,
                                            .ftrace_event = on_ftrace_event,
                                            .end = end,
                                            .state_io = state_io};
