/*
 * program_swaps.c - see program_swaps.h.
 *
 * A hart may switch between threads at any time. That it is still the one that has stored is known
 * by its page tables and its stack.
 */
#include "ftrace/audit/fetches/program_swaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* Stores that are remembered, and for how many cycles of their hart they belong together. */
enum { STORES_KEPT = 16, TOGETHER_CYCLES = 10 * 1000 * 1000 };

/* How far the stack pointers of one thread are apart at the store and at its next system call. */
enum { STACK_BYTES = 4096 };

struct stored {
    uint64_t pa, cycle, stamp;
    uint32_t hart, word, old;
    uint8_t size;    /* 0: none */
    bool is_of_both; /* a half of a store of eight bytes, which has changed both halves */
};

/* A hart's program that has stored to code. */
struct storing {
    bool is_open, calls; /* calls: it is in its next system call */
    bool fenced;         /* in that */
    uint64_t stamp, satp, sp;
};

/* The code that a program has named in the system call that it is in; from == to: none. */
struct named_code {
    uint64_t from, to;
};

struct program_swaps {
    unsigned harts;
    struct named_code *named; /* by hart */
    struct storing *storing;  /* by hart */
    struct stored stored[STORES_KEPT];
    uint32_t next;
};

struct program_swaps *program_swaps_new(unsigned harts)
{
    struct program_swaps *p = xcalloc(1, sizeof *p);

    p->harts = harts;
    p->storing = xcalloc(harts, sizeof *p->storing);
    p->named = xcalloc(harts, sizeof *p->named);
    return p;
}

void program_swaps_free(struct program_swaps *p)
{
    if (!p)
        return;
    free(p->storing);
    free(p->named);
    free(p);
}

/* `size' bytes of the store, from `at' on. */
static void remember(struct program_swaps *p, const struct code_write *w, unsigned at,
                     unsigned size, bool is_of_both)
{
    struct stored *s = NULL;

    for (unsigned i = 0; i < STORES_KEPT; i++)
        if (p->stored[i].pa == w->pa + at && p->stored[i].size == size)
            s = &p->stored[i];
    if (!s) {
        s = &p->stored[p->next];
        p->next = (p->next + 1) % STORES_KEPT;
    }
    *s = (struct stored){.pa = w->pa + at,
                         .cycle = w->who.cycle,
                         .stamp = w->stamp,
                         .hart = w->who.hart,
                         .size = (uint8_t)size,
                         .is_of_both = is_of_both};
    memcpy(&s->word, w->new_bytes + at, size);
    memcpy(&s->old, w->old_bytes + at, size);
}

/* A store of eight bytes counts as two of four, of the halves that it changes. */
static void remember_halves(struct program_swaps *p, const struct code_write *w)
{
    bool low = memcmp(w->old_bytes, w->new_bytes, 4) != 0,
         high = memcmp(w->old_bytes + 4, w->new_bytes + 4, 4) != 0;

    if (low)
        remember(p, w, 0, 4, high);
    if (high)
        remember(p, w, 4, 4, low);
}

void program_swaps_store(struct program_swaps *p, const struct code_write *w, struct hart *h)
{
    if (hart_mode(h) != PRIV_U)
        return;
    if (w->size == 8)
        remember_halves(p, w);
    else
        remember(p, w, 0, w->size, false);
    p->storing[w->who.hart] = (struct storing){
        .is_open = true, .stamp = w->stamp, .satp = hart_status(h).satp, .sp = hart_reg(h, REG_SP)};
}

bool program_swaps_is_open(const struct program_swaps *p, uint32_t hart, uint64_t stamp)
{
    return p->storing[hart].is_open && p->storing[hart].stamp >= stamp;
}

/* Whether the hart runs the thread that has stored. */
static bool is_same(const struct storing *s, struct hart *h)
{
    return s->is_open && s->satp == hart_status(h).satp &&
           hart_reg(h, REG_SP) - s->sp + STACK_BYTES < 2 * STACK_BYTES;
}

bool program_swaps_runs(const struct program_swaps *p, struct hart *h)
{
    return is_same(&p->storing[hart_id(h)], h);
}

/* The system call riscv_flush_icache(start, end, flags): its number; as much as is looked at. */
enum { SYSCALL_FLUSH_ICACHE = 259, NAMED_BYTES_MAX = 64 * PAGE_BYTES };

