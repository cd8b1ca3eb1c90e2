/*
 * build.c - builds blocks from what the hart fetches (block_priv.h). A block is
 * within one page; an instruction that crosses a page boundary is a block by itself.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "cpu/charge_priv.h"
#include "cpu/feed_priv.h"
#include "cpu/fetch_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/insn_events_priv.h"
#include "cpu/store_order_priv.h"

/*
 * Room for the operations of a block. An instruction is one operation, after those of its probes
 * and of its events (insn_events_priv.h); one more operation ends the block. There is room for a
 * few probes at each instruction; with more of them a block ends earlier, while the room still
 * holds all that one instruction can have.
 */
enum { PROBE_OPS_MEAN = 5, FLOAT_CHECKS_MAX = 2 };
/* A probe can be a counter, a charge and a call; an AMO is a load and a store. */
enum { COUNTED_AT_ONE_PLACE = 2 };
enum { INSN_OPS_MAX = 3 * PROBES_AT_ONE_PLACE + CHARGE_OWNERS_MAX + 4 + COUNTED_AT_ONE_PLACE };
enum {
    UOPS_MAX = BLOCK_INSNS_MAX * (1 + PROBE_OPS_MEAN) + INSN_OPS_MAX + FLOAT_CHECKS_MAX + 1,
    UOPS_FULL = UOPS_MAX - INSN_OPS_MAX - FLOAT_CHECKS_MAX - 1
};
_Static_assert(UOPS_MAX <= UINT16_MAX, "builder.uop_count, block.uop_count, block.counter_count");

struct builder {
    struct hart *hart;
    struct fetcher fetcher;
    VEC_OF(uint64_t *) counters;
    VEC_OF(struct block_charge) charges;
    uint64_t pc, pa, pa_second;
    uint32_t insns, cycles;
    uint16_t size, uop_count;
    bool stale; /* has bytes that differ from memory, or may by the next random choice */
    bool ended;
    bool leaves; /* the last operation itself leaves the block */
    bool guarded;
    enum floating float_checked; /* the checks of FS that are in the block already */
    /* Large, so they are not initialised. */
    struct uop ops[UOPS_MAX];
    struct uop_note notes[UOPS_MAX];
    uint8_t bytes[BLOCK_INSNS_MAX * 4];
};

static struct uop *add_uop(struct builder *b, unsigned kind, unsigned size)
{
    struct uop *u = &b->ops[b->uop_count];

    b->notes[b->uop_count] = (struct uop_note){
        .cycles_before = (uint16_t)b->cycles,
        .insns_before = (uint8_t)b->insns,
        .size = (uint8_t)size,
        .kind = (uint16_t)kind,
    };
    b->uop_count++;
    *u = (struct uop){.at = (uint8_t)(b->size / 2)};
    return u;
}

static const bool class_ends_block[] = {
#define NEXT                              false
#define END                               true
#define T(name, issue, data, branch, end) end,
#include "base/limits.h"
#include "cpu/isa/class.def"
#undef T
#undef NEXT
#undef END
};

/* FS cannot change within a block, so each check is needed once. */
static void add_float_check(struct builder *b, enum floating floating)
{
    if (floating <= b->float_checked)
        return;
    add_uop(b, UOP_FLOAT, 0)->imm = (int32_t)floating;
    b->float_checked = floating;
}

/*
 * Whether the instruction accesses a CSR, and need not be the last of its block. A core model may
 * stop there, and one whose data are late looks at each instruction.
 */
static bool is_csr_in_block(struct builder *b, const struct fetched *f, struct csr_operation *o)
{
    return f->legal && b->hart->cache.run == engine_run && hart_csr_in_block(b->hart, &f->insn, o);
}

