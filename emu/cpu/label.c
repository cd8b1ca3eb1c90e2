/*
 * label.c - where in the engine each operation of a block begins (pair.def).
 */
#include "cpu/cpu_priv.h"

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

static unsigned pair_with(enum pair_link link, unsigned first, unsigned second)
{
#define PAIR_KEY(link, first, second) (((first)*UOP_COUNT + (second)) * PAIR_LINKS + (link))
    switch (PAIR_KEY(link, first, second)) {
#define P(link, first, second)                    \
    case PAIR_KEY(link, OP_##first, OP_##second): \
        return UOP_PAIR(link, first, second);
#define L(sources, name)
#include "cpu/pair.def"
#undef L
#undef P
    default: return 0;
    }
#undef PAIR_KEY
}

enum { NO_REGISTER = 32 }; /* or x0's stand-in */

/* Of the registers that operations read, which one surely holds what was written last. */
static unsigned last_after(const struct uop_note *note, const struct uop *u, unsigned last)
{
    if (note->kind == UOP_COUNTER || note->kind == OP_nop)
        return last;
    if (note->kind >= OP_COUNT)
        return NO_REGISTER;
    switch (op_class(note->kind)) {
    case CLASS_ALU:
    case CLASS_MUL:
    case CLASS_DIV: return u->rd;
    case CLASS_LOAD: return op_floating(note->kind) == FLOATING_X ? u->rd : last;
    case CLASS_STORE: return last;
    default: return NO_REGISTER;
    }
}

/* The second reads the first's result, as its source `which`. */
static unsigned pair_into(unsigned which, const struct uop_note *notes, const struct uop *ops)
{
    unsigned first = notes[0].kind, second = notes[1].kind, pair = 0;
    unsigned other = which == 1 ? ops[1].rs2 : ops[1].rs1;

    if (ops[1].rd == ops[0].rd && other != ops[0].rd)
        pair = pair_with(which == 1 ? over1 : over2, first, second);
    return pair ? pair : pair_with(which == 1 ? into1 : into2, first, second);
}

/* What two operations run as together; 0: one after the other. */
static unsigned pair_of(const struct uop_note *notes, const struct uop *ops)
{
    unsigned written = last_after(&notes[0], &ops[0], NO_REGISTER), pair = 0;

    if (written != NO_REGISTER && ops[1].rs1 == written)
        return pair_into(1, notes, ops);
    if (written != NO_REGISTER && ops[1].rs2 == written)
        return pair_into(2, notes, ops);
    if (ops[1].rs1 == ops[0].rs1)
        pair = pair_with(same, notes[0].kind, notes[1].kind);
    return pair ? pair : pair_with(beside, notes[0].kind, notes[1].kind);
}

unsigned label_last(const struct block *b, unsigned at)
{
    unsigned last = NO_REGISTER;

    for (unsigned i = 0; i < at; i++)
        last = last_after(&b->notes[i], &b->ops[i], last);
    return last;
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

    for (unsigned i = 0; i < count; i++) {
        unsigned pair = i + 1 < count ? pair_of(&notes[i], &ops[i]) : 0;

        ops[i].go = engine_label(h, pair ? pair : notes[i].kind, sources_of(&ops[i], last));
        last = last_after(&notes[i], &ops[i], last);
        if (pair) {
            i++;
            ops[i].go = engine_label(h, notes[i].kind, sources_of(&ops[i], last));
            last = last_after(&notes[i], &ops[i], last);
        }
    }
}
