/*
 * arguments.c - see arguments.h.
 */
#include "ftrace/audit/arguments.h"

#include <stdbool.h>

#include "cpu/decode.h"
#include "cpu/hart.h"
#include "cpu/isa.h"

/* Instructions that are looked at, and branches that are followed. */
enum { INSNS_MAX = 256, BRANCHES_MAX = 32 };

static const uint32_t ARGUMENTS = 0xff << REG_A0;

/* A way through the function: where it is, and the registers that have been written on it. */
struct way {
    uint64_t pc;
    uint32_t written;
};

struct ways {
    unsigned insns, count; /* insns: looked at so far */
    struct way at[BRANCHES_MAX];
    uint64_t begun[BRANCHES_MAX]; /* where ways begin */
    unsigned begun_count;
    uint32_t read;
};

/* Each branch is followed once. */
static void add_way(struct ways *w, uint64_t pc, uint32_t written)
{
    for (unsigned i = 0; i < w->begun_count; i++)
        if (w->begun[i] == pc)
            return;
    if (w->begun_count == BRANCHES_MAX)
        return;
    w->begun[w->begun_count++] = pc;
    w->at[w->count++] = (struct way){pc, written};
}

static bool fetch(struct hart *h, uint64_t pc, struct insn *i)
{
    uint32_t word = 0;

    return hart_peek(h, pc, &word, 2) &&
           (insn_size((uint16_t)word) == 2 || hart_peek(h, pc, &word, 4)) && insn_decode(word, i);
}

/* False: the way ends with this instruction. */
static bool step(struct ways *w, struct way *way, const struct insn *i)
{
    w->read |= op_sources(i) & ~way->written;
    switch (i->op) {
    case OP_jal: way->pc += (uint64_t)(int64_t)i->imm; return i->rd == REG_ZERO;
    case OP_jalr:
    case OP_ebreak:
    case OP_ecall:
    case OP_sret: return false;
    case OP_beq:
    case OP_bne:
    case OP_blt:
    case OP_bge:
    case OP_bltu:
    case OP_bgeu: add_way(w, way->pc + (uint64_t)(int64_t)i->imm, way->written); break;
    default: way->written |= op_targets(i);
    }
    way->pc += i->size;
    return true;
}

uint32_t arguments_read(struct hart *h, uint64_t pc)
{
    struct ways w = {.count = 0};
    struct insn i;

    add_way(&w, pc, 0);
    while (w.count) {
        struct way way = w.at[--w.count];

        while (w.insns++ < INSNS_MAX && fetch(h, way.pc, &i) && step(&w, &way, &i))
            ;
    }
    return w.read & ARGUMENTS;
}
