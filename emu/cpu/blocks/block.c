/*
 * block.c - a hart's set of blocks, and the links between them (block_priv.h).
 */
#include <assert.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/limits.h"
#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"

/* ---- links ---- */

const struct block block_nowhere = {.cost = UINT64_C(1) << 62};

static void drop_link(struct block_link *link)
{
    if (link->to == NOWHERE)
        return;
    *link->pprev = link->next;
    if (link->next)
        link->next->pprev = link->pprev;
    link->to = NOWHERE;
    if (link->from->hart->s.model)
        timed_forget_edges(link);
}

/*
 * Links stay within a page, virtual and physical, where one translation holds for both ends. While
 * a mapping is changed, the hart may have blocks of two physical pages at addresses of one page.
 */
static bool may_link(const struct block *from, const struct block *to)
{
    return same_page(from->pc, to->pc) && same_page(from->pa, to->pa) && !from->pa_second &&
           !to->pa_second && !to->suspect && !to->guarded;
}

void block_drop_links(struct block *b)
{
    drop_link(&b->link[LINK_NEXT]);
    drop_link(&b->link[LINK_TAKEN]);
}

void block_link(struct block *from, unsigned slot, struct block *to)
{
    struct block_link *link = &from->link[slot];

    if (!may_link(from, to) || hart_drops_caches(from->hart, 2))
        return;
    drop_link(link);
    link->to = to;
    link->from = from;
    link->next = to->incoming;
    link->pprev = &to->incoming;
    if (to->incoming)
        to->incoming->pprev = &link->next;
    to->incoming = link;
}

/* ---- the hart's set of blocks ---- */

static void list_suspect(struct block *b)
{
    if (b->listed)
        return;
    VEC_PUSH(&b->hart->cache.suspects, b);
    b->listed = (uint32_t)b->hart->cache.suspects.len;
}

static void unlist_suspect(struct block *b)
{
    struct hart *h = b->hart;
    struct block *last;

    if (!b->listed)
        return;
    last = h->cache.suspects.at[--h->cache.suspects.len];
    h->cache.suspects.at[b->listed - 1] = last;
    last->listed = b->listed;
    b->listed = 0;
}

void block_suspect(struct block *b)
{
    struct hart *h = b->hart;

    if (h->cache.uop && h->cache.block == b)
        h->s.exit_requests |= EXIT_CODE;
    native_drop(b);
    b->ops[0].go = engine_label(h, UOP_SUSPECT, SOURCES_fresh);
    b->suspect = true;
    list_suspect(b);
}

static void forget_jumps(struct block *b)
{
    for (unsigned mode = 0; mode < 3; mode++) {
        struct jump_entry *e = jump_slot(b->hart->cache.jumps[mode], b->pc);

        if (e->block == b)
            *e = (struct jump_entry){.pc = NO_PC};
    }
}

static void remove_from_set(struct block *b)
{
    struct hart *h = b->hart;
    struct block *first = map_get_ptr(&h->cache.blocks, b->pa);

    if (first == b) {
        if (b->same_pa)
            map_put_ptr(&h->cache.blocks, b->pa, b->same_pa);
        else
            map_remove(&h->cache.blocks, b->pa);
        return;
    }
    while (first->same_pa != b)
        first = first->same_pa;
    first->same_pa = b->same_pa;
}

/* Frees the block and drops the links to and from it. The hart must not be inside of it. */
static void destroy(struct block *b)
{
    codemap_remove_block(b);
    block_drop_links(b);
    while (b->incoming)
        drop_link(b->incoming);
    forget_jumps(b);
    if (b->calls)
        hart_forget_returns(b->hart, b);
    if (b->hart->cache.block == b)
        b->hart->cache.block = NULL;
    if (b->hart->cache.cut == b)
        b->hart->cache.cut = NULL;
    if (b->hart->s.model)
        timed_free_block(b);
    else
        free(b);
}

void hart_discard_block(struct block *b)
{
    unlist_suspect(b);
    remove_from_set(b);
    b->hart->cache.block_count--;
    destroy(b);
}

void hart_discard_suspects(struct hart *h)
{
    while (h->cache.suspects.len)
        hart_discard_block(h->cache.suspects.at[h->cache.suspects.len - 1]);
}

void hart_discard_blocks(struct hart *h)
{
    h->cache.suspects.len = 0;
    for (size_t i = 0; i < h->cache.blocks.cap; i++) {
        struct block *b, *next;

        if (h->cache.blocks.slots[i].key == UINT64_MAX)
            continue;
        for (b = (struct block *)(uintptr_t)h->cache.blocks.slots[i].value; b; b = next) {
            next = b->same_pa;
            destroy(b);
        }
    }
    map_clear(&h->cache.blocks);
    h->cache.block_count = 0;
}

