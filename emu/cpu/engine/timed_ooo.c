/*
 * timed_ooo.c - gives the instructions of a hart to the model of a core that executes out of order
 * (timing/ooo.h), with what the hart's state says of each: addresses, targets, values.
 */
#include "base/bits.h"
#include "cpu/charge_priv.h"
#include "cpu/engine_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/timed_priv.h"

/* The fields of a UOP_ORDER's imm, from the lowest bit up. */
enum {
    ORDER_CLASS = 0,   /* 8 bits */
    ORDER_SOURCE = 8,  /* the third one; 8 bits */
    ORDER_NARROW = 16, /* 2 bits */
    ORDER_LINKS = 18,  /* 3 bits */
};

static bool is_link_register(const struct core *core, unsigned reg)
{
    return reg == REG_RA || (reg == REG_T0 && core->link_t0);
}

/* How the registers say that the jump calls or returns (vol. I, 2.5.1). */
static unsigned links_of(const struct core *core, const struct insn *i)
{
    bool calls = is_link_register(core, i->rd);

    if (i->op == OP_jal)
        return calls ? OOO_CALLS : 0;
    if (i->op != OP_jalr)
        return 0;
    return (calls ? OOO_CALLS : 0) |
           (is_link_register(core, i->rs1) && i->rs1 != i->rd && !i->imm ? OOO_RETURNS : 0);
}

void timed_ooo_operands(const struct hart *h, const struct insn *i, struct uop *order)
{
    const struct uop u = {.rd = i->rd, .rs1 = i->rs1, .rs2 = i->rs2, .imm = i->imm};
    struct pipe_op op = timed_op(h, &u, i->op, i->size);

    order->rd = op.rd;
    order->rs1 = op.source[0];
    order->rs2 = op.source[1];
    order->imm =
        (int32_t)((uint32_t)op.class << ORDER_CLASS | (uint32_t)op.source[2] << ORDER_SOURCE |
                  (uint32_t)op.narrow << ORDER_NARROW |
                  links_of(h->s.model->core, i) << ORDER_LINKS);
}

/*
 * Field by field: a copy of the whole would read at once what was just written in parts, for which
 * the host waits.
 */
static void set_op(struct pipe_op *op, const struct uop *order, unsigned size)
{
    uint32_t imm = (uint32_t)order->imm;

    op->class = (uint8_t)(imm >> ORDER_CLASS);
    op->rd = order->rd;
    op->source[0] = order->rs1;
    op->source[1] = order->rs2;
    op->source[2] = (uint8_t)(imm >> ORDER_SOURCE);
    op->size = (uint8_t)size;
    op->narrow = imm >> ORDER_NARROW & 3;
}

/* Fetches the instruction, if its line is not the one that was fetched last. */
static uint32_t fetch(struct hart *h, const struct block *b, unsigned at)
{
    struct timed *t = h->cache.timed;
    const struct model *m = h->s.model;
    uint64_t pa = b->pa + b->ops[at].at * 2U, line = pa >> m->fetch_line_shift;
    uint64_t end = (pa + b->notes[at].size - 1) >> m->fetch_line_shift;
    uint32_t cycles;

    if (line == t->fetched_line && end == line && t->fetched_token == h->cache.token &&
        !b->pa_second)
        return 0;
    cycles = timed_fetch(h, b, at);
    timed_update_context(h);
    t->fetched_line = b->pa_second ? OOO_NO_PIECE : end;
    t->fetched_token = h->cache.token;
    return cycles;
}

/* Whether the access surely costs nothing (timing/model.h). */
static bool is_filtered(const struct hart *h, const uint64_t *tags, uint64_t va, unsigned narrow)
{
    const struct model *m = h->s.model;
    uint64_t context = (uint64_t)(h->cache.tlb - h->cache.tlbs) << TIMED_CONTEXT_SHIFT;

    return tags[va >> m->line_shift & m->filter_mask] ==
           ((va & m->line_mask[3 - narrow]) ^ context);
}

static void access_data(struct hart *h, const struct uop *u, struct ooo_insn *i)
{
    enum core_class class = (enum core_class)i->op.class;
    unsigned size = 8U >> i->op.narrow;
    uint64_t reads = h->s.model->counts[MODEL_MEMORY_READS];
    bool atomic = class > CORE_store;

    i->va = h->s.x[u->rs1] + (atomic ? 0 : (uint64_t)(int64_t)u->imm);
    if ((class == CORE_load && is_filtered(h, h->s.model->filter.loads, i->va, i->op.narrow)) ||
        (class == CORE_store && is_filtered(h, h->s.model->filter.stores, i->va, i->op.narrow)))
        return;
    if (class == CORE_cbo)
        return;
    if (class == CORE_load || class == CORE_lr || class == CORE_amo)
        i->data = timed_load(h, i->va, size);
    if (class == CORE_store || class == CORE_sc || class == CORE_amo)
        i->data += timed_store(h, i->va, size, 0);
    i->in_memory = h->s.model->counts[MODEL_MEMORY_READS] != reads;
}

