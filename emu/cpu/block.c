/*
 * block.c - straight-line runs of code, decoded once (block_priv.h).
 *
 * Decoding is where a hart fetches, so it is also where stale bytes are
 * noticed and where the fetch mode decides between the old and the new. A block
 * lies in one page; an instruction that straddles two is a block of its own.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "cpu/codemap_priv.h"
#include "cpu/decode.h"
#include "cpu/hart_priv.h"
#include "mem/bus.h"

/* One parcel as fetched, with what is needed to report it. */
struct parcel {
    uint16_t bytes;
    bool stale; /* newer in memory than this hart has to know */
    bool in_view;
    uint16_t old_bytes, new_bytes;
    struct parcel_write write;
};

/*
 * Random mode draws by word, write, hart and the count of instructions before
 * this one, not from a stream: how the code is cut into blocks does not show,
 * so a run that is stepped through is the same run. By word, because an aligned
 * fetch of four bytes is one (Ziccif): it cannot find half of one store.
 */
static bool draw(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
{
    struct rng r = {h->cluster->config.fetch_seed};

    r.state ^= rng_next(&(struct rng){pa & ~UINT64_C(3)}) + h->id;
    r.state ^= rng_next(&(struct rng){stamp});
    r.state ^= rng_next(&(struct rng){insns});
    return rng_next(&r) & 1;
}

static bool choose_old(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
{
    switch (h->cluster->config.fetch) {
    case FETCH_STALE: return true;
    case FETCH_COHERENT: return false;
    case FETCH_RANDOM: return draw(h, pa, stamp, insns);
    }
    return false;
}

/* `insns`: retired by the hart before the instruction that the parcel belongs to. */
static struct parcel fetch_parcel(struct hart *h, uint64_t pa, uint64_t insns)
{
    struct cluster *c = h->cluster;
    struct code_page *page = codemap_make_page(c, pa);
    struct parcel p = {0};
    uint64_t old;

    memcpy(&p.new_bytes, ram_host(c->ram, pa), 2);
    p.bytes = p.new_bytes;
    p.write = codemap_last_write(c, page, pa);
    if (LIKELY(p.write.stamp <= h->s.sync_stamp))
        return p;
    p.stale = true;
    p.old_bytes = p.write.old_bytes;
    p.in_view = map_get(&h->s.view, pa, &old);
    if (p.in_view) {
        p.old_bytes = (uint16_t)old;
        /* Overwritten and put back: nobody can tell. */
        p.stale = p.old_bytes != p.new_bytes;
        if (p.stale && choose_old(h, pa, p.write.stamp, insns))
            p.bytes = p.old_bytes;
    }
    return p;
}

/* An instruction as fetched: one or two parcels. */
struct fetched {
    struct insn insn;
    bool legal;
    uint64_t pc, pa, pa_high; /* pa_high: of the second parcel */
    struct parcel parcel[2];
};

static bool fetched_stale(const struct fetched *f)
{
    return f->parcel[0].stale || (f->insn.size == 4 && f->parcel[1].stale);
}

/* Reports a stale fetch once for each instruction and newest write. */
static void report_stale(struct hart *h, const struct fetched *f)
{
    const struct parcel *newest = &f->parcel[0];
    struct stale_fetch s = {.hart = h, .pc = f->pc, .pa = f->pa, .size = f->insn.size};
    uint64_t last;

    if (f->insn.size == 4 && f->parcel[1].stale &&
        (!newest->stale || f->parcel[1].write.stamp > newest->write.stamp))
        newest = &f->parcel[1];
    if (map_get(&h->s.reported, f->pa, &last) && last >= newest->write.stamp)
        return;
    map_put(&h->s.reported, f->pa, newest->write.stamp);
    for (unsigned i = 0; i < 2; i++) {
        const struct parcel *p = &f->parcel[i];

        memcpy(s.old_bytes + i * 2, p->stale ? &p->old_bytes : &p->new_bytes, 2);
        memcpy(s.new_bytes + i * 2, &p->new_bytes, 2);
        s.fetched_before |= p->in_view;
        s.chosen = p->stale && p->bytes == p->old_bytes && p->in_view ? FETCHED_OLD : s.chosen;
    }
    if (!s.fetched_before)
        s.chosen = FETCHED_NEW;
    else if (newest->stale && newest->bytes == newest->new_bytes)
        s.chosen = FETCHED_NEW;
    s.old_known = s.fetched_before || newest->write.old_bytes != newest->write.new_bytes;
    s.who = newest->write.who;
    s.writer_known = newest->write.parcel_known;
    s.evidence = newest->write.parcel_known || s.fetched_before ? STALE_PARCEL : STALE_PAGE_ONLY;
    s.stamp = newest->write.stamp;
    cluster_emit(h->cluster, &(struct event){.kind = EVENT_STALE_FETCH, .stale_fetch = s});
}

/* ---- building ---- */

/* An instruction is one operation, behind at most so many of probes; one ends the block. */
enum { PROBE_OPS_MAX = 5, FLOAT_CHECKS_MAX = 2 };
enum { UOPS_MAX = BLOCK_INSNS_MAX * (1 + PROBE_OPS_MAX) + FLOAT_CHECKS_MAX + 1 };

struct builder {
    struct hart *hart;
    VEC_OF(uint64_t *) counters;
    uint64_t pc, pa, pa_second;
    uint32_t insns, cycles;
    uint16_t size, uop_count;
    bool stale; /* holds bytes that memory no longer has, or that it may lose at the next choice */
    bool ended;
    bool guarded;
    enum floating float_checked; /* what the block has made sure of */
    /* Large, and used at their beginnings: nothing is in them that was not put there. */
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
#include "cpu/class.def"
#undef T
#undef NEXT
#undef END
};

/* The state cannot be switched off inside of a block, so once is enough for each need. */
static void add_float_check(struct builder *b, enum floating floating)
{
    if (floating <= b->float_checked)
        return;
    add_uop(b, UOP_FLOAT, 0)->imm = (int32_t)floating;
    b->float_checked = floating;
}

static void add_insn(struct builder *b, const struct fetched *f)
{
    const struct insn *i = &f->insn;
    enum floating floating = f->legal ? op_floating(i->op) : FLOATING_X;
    struct uop *u;

    add_float_check(b, floating);
    u = add_uop(b, f->legal ? label_kind(i) : UOP_ILLEGAL, i->size);
    u->rd = i->rd || floating == FLOATING_FW ? i->rd : 32;
    u->rs1 = i->rs1;
    u->rs2 = i->rs2;
    u->imm = f->legal ? i->imm : (int32_t)i->word;
    b->size = (uint16_t)(b->size + i->size);
    b->insns++;
    if (f->legal) {
        b->cycles += op_cost_sum(b->hart->cluster->cost[i->op]);
        b->ended = class_ends_block[op_class(i->op)];
    } else {
        b->cycles += 1;
        b->ended = true;
    }
}

/* Within such a page each parcel's permission is its own. */
static bool is_guarded(const struct hart *h, uint64_t pa)
{
    return UNLIKELY(!pmp_page_is_uniform(h, pa));
}

/* Fetches one instruction, the hart's next but `ahead`. False: the exception is raised. */
static bool fetch_insn(struct hart *h, uint64_t pc, uint64_t pa, unsigned ahead, struct fetched *f)
{
    uint64_t insns = hart_insns(h) + ahead;
    uint32_t word;

    *f = (struct fetched){.pc = pc, .pa = pa};
    f->parcel[0] = fetch_parcel(h, pa, insns);
    word = f->parcel[0].bytes;
    if (insn_size((uint16_t)word) == 4) {
        f->pa_high = pa + 2;
        if ((!(f->pa_high & (PAGE_BYTES - 1)) || is_guarded(h, pa)) &&
            !hart_fetch_address(h, pc + 2, &f->pa_high))
            return false;
        f->parcel[1] = fetch_parcel(h, f->pa_high, insns);
        word |= (uint32_t)f->parcel[1].bytes << 16;
    }
    f->legal = decoder_decode(h->cluster->decoder, word, &f->insn);
    return true;
}

/* The instruction's bytes, as fetched; returns how many. */
static unsigned copy_bytes(uint8_t *to, const struct fetched *f)
{
    memcpy(to, &f->parcel[0].bytes, 2);
    if (f->insn.size == 4)
        memcpy(to + 2, &f->parcel[1].bytes, 2);
    return f->insn.size;
}

static bool crosses_page(const struct fetched *f)
{
    return f->insn.size == 4 && !((f->pa + 2) & (PAGE_BYTES - 1));
}

enum { LOOK_AHEAD = 16 };

/* The bytes from this instruction on, as the hart will fetch them, to the end of the page. */
static unsigned look_ahead(const struct builder *b, const struct fetched *f, uint8_t *bytes)
{
    struct fetched next = *f;
    unsigned size = copy_bytes(bytes, f);

    for (unsigned n = b->insns + 1; size + 4 <= LOOK_AHEAD; n++) {
        if (!same_page(f->pa + size, f->pa) ||
            !fetch_insn(b->hart, f->pc + size, f->pa + size, n, &next) || crosses_page(&next))
            break;
        size += copy_bytes(bytes + size, &next);
    }
    return size;
}

/* What the probes at this instruction want of the block. */
static void add_probes(struct builder *b, const struct fetched *f)
{
    struct cluster *c = b->hart->cluster;
    uint8_t bytes[LOOK_AHEAD];
    struct probe_view view = {.hart = b->hart,
                              .pc = f->pc,
                              .pa = f->pa,
                              .starts_block = b->size == 0,
                              .block_pc = b->pc,
                              .bytes = bytes};
    uint64_t first;
    unsigned added = 0;

    if (!map_get(&c->probes_at, f->pa, &first))
        return;
    view.size = look_ahead(b, f, bytes);
    for (uint32_t i = (uint32_t)first; i != NO_PROBE && added < PROBE_OPS_MAX;
         i = c->probes.at[i].next) {
        const struct probe *probe = &c->probes.at[i];
        struct probe_plan plan = probe->owner->plan(probe->owner->ctx, probe->id, &view);

        if (plan.action == PROBE_IGNORE)
            continue;
        added++;
        if (plan.action == PROBE_COUNT) {
            add_uop(b, UOP_COUNTER, 0)->imm = (int32_t)b->counters.len;
            VEC_PUSH(&b->counters, plan.counter);
        } else {
            struct uop *u = add_uop(b, UOP_PROBE, 0);

            u->imm = (int32_t)i;
            u->rd = plan.cookie;
        }
    }
}

static void mark_known(struct hart *h, const struct fetched *f)
{
    struct cluster *c = h->cluster;

    codemap_mark_known(codemap_make_page(c, f->pa), f->pa, 2);
    if (f->insn.size == 4)
        codemap_mark_known(codemap_make_page(c, f->pa_high), f->pa_high, 2);
}

/*
 * Decodes from h->s.pc at physical address pa until the block must end or is
 * full. False: not even the first instruction could be fetched.
 */
static bool build(struct builder *b, struct hart *h, uint64_t pa)
{
    struct fetched f = {0};

    memset(b, 0, offsetof(struct builder, ops));
    b->hart = h;
    b->pc = h->s.pc;
    b->pa = pa;
    b->guarded = is_guarded(h, pa);
    while (!b->ended && b->insns < (b->guarded ? 1 : BLOCK_INSNS_MAX)) {
        if (b->size && !((b->pa + b->size) & (PAGE_BYTES - 1)))
            break;
        if (!fetch_insn(h, b->pc + b->size, b->pa + b->size, b->insns, &f)) {
            if (b->insns == 0)
                return false;
            break;
        }
        if (crosses_page(&f)) {
            if (b->insns)
                break;
            b->pa_second = align_down(f.pa_high, PAGE_BYTES);
            b->ended = true;
        }
        mark_known(h, &f);
        if (UNLIKELY(fetched_stale(&f))) {
            report_stale(h, &f);
            b->stale = true;
        }
        if (h->cluster->probes.len)
            add_probes(b, &f);
        (void)copy_bytes(b->bytes + b->size, &f);
        add_insn(b, &f);
        b->ended |= b->pa_second != 0;
    }
    if (!b->ended || !f.legal || !class_ends_block[op_class(f.insn.op)])
        add_uop(b, UOP_END, 0);
    return true;
}

/* One allocation: operations, notes, counters, bytes. */
static struct block *finish(struct builder *b)
{
    size_t ops = b->uop_count * sizeof(struct uop);
    size_t notes = b->uop_count * sizeof(struct uop_note);
    size_t counters = b->counters.len * sizeof *b->counters.at;
    struct block *block = xmalloc(sizeof *block + ops + counters + notes + b->size);

    *block = (struct block){
        .pc = b->pc,
        .cost = b->cycles * (UINT64_C(1) << 32) + b->insns,
        .link = {{.to = NOWHERE}, {.to = NOWHERE}},
        .hart = b->hart,
        .pa = b->pa,
        .pa_second = b->pa_second,
        .first_go = b->ops[0].go,
        .counter_count = (uint16_t)b->counters.len,
        .size = b->size,
        .uop_count = b->uop_count,
        .guarded = b->guarded,
    };
    memcpy(block->ops, b->ops, ops);
    block->counters = (uint64_t **)(void *)((char *)block->ops + ops);
    if (counters)
        memcpy(block->counters, b->counters.at, counters);
    block->notes = (struct uop_note *)(void *)((char *)block->counters + counters);
    memcpy(block->notes, b->notes, notes);
    block->bytes = (uint8_t *)block->notes + notes;
    memcpy(block->bytes, b->bytes, b->size);
    VEC_FREE(&b->counters);
    return block;
}

/* ---- the hart's set of blocks ---- */

const struct block block_nowhere = {.cost = UINT64_C(1) << 62};

static void cut_link(struct block_link *link)
{
    if (link->to == NOWHERE)
        return;
    *link->pprev = link->next;
    if (link->next)
        link->next->pprev = link->pprev;
    link->to = NOWHERE;
}

/* Links stay within a page: there one translation holds for both ends. */
static bool may_link(const struct block *from, const struct block *to)
{
    return same_page(from->pc, to->pc) && !from->pa_second && !to->pa_second && !to->suspect &&
           !to->guarded;
}

void block_link(struct block *from, unsigned slot, struct block *to)
{
    struct block_link *link = &from->link[slot];

    if (!may_link(from, to))
        return;
    cut_link(link);
    link->to = to;
    link->next = to->incoming;
    link->pprev = &to->incoming;
    if (to->incoming)
        to->incoming->pprev = &link->next;
    to->incoming = link;
}

static void list_suspect(struct block *b)
{
    if (b->listed)
        return;
    VEC_PUSH(&b->hart->cache.suspects, b);
    b->listed = (uint32_t)b->hart->cache.suspects.len;
}

static void unlist_suspect(struct block *b)
{
    struct hart *h = b->hart;
    struct block *last;

    if (!b->listed)
        return;
    last = h->cache.suspects.at[--h->cache.suspects.len];
    h->cache.suspects.at[b->listed - 1] = last;
    last->listed = b->listed;
    b->listed = 0;
}

void block_suspect(struct block *b)
{
    struct hart *h = b->hart;

    if (h->cache.uop && h->cache.block == b)
        h->s.exit_requests |= EXIT_CODE;
    if (h->cache.cut == b)
        hart_forget_cut(h);
    b->ops[0].go = engine_label(h, UOP_SUSPECT, SOURCES_fresh);
    b->suspect = true;
    list_suspect(b);
}

static void forget_jumps(struct block *b)
{
    for (unsigned mode = 0; mode < 3; mode++) {
        struct jump_entry *e = jump_slot(b->hart->cache.jumps[mode], b->pc);

        if (e->block == b)
            *e = (struct jump_entry){.pc = NO_PC};
    }
}

static void remove_from_set(struct block *b)
{
    struct hart *h = b->hart;
    struct block *first = map_get_ptr(&h->cache.blocks, b->pa);

    if (first == b) {
        if (b->same_pa)
            map_put_ptr(&h->cache.blocks, b->pa, b->same_pa);
        else
            map_remove(&h->cache.blocks, b->pa);
        return;
    }
    while (first->same_pa != b)
        first = first->same_pa;
    first->same_pa = b->same_pa;
}

/* Links to and from it are cut. The hart must not stand in it. */
static void destroy(struct block *b)
{
    codemap_remove_block(b);
    cut_link(&b->link[LINK_NEXT]);
    cut_link(&b->link[LINK_TAKEN]);
    while (b->incoming)
        cut_link(b->incoming);
    forget_jumps(b);
    hart_forget_returns(b->hart, b);
    if (b->hart->cache.block == b)
        b->hart->cache.block = NULL;
    if (b->hart->cache.cut == b)
        hart_forget_cut(b->hart);
    free(b);
}

void hart_discard_block(struct block *b)
{
    unlist_suspect(b);
    remove_from_set(b);
    b->hart->cache.block_count--;
    destroy(b);
}

void hart_discard_suspects(struct hart *h)
{
    while (h->cache.suspects.len)
        hart_discard_block(h->cache.suspects.at[h->cache.suspects.len - 1]);
}

void hart_discard_blocks(struct hart *h)
{
    h->cache.suspects.len = 0;
    for (size_t i = 0; i < h->cache.blocks.cap; i++) {
        struct block *b, *next;

        if (h->cache.blocks.slots[i].key == UINT64_MAX)
            continue;
        for (b = (struct block *)(uintptr_t)h->cache.blocks.slots[i].value; b; b = next) {
            next = b->same_pa;
            destroy(b);
        }
    }
    map_clear(&h->cache.blocks);
    h->cache.block_count = 0;
}

static struct block *find_at(struct hart *h, uint64_t pa)
{
    for (struct block *b = map_get_ptr(&h->cache.blocks, pa); b; b = b->same_pa) {
        uint64_t second;

        if (b->pc != h->s.pc)
            continue;
        if (!b->pa_second && !(b->guarded && b->size == 4))
            return b;
        if (!hart_fetch_address(h, b->pc + 2, &second))
            return NULL;
        if (!b->pa_second || align_down(second, PAGE_BYTES) == b->pa_second)
            return b;
    }
    return NULL;
}

static struct block *decode_block(struct hart *h, uint64_t pa)
{
    struct builder builder;
    struct block *b;

    if (h->cache.block_count >= BLOCKS_MAX)
        hart_discard_blocks(h);
    if (!build(&builder, h, pa)) {
        VEC_FREE(&builder.counters);
        return NULL;
    }
    label_ops(h, builder.ops, builder.notes, builder.uop_count);
    b = finish(&builder);
    b->same_pa = map_get_ptr(&h->cache.blocks, pa);
    map_put_ptr(&h->cache.blocks, pa, b);
    h->cache.block_count++;
    codemap_add_block(h->cluster, b);
    if (builder.stale) {
        list_suspect(b);
        /* In random mode each entry chooses anew, until the hart's fence.i. */
        if (h->cluster->config.fetch == FETCH_RANDOM) {
            b->suspect = true;
            b->ops[0].go = engine_label(h, UOP_SUSPECT, SOURCES_fresh);
        }
    }
    return b;
}

struct block *hart_find_block(struct hart *h)
{
    struct jump_entry *e = jump_slot(h->cache.jump, h->s.pc);
    struct block *b;
    uint64_t pa;

    if (!hart_fetch_address(h, h->s.pc, &pa))
        return NULL;
    b = find_at(h, pa);
    if (b && b->suspect) {
        hart_discard_block(b);
        b = NULL;
    }
    if (!b)
        b = decode_block(h, pa);
    if (b && !b->guarded) {
        *e = (struct jump_entry){h->s.pc, b};
        fills_add(&h->cache.jump_fills, e - h->cache.jumps[0]);
    }
    return b;
}

void hart_forget_cut(struct hart *h)
{
    h->cache.cut = NULL;
}

/* ---- parts of a block ---- */

/* Index of the first operation from `first` on that lies that many instructions or cycles later. */
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

/* What stands before an instruction that was not executed has counted it. */
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