void hart_discard_paths(struct hart *h)
{
    for (size_t i = 0; i < h->cache.blocks.cap; i++) {
        if (h->cache.blocks.slots[i].key == UINT64_MAX)
            continue;
        for (struct block *b = (struct block *)(uintptr_t)h->cache.blocks.slots[i].value; b;
             b = b->same_pa)
            timed_discard_paths(b);
    }
}

static ALWAYS_INLINE struct block *find_at(struct hart *h, uint64_t pc, uint64_t pa)
{
    for (struct block *b = map_get_ptr(&h->cache.blocks, pa); b; b = b->same_pa) {
        uint64_t second;

        if (b->pc != pc)
            continue;
        if (!b->pa_second && !(b->guarded && b->size == 4))
            return b;
        if (!hart_fetch_address(h, b->pc + 2, &second))
            return NULL;
        if (!b->pa_second || align_down(second, PAGE_BYTES) == b->pa_second)
            return b;
    }
    return NULL;
}

/*
 * Decodes the block at pc. `insns`: the instructions that the hart retired before it. NULL: a fetch
 * exception is raised.
 */
static struct block *decode_block(struct hart *h, uint64_t pc, uint64_t pa, uint64_t insns)
{
    bool stale;
    struct block *b;

    if (h->cache.block_count >= limits.blocks)
        hart_discard_blocks(h);
    b = block_build(h, pc, pa, insns, &stale);
    if (!b)
        return NULL;
    b->same_pa = map_get_ptr(&h->cache.blocks, pa);
    map_put_ptr(&h->cache.blocks, pa, b);
    h->cache.block_count++;
    codemap_add_block(h->cluster, b);
    if (stale) {
        list_suspect(b);
        /* In random mode each entry chooses again, until the hart's fence.i. */
        if (fetch_has_choices(h->cluster->config.fetch)) {
            b->suspect = true;
            b->ops[0].go = engine_label(h, UOP_SUSPECT, SOURCES_fresh);
        }
        native_drop(b);
    } else {
        native_watch(b);
    }
    return b;
}

/*
 * Whether this is the block at pc and pa: the one that the jump cache had before it was emptied.
 * One that is in two pages, or is looked up at each entry, is found otherwise.
 */
static bool is_block_at(const struct block *b, uint64_t pc, uint64_t pa)
{
    return b && b->pc == pc && b->pa == pa && !b->pa_second && !b->guarded;
}

struct block *hart_find_block(struct hart *h)
{
    struct jump_entry *e = jump_slot(h->cache.jump, h->s.pc);
    struct block *b;
    uint64_t pa;

    hart_drop_caches(h);
    if (!hart_fetch_address(h, h->s.pc, &pa))
        return NULL;
    b = is_block_at(e->block, h->s.pc, pa) ? e->block : find_at(h, h->s.pc, pa);
    if (b && b->suspect) {
        hart_discard_block(b);
        b = NULL;
    }
    if (!b)
        b = decode_block(h, h->s.pc, pa, hart_insns(h));
    if (b && !b->guarded && !hart_drops_caches(h, 2)) {
        if (h->cache.jump_fills.len >= limits.jumps)
            hart_drop_jumps(h);
        *e = (struct jump_entry){h->s.pc, b};
        fills_add(&h->cache.jump_fills, e - h->cache.jumps[0]);
    }
    return b;
}

/* ---- where a budget ended ---- */

void hart_forget_cut(struct hart *h)
{
    h->s.cut.valid = false;
}

/*
 * Keeps no cut at the block's end, where nothing of it is left to execute. So a block whose one
 * instruction continues in another page is never continued: that page may be gone by then.
 */
void hart_keep_cut(struct hart *h, struct block *b, unsigned at)
{
    if (b->suspect || b->notes[at].kind == UOP_END)
        return;
    h->s.cut = (struct cut){.valid = true,
                            .size = b->size,
                            .insn = b->notes[at].insns_before,
                            .pc = b->pc,
                            .pa = b->pa};
    h->cache.cut = b->pa_second || b->guarded ? NULL : b;
}

void hart_forget_cut_in(struct hart *h, uint64_t pa, uint64_t size)
{
    if (h->s.cut.valid && pa < h->s.cut.pa + h->s.cut.size && h->s.cut.pa < pa + size)
        hart_forget_cut(h);
}

struct block *hart_resume_cut(struct hart *h, unsigned *first)
{
    struct cut cut = h->s.cut;
    struct block *b;

    hart_forget_cut(h);
    hart_drop_caches(h);
    b = h->cache.cut;
    if (!b) {
        b = find_at(h, cut.pc, cut.pa);
        if (!b)
            b = decode_block(h, cut.pc, cut.pa, hart_insns(h) - cut.insn);
        /* Entering the block was permitted, and its page is the same: decoding cannot fail. */
        assert(b);
        block_drop_links(b); /* its page may have been mapped elsewhere meanwhile */
    }
    *first = 0;
    while (b->notes[*first].insns_before < cut.insn)
        ++*first;
    return b;
}
