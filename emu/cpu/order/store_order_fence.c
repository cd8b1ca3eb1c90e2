/*
 * store_order_fence.c - fences, and the places of fetches in the order of memory
 * (store_order_priv.h).
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/store_order_priv.h"

/* ---- fetches ---- */

unsigned store_order_versions(const struct hart *h, uint64_t pa, struct code_version *versions)
{
    const struct store_order *order = h->cluster->order;
    const struct written_word *word = store_order_word(order, pa);
    const unsigned mask = bytes_in_word(pa, 4);
    uint64_t number = word ? word->newest : 0, value;
    unsigned count = 1;

    memcpy(&value, ram_host(h->cluster->ram, align_down(pa, 8)), sizeof value);
    versions[0].bytes = (uint32_t)(value >> 8 * (pa % 8));
    while (store_order_keeps(order, number) && count < CODE_VERSIONS_MAX) {
        const struct past_write *w = store_order_kept(order, number);

        if (w->place <= h->s.order->fetch_floor)
            break;
        number = w->older;
        value = w->old;
        if (!(w->mask & mask))
            continue;
        versions[count - 1].stamp = w->place;
        versions[count++].bytes = (uint32_t)(value >> 8 * (pa % 8));
    }
    versions[count - 1].stamp = 0;
    return count;
}

void store_order_fetched(struct hart *h, uint64_t place, bool in_order)
{
    struct hart_order *o = h->s.order;

    raise_to(&o->next_fetched, place);
    if (!in_order)
        return;
    raise_to(&o->fetch_floor, place);
    raise_to(&o->next_reads, place);
}

static bool is_in_code(const struct hart *h, unsigned at, const struct selection *s)
{
    (void)s;
    return ram_page_at(h->cluster->ram, h->s.order->waiting[at].pa)->flags & RAM_PAGE_CODE;
}

void store_order_fence_i(struct hart *h, bool own)
{
    struct hart_order *o = h->s.order;

    if (h->cluster->config.fetch == FETCH_APART) {
        store_order_let_selected_leave(h, is_in_code, NULL);
        return;
    }
    hart_let_stores_leave(h);
    raise_to(&o->fetch_floor, own ? later(o->reads, o->writes) : h->cluster->order->now);
    raise_to(&o->next_reads, o->fetch_floor);
}

void store_order_let_page_leave(struct cluster *c, uint64_t pa)
{
    for (size_t i = 0; i < c->harts.len; i++)
        store_order_let_overlapping_leave(c->harts.at[i], align_down(pa, PAGE_BYTES), PAGE_BYTES);
}

/* ---- fences: rule 4 ---- */

enum { SET_W = 1, SET_R = 2, SET_O = 4, SET_I = 8 };
enum { SUCC_SHIFT = 0, PRED_SHIFT = 4, FM_SHIFT = 8, SET_MASK = 15, FM_TSO = 8 };

/* Loads and AMOs that wait; before all that may follow they need not wait any longer. */
static void order_late_reads(struct hart *h, unsigned succ)
{
    struct hart_order *o = h->s.order;

    if ((succ & (SET_R | SET_W)) == (SET_R | SET_W) || succ & (SET_I | SET_O))
        store_order_let_readers_leave(h, UINT64_MAX);
    if (succ & SET_W)
        o->reads_before_store = o->number;
    if (succ & SET_R)
        o->reads_before_load = o->number;
}

/* For the sets PRED and SUCC, of loads and stores of memory, and of input and output. */
static void order_sets(struct hart *h, unsigned pred, unsigned succ)
{
    struct hart_order *o = h->s.order;

    if (UNLIKELY(o->late) && pred & SET_R)
        order_late_reads(h, succ);
    if (pred & SET_W && succ & SET_W)
        o->before_store = o->number;
    if (pred & SET_W && succ & SET_O)
        o->before_output = o->number;
    if (pred & SET_W && succ & SET_I)
        o->before_input = o->number;
    if (!(succ & SET_R))
        return;
    if (pred & SET_W) {
        store_order_let_writers_leave(h);
        raise_to(&o->next_reads, o->writes);
    }
    if (pred & SET_R)
        raise_to(&o->next_reads, o->reads);
    if (pred & SET_I)
        raise_to(&o->next_reads, o->inputs);
    if (pred & SET_O)
        raise_to(&o->next_reads, o->outputs);
}

void store_order_fence(struct hart *h, const struct uop *u)
{
    unsigned sets = (unsigned)u->imm, pred = sets >> PRED_SHIFT & SET_MASK,
             succ = sets >> SUCC_SHIFT & SET_MASK;

    if (sets >> FM_SHIFT == FM_TSO && pred == (SET_R | SET_W) && succ == (SET_R | SET_W)) {
        order_sets(h, SET_R | SET_W, SET_W);
        order_sets(h, SET_R, SET_R);
        return;
    }
    order_sets(h, pred, succ);
}
