/*
 * charge.c - see charge_priv.h.
 */
#include "cpu/charge_priv.h"

#include "cpu/hart_priv.h"

static unsigned base_op(unsigned kind)
{
    return kind == OP_nop                               ? OP_addi
           : kind == OP_call                            ? OP_jal
           : kind == OP_call_indirect || kind == OP_ret ? OP_jalr
           : is_csr_operation(kind)                     ? OP_csrrs
                                                        : kind;
}

/* Adds up the costs of operations [from, to) by the table of classes. */
static struct charge_cost class_costs(const struct hart *h, const struct block *b, unsigned from,
                                      unsigned to)
{
    struct charge_cost sum = {0, 0, 0};

    for (unsigned at = from; at < to; at++) {
        unsigned op = base_op(b->notes[at].kind);
        struct op_cost one = h->cluster->cost[op < OP_COUNT ? op : OP_addi];

        if (!b->notes[at].size)
            continue;
        sum.issue = (uint16_t)(sum.issue + one.issue);
        sum.data = (uint16_t)(sum.data + one.data);
        sum.branch = (uint16_t)(sum.branch + one.branch);
    }
    return sum;
}

void charge_complete(const struct hart *h, const struct block *b, struct block_charge *c)
{
    unsigned end = c->at;

    while (end < b->uop_count && b->ops[end].at * 2U < b->ops[c->at].at * 2U + c->bytes)
        end++;
    c->end = (uint16_t)end;
    c->cost = class_costs(h, b, c->at, end); /* 0 with a core model */
}

/* Adds the cycles of operations [from, c->end) on the hart's path. */
static void add_path(const struct path *p, const struct block *b, const struct block_charge *c,
                     unsigned from, uint64_t sign)
{
    uint64_t cycles = (c->end < b->uop_count ? p->before[c->end] : path_cycles(p)) -
                      (from < b->uop_count ? p->before[from] : path_cycles(p));
    uint64_t fetch = p->stalls[c->end].fetch - p->stalls[from].fetch;
    uint64_t data = p->stalls[c->end].data - p->stalls[from].data;

    c->tally[TALLY_FETCH] += sign * fetch;
    c->tally[TALLY_DATA] += sign * data;
    c->tally[TALLY_ISSUE] += sign * (cycles - fetch - data);
}

void charge_begin(struct hart *h, const struct block *b, const struct block_charge *c)
{
    if (h->cache.path)
        add_path(h->cache.path, b, c, c->at, 1);
    else
        charge_add(c->tally, c->cost, 1);
}

void charge_rest(struct hart *h, const struct block *b, unsigned at, bool add)
{
    uint64_t sign = add ? 1 : UINT64_MAX;

    for (const struct block_charge *c = b->charges; c < b->charges + b->charge_count; c++) {
        if (c->at >= at || c->end <= at)
            continue;
        if (h->cache.path)
            add_path(h->cache.path, b, c, at, sign);
        else
            charge_add(c->tally, class_costs(h, b, at, c->end), sign);
    }
}

void charge_stall(const struct block *b, unsigned at, unsigned kind, uint32_t cycles)
{
    for (const struct block_charge *c = b->charges; c < b->charges + b->charge_count; c++)
        if (c->at < at && at < c->end)
            c->tally[kind] += cycles;
}