static void add_insn(struct builder *b, const struct fetched *f)
{
    const struct insn *i = &f->insn;
    enum floating floating = f->legal ? op_floating(i->op) : FLOATING_X;
    struct csr_operation csr = {.kind = f->legal ? label_kind(i) : UOP_ILLEGAL,
                                .rs1 = i->rs1,
                                .imm = f->legal ? i->imm : (int32_t)i->word};
    bool goes_on = is_csr_in_block(b, f, &csr);
    struct uop *u;

    if (floating != FLOATING_V)
        add_float_check(b, floating);
    u = add_uop(b, csr.kind, i->size);
    u->rd = i->rd || floating >= FLOATING_FW ? i->rd : REG_SINK;
    u->rs1 = csr.rs1;
    u->rs2 = i->rs2;
    u->imm = csr.imm;
    b->size = (uint16_t)(b->size + i->size);
    b->insns++;
    if (f->legal) {
        b->cycles += op_cost_sum(b->hart->cluster->cost[i->op]); /* 0 with a core model */
        b->ended = b->leaves = !goes_on && class_ends_block[op_class(i->op)];
    } else {
        b->cycles += op_cost_sum(b->hart->cluster->cost[OP_addi]);
        b->ended = true;
        b->leaves = false;
    }
}

/* Whether PMP permissions may differ within the page. */
static bool is_guarded(const struct hart *h, uint64_t pa)
{
    return UNLIKELY(!pmp_page_is_uniform(h, pa));
}

/* Copies the instruction's bytes, as fetched; returns their number. */
static unsigned copy_bytes(uint8_t *to, const struct fetched *f)
{
    memcpy(to, &f->parcel[0].bytes, 2);
    if (f->insn.size == 4)
        memcpy(to + 2, &f->parcel[1].bytes, 2);
    return f->insn.size;
}

enum { LOOK_AHEAD = 16 };

/* The bytes from this instruction on, as the hart will fetch them, to the end of the page. */
static unsigned look_ahead(struct builder *b, const struct fetched *f, uint8_t *bytes)
{
    struct fetched next = *f;
    unsigned size = copy_bytes(bytes, f);

    b->fetcher.looks = true;
    for (unsigned n = b->insns + 1; size + 4 <= LOOK_AHEAD; n++) {
        if (!same_page(f->pa + size, f->pa) ||
            !fetch_insn(&b->fetcher, f->pc + size, f->pa + size, n, &next))
            break;
        size += copy_bytes(bytes + size, &next);
    }
    b->fetcher.looks = false;
    return size;
}

static void add_charge(struct builder *b, struct charge charge)
{
    struct block_charge c = {.tally = charge.tally,
                             .bytes =
                                 (uint16_t)(charge.bytes < UINT16_MAX ? charge.bytes : UINT16_MAX),
                             .at = b->uop_count};

    add_uop(b, UOP_CHARGE, 0)->imm = (int32_t)b->charges.len;
    VEC_PUSH(&b->charges, c);
}

/* The charge owners whose code the block begins within, as bits. */
static unsigned charge_owners_at(const struct builder *b, uint64_t pa)
{
    const struct cluster *c = b->hart->cluster;
    unsigned owners = 0;

    for (unsigned i = 0; i < c->charge_owner_count; i++)
        owners |= (unsigned)c->charge_owners[i]->covers(c->charge_owners[i]->ctx, pa) << i;
    return owners;
}

static void add_charges(struct builder *b, unsigned owners, const struct probe_code *code)
{
    const struct charge_owner *const *all = b->hart->cluster->charge_owners;

    for (unsigned i = 0; owners >> i; i++) {
        struct charge charge = {NULL, 0};

        if (owners >> i & 1)
            charge = all[i]->plan(all[i]->ctx, code);
        if (charge.tally)
            add_charge(b, charge);
    }
}

static unsigned kind_of(const struct probe_plan *plan)
{
    if (plan->action == PROBE_CALL)
        return UOP_PROBE;
    return plan->needs_ra ? UOP_FEED_RA : UOP_FEED;
}

