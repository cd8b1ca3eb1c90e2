/*
 * code_walk.c - see code_walk.h.
 */
#include "ftrace/audit/detours/code_walk.h"

#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"

enum { INSNS_MAX = 512, BRANCHES_MAX = 32 };

/* A way through the code: where it is, and the caller's state of it. */
struct way {
    uint64_t pc;
    uint32_t state;
};

struct ways {
    unsigned count;
    struct way at[BRANCHES_MAX];
    unsigned begun_count;
    uint64_t begun[BRANCHES_MAX]; /* where ways begin */
};

static void add_way(struct ways *w, uint64_t pc, uint32_t state)
{
    for (unsigned i = 0; i < w->begun_count; i++)
        if (w->begun[i] == pc)
            return;
    if (w->begun_count == BRANCHES_MAX)
        return;
    w->begun[w->begun_count++] = pc;
    w->at[w->count++] = (struct way){pc, state};
}

static bool fetch(struct hart *h, uint64_t pc, struct insn *i)
{
    uint32_t word;

    return hart_peek_insn(h, pc, &word) && insn_decode(word, i);
}

bool insn_is_call(const struct insn *i)
{
    return (i->op == OP_jal || i->op == OP_jalr) && i->rd != REG_ZERO;
}

/* Goes on after the instruction. False: the way ends there. */
static bool advance(const struct code_walk *walk, struct ways *w, struct way *way,
                    const struct insn *i)
{
    uint64_t target = way->pc + (uint64_t)(int64_t)i->imm;

    way->pc += i->size;
    if (insn_is_call(i))
        return walk->through_calls;
    switch (i->op) {
    case OP_jal: way->pc = target; return true;
    case OP_jalr:
    case OP_ebreak:
    case OP_sret: return false;
    case OP_beq:
    case OP_bne:
    case OP_blt:
    case OP_bge:
    case OP_bltu:
    case OP_bgeu: add_way(w, target, way->state); return true;
    default: return true;
    }
}

void code_walk(const struct code_walk *walk, struct hart *h, uint64_t pc)
{
    struct ways w = {.count = 0};
    unsigned insns = 0;
    struct insn i;

    add_way(&w, pc, 0);
    while (w.count) {
        struct way way = w.at[--w.count];

        do {
            if (insns++ == INSNS_MAX || !fetch(h, way.pc, &i))
                break;
            way.state = walk->step(walk->ctx, way.pc, &i, way.state);
        } while (advance(walk, &w, &way, &i));
    }
}

struct first_call {
    bool is_met, is_known;
    struct insn before;
    uint64_t target;
};

static uint32_t note_call(void *ctx, uint64_t pc, const struct insn *i, uint32_t state)
{
    struct first_call *f = ctx;

    if (insn_is_call(i) && !f->is_met) {
        f->is_met = true;
        f->is_known = i->op == OP_jal || (f->before.size && insn_is_pair(&f->before, i));
        f->target = i->op == OP_jal ? pc + (uint64_t)(int64_t)i->imm
                    : f->is_known   ? pair_target(pc - f->before.size, &f->before, i)
                                    : 0;
    }
    f->before = *i;
    return state;
}

bool code_first_call(struct hart *h, uint64_t pc, uint64_t *target)
{
    struct first_call f = {.is_met = false};

    code_walk(&(struct code_walk){.through_calls = true, .step = note_call, .ctx = &f}, h, pc);
    *target = f.target;
    return f.is_known;
}
