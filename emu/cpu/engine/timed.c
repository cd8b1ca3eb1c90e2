/*
 * timed.c - see timed_priv.h.
 */
#include "cpu/timed_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "cpu/charge_priv.h"
#include "cpu/csr_bits.h"
#include "cpu/hart_priv.h"
#include "mem/bus.h"

/* ---- numbered states ---- */

struct timed *timed_new(void)
{
    struct timed *t = xcalloc(1, sizeof *t);

    t->states.slot_count = 64;
    t->states.slots = xcalloc(t->states.slot_count, sizeof *t->states.slots);
    return t;
}

void timed_free(struct timed *t)
{
    if (!t)
        return;
    free(t->states.slots);
    VEC_FREE(&t->states.at);
    free(t);
}

static uint64_t hash_state(const struct pipe_state *state)
{
    const uint64_t *words = (const uint64_t *)(const void *)state;
    uint64_t hash = FNV1A_START;

    for (unsigned i = 0; i < sizeof *state / sizeof *words; i++)
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
    return hash ^ hash >> 32;
}
_Static_assert(sizeof(struct pipe_state) % sizeof(uint64_t) == 0, "hashed by words");

static void insert(struct pipe_states *s, uint32_t number)
{
    uint32_t slot = (uint32_t)hash_state(&s->at.at[number]) & (s->slot_count - 1);

    while (s->slots[slot])
        slot = (slot + 1) & (s->slot_count - 1);
    s->slots[slot] = number + 1;
}

static void grow(struct pipe_states *s)
{
    free(s->slots);
    s->slot_count *= 2;
    s->slots = xcalloc(s->slot_count, sizeof *s->slots);
    for (uint32_t i = 0; i < s->at.len; i++)
        insert(s, i);
}

static uint32_t number_of(struct pipe_states *s, const struct pipe_state *state)
{
    uint32_t slot = (uint32_t)hash_state(state) & (s->slot_count - 1);

    for (; s->slots[slot]; slot = (slot + 1) & (s->slot_count - 1))
        if (!memcmp(&s->at.at[s->slots[slot] - 1], state, sizeof *state))
            return s->slots[slot] - 1;
    VEC_PUSH(&s->at, *state);
    if (2 * s->at.len > s->slot_count)
        grow(s);
    else
        insert(s, (uint32_t)s->at.len - 1);
    return (uint32_t)s->at.len - 1;
}

static bool are_many(const struct pipe_states *s)
{
    return s->at.len > limits.pipe_states;
}

/*
 * Begins the numbering of states again; drops the paths, which contain numbers. The hart must be in
 * no block.
 */
static void drop_numbers(struct hart *h)
{
    struct pipe_states *s = &h->cache.timed->states;
    struct pipe_state now = s->at.at[h->cache.pipe];

    hart_discard_paths(h);
    memset(s->slots, 0, s->slot_count * sizeof *s->slots);
    s->at.len = 0;
    h->cache.pipe = number_of(s, &now);
}

/* Charges the hart for what firmware has made it execute, before it continues. */
static void pay_firmware(struct hart *h)
{
    struct model *m = h->s.model;

    pipe_reset(&m->pipe);
    h->s.cycles += m->owed;
    m->parts[PART_BRANCH] += m->owed;
    m->owed = 0;
}

void timed_pay(struct hart *h)
{
    if (h->s.model->owed)
        pay_firmware(h);
}

void timed_begin(struct hart *h)
{
    timed_pay(h);
    h->cache.pipe = number_of(&h->cache.timed->states, &h->s.model->pipe);
    timed_update_context(h);
}

void timed_settle(struct hart *h)
{
    uint64_t stalled = h->cache.stalled;

    h->s.model->parts[PART_FETCH] += stalled & STALLS_MAX;
    h->s.model->parts[PART_DATA] += stalled >> STALLED_DATA & STALLS_MAX;
    h->s.model->parts[PART_BRANCH] += stalled >> STALLED_BRANCH;
    h->cache.stalled = 0;
}

void timed_end(struct hart *h)
{
    timed_settle(h);
    h->s.model->pipe = h->cache.timed->states.at.at[h->cache.pipe];
    h->cache.path = NULL;
}

/* ---- paths ---- */

const struct path path_none = {.key = NO_KEY};

static struct block_timing no_paths(void)
{
    struct block_timing t = {.paths = NULL};