/* Adds the operations for the probes at this instruction. */
static void add_probes(struct builder *b, const struct fetched *f)
{
    struct cluster *c = b->hart->cluster;
    uint8_t bytes[LOOK_AHEAD];
    struct probe_code code = {.hart = b->hart,
                              .pc = f->pc,
                              .pa = f->pa,
                              .starts_block = b->size == 0,
                              .block_pc = b->pc,
                              .bytes = bytes};
    uint64_t first = NO_PROBE;
    unsigned owners = b->size ? 0 : charge_owners_at(b, f->pa);

    if (!map_get(&c->probes_at, f->pa, &first) && !owners)
        return;
    code.size = look_ahead(b, f, bytes);
    add_charges(b, owners, &code);
    for (uint32_t i = (uint32_t)first; i != NO_PROBE; i = c->probes.at[i].next) {
        const struct probe *probe = &c->probes.at[i];
        const struct probe_owner *owner = probe->owner;
        struct probe_plan plan = {.action = PROBE_CALL};

        if (owner->plan)
            plan = owner->plan(owner->ctx, probe->id, &code);
        if (plan.action == PROBE_IGNORE)
            continue;
        if (plan.action == PROBE_COUNT || (plan.action == PROBE_CALL && plan.charged_bytes)) {
            add_uop(b, UOP_COUNTER, 0)->imm = (int32_t)b->counters.len;
            VEC_PUSH(&b->counters, plan.counter);
        }
        if (plan.charged_bytes)
            add_charge(b, (struct charge){plan.counter, plan.charged_bytes});
        if (plan.action == PROBE_CALL || plan.action == PROBE_FEED) {
            struct uop *u = add_uop(b, kind_of(&plan), 0);

            u->imm = (int32_t)i;
            u->rd = plan.cookie;
        }
    }
}

/*
 * Adds an operation that makes the feed look at the task again after an instruction that changes
 * tp.
 */
static void add_task_change(struct builder *b, const struct insn *i)
{
    if (i->rd == REG_TP && op_floating(i->op) < FLOATING_FW)
        add_uop(b, UOP_FEED_TP, 0);
}

static void add_events(struct builder *b, const struct insn *i)
{
    uint32_t kinds = insn_events(i) & b->hart->cluster->wanted;

    if (kinds)
        add_uop(b, UOP_PROBE, 0)->imm = (int32_t)~kinds;
    if (UNLIKELY(b->hart->cluster->wanted & INSN_ORDER))
        store_order_operands(i, add_uop(b, UOP_ORDER, 0));
}

/* Adds the counting that the hart's counters need, right before the instruction. */
static void add_counting(struct builder *b, const struct insn *i)
{
    unsigned kinds = hpm_counts_at(i) & b->hart->cache.hpm.in_blocks;

    for (unsigned kind = 0; kinds >> kind; kind++) {
        if (!bit(kinds, kind))
            continue;
        if (kind == COUNTED_TAKEN) {
            add_uop(b, UOP_TAKEN, 0);
            continue;
        }
        add_uop(b, UOP_COUNTER, 0)->imm = (int32_t)b->counters.len;
        VEC_PUSH(&b->counters, &b->hart->s.hpm.counted[kind]);
    }
}

/* Decodes until the block must end or is full. False: its first instruction cannot be fetched. */
static bool decode(struct builder *b)
{
    struct hart *h = b->hart;
    struct fetched f = {0};

    const unsigned most = fetch_is_late(h->cluster->config.fetch) ? 1 : limits.block_insns;

    b->guarded = is_guarded(h, b->pa);
    if (h->cluster->field_count)
        probes_sow(h->cluster, b->pa / PAGE_BYTES);
    while (!b->ended && b->insns < (b->guarded ? 1 : most)) {
        if (b->size && !((b->pa + b->size) & (PAGE_BYTES - 1)))
            break;
        if (b->uop_count > UOPS_FULL)
            break;
        if (!fetch_insn(&b->fetcher, b->pc + b->size, b->pa + b->size, b->insns, &f)) {
            if (b->insns == 0)
                return false;
            break;
        }
        if (fetch_crosses_page(&f)) {
            b->pa_second = align_down(f.pa_high, PAGE_BYTES);
            b->ended = true;
        }
        fetch_mark(&b->fetcher, &f);
        b->stale |= b->fetcher.varies;
        if (UNLIKELY(fetch_is_stale(&f))) {
            fetch_report(&b->fetcher, &f);
            b->stale = true;
        }
        if (h->cluster->probes.len || h->cluster->charge_owner_count)
            add_probes(b, &f);
        if (UNLIKELY(h->cluster->wanted & INSN_EVENTS) && f.legal)
            add_events(b, &f.insn);
        if (UNLIKELY(h->cluster->feed) && f.legal)
            add_task_change(b, &f.insn);
        if (UNLIKELY(h->cache.hpm.in_blocks) && f.legal)
            add_counting(b, &f.insn);
        if (UNLIKELY(h->s.model) && h->s.model->ooo && f.legal)
            timed_ooo_operands(h, &f.insn, add_uop(b, UOP_ORDER, 0));
        (void)copy_bytes(b->bytes + b->size, &f);
        add_insn(b, &f);
        b->ended |= b->pa_second != 0;
    }
    if (!b->leaves)
        add_uop(b, UOP_END, 0);
    return true;
}

