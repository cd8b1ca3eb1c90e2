/*
 * partial.c - blocks of which a budget pays for a part, and blocks that are left before their end.
 */
#include "cpu/hart_priv.h"

/* The first operation that begins `insns` instructions or `cycles` cycles after `first`, or later.
 */
static unsigned end_of_part(const struct block *b, unsigned first, uint64_t insns, uint64_t cycles)
{
    const struct uop_note *from = &b->notes[first];
    unsigned end = first;

    while (end < b->uop_count && b->notes[end].insns_before < from->insns_before + insns &&
           b->notes[end].cycles_before < from->cycles_before + cycles)
        end++;
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
    const void *start = first ? b->ops[first].go : b->first_go;

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
    h->s.insns_left -= block_insns(b) - b->notes[first].insns_before;
    h->s.cycles += block_cycles(b) - b->notes[first].cycles_before;
    return begin_part(h, b, first, end_of_part(b, first, insns, cycles));
}

void hart_leave_after_insn(struct hart *h)
{
    struct block *b = h->cache.block;
    unsigned at = (unsigned)(h->cache.uop - b->ops);

    end_part(h);
    (void)begin_part(h, b, at, end_of_part(b, at, 1, INT64_MAX));
}

/* Takes back the counts of the probes of an instruction that is not executed. */
static void uncount(struct block *b, unsigned at)
{
    for (; at && !b->notes[at - 1].size; at--)
        if (b->notes[at - 1].kind == UOP_COUNTER)
            --*b->counters[b->ops[at - 1].imm];
}

void hart_leave_block(struct hart *h, bool after_this)
{
    struct block *b = h->cache.block;
    unsigned at = (unsigned)(h->cache.uop - b->ops);
    const struct uop_note *note = &b->notes[at];
    unsigned insns_done = note->insns_before;
    unsigned cycles_done = note->cycles_before;
    uint64_t pc = b->pc + h->cache.uop->at * 2U;

    end_part(h);
    if (after_this) {
        bool last = at + 1 == b->uop_count;

        insns_done++;
        cycles_done = last ? block_cycles(b) : b->notes[at + 1].cycles_before;
        pc += note->size;
    } else {
        uncount(b, at);
    }
    h->s.insns_left += block_insns(b) - insns_done;
    h->s.cycles -= block_cycles(b) - cycles_done;
    h->s.pc = pc;
    h->cache.uop = NULL;
}