    for (unsigned i = 0; i < RECENT_PATHS; i++)
        t.recent[i] = (struct path *)(uintptr_t)&path_none; /* its key is no hart's */
    return t;
}

void *timed_alloc_block(size_t size)
{
    struct block_timing *t = xmalloc(sizeof *t + size);

    *t = no_paths();
    return t + 1;
}
_Static_assert(sizeof(struct block_timing) % 8 == 0, "the block after it is aligned");

void timed_forget_edges(const struct block_link *link)
{
    for (struct path *p = timing_of(link->from)->paths; p; p = p->next)
        p->edge[link - link->from->link].token = NO_KEY;
}

void timed_discard_paths(struct block *b)
{
    struct block_timing *t = timing_of(b);

    for (const struct block_link *link = b->incoming; link; link = link->next)
        timed_forget_edges(link);
    for (struct path *p = t->paths, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    *t = no_paths();
}

void timed_free_block(struct block *b)
{
    timed_discard_paths(b);
    free(timing_of(b));
}

static bool reads_csr(const struct uop *u, unsigned kind)
{
    return (kind == OP_csrrs || kind == OP_csrrc || kind == OP_csrrsi || kind == OP_csrrci) &&
           !u->rs1;
}

/* Whether the CSR changes how later instructions execute: rounding, privilege, translation. */
static bool is_status(const struct uop *u)
{
    enum { FFLAGS = 1, FRM = 2, FCSR = 3, SSTATUS = 0x100, SATP = 0x180, MSTATUS = 0x300 };

    switch (u->imm) {
    case FFLAGS:
    case FRM:
    case FCSR:
    case SSTATUS:
    case SATP:
    case MSTATUS: return true;
    default: return false;
    }
}

static enum core_class class_of(const struct hart *h, const struct uop *u, unsigned kind)
{
    if (kind == OP_call)
        return CORE_jump;
    if (kind == OP_call_indirect || kind == OP_ret)
        return CORE_jump_indirect;
    if (kind == OP_nop)
        return CORE_alu;
    if (kind >= OP_COUNT)
        return CORE_system;
    if (reads_csr(u, kind))
        return CORE_csr_read;
    if (op_class(kind) == CLASS_CSR && is_status(u))
        return CORE_csr_status;
    return (enum core_class)h->cluster->timing->class[kind];
}

/*
 * The patterns of the formats (format.def): which register file each register of an operation
 * belongs to.
 */
static const char *const patterns[] = {
#define F(name, text, floating) text,
#include "base/limits.h"
#include "cpu/isa/format.def"
#undef F
};

enum { IMM_AQ = 2 }; /* in the immediate of an AMO: extract_AMO */

static unsigned base_op(unsigned kind)
{
    return kind == OP_call ? OP_jal : kind == OP_call_indirect || kind == OP_ret ? OP_jalr : kind;
}

/* Log2 of 8 / the bytes that a load or store accesses. */
static uint8_t narrow_of(unsigned op)
{
    switch (op) {
    case OP_lb:
    case OP_lbu:
    case OP_sb: return 3;
    case OP_lh:
    case OP_lhu:
    case OP_sh: return 2;
    case OP_lw:
    case OP_lwu:
    case OP_sw:
    case OP_flw:
    case OP_fsw: return 1;
    default: return 0;
    }
}

struct pipe_op timed_op(const struct hart *h, const struct uop *u, unsigned kind, unsigned size)
{
    unsigned op = base_op(kind);
    struct pipe_op p = {.class = (uint8_t)class_of(h, u, kind), .size = (uint8_t)size};

    if (op >= OP_COUNT)
        return p;
    for (const char *c = patterns[op_info(op)->format]; *c; c++)
        switch (*c) {
        case 'd': p.rd = u->rd < 32 ? u->rd : 0; break;
        case 'D': p.rd = (uint8_t)(32 + u->rd); break;
        case 's': p.source[0] = u->rs1; break;
        case 'S': p.source[0] = (uint8_t)(32 + u->rs1); break;
        case 't': p.source[1] = u->rs2; break;
        case 'T': p.source[1] = (uint8_t)(32 + u->rs2); break;
        case 'R': p.source[2] = (uint8_t)(32 + ((uint32_t)u->imm >> IMM_RS3_SHIFT)); break;
        default: break;
        }
    if (op_class(op) == CLASS_LOAD)
        p.flags = PIPE_LOAD;
    else if (op_class(op) == CLASS_STORE)
        p.flags = PIPE_STORE;
    else if (op == OP_addi)
        p.flags = PIPE_ADD;
    else if (op_class(op) == CLASS_BRANCH || op_class(op) == CLASS_JUMP ||
             op_class(op) == CLASS_JUMP_INDIRECT)
        p.flags = PIPE_CONTROL;
    p.offset = p.flags ? (int16_t)u->imm : 0;
    p.narrow = narrow_of(op);
    if ((op == OP_sfence_vma || op == OP_sinval_vma) && u->rs1)
        p.flags |= PIPE_PAGE;
    if ((p.rd | p.source[0] | p.source[1] | p.source[2]) & 32)
        p.flags |= PIPE_FLOAT;
    if (p.class == CORE_amo && u->imm & IMM_AQ)
        p.flags |= PIPE_ACQUIRE;
    return p;
}

static struct pipe_op pipe_op_of(const struct hart *h, const struct block *b, unsigned at)
{
    const struct uop *u = &b->ops[at];
    struct pipe_op p = timed_op(h, u, b->notes[at].kind, b->notes[at].size);

    p.pc = (uint8_t)((b->pc + u->at * 2U) & 63);
    return p;
}

/* Runs operations [from, to) through the pipeline; `p`: the path to fill in, or NULL. */
static uint32_t run_pipe(const struct hart *h, const struct block *b, unsigned from, unsigned to,
                         struct pipe_state *s, struct path *p)
{
    struct path_stalls stalls = {0, 0};
    uint32_t cycles = 0;

    for (unsigned at = from; at < to; at++) {
        if (p) {
            p->before[at] = cycles;
            p->stalls[at] = stalls;
        }
        if (b->notes[at].size) {
            struct pipe_op op = pipe_op_of(h, b, at);
            struct pipe_cost cost = pipe_step(h->s.model->core, s, &op);

            cycles += cost.cycles;
            stalls.fetch += cost.fetch;
            stalls.data += cost.data;
        }
    }
    if (p)
        p->stalls[to] = stalls;
    return cycles;
}

static struct path *make_path(struct hart *h, struct block *b, unsigned first)
{
    struct block_timing *t = timing_of(b);
    struct pipe_states *states = &h->cache.timed->states;
    struct pipe_state s = states->at.at[h->cache.pipe];
    struct path *p;
    size_t before;

    if (t->count == limits.paths)
        timed_discard_paths(b);
    before = (b->uop_count * sizeof p->before[0] + 7) & ~(size_t)7;
    p = xcalloc(1, sizeof *p + before + (b->uop_count + 1U) * sizeof *p->stalls);
    *p = (struct path){.key = NO_KEY,
                       .calm = NO_KEY,
                       .block = b,
                       .edge = {{.token = NO_KEY}, {.token = NO_KEY}},
                       .entry = h->cache.pipe,
                       .led = s.led,
                       .first = (uint16_t)first};
    p->stalls = (struct path_stalls *)(void *)((char *)p->before + before);
    for (unsigned i = 0; i < PIPE_LEAVES; i++)
        p->leave[i] = (struct path_leave){NO_STATE, LEAVE_ASK};
    p->cost = (int64_t)((uint64_t)run_pipe(h, b, first, b->uop_count, &s, p) << 32);
    p->stalled = p->stalls[b->uop_count].fetch | (uint64_t)p->stalls[b->uop_count].data
                                                     << STALLED_DATA;
    p->leave[LEAVE_NEXT] = (struct path_leave){number_of(states, &s), 0};
    p->next = t->paths;
    t->paths = p;
    t->count++;
    return p;
}

static struct path *find_path(struct hart *h, struct block *b, unsigned first)
{
    for (struct path *p = timing_of(b)->paths; p; p = p->next)
        if (p->entry == h->cache.pipe && p->first == first)
            return p;
    return make_path(h, b, first);
}

/* Computes what leaving the path in this way costs, the first time that it is needed. */
static void learn_leave(struct hart *h, struct path *p, enum pipe_leave_by how)
{
    const struct core *core = h->s.model->core;
    struct pipe_states *states = &h->cache.timed->states;
    struct pipe_state s = states->at.at[p->leave[LEAVE_NEXT].state];
    struct pipe_cost cost = pipe_leave(core, &s, how);

    p->leave[how] = (struct path_leave){number_of(states, &s), cost.cycles};
    if ((how == LEAVE_EMPTY_RETURN && core->wrong_path) ||
        ((how == LEAVE_WRONG_CALL || how == LEAVE_WRONG_INDIRECT) && core->stray))
        p->leave[how].cycles |= LEAVE_ASK;
}

bool timed_learn_edge(struct hart *h, struct block *b, unsigned slot)
{
    struct path *p = h->cache.path, *to;
    struct block *next = b->link[slot].to;
    struct path_leave *leave = &p->leave[edge_leave(slot)];

    if (next == NOWHERE)
        return false;
    if (leave->state == NO_STATE)
        learn_leave(h, p, edge_leave(slot));
    if (leave->cycles && (leave->cycles & LEAVE_ASK || b->charge_count))
        return false;
    to = *recent_path(next, leave->state);
    if (to->key != (h->cache.token | leave->state))
        return false;
    p->edge[slot] =
        (struct path_edge){.token = h->cache.token,
                           .to = to,
                           .cost = (int64_t)next->cost + to->cost + ((int64_t)leave->cycles << 32),
                           .stalled = to->stalled + ((uint64_t)leave->cycles << STALLED_BRANCH)};
    return true;
}

void timed_leave_block(struct hart *h, const struct block *b, unsigned at)
{
    struct pipe_states *states = &h->cache.timed->states;
    const struct path *p = h->cache.path;
    struct pipe_state s = states->at.at[p->entry];
    const struct path_stalls *all = &p->stalls[b->uop_count], *done = &p->stalls[at];

    h->s.model->parts[PART_FETCH] -= all->fetch - done->fetch;
    h->s.model->parts[PART_DATA] -= all->data - done->data;
    (void)run_pipe(h, b, p->first, at, &s, NULL);
    h->cache.pipe = number_of(states, &s);
}

struct path_leave timed_system(struct hart *h, const struct uop *u)
{
    struct path *p = h->cache.path;
    const struct block *b = h->cache.block;
    unsigned kind = b->notes[u - b->ops].kind;
    enum pipe_leave_by how = kind < OP_COUNT && (op_class(kind) == CLASS_CSR || kind == OP_wfi)
                                 ? LEAVE_NEXT
                                 : LEAVE_FLUSH;

    if (p->leave[how].state == NO_STATE)
        learn_leave(h, p, how);
    return p->leave[how];
}

/* ---- fetch ---- */

static uint64_t op_pa(const struct block *b, unsigned at)
{
    return b->pa + b->ops[at].at * 2U;
}

/* The physical address of the operation's last byte. */
static uint64_t op_end_pa(const struct block *b, unsigned at)
{
    return b->pa_second ? b->pa_second + 1 : op_pa(b, at) + b->notes[at].size - 1U;
}

static bool fetch_is_translated(const struct hart *h)
{
    return h->s.mode != PRIV_M && h->s.csr.satp >> SATP_MODE_SHIFT;
}

static uint16_t asid_of(const struct hart *h)
{
    return (uint16_t)(h->s.csr.satp >> SATP_ASID_SHIFT);
}

void timed_update_context(struct hart *h)
{
    h->cache.token = (h->s.model->fetch_epoch << 2 | (fetch_is_translated(h) ? h->s.mode + 1U : 0))
                     << PIPE_ID_BITS;
}

/*
 * Brings a page into a first-level TLB, from the second level or by a walk of the page table;
 * returns the cycles.
 */
static uint32_t bring_page(struct hart *h, struct cache *tlb, uint64_t va, enum access access)
{
    struct model *m = h->s.model;
    struct pte_path walk;
    struct model_page page;
    uint32_t cycles = 0;

    if (model_take_page(m, tlb, va, asid_of(h), &cycles))
        return cycles;
    if (!hart_pte_path(h, va, access, &walk))
        return 0; /* the access raises a page fault */
    for (unsigned i = 0; i < walk.count; i++)
        cycles += m->core->walk + model_load(m, walk.pte_pa[i]);
    page = (struct model_page){va, walk.shift, asid_of(h), walk.global};
    model_put_page(m, tlb, &page);
    return cycles + m->core->tlb2_latency;
}

static uint32_t fetch_page(struct hart *h, uint64_t va)
{
    struct model *m = h->s.model;

    if (!fetch_is_translated(h) || model_has_page(m, &m->itlb, va, asid_of(h)))
        return 0;
    m->counts[MODEL_FETCH_TLB_MISSES]++;
    return bring_page(h, &m->itlb, va, ACCESS_FETCH);
}

uint32_t timed_fetch(struct hart *h, const struct block *b, unsigned at)
{
    struct model *m = h->s.model;
    uint64_t pa = op_pa(b, at), end = op_end_pa(b, at);
    uint64_t pc = b->pc + b->ops[at].at * 2U;
    uint32_t cycles = fetch_page(h, pc);

    cycles += model_fetch_line(m, pa);
    if (b->pa_second)
        cycles += fetch_page(h, pc + 2);
    if (end >> m->fetch_line_shift != pa >> m->fetch_line_shift)
        cycles += model_fetch_line(m, end);
    return cycles;
}

static bool has_lines(struct hart *h, const struct block *b, unsigned at)
{
    struct model *m = h->s.model;
    uint64_t pa = op_pa(b, at), end = op_end_pa(b, at);

    return model_has_line(m, pa) &&
           (end >> m->fetch_line_shift == pa >> m->fetch_line_shift || model_has_line(m, end));
}

/* The first operation of the instruction that operation `at` belongs to. */
static unsigned insn_start(const struct block *b, unsigned at)
{
    while (at && b->notes[at - 1].insns_before == b->notes[at].insns_before)
        at--;
    return at;
}

/* The number of operations from `first` on that can be fetched without a stall. */
static unsigned fetched_ops(struct hart *h, const struct block *b, unsigned first)
{
    const struct model *m = h->s.model;
    uint64_t known = UINT64_MAX;

    for (unsigned at = first; at < b->uop_count; at++) {
        uint64_t line;

        if (!b->notes[at].size)
            continue;
        line = op_end_pa(b, at) >> m->fetch_line_shift;
        if (line == known)
            continue;
        if (!has_lines(h, b, at))
            return insn_start(b, at);
        known = line;
    }
    return b->uop_count;
}

static bool uses_of_lines_count(const struct model *m)
{
    return m->core->icache.policy >= REPLACEMENT_lru || (m->core->tlb_policy >= REPLACEMENT_lru);
}

/*
 * Lets the path be found by its key, without a check of its lines, if it takes cycles and uses of
 * lines need no counting.
 */
static void note_path(struct hart *h, struct block *b, struct path *p)
{
    if (path_cycles(p) && !uses_of_lines_count(h->s.model))
        p->key = h->cache.token | p->entry;
    *recent_path(b, p->entry) = p;
}

/* Whether the block's pages are in the translation buffer. */
static bool has_pages(struct hart *h, const struct block *b)
{
    struct model *m = h->s.model;

    return !fetch_is_translated(h) ||
           (model_has_page(m, &m->itlb, b->pc, asid_of(h)) &&
            (!b->pa_second || model_has_page(m, &m->itlb, b->pc + 2, asid_of(h))));
}

struct path *timed_enter(struct hart *h, struct block *b)
{
    uint64_t key = h->cache.token | h->cache.pipe;
    struct path *p;

    for (p = timing_of(b)->paths; p; p = p->next)
        if (p->key == key)
            return *recent_path(b, p->entry) = p;
    if (are_many(&h->cache.timed->states) || !has_pages(h, b) ||
        fetched_ops(h, b, 0) < b->uop_count)
        return NULL;
    p = find_path(h, b, 0);
    if (!path_cycles(p))
        return NULL; /* a path without cycles does not show that the budget is enough for an
                        instruction */
    note_path(h, b, p);
    return p;
}

bool timed_dispatch(struct hart *h, struct block *b, unsigned first)
{
    unsigned at = first;
    struct path *p;

    if (are_many(&h->cache.timed->states))
        drop_numbers(h);
    while (at < b->uop_count && !b->notes[at].size)
        at++;
    if (at < b->uop_count) {
        uint32_t cycles = timed_fetch(h, b, at);

        h->s.cycles += cycles;
        h->s.model->parts[PART_FETCH] += cycles;
        if (cycles && b->charge_count)
            charge_stall(b, at, TALLY_FETCH, cycles);
    }
    timed_update_context(h);
    if (h->s.insns_left <= 0 || (int64_t)h->s.cycles >= h->s.until)
        return false;
    p = find_path(h, b, first);
    h->cache.path = p;
    timed_settle(h);
    h->cache.stalled = p->stalled;
    h->cache.fetched_ops = fetched_ops(h, b, first);
    if (!first && h->cache.fetched_ops == b->uop_count)
        note_path(h, b, p);
    return true;
}

/*
 * Fetches the code after the jump, from a wrong prediction to its correction, and returns the
 * cycles of the stall: the first line that is missing is requested, and fetch waits for it. It is
 * not put into the cache.
 */
static NOINLINE uint32_t wrong_path(const struct hart *h, const struct block *b, unsigned at,
                                    struct path *p)
{
    const struct model *m = h->s.model;
    const struct core *core = m->core;
    const struct pipe_state *s = &h->cache.timed->states.at.at[p->leave[LEAVE_NEXT].state];
    uint64_t pa = align_down(op_end_pa(b, at), core->fetch_bytes) + core->fetch_bytes;
    unsigned left = core->wrong_path + (s->ahead ? s->ahead - 1U : 0);

    if (p->calm == h->cache.token)
        return 0;
    for (; left; pa += core->fetch_bytes, left--) {
        uint32_t cycles;

        if (!(pa % PAGE_BYTES) && fetch_is_translated(h))
            break;
        cycles = model_fetch_missing(m, pa);
        if (cycles)
            return cycles > left ? cycles - left : 0;
    }
    p->calm = h->cache.token;
    return 0;
}

uint32_t timed_leave(struct hart *h, const struct block *b, unsigned at, enum pipe_leave_by how)
{
    struct path *p = h->cache.path;
    uint32_t cycles;

    if (p->leave[how].state == NO_STATE)
        learn_leave(h, p, how);
    cycles = p->leave[how].cycles;
    if (cycles & LEAVE_ASK) {
        cycles &= ~LEAVE_ASK;
        if (how == LEAVE_EMPTY_RETURN)
            cycles += wrong_path(h, b, at, p);
        else
            timed_stray(h, (b->pa_second ? b->pa_second + 2 : b->pa + b->size) - 1,
                        h->s.model->core->stray + (how == LEAVE_WRONG_CALL));
    }
    if (UNLIKELY(b->charge_count))
        charge_stall(b, at, TALLY_BRANCH, cycles);
    h->s.model->parts[PART_BRANCH] += cycles;
    return cycles;
}

/* ---- data ---- */

static bool data_is_translated(const struct hart *h)
{
    return h->cache.tlb - h->cache.tlbs >= TLB_USER;
}

/*
 * Translates the address of a load or store; false: it will fault. *host: the bytes in the host's
 * memory if the hart's caches have them, or NULL.
 */
static bool data_address(struct hart *h, uint64_t va, enum access access, uint64_t *pa,
                         const uint8_t **host)
{
    const struct ram *ram = h->cluster->ram;
    const struct translations *t =
        access == ACCESS_LOAD ? &h->cache.tlb->load : &h->cache.tlb->store;
    unsigned slot = tlb_slot(va);
    uint64_t in_span = va - h->cache.loads->from, in_page = va - t->page[slot];

    *host = NULL;
    if (in_page < PAGE_BYTES)
        *host = t->host[slot] + in_page;
    else if (access == ACCESS_LOAD && in_span < h->cache.loads->starts)
        *host = h->cache.loads->host + in_span;
    else
        return hart_translate(h, va, access, pa);
    *pa = ram_pa(ram, *host);
    return true;
}

static uint32_t data_page(struct hart *h, uint64_t va, enum access access)
{
    struct model *m = h->s.model;

    if (!data_is_translated(h) || model_has_page(m, &m->dtlb, va, asid_of(h)))
        return 0;
    m->counts[access == ACCESS_LOAD ? MODEL_LOAD_TLB_MISSES : MODEL_STORE_TLB_MISSES]++;
    return bring_page(h, &m->dtlb, va, access);
}

static uint64_t filter_tag(const struct hart *h, uint64_t va)
{
    return align_down(va, h->s.model->core->dcache.line) ^ (uint64_t)(h->cache.tlb - h->cache.tlbs)
                                                               << TIMED_CONTEXT_SHIFT;
}

/* A data access, by the core itself or by memory for it. */
struct data_access {
    uint64_t pa;
    const uint8_t *host;
    uint32_t cycles;
};

/*
 * Finds the page of an access, and the cycles for that. False: no memory is accessed, and a->cycles
 * is all that the access takes.
 */
static bool begin_access(struct hart *h, uint64_t va, enum access access, struct data_access *a)
{
    a->cycles = 0;
    if (!data_address(h, va, access, &a->pa, &a->host))
        return false;
    a->cycles = data_page(h, va, access);
    if (LIKELY(ram_has(h->cluster->ram, a->pa, 1)))
        return true;
    a->cycles += h->s.model->core->memory_device;
    return false;
}

static uint32_t access_line(struct hart *h, uint64_t va, unsigned size, enum access access,
                            uint64_t now)
{
    struct model *m = h->s.model;
    struct data_access a;

    if (!begin_access(h, va, access, &a))
        return a.cycles;
    if (access == ACCESS_LOAD) {
        a.cycles += model_load(m, a.pa);
        model_filter_load(m, va, a.host, a.host ? filter_tag(h, va) : FILTER_NONE);
    } else {
        a.cycles += model_store(m, a.pa, size, now + a.cycles);
        model_filter_store(m, va, a.pa, a.host, a.host ? filter_tag(h, va) : FILTER_NONE);
    }
    return a.cycles;
}

static uint32_t access_data(struct hart *h, uint64_t va, unsigned size, enum access access,
                            uint64_t now)
{
    const struct core *core = h->s.model->core;
    uint64_t end = va + size - 1;
    uint32_t cycles = va % size ? core->misaligned : 0;

    cycles += access_line(h, va, size, access, now + cycles);
    if (UNLIKELY(va / core->dcache.line != end / core->dcache.line))
        cycles += access_line(h, end, 1, access, now + cycles);
    return cycles;
}

uint32_t timed_load(struct hart *h, uint64_t va, unsigned size)
{
    return access_data(h, va, size, ACCESS_LOAD, 0);
}

uint32_t timed_store(struct hart *h, uint64_t va, unsigned size, uint64_t now)
{
    return access_data(h, va, size, ACCESS_STORE, now);
}

uint32_t timed_atomic(struct hart *h, uint64_t va, bool reserves, uint64_t now)
{
    struct data_access a;

    if (!begin_access(h, va, reserves ? ACCESS_LOAD : ACCESS_STORE, &a))
        return a.cycles;
    return a.cycles + model_atomic(h->s.model, a.pa, now + a.cycles);
}

void timed_hasten(struct hart *h, unsigned rd, uint32_t cycles)
{
    struct pipe_states *states = &h->cache.timed->states;
    struct pipe_state s = states->at.at[h->cache.pipe];

    pipe_hasten(&s, rd, cycles);
    h->cache.pipe = number_of(states, &s);
}

/* ---- events ---- */

void timed_trap(struct hart *h)
{
    struct pipe_state s;

    h->s.cycles += h->s.model->core->trap;
    h->s.model->parts[PART_BRANCH] += h->s.model->core->trap;
    if (h->s.model->ooo) {
        model_restart(h->s.model);
        return;
    }
    pipe_reset(&s);
    if (are_many(&h->cache.timed->states))
        drop_numbers(h);
    h->cache.pipe = number_of(&h->cache.timed->states, &s);
}

void timed_fence_i(struct hart *h)
{
    model_fence_i(h->s.model);
    timed_update_context(h);
}

void timed_sfence(struct hart *h, const uint64_t *va)
{
    if (va && h->s.model->core->sfence_page)
        model_sfence_page(h->s.model, *va);
    else
        model_sfence(h->s.model);
    timed_update_context(h);
}

void timed_drop_translations(struct hart *h)
{
    model_clear_filter(h->s.model);
}

/* The filter knows contexts, not address spaces. */
void timed_satp(struct hart *h)
{
    model_clear_filter(h->s.model);
    h->s.model->fetch_epoch++;
    timed_update_context(h);
}

void timed_remote_fence(struct hart *h, enum core_class fence)
{
    const struct core *core = h->s.model->core;

    if (hart_waits_for(h) == HART_WAITS_NOT)
        h->s.model->owed += core->trap + core->interval[fence] + core->flush;
}