void program_swaps_trap(struct program_swaps *p, const struct trap_event *t)
{
    struct storing *s = &p->storing[hart_id(t->hart)];
    struct named_code *named = &p->named[hart_id(t->hart)];

    if (t->from != PRIV_U || t->interrupt || t->cause != EXC_ECALL_U)
        return;
    if (is_same(s, t->hart))
        s->calls = true;
    if (hart_reg(t->hart, REG_A7) == SYSCALL_FLUSH_ICACHE)
        *named = (struct named_code){hart_reg(t->hart, REG_A0), hart_reg(t->hart, REG_A0 + 1)};
}

/*
 * What a program names as its code is code from now on, also if no hart has run it yet: else a page
 * that is often written meanwhile is taken for data (STREAK_MAX in mem/ram.h), and when it is run
 * at last, nobody knows which of its bytes were written.
 */
static void declare_named(struct named_code *named, struct hart *h)
{
    uint64_t size = named->to - named->from, from = align_down(named->from, PAGE_BYTES), pa;

    for (uint64_t va = from; size <= NAMED_BYTES_MAX && va < named->to; va += PAGE_BYTES)
        if (hart_translate(h, va, ACCESS_FETCH, &pa) &&
            bus_ram_at(cluster_bus(hart_cluster(h)), pa))
            cluster_declare_code(hart_cluster(h), align_down(pa, PAGE_BYTES), PAGE_BYTES);
    *named = (struct named_code){0, 0};
}

enum program_end program_swaps_return(struct program_swaps *p, const struct trap_return_event *t)
{
    struct storing *s = &p->storing[hart_id(t->hart)];
    struct named_code *named = &p->named[hart_id(t->hart)];

    if (t->to == PRIV_U && named->from != named->to)
        declare_named(named, t->hart);
    if (!s->calls || t->to != PRIV_U || !is_same(s, t->hart))
        return PROGRAM_GOES_ON;
    s->is_open = s->calls = false;
    return s->fenced ? PROGRAM_FENCED : PROGRAM_LEFT;
}

enum program_end program_swaps_fence(struct program_swaps *p, const struct fence_event *f)
{
    struct storing *s = &p->storing[hart_id(f->hart)];

    if (!s->is_open || f->stamp < s->stamp)
        return PROGRAM_GOES_ON;
    s->fenced |= s->calls;
    if (f->origin != FENCE_LOCAL || hart_mode(f->hart) != PRIV_U || !is_same(s, f->hart))
        return PROGRAM_GOES_ON;
    s->is_open = false;
    return PROGRAM_LEFT;
}

/* ---- two halves ---- */

enum { OPCODE_LUI = 0x37, OPCODE_AUIPC = 0x17, OPCODE_MASK = 0x7f, REG_BITS = 0x1f };

/* Whether the first one is a lui or auipc, and the second takes its result as a base. */
static bool is_pair(uint32_t first, uint32_t second)
{
    uint32_t opcode = first & OPCODE_MASK, rd = first >> 7 & REG_BITS;
    static const uint8_t users[] = {0x13, 0x1b, 0x67, 0x03, 0x23, 0x07, 0x27};

    return (opcode == OPCODE_LUI || opcode == OPCODE_AUIPC) && rd &&
           memchr(users, (int)(second & OPCODE_MASK), sizeof users) &&
           (second >> 15 & REG_BITS) == rd;
}

static bool is_together(const struct stored *s, const struct stale_fetch *f)
{
    return s->size && s->hart == f->who.hart &&
           f->who.cycle - s->cycle + TOGETHER_CYCLES < 2 * (uint64_t)TOGETHER_CYCLES;
}

static bool is_half_of_pair(const struct stored *s, const struct stale_fetch *f)
{
    uint32_t word;

    if (s->size != 4 || f->size != 4)
        return false;
    memcpy(&word, f->new_bytes, sizeof word);
    return (s->pa + 4 == f->pa && is_pair(s->word, word)) ||
           (f->pa + 4 == s->pa && is_pair(word, s->word));
}

static bool is_long(uint16_t first)
{
    return (first & 3) == 3;
}

/* Whether a hart goes on after the short instruction: it is no c.j, c.jr or c.ebreak. */
static bool goes_on(uint16_t insn)
{
    return (insn & 0xe003) != 0xa001 && (insn & 0xf07f) != 0x8002 && insn != 0x9002;
}

/* Whether the store of four bytes, which no fence has followed, has the code of the fetch. */
static bool is_of_both(const struct stored *s, const struct stale_fetch *f, uint64_t fenced)
{
    return s->size == 4 && s->stamp > fenced && (s->pa == f->pa || s->pa + 2 == f->pa);
}

