/*
 * block.c - straight-line runs of code, decoded once (cpu_priv.h).
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
#include "cpu/cpu_priv.h"
#include "cpu/decode.h"
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
static bool toss(const struct hart *h, uint64_t pa, uint64_t stamp, uint64_t insns)
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
    case FETCH_RANDOM: return toss(h, pa, stamp, insns);
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
    if (LIKELY(p.write.stamp <= h->sync_stamp))
        return p;
    p.stale = true;
    p.old_bytes = p.write.old_bytes;
    p.in_view = map_get(&h->view, pa, &old);
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
    struct cluster *c = h->cluster;
    uint64_t last;

    if (f->insn.size == 4 && f->parcel[1].stale &&
        (!newest->stale || f->parcel[1].write.stamp > newest->write.stamp))
        newest = &f->parcel[1];
    if (map_get(&h->reported, f->pa, &last) && last >= newest->write.stamp)
        return;
    map_put(&h->reported, f->pa, newest->write.stamp);
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
    s.stamp = newest->write.stamp;
    for (unsigned i = 0; i < c->observer_count; i++)
        if (c->observers[i].stale_fetch)
            c->observers[i].stale_fetch(c->observers[i].ctx, &s);
}

/* ---- building ---- */

/*
 * An instruction is one operation, behind at most so many calls of probes; one ends
 * the block. Few have any: a block that is full of them ends before its time.
 */
enum { PROBE_CALLS_MAX = 4, FLOAT_CHECKS_MAX = 2 };
enum { UOPS_MAX = BLOCK_INSNS_MAX * 3 + FLOAT_CHECKS_MAX + 1 };
static_assert((int)UOPS_MAX >= 1 + PROBE_CALLS_MAX + FLOAT_CHECKS_MAX + 1, "room for the first");

