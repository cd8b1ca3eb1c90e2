/*
 * swaps.c - see swaps.h.
 */
#include "ftrace/audit/fetches/swaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/isa/decode.h"
#include "cpu/observer.h"

/* A current kernel has 60,000 sites, and one update may change all of them before any fence. */
enum { SWAPS_MAX = 1 << 18, SWAPS_KEPT = 1 << 10 };

struct swaps {
    VEC_OF(struct swap) all;
    struct map index; /* pa / 4 -> struct word: they are aligned, so a word has at most two */
    uint64_t newest;  /* stamp of the last store that was a swap */
    uint64_t left_out;
};

struct swaps *swaps_new(void)
{
    return xcalloc(1, sizeof(struct swaps));
}

/* Kernels that fence after each store have few swaps at a time: room for those stays. */
static void forget_all(struct swaps *s)
{
    if (s->all.cap > SWAPS_KEPT)
        VEC_FREE(&s->all);
    s->all.len = 0;
    map_clear(&s->index);
}

void swaps_free(struct swaps *s)
{
    if (!s)
        return;
    VEC_FREE(&s->all);
    map_free(&s->index);
    free(s);
}

static unsigned insn_size_at(const uint8_t *bytes)
{
    return insn_size((uint16_t)(bytes[0] | bytes[1] << 8));
}

static bool is_swap(const struct code_write *w)
{
    return (w->size == 2 || w->size == 4) && w->pa % w->size == 0 &&
           insn_size_at(w->old_bytes) == w->size && insn_size_at(w->new_bytes) == w->size;
}

/* The swaps at a word's two halves, as numbers from 1 on; 0: none. */
struct word {
    uint32_t half[2];
};

static struct word word_at(const struct swaps *s, uint64_t pa)
{
    struct word word = {{0}};
    uint64_t value;

    if (map_get(&s->index, pa / 4, &value))
        word = (struct word){{(uint32_t)value, (uint32_t)(value >> 32)}};
    return word;
}

static struct swap *swap_at(const struct swaps *s, uint64_t pa)
{
    uint32_t number = word_at(s, pa).half[pa / 2 % 2];

    return number ? &s->all.at[number - 1] : NULL;
}

static void index_swap(struct swaps *s, size_t i)
{
    uint64_t pa = s->all.at[i].pa;
    struct word word = word_at(s, pa);

    word.half[pa / 2 % 2] = (uint32_t)i + 1;
    map_put(&s->index, pa / 4, word.half[0] | (uint64_t)word.half[1] << 32);
}

/* Ends swaps of instructions that the store overlaps without being a swap of them. */
static void end_overlapped(struct swaps *s, const struct code_write *w)
{
    for (uint64_t pa = w->pa & ~UINT64_C(3); pa < w->pa + w->size; pa += 4) {
        struct word word = word_at(s, pa);

        for (unsigned i = 0; i < 2; i++) {
            struct swap *old = word.half[i] ? &s->all.at[word.half[i] - 1] : NULL;

            if (old && old->pa < w->pa + w->size && old->pa + old->size > w->pa)
                old->last = 0;
        }
    }
}

/* `old': the swap that is known at the place, or NULL. */
static void begin_swap(struct swaps *s, const struct code_write *w, uint32_t depth,
                       struct swap *old)
{
    struct swap new = {
        .pa = w->pa, .first = w->stamp, .last = w->stamp, .size = (uint8_t)w->size, .depth = depth};

    memcpy(new.old_bytes, w->old_bytes, w->size);
    memcpy(new.new_bytes, w->new_bytes, w->size);
    if (old) {
        *old = new;
        return;
    }
    if (s->all.len == SWAPS_MAX) { /* a hostile guest: no update has that many instructions */
        s->left_out += s->all.len;
        forget_all(s);
    }
    VEC_PUSH(&s->all, new);
    index_swap(s, s->all.len - 1);
}

