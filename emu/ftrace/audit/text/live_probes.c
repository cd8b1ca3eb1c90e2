/*
 * live_probes.c - the breakpoints that a module's text has when it is complete. The kernel stores
 * those of probes that waited for the module while its text is no code yet, so nobody sees these
 * stores: the kernel's table of kprobes says what is there, and what it has replaced.
 */
#include "ftrace/audit/text/text_priv.h"
#include "ftrace/kernel/kprobe_table.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/breakpoints.h"

struct live_text_part {
    struct audit *audit;
    uint64_t va, size;
};

static void keep_probe(void *ctx, const struct kprobe_entry *e)
{
    const struct live_text_part *p = ctx;
    uint64_t pa;

    if (e->on && !e->by_ftrace && e->insn && e->va - p->va < p->size &&
        text_map_find(p->audit->config.text, e->va, &pa))
        breakpoints_keep_old(p->audit->breakpoints, pa, e->insn);
}

void audit_keep_probes(struct audit *a, const struct text_event *text)
{
    struct live_text_part part = {a, text->va, text->size};
    bool none;

    if (a->config.kprobes)
        (void)kprobe_table_read(a->config.kprobes, text->hart, &none, keep_probe, &part);
}
