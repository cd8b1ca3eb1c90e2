/*
 * text_stores.c - see text_stores.h.
 */
#include "ftrace/audit/text_stores.h"

#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/store_stacks.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "mem/ram.h"

/* The instruction with this word; NULL: it is none. */
static const struct store_insn *store_insn(const struct audit *a, uint32_t word)
{
    enum { FUNCT3_SHIFT = 12 }; /* stores of one function have different widths */
    struct store_insn *s = &a->store_insns[word >> FUNCT3_SHIFT & (STORE_INSNS - 1)];
    struct insn i;

    if (s->word == word && word)
        return s;
    if (!insn_decode(word, &i))
        return NULL;
    *s = (struct store_insn){.word = word, .base = (uint8_t)i.rs1, .offset = i.imm};
    return s;
}

uint64_t audit_store_address(const struct audit *a, struct hart *h, const struct code_write *w)
{
    const struct store_insn *s;
    uint32_t word;
    uint64_t va, pa;

    if (!hart_peek(h, w->who.pc, &word, sizeof word) || !(s = store_insn(a, word)))
        return 0;
    va = hart_reg(h, s->base) + (uint64_t)s->offset;
    return hart_translate(h, va, ACCESS_LOAD, &pa) && pa == w->pa ? va : 0;
}

/* Where the byte of text is run; 0: not known. */
static uint64_t text_address(const struct audit *a, uint32_t site, uint64_t pa)
{
    const struct site *s = site == NO_SITE ? NULL : site_get(a->config.sites, site);

    return s ? s->va + (pa - s->pa) : text_map_va(a->config.text, pa);
}

/* Remembers through which page the hart has stored, unless that is where the text is run. */
static bool note_alias(struct text_store *t, uint64_t at, uint64_t va, uint64_t stamp)
{
    unsigned i = 0;

    if (!at || at == va)
        return false;
    while (i + 1 < ALIASES_MAX && t->aliases[i].va / PAGE_BYTES != at / PAGE_BYTES)
        i++;
    memmove(&t->aliases[1], &t->aliases[0], i * sizeof t->aliases[0]);
    t->aliases[0].va = at;
    t->aliases[0].stamp = stamp;
    return true;
}

/* Where a hart stores to one page of text is determined only once in this time, as it takes long.
 */
enum { ALIAS_CYCLES = 10 * 1000 };

static void follow_alias(const struct audit *a, struct hart *h, const struct code_write *w,
                         uint64_t va)
{
    struct text_store *t = &a->harts[hart_id(h)].text;

    if (t->stamp && w->pa / PAGE_BYTES == t->looked_pa / PAGE_BYTES &&
        w->who.cycle - t->looked_cycle <= ALIAS_CYCLES) {
        if (t->through_alias)
            t->aliases[0].stamp = w->stamp;
        return;
    }
    t->looked_pa = w->pa;
    t->looked_cycle = w->who.cycle;
    t->through_alias = note_alias(t, audit_store_address(a, h, w), va, w->stamp);
}

void text_stores_follow(struct audit *a, const struct code_write *w)
{
    uint32_t site = site_find(a->config.sites, w->pa, w->size);
    struct text_store *last;
    struct hart *h;
    uint64_t va;

    bool text = site != NO_SITE || (a->config.text && text_map_has(a->config.text, w->pa, w->size));

    a->store = (struct seen_store){
        .site = site, .patch = site == NO_SITE ? NULL : patch_log_last(a->config.log, site)};
    if (w->who.kind != WRITER_HART)
        return;
    va = text ? text_address(a, site, w->pa) : 0;
    store_stacks_add(a, a->stores, w, va);
    if (!text)
        return;
    h = cluster_hart(a->config.cluster, w->who.hart);
    last = &a->harts[w->who.hart].text;
    last->site_before = last->stamp ? last->site : NO_SITE;
    last->stamp_before = last->stamp;
    follow_alias(a, h, w, va);
    last->stamp = w->stamp;
    last->pa = w->pa;
    last->pc = w->who.pc;
    last->cycle = w->who.cycle;
    last->step = w->who.step;
    last->va = va;
    last->site = site;
    hart_await_order(h);
}