struct builder {
    struct hart *hart;
    struct uop ops[UOPS_MAX];
    struct uop_note notes[UOPS_MAX];
    uint8_t bytes[BLOCK_INSNS_MAX * 4];
    VEC_OF(struct block_counter) counters;
    uint64_t pc, pa, pa_second;
    uint32_t insns, cycles;
    uint16_t size, uop_count;
    bool stale; /* holds bytes that memory no longer has, or that it may lose at the next choice */
    bool ended;
    bool guarded;
    enum floating float_checked; /* what the block has made sure of */
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

static bool is_link_register(unsigned reg)
{
    return reg == 1 || reg == 5;
}

/* As which operation the engine runs it. */
static unsigned uop_kind(const struct insn *i)
{
    if (i->op == OP_jal && is_link_register(i->rd))
        return OP_call;
    if (i->op == OP_jalr && is_link_register(i->rd))
        return OP_call_indirect;
    if (i->op == OP_jalr && !i->rd && is_link_register(i->rs1))
        return OP_ret;
    return i->op;
}

static void add_insn(struct builder *b, const struct fetched *f)
{
    const struct insn *i = &f->insn;
    enum floating floating = f->legal ? op_floating(i->op) : FLOATING_X;
    struct uop *u;

    add_float_check(b, floating);
    u = add_uop(b, f->legal ? uop_kind(i) : UOP_ILLEGAL, i->size);
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
    f->legal = insn_decode_for(word, h->cluster->config.extensions, &f->insn);
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
        if (!((f->pa + size) >> PAGE_SHIFT == f->pa >> PAGE_SHIFT) ||
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
    struct probe_view view = {
        .hart = b->hart, .pc = f->pc, .pa = f->pa, .starts_block = b->size == 0, .bytes = bytes};
    uint64_t first;
    unsigned calls = 0;

    if (!map_get(&c->probes_at, f->pa, &first))
        return;
    view.size = look_ahead(b, f, bytes);
    for (uint32_t i = (uint32_t)first; i != NO_PROBE; i = c->probes.at[i].next) {
        const struct probe *probe = &c->probes.at[i];
        struct probe_plan plan = probe->owner->plan(probe->owner->ctx, probe->id, &view);

        if (plan.action == PROBE_COUNT) {
            VEC_PUSH(&b->counters,
                     ((struct block_counter){plan.counter, 0, (uint8_t)b->uop_count}));
        } else if (plan.action == PROBE_CALL && calls++ < PROBE_CALLS_MAX) {
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

static bool has_room(const struct builder *b)
{
    return b->uop_count + 1 + PROBE_CALLS_MAX + FLOAT_CHECKS_MAX + 1 <= UOPS_MAX;
}

/*
 * Decodes from h->pc at physical address pa until the block must end or has
 * `insns` instructions. False: not even the first could be fetched.
 */
static bool build(struct builder *b, struct hart *h, uint64_t pa, uint64_t insns)
{
    struct fetched f = {0};

    b->hart = h;
    b->pc = h->pc;
    b->pa = pa;
    b->guarded = is_guarded(h, pa);
    if (b->guarded)
        insns = 1;
    while (!b->ended && b->insns < insns && has_room(b)) {
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

enum pair_link { beside, same, into1, into2, PAIR_LINKS };

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

/* What two operations run as together; 0: one after the other. */
static unsigned pair_of(const struct uop_note *notes, const struct uop *ops)
{
    unsigned first = notes[0].kind, second = notes[1].kind, pair = 0;
    unsigned written = last_after(&notes[0], &ops[0], NO_REGISTER);

    if (written != NO_REGISTER && ops[1].rs1 == written)
        return pair_with(into1, first, second);
    if (written != NO_REGISTER && ops[1].rs2 == written)
        return pair_with(into2, first, second);
    if (ops[1].rs1 == ops[0].rs1)
        pair = pair_with(same, first, second);
    return pair ? pair : pair_with(beside, first, second);
}

static enum uop_sources sources_of(const struct uop *u, unsigned last)
{
    if (last >= NO_REGISTER)
        return SOURCES_fresh;
    return u->rs1 == last ? SOURCES_last1 : u->rs2 == last ? SOURCES_last2 : SOURCES_fresh;
}

/* Where the engine begins each of them, alone or with the next. */
static void label(struct builder *b)
{
    unsigned last = NO_REGISTER;

    for (unsigned i = 0; i < b->uop_count; i++) {
        unsigned pair = i + 1 < b->uop_count ? pair_of(&b->notes[i], &b->ops[i]) : 0;

        b->ops[i].go =
            engine_label(b->hart, pair ? pair : b->notes[i].kind, sources_of(&b->ops[i], last));
        last = last_after(&b->notes[i], &b->ops[i], last);
        if (pair) {
            i++;
            b->ops[i].go = engine_label(b->hart, b->notes[i].kind, sources_of(&b->ops[i], last));
            last = last_after(&b->notes[i], &b->ops[i], last);
        }
    }
}

/* One allocation: operations, notes, counters, bytes. */
static struct block *finish(struct builder *b)
{
    size_t ops = b->uop_count * sizeof(struct uop);
    size_t notes = b->uop_count * sizeof(struct uop_note);
    size_t counters = b->counters.len * sizeof(struct block_counter);
    struct block *block = xmalloc(sizeof *block + ops + counters + notes + b->size);

    *block = (struct block){
        .pc = b->pc,
        .price = (uint64_t)b->insns << 32 | b->cycles,
        .insns = b->insns,
        .cycles = b->cycles,
        .hart = b->hart,
        .pa = b->pa,
        .pa_second = b->pa_second,
        .first_go = b->ops[0].go,
        .counter_count = (uint32_t)b->counters.len,
        .size = b->size,
        .uop_count = b->uop_count,
        .guarded = b->guarded,
    };
    memcpy(block->ops, b->ops, ops);
    block->counters = (struct block_counter *)(void *)((char *)block->ops + ops);
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

void block_settle(struct block *b)
{
    for (uint32_t i = 0; i < b->counter_count; i++) {
        struct block_counter *counter = &b->counters[i];

        *counter->to += b->count - counter->settled;
        counter->settled = b->count;
    }
}

static void cut_link(struct block_link *link)
{
    if (!link->to)
        return;
    *link->pprev = link->next;
    if (link->next)
        link->next->pprev = link->pprev;
    link->to = NULL;
}

/* Links stay within a page: there one translation holds for both ends. */
static bool may_link(const struct block *from, const struct block *to)
{
    return from != from->hart->scratch && from->pc >> PAGE_SHIFT == to->pc >> PAGE_SHIFT &&
           !from->pa_second && !to->pa_second && !to->suspect && !to->guarded;
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

void block_suspect(struct block *b)
{
    struct hart *h = b->hart;
    bool holds_part = h->cut == b && h->block == h->scratch;

    if (h->uop && (h->block == b || holds_part))
        h->attention |= ATTEND_CODE;
    if (h->cut == b)
        hart_forget_cut(h);
    if (b == h->scratch) /* used once, and never found again */
        return;
    b->ops[0].go = engine_label(h, UOP_SUSPECT, SOURCES_fresh);
    b->suspect = true;
    if (!b->listed)
        VEC_PUSH(&h->suspects, b);
    b->listed = true;
}

static void forget_jumps(struct block *b)
{
    for (unsigned mode = 0; mode < 3; mode++) {
        struct jump_entry *e = &b->hart->jumps[mode][(b->pc >> 1) & (JUMP_ENTRIES - 1)];

        if (e->block == b)
            *e = (struct jump_entry){.pc = UINT64_MAX};
    }
}

static void remove_from_set(struct block *b)
{
    struct hart *h = b->hart;
    struct block *first = map_get_ptr(&h->blocks, b->pa);

    if (first == b) {
        if (b->same_pa)
            map_put_ptr(&h->blocks, b->pa, b->same_pa);
        else
            map_remove(&h->blocks, b->pa);
        return;
    }
    while (first->same_pa != b)
        first = first->same_pa;
    first->same_pa = b->same_pa;
}

/* Counts are settled, links to and from it cut. The hart must not stand in it. */
static void destroy(struct block *b)
{
    block_settle(b);
    codemap_remove_block(b);
    cut_link(&b->link[LINK_NEXT]);
    cut_link(&b->link[LINK_TAKEN]);
    while (b->incoming)
        cut_link(b->incoming);
    forget_jumps(b);
    hart_forget_calls(b->hart, b);
    if (b->hart->block == b)
        b->hart->block = NULL;
    if (b->hart->cut == b)
        hart_forget_cut(b->hart);
    free(b);
}

static void unlist(struct block *b)
{
    struct hart *h = b->hart;

    for (size_t i = 0; b->listed && i < h->suspects.len; i++)
        if (h->suspects.at[i] == b) {
            h->suspects.at[i] = h->suspects.at[--h->suspects.len];
            break;
        }
    b->listed = false;
}

void hart_discard_block(struct block *b)
{
    unlist(b);
    remove_from_set(b);
    b->hart->block_count--;
    destroy(b);
}

void hart_discard_suspects(struct hart *h)
{
    while (h->suspects.len)
        hart_discard_block(h->suspects.at[h->suspects.len - 1]);
}

static void drop_scratch(struct hart *h)
{
    if (h->scratch)
        destroy(h->scratch);
    h->scratch = NULL;
}

void hart_discard_blocks(struct hart *h)
{
    h->suspects.len = 0;
    for (size_t i = 0; i < h->blocks.cap; i++) {
        struct block *b, *next;

        if (h->blocks.slots[i].key == UINT64_MAX)
            continue;
        for (b = (struct block *)(uintptr_t)h->blocks.slots[i].value; b; b = next) {
            next = b->same_pa;
            destroy(b);
        }
    }
    map_clear(&h->blocks);
    h->block_count = 0;
    drop_scratch(h);
}

static struct block *find_at(struct hart *h, uint64_t pa)
{
    for (struct block *b = map_get_ptr(&h->blocks, pa); b; b = b->same_pa) {
        uint64_t second;

        if (b->pc != h->pc)
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
    struct builder builder = {0};
    struct block *b;

    if (h->block_count >= BLOCKS_MAX)
        hart_discard_blocks(h);
    if (!build(&builder, h, pa, BLOCK_INSNS_MAX)) {
        VEC_FREE(&builder.counters);
        return NULL;
    }
    label(&builder);
    b = finish(&builder);
    b->same_pa = map_get_ptr(&h->blocks, pa);
    map_put_ptr(&h->blocks, pa, b);
    h->block_count++;
    codemap_add_block(h->cluster, b);
    if (builder.stale) {
        VEC_PUSH(&h->suspects, b);
        b->listed = true;
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
    struct jump_entry *e = &h->jump[(h->pc >> 1) & (JUMP_ENTRIES - 1)];
    struct block *b;
    uint64_t pa;

    if (!hart_fetch_address(h, h->pc, &pa))
        return NULL;
    b = find_at(h, pa);
    if (b && b->suspect) {
        hart_discard_block(b);
        b = NULL;
    }
    if (!b)
        b = decode_block(h, pa);
    if (b && !b->guarded) {
        *e = (struct jump_entry){h->pc, b};
        fills_add(&h->jump_fills, e - h->jumps[0]);
    }
    return b;
}

/* Index of the operation behind so many instructions from `first` on. */
static unsigned end_of_part(const struct block *b, unsigned first, uint64_t insns)
{
    unsigned end = first;

    while (end < b->uop_count && b->notes[end].insns_before < b->notes[first].insns_before + insns)
        end++;
    return end;
}

static void copy_op(struct builder *part, const struct block *b, unsigned i, unsigned first)
{
    const struct uop_note *note = &b->notes[i], *start = &b->notes[first];
    unsigned to = part->uop_count++;

    part->ops[to] = b->ops[i];
    part->ops[to].go = engine_label(part->hart, note->kind, SOURCES_fresh);
    part->ops[to].at = (uint8_t)(b->ops[i].at - b->ops[first].at);
    part->notes[to] = (struct uop_note){
        .cycles_before = (uint16_t)(note->cycles_before - start->cycles_before),
        .insns_before = (uint8_t)(note->insns_before - start->insns_before),
        .size = note->size,
        .kind = note->kind,
    };
}

static void copy_counters(struct builder *part, const struct block *b, unsigned first, unsigned end)
{
    for (uint32_t i = 0; i < b->counter_count; i++) {
        const struct block_counter *c = &b->counters[i];

        if (c->uop >= first && c->uop < end)
            VEC_PUSH(&part->counters,
                     ((struct block_counter){c->to, 0, (uint8_t)(c->uop - first)}));
    }
}

/* What the whole block has up to this operation, or all of it. */
static struct uop_note note_at(const struct block *b, unsigned i)
{
    if (i < b->uop_count)
        return b->notes[i];
    return (struct uop_note){(uint16_t)b->cycles, (uint8_t)b->insns, 0, 0};
}

/*
 * Memory is not looked at again: how far a hart has fetched does not depend on
 * where its budgets end, so neither does what it still has when that is
 * overwritten, and a run in pieces is the same run.
 */
struct block *hart_part_of_block(struct hart *h, struct block *b, unsigned first, uint64_t insns)
{
    unsigned end = end_of_part(b, first, insns), from = b->ops[first].at * 2U;
    unsigned to = end < b->uop_count ? b->ops[end].at * 2U : b->size;
    struct uop_note start = b->notes[first], stop = note_at(b, end);
    struct builder
        part; /* large, and made at the end of most slices: no more than is used is written */

    drop_scratch(h);
    part.hart = h;
    part.counters = (__typeof__(part.counters)){0};
    part.pc = b->pc + from;
    part.pa = b->pa + from;
    part.pa_second = b->pa_second;
    part.insns = (uint32_t)(stop.insns_before - start.insns_before);
    part.cycles = (uint32_t)(stop.cycles_before - start.cycles_before);
    part.size = (uint16_t)(to - from);
    part.uop_count = 0;
    part.guarded = b->guarded;
    memcpy(part.bytes, b->bytes + from, part.size);
    for (unsigned i = first; i < end; i++)
        copy_op(&part, b, i, first);
    copy_counters(&part, b, first, end);
    if (end < b->uop_count)
        add_uop(&part, UOP_CUT, 0)->go = engine_label(h, UOP_CUT, SOURCES_fresh);
    h->scratch = finish(&part);
    codemap_add_block(h->cluster, h->scratch);
    h->cut = b;
    h->cut_at = end;
    return h->scratch;
}

void hart_leave_block(struct hart *h, bool after_this)
{
    struct block *b = h->block;
    unsigned at = (unsigned)(h->uop - b->ops);
    const struct uop_note *note = &b->notes[at];
    unsigned insns_done = note->insns_before;
    unsigned cycles_done = note->cycles_before;
    uint64_t pc = b->pc + h->uop->at * 2U;

    if (after_this) {
        bool last = at + 1 == b->uop_count;

        insns_done++;
        cycles_done = last ? b->cycles : b->notes[at + 1].cycles_before;
        pc += note->size;
        at++;
    }
    h->left += b->insns - insns_done;
    h->cycles -= b->cycles - cycles_done;
    for (uint32_t i = 0; i < b->counter_count; i++)
        if (b->counters[i].uop >= at)
            --*b->counters[i].to;
    h->pc = pc;
    h->uop = NULL;
}