/* The address to which a branch or jump goes, if it does not raise. */
static uint64_t target_of(const struct hart *h, const struct block *b, const struct uop *u,
                          const struct ooo_insn *i)
{
    if (i->op.class == CORE_jump_indirect)
        return (h->s.x[u->rs1] + (uint64_t)(int64_t)u->imm) & ~UINT64_C(1);
    if (i->op.class == CORE_jump || branch_is_taken(h, b, u))
        return i->target;
    return i->pc + i->op.size;
}

static uint64_t word_of(uint64_t v, bool is_signed)
{
    return is_signed ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
}

/* The cycles of a product or a quotient of these operands in addition to the latency. */
static uint32_t values_take(struct hart *h, const struct uop *u, unsigned op)
{
    struct model *m = h->s.model;
    uint64_t a = h->s.x[u->rs1], b = h->s.x[u->rs2];

    switch (op) {
    case OP_mul:
    case OP_mulh:
    case OP_mulhsu:
    case OP_mulhu: return m->core->mul_wide ? model_multiply(m, a, b) : 0;
    case OP_div: return model_divide(m, a, b, true, 0);
    case OP_rem: return model_divide(m, a, b, true, 1);
    case OP_divu: return model_divide(m, a, b, false, 2);
    case OP_remu: return model_divide(m, a, b, false, 3);
    case OP_divw: return model_divide(m, word_of(a, true), word_of(b, true), true, 4);
    case OP_remw: return model_divide(m, word_of(a, true), word_of(b, true), true, 5);
    case OP_divuw: return model_divide(m, word_of(a, false), word_of(b, false), false, 6);
    case OP_remuw: return model_divide(m, word_of(a, false), word_of(b, false), false, 7);
    default: return 0;
    }
}

/* The cycles by which a division of these numbers is shorter: its quotient is exact. */
static uint32_t values_save(const struct hart *h, const struct uop *u, unsigned op)
{
    const struct core *core = h->s.model->core;
    uint64_t a = h->s.f[u->rs1], b = h->s.f[u->rs2];

    if (!core->fdiv_exact || (op != OP_fdiv_d && op != OP_fdiv_s))
        return 0;
    return model_float_early(core, false, op == OP_fdiv_d, a, b);
}

static void account(struct hart *h, const struct block *b, unsigned at, struct ooo_cost cost)
{
    if (!cost.cycles)
        return;
    if (cost.part < MODEL_PARTS)
        h->s.model->parts[cost.part] += cost.cycles;
    if (UNLIKELY(b->charge_count))
        charge_stall(b, at, cost.part < MODEL_PARTS ? TALLY_FETCH + cost.part : TALLY_ISSUE,
                     cost.cycles);
}

uint32_t timed_ooo_step(struct hart *h, const struct block *b, const struct uop *order,
                        uint64_t now)
{
    unsigned at = (unsigned)(order - b->ops) + 1; /* or further on, after a check */
    const struct uop *u;
    struct ooo_insn i = {0};
    struct ooo_cost cost;

    while (!b->notes[at].size)
        at++;
    u = &b->ops[at];
    set_op(&i.op, order, b->notes[at].size);
    i.links = (uint8_t)((uint32_t)order->imm >> ORDER_LINKS);
    i.pc = b->pc + u->at * 2U;
    i.next = i.pc + i.op.size;
    i.fetch = fetch(h, b, at);
    switch (core_unit_of((enum core_class)i.op.class)) {
    case UNIT_MEMORY: access_data(h, u, &i); break;
    case UNIT_BRANCH:
        i.target = i.pc + (uint64_t)(int64_t)u->imm;
        i.next = target_of(h, b, u, &i);
        break;
    case UNIT_MULTIPLY:
    case UNIT_DIVIDE: i.longer = values_take(h, u, b->notes[at].kind); break;
    case UNIT_FLOAT_DIVIDE: i.shorter = values_save(h, u, b->notes[at].kind); break;
    default: i.links |= b->notes[at].kind == OP_auipc ? OOO_AUIPC : 0;
    }
    cost = ooo_step(h->s.model->ooo, &i, now);
    account(h, b, at, cost);
    return cost.cycles;
}
