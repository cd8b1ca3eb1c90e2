/*
 * insn_events.c - see insn_events_priv.h.
 *
 * Calls and returns are recognised by the registers, by the table of vol. I, 2.5.1 (hints for
 * the return-address stack). The new stack pointer of a switch of the stack is known only after
 * the instruction, so the engine is requested to leave the block there.
 */
#include "cpu/insn_events_priv.h"

#include <string.h>

#include "cpu/cfi_priv.h"
#include "cpu/hart_priv.h"

/* Fence sets as `fence` encodes them; fm 8 with RW, RW is fence.tso. */
enum { SUCC_SHIFT = 0, PRED_SHIFT = 4, FM_SHIFT = 8, SET_MASK = 15, FM_TSO = 8 };

static bool is_link_register(unsigned reg)
{
    return reg == REG_RA || reg == REG_T0;
}

static bool is_jump(const struct insn *i)
{
    return i->op == OP_jal || i->op == OP_jalr;
}

static bool is_call(const struct insn *i)
{
    return is_jump(i) && is_link_register(i->rd);
}

static bool is_return(const struct insn *i)
{
    return i->op == OP_jalr && is_link_register(i->rs1) && i->rs1 != i->rd;
}

/* Whether the instruction is one by which frames are made, freed or aligned. */
static bool moves_within_stack(const struct insn *i)
{
    switch (i->op) {
    case OP_addi:
    case OP_andi:
    case OP_sub: return i->rs1 == REG_SP;
    case OP_add:
    case OP_and: return i->rs1 == REG_SP || i->rs2 == REG_SP;
    default: return false;
    }
}

uint32_t insn_events(const struct insn *i)
{
    uint32_t kinds = EVENT_BIT(EVENT_INSN);

    if (i->op == OP_fence)
        kinds |= EVENT_BIT(EVENT_DATA_FENCE);
    if (i->op == OP_slti && !i->rd)
        kinds |= EVENT_BIT(EVENT_MARK);
    if (is_call(i))
        kinds |= EVENT_BIT(EVENT_CALL);
    if (is_return(i))
        kinds |= EVENT_BIT(EVENT_RETURN);
    if (i->rd == REG_SP && !moves_within_stack(i))
        kinds |= EVENT_BIT(EVENT_STACK_SWITCH);
    if (insn_expects_landing(i))
        kinds |= INSN_LANDING;
    return kinds;
}

static void tell_fence(struct hart *h, const struct uop *u, uint64_t pc)
{
    unsigned sets = (unsigned)u->imm;
    const struct event e = {.kind = EVENT_DATA_FENCE,
                            .data_fence = {.hart = h,
                                           .pc = pc,
                                           .pred = (sets >> PRED_SHIFT) & SET_MASK,
                                           .succ = (sets >> SUCC_SHIFT) & SET_MASK,
                                           .tso = sets >> FM_SHIFT == FM_TSO}};

    cluster_emit(h->cluster, &e);
}

/* Emits the call and return events of a jump; a jump to a misaligned address traps and has none. */
static void tell_jump(struct hart *h, const struct uop *u, uint64_t pc, uint32_t kinds)
{
    const struct uop_note *note = &h->cache.block->notes[u - h->cache.block->ops];
    uint64_t from = note->kind == OP_call ? pc : h->s.x[u->rs1];
    uint64_t target = (from + (uint64_t)(int64_t)u->imm) & ~UINT64_C(1);
    struct event e = {
        .transfer = {.hart = h, .pc = pc, .target = target, .next_pc = pc + note->size}};

    if (target & 2 && !hart_has(h, EXT_C))
        return;
    if (kinds & EVENT_BIT(EVENT_RETURN)) {
        e.kind = EVENT_RETURN;
        cluster_emit(h->cluster, &e);
    }
    if (kinds & EVENT_BIT(EVENT_CALL)) {
        e.kind = EVENT_CALL;
        cluster_emit(h->cluster, &e);
    }
}

static void tell_mark(struct hart *h, const struct uop *u, uint64_t pc)
{
    const struct event e = {
        .kind = EVENT_MARK,
        .mark = {.hart = h, .pc = pc, .number = (int32_t)u->imm, .value = h->s.x[u->rs1]}};

    cluster_emit(h->cluster, &e);
}

static void expect_stack_switch(struct hart *h, uint64_t pc)
{
    h->cache.stack.pc = pc;
    h->cache.stack.sp = h->s.x[REG_SP];
    h->s.exit_requests |= EXIT_STACK;
}

static void tell_insn(struct hart *h, const struct uop *u, uint64_t pc)
{
    const struct block *b = h->cache.block;
    struct event e; /* not zeroed: there are as many as instructions */

    e.kind = EVENT_INSN;
    e.insn = (struct insn_event){.hart = h, .pc = pc};
    if (b->notes[u - b->ops].size == 2)
        memcpy(&e.insn.word, b->bytes + 2 * u->at, 2);
    else
        memcpy(&e.insn.word, b->bytes + 2 * u->at, 4);
    cluster_emit(h->cluster, &e);
}

void hart_emit_insn(struct hart *h, const struct uop *u)
{
    uint32_t kinds = ~(uint32_t)u->imm;
    uint64_t pc = hart_pc(h);

    while (!h->cache.block->notes[u - h->cache.block->ops].size)
        u++;
    if (kinds & EVENT_BIT(EVENT_INSN))
        tell_insn(h, u, pc);
    if (kinds & EVENT_BIT(EVENT_DATA_FENCE))
        tell_fence(h, u, pc);
    if (kinds & EVENT_BIT(EVENT_MARK))
        tell_mark(h, u, pc);
    if (kinds & (EVENT_BIT(EVENT_CALL) | EVENT_BIT(EVENT_RETURN)))
        tell_jump(h, u, pc, kinds);
    if (kinds & EVENT_BIT(EVENT_STACK_SWITCH))
        expect_stack_switch(h, pc);
    if (kinds & INSN_LANDING)
        hart_expect_landing(h, u);
}

/* Emits no event if the instruction has trapped. */
void hart_emit_stack_switch(struct hart *h)
{
    const struct event e = {
        .kind = EVENT_STACK_SWITCH,
        .stack_switch = {
            .hart = h, .pc = h->cache.stack.pc, .from = h->cache.stack.sp, .to = h->s.x[REG_SP]}};

    h->s.exit_requests &= ~(uint32_t)EXIT_STACK;
    if (e.stack_switch.from != e.stack_switch.to)
        cluster_emit(h->cluster, &e);
}
