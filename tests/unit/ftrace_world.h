/*
 * ftrace_world.h - harts, two functions with sites, and the parts of ftrace that follow stores to
 * them: patch log, updates and auditor.
 *
 * The machine's events are made by the test, and passed on in the order in which watch.c does it.
 */
#ifndef TESTS_UNIT_FTRACE_WORLD_H
#define TESTS_UNIT_FTRACE_WORLD_H

#include "isa/world.h"

#include "cpu/observer.h"
#include "ftrace/audit/audit.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/tasks.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates.h"
#include "machine/site_image.h"

/* The functions, as offsets in the text. */
enum { F = 0x100, G = 0x200 };

enum { TOLD_MAX = 8, PATCHES_MAX = 100 };

struct scene {
    struct world w;
    struct site_image *im;
    struct symbols *symbols;
    struct site_table *t;
    struct ftrace_stream stream;
    struct patch_log *log;
    struct updates *updates;
    struct audit *audit; /* NULL: none */
    struct tasks *tasks; /* NULL: none */
    uint64_t stamp;      /* of the last store, for tests that let it count */
    /* Events that were emitted: findings, the first ones, and ends of updates. */
    unsigned told_count, ends;
    struct finding_event told[TOLD_MAX];
    struct update_event ended; /* the last one */
};

static inline struct hart *hart_of(const struct scene *s, unsigned hart)
{
    return cluster_hart(s->w.cluster, hart);
}

static inline void note_event(void *ctx, const struct ftrace_event *e)
{
    struct scene *s = ctx;

    if (e->kind == FTRACE_UPDATE_ENDED) {
        s->ends++;
        s->ended = e->update;
    } else if (s->told_count < TOLD_MAX)
        s->told[s->told_count++] = e->finding;
}

/* Begins with harts and an image, to which the test may add names and code. */
static inline void scene_begin_with(struct scene *s, unsigned harts,
                                    const struct cluster_config *config)
{
    const struct ftrace_listener l = {.ctx = s,
                                      .kinds = FTRACE_BIT(FTRACE_UPDATE_ENDED) |
                                               FTRACE_BIT(FTRACE_FINDING),
                                      .on_event = note_event};

    memset(s, 0, sizeof *s);
    s->w = world_with(config, harts);
    s->im = image_begin();
    image_name(s->im, "f", F);
    image_name(s->im, "g", G);
    image_site(s->im, F);
    image_site(s->im, G);
    ftrace_listen(&s->stream, &l);
}

static inline void scene_begin(struct scene *s, unsigned harts, enum fetch_mode fetch)
{
    const struct cluster_config config = {.fetch = fetch};

    scene_begin_with(s, harts, &config);
}

/* Makes the auditor; what the scene does not have is the test's. */
static inline void scene_audit(struct scene *s, struct audit_config *audit)
{
    audit->sites = s->t;
    if (!audit->symbols)
        audit->symbols = s->symbols;
    audit->log = s->log;
    audit->updates = s->updates;
    audit->cluster = s->w.cluster;
    audit->stream = &s->stream;
    s->audit = audit_new(audit);
}

/* Makes the parts. Of `audit' the limit and text_mutex are the test's; NULL: no auditor. */
static inline void scene_complete(struct scene *s, size_t updates_max, struct audit_config *audit)
{
    s->t = image_table(s->im, &s->symbols);
    s->log = patch_log_new(s->t, cluster_hart_count(s->w.cluster), PATCHES_MAX);
    s->updates = updates_new(s->w.cluster, s->t, s->log, updates_max, &s->stream);
    if (audit)
        scene_audit(s, audit);
}

static inline void wreck(struct scene *s)
{
    audit_free(s->audit);
    tasks_free(s->tasks);
    updates_free(s->updates);
    patch_log_free(s->log);
    site_table_free(s->t);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static inline void pass_event(struct scene *s, const struct event *e)
{
    if (s->audit)
        audit_event(s->audit, e);
}

/* A store to code, of these bytes over others. Memory stays as it is. */
static inline void pass_store(struct scene *s, struct code_write w, uint64_t old, uint64_t new)
{
    uint32_t site = site_find(s->t, w.pa, w.size);
    uint8_t memory[SITE_BYTES_MAX] = {0};

    if (site != NO_SITE)
        assert_true(bus_read(s->w.bus, site_get(s->t, site)->pa, memory, SITE_BYTES));
    memcpy(w.old_bytes, &old, w.size);
    memcpy(w.new_bytes, &new, w.size);
    updates_write(s->updates, &w, site, patch_log_write(s->log, &w, site, memory));
    pass_event(s, &(struct event){.kind = EVENT_CODE_WRITE, .code_write = w});
}

/* A fence.i of the hart, up to that stamp, which another may have requested. */
static inline void pass_fence(struct scene *s, unsigned hart, unsigned requester, uint64_t stamp,
                              uint64_t cycle)
{
    const struct event e = {.kind = EVENT_FENCE_I,
                            .fence = {.origin = hart == requester ? FENCE_LOCAL : FENCE_REMOTE,
                                      .hart = hart_of(s, hart),
                                      .requester = requester,
                                      .stamp = stamp,
                                      .cycle = cycle}};

    patch_log_fence(s->log, hart, &e.fence);
    updates_fence(s->updates, &e.fence);
    pass_event(s, &e);
}

static inline bool is_silent(const struct scene *s)
{
    return !audit_count(s->audit);
}

static inline enum rule only_rule(const struct scene *s)
{
    assert_int_equal(audit_count(s->audit), 1);
    return audit_get(s->audit, 0)->rule;
}

/* The first fact with the label; NULL: there is none. */
static inline const struct fact *fact_of(const struct finding *f, enum fact_label label)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == label)
            return &f->facts[i];
    return NULL;
}

/* The hart executes one instruction at CODE. */
static inline void execute(struct scene *s, unsigned hart, uint32_t insn)
{
    poke(&s->w, CODE, insn, 4);
    hart_set_pc(hart_of(s, hart), CODE);
    assert_int_equal(hart_run(hart_of(s, hart), 1, UINT64_MAX), HART_BUDGET);
}

/* The hart is in that mode, with interrupts on or off. */
static inline void set_mode(struct scene *s, unsigned hart, enum privilege mode, bool interrupts)
{
    const uint64_t sie = 2;
    struct hart *h = hart_of(s, hart);

    enter(h, mode, CODE);
    set_csr(h, MSTATUS, (csr(h, MSTATUS) & ~sie) | (interrupts ? sie : 0));
}

#define PAGING_ROOT (RAM_BASE + 0x600000)

/* The hart has a page table that maps RAM, and what a kernel has there, where it is. */
static inline void turn_paging_on(struct scene *s, unsigned hart)
{
    const uint64_t sv39 = UINT64_C(8) << 60;
    enum { GIGABYTE = 30, LEAF = 0xcf }; /* V, R, W, X, A, D */

    poke(&s->w, PAGING_ROOT + (RAM_BASE >> GIGABYTE) * 8, (RAM_BASE >> 12) << 10 | LEAF, 8);
    set_csr(hart_of(s, hart), SATP, sv39 | PAGING_ROOT >> 12);
    hart_flush_translations(hart_of(s, hart));
}

#endif
