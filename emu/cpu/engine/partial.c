/*
 * partial.c - entering a block for which the budget pays in part, and leaving a block before its
 * end.
 */
#include "cpu/charge_priv.h"
#include "cpu/hart_priv.h"

/* The first operation that begins `insns` instructions or `cycles` cycles after `first`, or later.
 */
static unsigned end_of_part(const struct hart *h, const struct block *b, unsigned first,
                            uint64_t insns, uint64_t cycles)
{
    const struct uop_note *notes = b->notes;
    uint64_t until = hart_cycles_before(h, b, first) + cycles;
    unsigned last = b->uop_count - 1U, end = first;

    insns += notes[first].insns_before;
    if (notes[last].insns_before < insns && hart_cycles_before(h, b, last) < until)
        return last + 1;
    if (UNLIKELY(h->cache.path)) {
        while (notes[end].insns_before < insns && h->cache.path->before[end] < until)
            end++;
    } else {
        while (notes[end].insns_before < insns && notes[end].cycles_before < until)
            end++;
    }
    return end;
}

static void set_aside(struct hart *h, unsigned at, const void *go)
{
    struct uop *u = &h->cache.part.block->ops[at];

    h->cache.part.go[h->cache.part.count++] = u->go;
    u->go = go;
}

static void end_part(struct hart *h)
{
    struct part *p = &h->cache.part;

    while (p->count) {
        p->count--;
        p->block->ops[p->end - p->count].go = p->go[p->count];
    }
}

/*
 * Ends the part before operation `end`: until end_part, that one's label leads out of the block,
 * and those before it are not fused with it. Returns the label of `first`, where the part begins.
 */
static const void *begin_part(struct hart *h, struct block *b, unsigned first, unsigned end)
{
    const void *start = first ? b->ops[first].go : b->decoded_go;

    if (end == b->uop_count)
        return start;
    h->cache.part = (struct part){.block = b, .end = end};
    set_aside(h, end, engine_label(h, UOP_CUT, SOURCES_fresh));
    for (unsigned at = end - 1; at + TOGETHER_MAX > end; at--) {
        const void *alone = engine_label(h, b->notes[at].kind, SOURCES_fresh);

        if (at == first)
            return alone;
        set_aside(h, at, alone);
    }
    return start;
}

const void *hart_enter_part(struct hart *h, struct block *b, unsigned first, uint64_t insns,
                            uint64_t cycles)
{
    unsigned end = end_of_part(h, b, first, insns, cycles);

    if (b->charge_count)
        charge_rest(h, b, first, true);
    h->s.insns_left -= block_insns(b) - b->notes[first].insns_before;
    h->s.cycles += hart_block_cycles(h, b) - hart_cycles_before(h, b, first);
    return begin_part(h, b, first, end < h->cache.fetched_ops ? end : h->cache.fetched_ops);
}

void hart_leave_after_insn(struct hart *h)
{
    struct block *b = h->cache.block;
    unsigned at = (unsigned)(h->cache.uop - b->ops);

    end_part(h);
    (void)begin_part(h, b, at, end_of_part(h, b, at, 1, INT64_MAX));
}

void hart_shorten_part(struct hart *h)
{
    struct block *b = h->cache.block;
    unsigned at = (unsigned)(h->cache.uop - b->ops), last = b->uop_count, end;
    int64_t left = h->s.until - (int64_t)hart_cycles(h);

    if (h->cache.part.count)
        last = h->cache.part.end;
    end = end_of_part(h, b, at, INT64_MAX, left > 0 ? (uint64_t)left : 0);
    if (end == at) /* the operation has begun */
        end = end_of_part(h, b, at, 1, INT64_MAX);
    if (end >= last)
        return;
    end_part(h);
    (void)begin_part(h, b, at, end);
}

/* Takes back the counts of the probes of an instruction that is not executed. */
static void uncount(struct block *b, unsigned at)
{
    for (; at && !b->notes[at - 1].size; at--)
        if (b->notes[at - 1].kind == UOP_COUNTER)
            --*b->counters[b->ops[at - 1].imm];
        else if (b->notes[at - 1].kind == UOP_TAKEN)
            --b->hart->s.hpm.counted[COUNTED_TAKEN]; /* to an address where no instruction can be */
}

void hart_leave_block(struct hart *h, bool after_this)
{
    struct block *b = h->cache.block;
    unsigned at = (unsigned)(h->cache.uop - b->ops);
    const struct uop_note *note = &b->notes[at];
    unsigned insns_done = note->insns_before;
    unsigned cycles_done = hart_cycles_before(h, b, at);
    uint64_t pc = b->pc + h->cache.uop->at * 2U;

    end_part(h);
    if (after_this) {
        bool last = at + 1 == b->uop_count;

        insns_done++;
        cycles_done = last ? hart_block_cycles(h, b) : hart_cycles_before(h, b, at + 1);
        pc += note->size;
    } else {
        uncount(b, at);
    }
    h->s.insns_left += block_insns(b) - insns_done;
    h->s.cycles -= hart_block_cycles(h, b) - cycles_done;
    if (b->charge_count)
        charge_rest(h, b, at + after_this, false);
    if (h->cache.path)
        timed_leave_block(h, b, at + after_this);
    h->s.pc = pc;
    h->cache.uop = NULL;
}