/* Whether one store has made a long instruction of two short ones. */
static bool is_merged(const struct stored *s, const struct stale_fetch *f, uint64_t fenced)
{
    uint16_t old = (uint16_t)s->old;

    return is_of_both(s, f, fenced) && is_long((uint16_t)s->word) && !is_long(old) && goes_on(old);
}

/* The same of two short ones out of a long one: a hart is before both, or after them. */
static bool is_divided(const struct stored *s, const struct stale_fetch *f, uint64_t fenced)
{
    return is_of_both(s, f, fenced) && s->pa % 4 == 0 && !is_long((uint16_t)s->word) &&
           is_long((uint16_t)s->old);
}

/* What the stores to an instruction are, taken together. */
struct parts {
    bool is_misaligned;
    unsigned halves, unfenced; /* the halves that were stored by themselves: a bit each */
};

static void add_part(struct parts *parts, const struct stored *s, const struct stale_fetch *f,
                     uint64_t fenced)
{
    bool is_unfenced = s->stamp > fenced;

    if (s->pa == f->pa && s->size == f->size)
        parts->is_misaligned |= is_unfenced && s->pa % s->size;
    /* A short instruction may be the first half of the long one that it was, or is now. */
    for (unsigned i = 0; i < 2; i++)
        if (s->size == 2 && s->pa == f->pa + 2 * (uint64_t)i) {
            parts->halves |= 1u << i;
            parts->unfenced |= (unsigned)is_unfenced << i;
        }
}

/*
 * Whether the unfenced store of an instruction's first half makes a short instruction of a long one
 * or the other way round: whoever comes there has one of them, as the second half is no instruction
 * of its own meanwhile, and may be changed under a short one.
 */
static bool is_split(const struct parts *parts, const struct stale_fetch *f)
{
    enum { FIRST = 1 };

    return parts->unfenced == FIRST && is_long(f->old_bytes[0]) != is_long(f->new_bytes[0]);
}

enum program_change program_swaps_change(const struct program_swaps *p, const struct stale_fetch *f,
                                         uint64_t fenced)
{
    enum { BOTH = 3 };
    struct parts parts = {0};

    for (unsigned i = 0; i < STORES_KEPT; i++) {
        const struct stored *s = &p->stored[i];

        if (!is_together(s, f))
            continue;
        if (is_half_of_pair(s, f))
            return s->is_of_both ? PROGRAM_CHANGE_BOTH : PROGRAM_CHANGE_PAIR;
        if (is_merged(s, f, fenced))
            return PROGRAM_CHANGE_MERGED;
        if (is_divided(s, f, fenced))
            return PROGRAM_CHANGE_PART;
        add_part(&parts, s, f, fenced);
    }
    if (parts.is_misaligned)
        return PROGRAM_CHANGE_MISALIGNED;
    if (parts.unfenced == BOTH)
        return PROGRAM_CHANGE_HALVES;
    if (is_split(&parts, f))
        return PROGRAM_CHANGE_PART;
    return f->size == 4 && parts.unfenced && parts.halves != BOTH ? PROGRAM_CHANGE_PART
                                                                  : PROGRAM_CHANGE_OTHER;
}

/* ---- state ---- */

void program_swaps_state_io(struct state_io *io, struct program_swaps *p)
{
    for (unsigned i = 0; i < p->harts; i++) {
        STATE_IO(io, p->storing[i].is_open);
        STATE_IO(io, p->storing[i].calls);
        STATE_IO(io, p->storing[i].fenced);
        STATE_IO(io, p->storing[i].stamp);
        STATE_IO(io, p->storing[i].satp);
        STATE_IO(io, p->storing[i].sp);
        STATE_IO(io, p->named[i].from);
        STATE_IO(io, p->named[i].to);
    }
    for (unsigned i = 0; i < STORES_KEPT; i++) {
        STATE_IO(io, p->stored[i].pa);
        STATE_IO(io, p->stored[i].cycle);
        STATE_IO(io, p->stored[i].stamp);
        STATE_IO(io, p->stored[i].hart);
        STATE_IO(io, p->stored[i].word);
        STATE_IO(io, p->stored[i].old);
        STATE_IO(io, p->stored[i].size);
        STATE_IO(io, p->stored[i].is_of_both);
    }
    STATE_IO_BELOW(io, p->next, STORES_KEPT);
}
