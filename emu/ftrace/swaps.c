/*
 * swaps.c - see swaps.h.
 */
#include "ftrace/swaps.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/decode.h"
#include "cpu/observer.h"

/* A kernel of today has 60,000 sites, all of which one update may change before any fence. */
enum { SWAPS_MAX = 1 << 18 };

struct swaps {
    VEC_OF(struct swap) all;
    struct map index; /* pa -> its swap */
    uint64_t newest;  /* stamp of the last store that was a swap */
};

struct swaps *swaps_new(void)
{
    return xcalloc(1, sizeof(struct swaps));
}

static void forget_all(struct swaps *s)
{
    VEC_FREE(&s->all);
    map_free(&s->index);
}

void swaps_free(struct swaps *s)
{
    if (!s)
        return;
    forget_all(s);
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

static struct swap *swap_at(const struct swaps *s, uint64_t pa)
{
    uint64_t index;

    return map_get(&s->index, pa, &index) ? &s->all.at[index] : NULL;
}

/* An instruction of which the store changes a part, or more than it, is swapped no more. */
static void end_overlapped(struct swaps *s, const struct code_write *w)
{
    for (uint64_t pa = (w->pa & ~UINT64_C(1)) - 2; pa < w->pa + w->size; pa += 2) {
        struct swap *old = swap_at(s, pa);

        if (old && pa + old->size > w->pa)
            old->last = 0;
    }
}

static void begin_swap(struct swaps *s, const struct code_write *w, uint32_t depth)
{
    struct swap new = {.pa = w->pa,
                       .first = w->stamp,
                       .last = w->stamp,
                       .size = (uint8_t)w->size,
                       .depth = depth},
                *old = swap_at(s, w->pa);

    memcpy(new.old_bytes, w->old_bytes, w->size);
    memcpy(new.new_bytes, w->new_bytes, w->size);
    if (old) {
        *old = new;
        return;
    }
    if (s->all.len == SWAPS_MAX) /* hostile: no update has as many instructions */
        forget_all(s);
    map_put(&s->index, w->pa, s->all.len);
    VEC_PUSH(&s->all, new);
}

void swaps_write(struct swaps *s, const struct code_write *w, uint32_t depth)
{
    struct swap *known = swap_at(s, w->pa);

    if (is_swap(w))
        s->newest = w->stamp;
    if (is_swap(w) && known && known->last && known->size == w->size) {
        known->last = w->stamp;
        known->depth = depth;
        memcpy(known->new_bytes, w->new_bytes, w->size);
        return;
    }
    end_overlapped(s, w);
    if (is_swap(w))
        begin_swap(s, w, depth);
}

void swaps_forget(struct swaps *s, uint64_t stamp)
{
    if (s->all.len && s->newest <= stamp)
        forget_all(s);
}

static bool is_auipc(const uint8_t *bytes)
{
    return (bytes[0] & 0x7f) == 0x17;
}

/* Whether `first` is an auipc and both it and the next instruction are news to such a hart. */
static bool is_half_of_pair(const struct swaps *s, const struct swap *first, uint64_t hart_stamp)
{
    const struct swap *second;

    if (!first || first->size != 4 || first->last <= hart_stamp ||
        (!is_auipc(first->old_bytes) && !is_auipc(first->new_bytes)))
        return false;
    second = swap_at(s, first->pa + 4);
    return second && second->last > hart_stamp;
}

/*
 * A hart that has not fenced since before the first of the stores must have had what
 * was there before it; one that has fenced since has had some version in between.
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
    if (is_half_of_pair(s, swap, hart_stamp) ||
        is_half_of_pair(s, swap_at(s, f->pa - 4), hart_stamp))
        return NULL;
    return swap;
}
