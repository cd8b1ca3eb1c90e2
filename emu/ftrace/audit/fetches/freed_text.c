/*
 * freed_text.c - see freed_text.h.
 *
 * That a page is given back is seen at free_pages(address in the linear map, order), which kernels
 * may do without; so this finds nothing in a kernel that frees its text in another way.
 */
#include "ftrace/audit/fetches/freed_text.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "cpu/used_translations.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/kernel_probes.h"
#include "mem/ram.h"

/* Pages of text that are known at one time; the largest block of pages that is freed. */
enum { TEXT_PAGES_MAX = 1 << 14, ORDER_MAX = 12 };

struct freed_text {
    struct audit *audit;
    struct kernel_probes *at_free; /* NULL: no text was complete yet */
    struct map pages;              /* number of a physical page -> the address of its text */
};

struct freed_text *freed_text_new(struct audit *a)
{
    struct freed_text *t = xcalloc(1, sizeof *t);

    t->audit = a;
    return t;
}

void freed_text_free(struct freed_text *t)
{
    if (!t)
        return;
    kernel_probes_free(t->at_free);
    map_free(&t->pages);
    free(t);
}

static void report(const struct freed_text *t, struct hart *h, uint64_t va, const struct hart *by)
{
    struct audit *a = t->audit;
    const struct breach b = {.rule = RULE_stale_translation,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = hart_pc(h),
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_stale_translation, MESSAGE_TEXT_FREED)};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_moment(f, LABEL_FREED, h, hart_pc(h));
    audit_fact_stack(a, f, LABEL_STACK, h);
    audit_fact(f, LABEL_PLACE, FACT_PLACE)->va = va;
    audit_fact_message(f, LABEL_WRONG, MESSAGE_TEXT_FREED);
    audit_fact_text(f, LABEL_MISSING,
                    "an sfence.vma of 0x%llx on hart %u before the page is given back",
                    (unsigned long long)va, hart_id(by));
    audit_fact_order(f);
}

static void judge_page(struct freed_text *t, struct hart *h, uint64_t pa)
{
    const struct cluster *c = t->audit->config.cluster;
    uint64_t va;

    if (!map_get(&t->pages, pa / PAGE_BYTES, &va))
        return;
    map_remove(&t->pages, pa / PAGE_BYTES);
    for (unsigned i = 0; i < cluster_hart_count(c); i++)
        if (hart_may_fetch_from(cluster_hart(c, i), va, pa)) {
            report(t, h, va, cluster_hart(c, i));
            return;
        }
}

/* free_pages(address, order) is called. */
static void on_free(void *ctx, unsigned which, struct hart *h)
{
    struct freed_text *t = ctx;
    uint64_t order = hart_reg(h, REG_A0 + 1) & UINT32_MAX, pa;

    (void)which;
    if (!t->pages.len || order > ORDER_MAX ||
        !hart_translate(h, hart_reg(h, REG_A0), ACCESS_LOAD, &pa))
        return;
    for (uint64_t i = 0; i < UINT64_C(1) << order; i++)
        judge_page(t, h, pa + i * PAGE_BYTES);
}

static void look_at_frees(struct freed_text *t)
{
    static const char *const names[] = {"free_pages"};
    const struct audit_config *c = &t->audit->config;

    if (!t->at_free && c->image && c->symbols)
        t->at_free = kernel_probes_new(c->cluster, c->image, c->symbols, names, ARRAY_LEN(names),
                                       on_free, t);
}

void freed_text_live(struct freed_text *t, const struct text_event *e)
{
    uint64_t pa;

    look_at_frees(t);
    for (uint64_t va = e->va / PAGE_BYTES * PAGE_BYTES; va < e->va + e->size; va += PAGE_BYTES) {
        if (t->pages.len == TEXT_PAGES_MAX)
            map_clear(&t->pages);
        if (hart_translate(e->hart, va, ACCESS_FETCH, &pa))
            map_put(&t->pages, pa / PAGE_BYTES, va);
    }
}

void freed_text_state_io(struct state_io *io, struct freed_text *t)
{
    state_io_section(io, "freed text", 1);
    state_io_map(io, &t->pages);
    if (io->loading && t->pages.len)
        look_at_frees(t);
}
