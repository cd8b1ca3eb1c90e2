/*
 * label.c - chooses the label in the engine for each operation of a block:
 * its own, that of a fused operation, or that of a variant which takes the
 * previous result from a host register (pair.def).
 */
#include "cpu/hart_priv.h"

static bool is_link_register(unsigned reg)
{
    return reg == 1 || reg == 5;
}

unsigned label_kind(const struct insn *i)
{
    if (i->op == OP_jal && is_link_register(i->rd))
        return OP_call;
    if (i->op == OP_jalr && is_link_register(i->rd))
        return OP_call_indirect;
    if (i->op == OP_jalr && !i->rd && is_link_register(i->rs1))
        return OP_ret;
    if (i->op == OP_addi && !i->rd)
        return OP_nop;
    return i->op;
}

enum pair_link { beside, same, into1, into2, over1, over2, PAIR_LINKS };

#define PAIR_KEY(link, first, second) (((first)*UOP_COUNT + (second)) * PAIR_LINKS + (link))

static unsigned pair_with(enum pair_link link, unsigned first, unsigned second)
{
    switch (PAIR_KEY(link, first, second)) {
#define P(link, first, second)                    \
    case PAIR_KEY(link, OP_##first, OP_##second): \
        return UOP_PAIR(link, first, second);
#define T(link, next, first, second, third)
#define L(sources, name)
#include "cpu/pair.def"
#undef L
#undef T
#undef P
    default: return 0;
    }
}

#define TRIPLE_KEY(link, next, first, second, third) \
    ((PAIR_KEY(link, first, second) * UOP_COUNT + (third)) * PAIR_LINKS + (next))

static unsigned triple_with(enum pair_link link, enum pair_link next, unsigned first,
                            unsigned second, unsigned third)
{
    switch (TRIPLE_KEY((uint64_t)link, next, first, second, third)) {
#define P(link, first, second)
#define T(link, next, first, second, third)                                               \
    case TRIPLE_KEY((uint64_t)link, next, OP_##first, OP_##second, (uint64_t)OP_##third): \
        return UOP_TRIPLE(link, next, first, second, third);
#define L(sources, name)
#include "cpu/pair.def"
#undef L
#undef T
#undef P
    default: return 0;
    }
}

enum { NO_REGISTER = 32 }; /* none is known, or a write to x0 */

/*
 * The integer register that was written last, once the operation has run; `last` is the one
 * before. NO_REGISTER: it cannot be known.
 */
static unsigned last_after(const struct uop_note *note, const struct uop *u, unsigned last)
{
    if (note->kind == UOP_COUNTER || note->kind == UOP_CHARGE || note->kind == UOP_TAKEN ||
        note->kind == UOP_FEED || note->kind == UOP_FEED_RA || note->kind == UOP_FEED_TP ||
        note->kind == OP_nop)
        return last;
    if (is_csr_operation(note->kind))
        return u->rd;
    if (note->kind >= OP_COUNT)
        return NO_REGISTER;
    switch (op_class(note->kind)) {
    case CLASS_ALU:
    case CLASS_MUL:
    case CLASS_DIV: return u->rd;
    case CLASS_LOAD: return op_floating(note->kind) == FLOATING_X ? u->rd : last;
    case CLASS_VSTORE:
    case CLASS_STORE: return last;
    default: return NO_REGISTER;
    }
}

/*
 * The links (pair.def) that hold between two consecutive operations, best first. Returns their
 * number.
 */
static unsigned links_between(const struct uop_note *notes, const struct uop *ops,
                              enum pair_link links[2])
{
    unsigned written = last_after(&notes[0], &ops[0], NO_REGISTER), n = 0;
    bool first = written != NO_REGISTER && ops[1].rs1 == written;
    bool second = written != NO_REGISTER && ops[1].rs2 == written;

    if (first != second && ops[1].rd == ops[0].rd)
        links[n++] = first ? over1 : over2;
    else if (!first && !second && ops[1].rs1 == ops[0].rs1)
        links[n++] = same;
    links[n++] = first ? into1 : second ? into2 : beside;
    return n;
}

/* The fused operation for two consecutive operations; 0: there is none. */
static unsigned pair_of(const struct uop_note *notes, const struct uop *ops)
{
    enum pair_link links[2];
    unsigned pair = 0;

    for (unsigned i = 0, n = links_between(notes, ops, links); i < n && !pair; i++)
        pair = pair_with(links[i], notes[0].kind, notes[1].kind);
    return pair;
}

static unsigned triple_of(const struct uop_note *notes, const struct uop *ops)
{
    enum pair_link links[2], next[2];
    unsigned n = links_between(notes, ops, links), m = links_between(notes + 1, ops + 1, next);

    for (unsigned i = 0; i < n * m; i++) {
        unsigned triple =
            triple_with(links[i / m], next[i % m], notes[0].kind, notes[1].kind, notes[2].kind);

        if (triple)
            return triple;
    }
    return 0;
}

/* The same for the hit of a site that is off with its nops, which pair.def does not have. */
static unsigned feed_of(const struct uop_note *notes, unsigned count)
{
    if (count > 2 && notes[0].kind == OP_nop && notes[1].kind == UOP_FEED_RA &&
        notes[2].kind == OP_nop)
        return UOP_NOP_FEED_NOP;
    return count > 1 && notes[0].kind == UOP_FEED_RA && notes[1].kind == OP_nop ? UOP_FEED_NOP : 0;
}

unsigned label_last(const struct block *b, unsigned at)
{
    enum { BEFORE = NO_REGISTER + 1 }; /* an operation before has written it */

    while (at--) {
        unsigned last = last_after(&b->notes[at], &b->ops[at], BEFORE);

        if (last != BEFORE)
            return last;
    }
    return NO_REGISTER;
}

static enum uop_sources sources_of(const struct uop *u, unsigned last)
{
    if (last >= NO_REGISTER)
        return SOURCES_fresh;
    return u->rs1 == last ? SOURCES_last1 : u->rs2 == last ? SOURCES_last2 : SOURCES_fresh;
}

void label_ops(const struct hart *h, struct uop *ops, const struct uop_note *notes, unsigned count)
{
    unsigned last = NO_REGISTER;

    for (unsigned i = 0, alone = 0; i < count; i++) {
        unsigned together = 0;

        if (alone) /* part of a fused operation: its own label serves jumps to it */
            alone--;
        else if ((together = feed_of(&notes[i], count - i)))
            alone = together == UOP_NOP_FEED_NOP ? 2 : 1;
        else if (i + 2 < count && (together = triple_of(&notes[i], &ops[i])))
            alone = 2;
        else if (i + 1 < count && (together = pair_of(&notes[i], &ops[i])))
            alone = 1;
        if (!(*h->cache.labels)[together][SOURCES_fresh]) /* the engine has no such label */
            together = alone = 0;
        ops[i].go = engine_label(h, together ? together : notes[i].kind, sources_of(&ops[i], last));
        last = last_after(&notes[i], &ops[i], last);
    }
}