void swaps_write(struct swaps *s, const struct code_write *w, uint32_t depth)
{
    bool is_one = is_swap(w);
    struct swap *known = is_one ? swap_at(s, w->pa) : NULL;

    if (is_one)
        s->newest = w->stamp;
    if (known && known->last && known->size == w->size) {
        known->last = w->stamp;
        known->depth = depth;
        memcpy(known->new_bytes, w->new_bytes, w->size);
        return;
    }
    if (s->all.len)
        end_overlapped(s, w);
    if (is_one)
        begin_swap(s, w, depth, known);
}

void swaps_forget(struct swaps *s, uint64_t stamp)
{
    if (s->all.len && s->newest <= stamp)
        forget_all(s);
}

enum {
    INSN_NOP = 0x00000013,
    OPCODE_JAL = 0x6f,
    OPCODE_MASK = 0x7f,
    INSN_C_NOP = 0x0001,
    C_J = 0xa001, /* and C_J_MASK */
    C_J_MASK = 0xe003,
};

/* Whether the instruction reads and writes no register, so that its neighbour does not matter. */
static bool stands_alone(const uint8_t *bytes, unsigned size)
{
    uint32_t word = 0;

    memcpy(&word, bytes, size);
    if (size == 2)
        return word == INSN_C_NOP || word == INSN_C_EBREAK || (word & C_J_MASK) == C_J;
    return word == INSN_NOP || word == INSN_EBREAK || (word & OPCODE_MASK) == OPCODE_JAL;
}

/*
 * Whether the adjacent instruction `other` was swapped, too, since the hart's sync stamp, and the
 * two depend on each other.
 */
static bool is_change_of_both(const struct swap *one, const struct swap *other, uint64_t hart_stamp)
{
    if (!other || other->last <= hart_stamp)
        return false;
    return !stands_alone(one->old_bytes, one->size) || !stands_alone(one->new_bytes, one->size) ||
           !stands_alone(other->old_bytes, other->size) ||
           !stands_alone(other->new_bytes, other->size);
}

/* The swap that ends where this one begins, or NULL. */
static const struct swap *swap_before(const struct swaps *s, const struct swap *swap)
{
    for (unsigned size = 2; size <= 4; size += 2) {
        const struct swap *before = swap_at(s, swap->pa - size);

        if (before && before->size == size)
            return before;
    }
    return NULL;
}

/*
 * A hart that has not fenced since the first of the stores must have fetched the bytes
 * from before it; one that has fenced since may have fetched any version in between.
 */
const struct swap *swaps_find(const struct swaps *s, const struct stale_fetch *f,
                              uint64_t hart_stamp)
{
    const struct swap *swap = swap_at(s, f->pa);

    if (!swap || swap->last != f->stamp || swap->size != f->size)
        return NULL;
    if (f->fetched_before && hart_stamp < swap->first &&
        memcmp(f->old_bytes, swap->old_bytes, swap->size) != 0)
        return NULL;
    if (is_change_of_both(swap, swap_before(s, swap), hart_stamp) ||
        is_change_of_both(swap, swap_at(s, swap->pa + swap->size), hart_stamp))
        return NULL;
    return swap;
}

uint64_t swaps_left_out(const struct swaps *s)
{
    return s->left_out;
}

/* ---- state ---- */

static void swap_io(struct state_io *io, struct swap *s)
{
    STATE_IO_BELOW(io, s->pa, UINT64_MAX);
    STATE_IO(io, s->first);
    STATE_IO(io, s->last);
    STATE_IO_BELOW(io, s->size, sizeof s->old_bytes + 1);
    state_io_bytes(io, s->old_bytes, sizeof s->old_bytes);
    state_io_bytes(io, s->new_bytes, sizeof s->new_bytes);
    STATE_IO(io, s->depth);
}

void swaps_state_io(struct state_io *io, struct swaps *s)
{
    state_io_section(io, "swaps", 2);
    STATE_IO(io, s->newest);
    STATE_IO(io, s->left_out);
    STATE_IO_VEC(io, &s->all, SWAPS_MAX, swap_io);
    if (!io->loading)
        return;
    map_clear(&s->index);
    for (size_t i = 0; i < s->all.len; i++)
        index_swap(s, i);
}