static bool is_call(unsigned kind)
{
    return kind == OP_call || kind == OP_call_indirect;
}

/* Replaces the number of the probe in a hit's operation by that of its place in the feed. */
static void place_hit(const struct builder *b, struct uop *u, struct uop_note *note)
{
    const struct cluster *c = b->hart->cluster;
    const struct probe *probe = &c->probes.at[u->imm];
    const struct feed_place place = {.pc = b->pc + u->at * 2U,
                                     .id = probe->id,
                                     .probe = (uint32_t)u->imm,
                                     .cycles = b->cycles - note->cycles_before,
                                     .insns = (uint8_t)(b->insns - note->insns_before),
                                     .cookie = u->rd,
                                     .hart = (uint8_t)b->hart->id};
    uint32_t number;

    if (feed_add_place(c->feed, &place, &number))
        u->imm = (int32_t)number;
    else
        note->kind = UOP_PROBE;
}

static void place_hits(struct builder *b)
{
    for (unsigned i = 0; i < b->uop_count; i++)
        if (UNLIKELY(b->notes[i].kind == UOP_FEED || b->notes[i].kind == UOP_FEED_RA))
            place_hit(b, &b->ops[i], &b->notes[i]);
}

/* One allocation: operations, notes, counters, bytes. */
static struct block *finish(struct builder *b)
{
    size_t ops = b->uop_count * sizeof(struct uop);
    size_t notes = b->uop_count * sizeof(struct uop_note);
    size_t counters = b->counters.len * sizeof *b->counters.at;
    size_t charges = b->charges.len * sizeof *b->charges.at;
    struct block *block;
    size_t size = sizeof *block + ops + counters + charges + notes + b->size;

    block = b->hart->s.model ? timed_alloc_block(size) : xmalloc(size);

    *block = (struct block){
        .pc = b->pc,
        .cost = b->cycles * (UINT64_C(1) << 32) + b->insns,
        .link = {{.to = NOWHERE}, {.to = NOWHERE}},
        .hart = b->hart,
        .pa = b->pa,
        .pa_second = b->pa_second,
        .first_go = b->ops[0].go,
        .decoded_go = b->ops[0].go,
        .counter_count = (uint16_t)b->counters.len,
        .charge_count = (uint16_t)b->charges.len,
        .size = b->size,
        .uop_count = b->uop_count,
        .guarded = b->guarded,
        .calls = is_call(b->notes[b->uop_count - 1].kind),
    };
    memcpy(block->ops, b->ops, ops);
    block->counters = (uint64_t **)(void *)((char *)block->ops + ops);
    if (counters)
        memcpy(block->counters, b->counters.at, counters);
    block->charges = (struct block_charge *)(void *)((char *)block->counters + counters);
    if (charges)
        memcpy(block->charges, b->charges.at, charges);
    block->notes = (struct uop_note *)(void *)((char *)block->charges + charges);
    memcpy(block->notes, b->notes, notes);
    block->bytes = (uint8_t *)block->notes + notes;
    memcpy(block->bytes, b->bytes, b->size);
    for (unsigned i = 0; i < block->charge_count; i++)
        charge_complete(block->hart, block, &block->charges[i]);
    VEC_FREE(&b->counters);
    VEC_FREE(&b->charges);
    return block;
}

struct block *block_build(struct hart *h, uint64_t pc, uint64_t pa, uint64_t insns, bool *stale)
{
    struct builder b;

    memset(&b, 0, offsetof(struct builder, ops));
    b.hart = h;
    b.fetcher = (struct fetcher){.hart = h, .insns = insns};
    b.pc = pc;
    b.pa = pa;
    if (!decode(&b)) {
        VEC_FREE(&b.counters);
        VEC_FREE(&b.charges);
        return NULL;
    }
    if (h->cluster->feed)
        place_hits(&b);
    label_ops(h, b.ops, b.notes, b.uop_count);
    *stale = b.stale;
    return finish(&b);
}
