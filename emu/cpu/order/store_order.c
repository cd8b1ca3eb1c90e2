/*
 * store_order.c - the list of writes, and the stores that wait in the buffers of harts
 * (store_order_priv.h).
 */
#include "cpu/store_order_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/limits.h"
#include "base/rng.h"
#include "cpu/hart_priv.h"
#include "mem/bus.h"

/* The most instructions for which a store waits. */
enum { STORE_WAITS_MAX = 1024 };

struct store_order *store_order_new(void)
{
    struct store_order *o = xcalloc(1, sizeof *o);

    o->writes = xcalloc(WRITES_KEPT, sizeof *o->writes);
    o->first = o->next = 1;
    return o;
}

static void free_words(struct store_order *o)
{
    size_t count;
    uint64_t *keys = map_keys(&o->words, &count);

    for (size_t i = 0; i < count; i++)
        free(map_get_ptr(&o->words, keys[i]));
    free(keys);
    map_clear(&o->words);
}

void store_order_free(struct store_order *o)
{
    if (!o)
        return;
    free_words(o);
    map_free(&o->words);
    free(o->writes);
    free(o);
}

struct hart_order *hart_order_new(void)
{
    struct hart_order *o = xcalloc(1, sizeof *o);

    o->due = o->held = UINT64_MAX;
    return o;
}

void hart_order_reset(struct hart *h)
{
    struct hart_order *o = h->s.order;

    hart_let_stores_leave(h);
    memset(o->view, 0, sizeof o->view);
    o->csr_view = 0;
    o->next_reads = h->cluster->order->now;
    o->waited = false;
    o->held = UINT64_MAX;
    o->late_pc = 0;
}

void hart_hold_next_store(struct hart *h)
{
    if (h->s.order)
        h->s.order->held = hart_insns(h);
}

void hart_load_late(struct hart *h, uint64_t pc)
{
    if (h->s.order)
        h->s.order->late_pc = pc;
}

/* ---- the list of writes ---- */

struct past_write *store_order_kept(const struct store_order *o, uint64_t number)
{
    return &o->writes[number % WRITES_KEPT];
}

bool store_order_keeps(const struct store_order *o, uint64_t number)
{
    return number >= o->first && number < o->next;
}

struct written_word *store_order_word(const struct store_order *o, uint64_t pa)
{
    return map_get_ptr(&o->words, align_down(pa, 8));
}

static void forget_oldest(struct store_order *o)
{
    const struct past_write *w = store_order_kept(o, o->first);
    struct written_word *word = store_order_word(o, w->pa);

    if (w->place > o->forgotten)
        o->forgotten = w->place;
    if (word && word->newest == o->first) {
        map_remove(&o->words, w->pa);
        free(word);
    }
    o->first++;
}

void store_order_forget(struct cluster *c)
{
    struct store_order *o = c->order;

    while (o->first < o->next)
        forget_oldest(o);
    o->forgotten = o->now;
}

static struct written_word *word_to_write(struct cluster *c, uint64_t pa)
{
    struct store_order *o = c->order;
    struct written_word *word = store_order_word(o, pa);

    if (!word) {
        word = xcalloc(1, sizeof *word + c->harts.len * 8 * sizeof word->seen[0]);
        map_put_ptr(&o->words, pa, word);
    }
    return word;
}

void store_order_add(struct cluster *c, uint64_t pa, unsigned size, const struct past_write *write)
{
    struct store_order *o = c->order;
    uint64_t number = o->next, at = align_down(pa, 8);
    struct past_write *w = store_order_kept(o, number);
    struct written_word *word;

    if (number - o->first == limits.writes_kept)
        forget_oldest(o);
    word = word_to_write(c, at);
    *w = *write;
    w->place = o->now;
    w->pa = at;
    w->mask = bytes_in_word(pa, size);
    w->older = word->newest;
    memcpy(&w->old, ram_host(c->ram, at), sizeof w->old);
    word->newest = number;
    o->next++;
    if (w->hart == WRITER_IS_NO_HART)
        return;
    for (unsigned i = 0; i < 8; i++)
        if (w->mask >> i & 1)
            word->seen[w->hart * 8 + i] = w->place;
}

void store_order_other_write(struct cluster *c, const struct hart *h, uint64_t pa, uint64_t size)
{
    enum { LARGE = 64 };
    const struct past_write write = {.hart = h ? (uint8_t)h->id : WRITER_IS_NO_HART,
                                     .atomic = true};

    c->order->now++;
    if (size > LARGE) {
        store_order_forget(c);
        return;
    }
    while (size) {
        unsigned room = 8 - (unsigned)(pa % 8), piece = size < room ? (unsigned)size : room;

        store_order_add(c, pa, piece, &write);
        pa += piece;
        size -= piece;
    }
}

/* ---- the buffer of a hart ---- */

bool store_order_is_total(const struct hart *h)
{
    return h->cluster->config.extensions & EXTS_Ztso;
}

uint64_t store_order_draw(const struct hart *h, enum choice_kind kind)
{
    struct rng r = {h->cluster->config.stores_seed};

    r.state ^= rng_next(&(struct rng){hart_insns(h)}) + h->id;
    r.state ^= rng_next(&(struct rng){kind});
    return rng_next(&r);
}

static void find_due(struct hart_order *o)
{
    o->due = UINT64_MAX;
    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].due < o->due)
            o->due = o->waiting[i].due;
}

/* The store, which may leave, is the newest write now. */
static void leave(struct hart *h, unsigned at)
{
    struct cluster *c = h->cluster;
    struct hart_order *o = h->s.order;
    struct buffered_store s = o->waiting[at];

    o->count--;
    memmove(&o->waiting[at], &o->waiting[at + 1], (o->count - at) * sizeof s);
    if (s.due == o->due)
        find_due(o);
    if (UNLIKELY(s.kind != WAITS_STORE)) {
        o->late--;
        store_order_leave(h, &s);
        return;
    }
    o->writes = ++c->order->now;
    if (s.acquires && o->next_reads < o->writes)
        o->next_reads = o->writes;
    if (s.acquires || s.releases)
        o->annotated = o->writes;
    store_order_add(c, s.pa, s.size, &(struct past_write){.hart = (uint8_t)h->id, .view = s.view});
    ram_write(c->ram, s.pa, &s.value, s.size, &s.who);
}

/* Whether an sc is after this store by the atomicity axiom: its lr has returned what it stores. */
static bool is_returned_by_lr(const struct buffered_store *store, const struct buffered_store *sc)
{
    return sc->kind == WAITS_CONDITIONAL && store->number <= sc->before_lr &&
           stores_overlap(store, sc->lr_pa, sc->lr_size);
}

/* Whether what waits must leave before what waits after it. */
static bool is_before(const struct hart_order *o, unsigned first, unsigned second)
{
    const struct buffered_store *a = &o->waiting[first], *b = &o->waiting[second];

    if (stores_overlap(a, b->pa, b->size) || (b->lr && a->number == b->lr) ||
        (b->data && a->number == b->data)) /* rules 1, 8 and 10 */
        return true;
    if (is_returned_by_lr(a, b))
        return true;
    if (a->kind != WAITS_LOAD && a->number <= b->after)
        return true;
    return (a->kind == WAITS_LOAD || a->kind == WAITS_AMO) && a->number <= b->after_reads;
}

/* The oldest that must leave before it; itself, if it may leave. */
static unsigned what_must_leave(const struct hart_order *o, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (is_before(o, i, at))
            return i;
    return at;
}

void store_order_let_leave(struct hart *h, unsigned at)
{
    const struct hart_order *o = h->s.order;
    uint64_t number = o->waiting[at].number;

    for (;;) {
        unsigned first = at;

        while (what_must_leave(o, first) != first)
            first = what_must_leave(o, first);
        leave(h, first);
        if (first == at)
            return;
        for (at = 0; o->waiting[at].number != number; at++)
            ;
    }
}

void store_order_let_selected_leave(struct hart *h, selects *is_selected, const struct selection *s)
{
    for (unsigned i = 0; i < h->s.order->count;) {
        if (!is_selected(h, i, s)) {
            i++;
            continue;
        }
        store_order_let_leave(h, i);
        i = 0;
    }
}

static bool overlaps(const struct hart *h, unsigned at, const struct selection *s)
{
    return stores_overlap(&h->s.order->waiting[at], s->pa, s->size);
}

void store_order_let_overlapping_leave(struct hart *h, uint64_t pa, unsigned size)
{
    store_order_let_selected_leave(h, overlaps, &(struct selection){.pa = pa, .size = size});
}

void store_order_let_leave_up_to(struct hart *h, uint64_t number)
{
    const struct hart_order *o = h->s.order;

    while (o->count && o->waiting[0].number <= number)
        leave(h, 0);
}

void hart_let_stores_leave(struct hart *h)
{
    if (h->s.order)
        store_order_let_leave_up_to(h, UINT64_MAX);
}

void cluster_let_stores_leave(struct cluster *c)
{
    for (size_t i = 0; i < c->harts.len; i++)
        hart_let_stores_leave(c->harts.at[i]);
}

void store_order_let_due_leave(struct hart *h, uint64_t insns)
{
    const struct hart_order *o = h->s.order;

    while (o->due <= insns) {
        unsigned at = 0;

        while (o->waiting[at].due > insns)
            at++;
        store_order_let_leave(h, at);
    }
}

/* For how many instructions a store waits at most: in random mode short and long times are alike.
 */
static uint64_t draw_wait(const struct hart *h)
{
    struct rng r = {store_order_draw(h, CHOICE_STORE_LEAVES)};

    if (h->cluster->config.stores == STORES_DELAYED)
        return STORE_WAITS_MAX;
    return rng_below(&r, (UINT64_C(1) << rng_below(&r, 11)) + 1);
}

/* Whether it can be the next to write to memory: loads that must be before it are done first. */
static bool may_leave(const struct hart_order *o, unsigned at)
{
    if (o->waiting[at].kind == WAITS_LOAD)
        return false;
    for (unsigned i = 0; i < at; i++)
        if (o->waiting[i].kind != WAITS_LOAD && is_before(o, i, at))
            return false;
    return true;
}

unsigned hart_stores_that_may_leave(const struct hart *h)
{
    const struct hart_order *o = h->s.order;
    unsigned count = 0;

    for (unsigned i = 0; o && i < o->count; i++)
        count += may_leave(o, i);
    return count;
}

void hart_let_store_leave(struct hart *h, unsigned number)
{
    const struct hart_order *o = h->s.order;

    for (unsigned i = 0; o && i < o->count; i++)
        if (may_leave(o, i) && !number--) {
            store_order_let_leave(h, i);
            return;
        }
    for (unsigned i = 0; o && o->late && i < o->count; i++)
        if (o->waiting[i].kind == WAITS_LOAD && !number--) {
            store_order_let_leave(h, i);
            return;
        }
}

/*
 * The buffer is full: a search chooses among those that may leave; else one leaves, and those that
 * must be before it.
 */
static void make_room(struct hart *h)
{
    const struct chooser *chooser = &h->cluster->config.chooser;
    unsigned count, number = 0;

    if (store_order_is_bounded(chooser)) {
        if (h->cluster->config.stores == STORES_RANDOM)
            number = (unsigned)(store_order_draw(h, CHOICE_STORE_LEAVES) % h->s.order->count);
        store_order_let_leave(h, number);
        return;
    }
    count = hart_stores_that_may_leave(h);
    if (h->cluster->config.stores == STORES_RANDOM && count > 1)
        number = ask_chooser(chooser, CHOICE_STORE_LEAVES, h->id, count, 0);
    hart_let_store_leave(h, number);
}

/* What is no store also keeps the register that it will write, and what orders loads. */
static void set_late(struct hart *h, struct buffered_store *s)
{
    struct hart_order *o = h->s.order;

    o->late++;
    if (s->rd < VIEW_NONE)
        o->unbound |= UINT64_C(1) << s->rd;
    if (s->kind == WAITS_LOAD) {
        s->after = 0;
        s->after_reads = o->reads_before_load;
        s->from = store_order_earliest(h);
    } else if (s->kind == WAITS_AMO && o->reads_before_load > s->after_reads) {
        s->after_reads = o->reads_before_load;
    }
}

/* Whether the seed says when a store of the present instruction leaves. */
static bool leaves_by_itself(const struct hart *h)
{
    return store_order_is_bounded(&h->cluster->config.chooser) &&
           h->cluster->config.stores != STORES_PROMPT && h->s.order->held != hart_insns(h);
}

void store_order_keep(struct hart *h, const struct buffered_store *store)
{
    struct hart_order *o = h->s.order;
    struct buffered_store *s;
    bool data_waits =
        UNLIKELY(o->unbound) && store->kind != WAITS_LOAD && store_order_writer_of(h, o->insn.rs2);

    if (o->count == limits.stores_waiting)
        make_room(h);
    s = &o->waiting[o->count++];
    *s = *store;
    s->after = store_order_is_total(h) || s->releases ? o->number : o->before_store;
    s->after_reads = s->releases ? o->number : o->reads_before_store;
    if (UNLIKELY(o->unbound) && s->kind != WAITS_LOAD)
        s->data = store_order_writer_of(h, o->insn.rs2);
    if (UNLIKELY(data_waits) && !s->data) { /* they came while room was made */
        s->value = h->s.x[o->insn.rs2];
        raise_to(&s->view, o->view[o->insn.rs2]);
    }
    if (UNLIKELY(s->kind != WAITS_STORE))
        set_late(h, s);
    s->number = ++o->number;
    s->due = leaves_by_itself(h) ? hart_insns(h) + draw_wait(h) : UINT64_MAX;
    if (s->due < o->due)
        o->due = s->due;
}

enum store_mode cluster_stores(const struct cluster *c)
{
    return c->config.stores;
}

unsigned hart_waiting_stores(const struct hart *h)
{
    return h->s.order ? h->s.order->count : 0;
}

struct waiting_store hart_waiting_store(const struct hart *h, unsigned number)
{
    const struct buffered_store *s = &h->s.order->waiting[number];

    return (struct waiting_store){.pa = s->pa, .value = s->value, .pc = s->who.pc, .size = s->size};
}

void store_order_overlay(const struct hart *h, uint64_t pa, void *bytes, size_t size)
{
    const struct hart_order *o = h->s.order;

    for (unsigned i = 0; i < o->count; i++) {
        const struct buffered_store *s = &o->waiting[i];
        bool whole = s->pa >= pa && s->pa + s->size <= pa + size;
        uint64_t value = s->value;

        if (s->kind == WAITS_LOAD || s->kind == WAITS_CONDITIONAL || s->data ||
            (s->kind == WAITS_AMO && !whole))
            continue;
        if (s->kind == WAITS_AMO)
            value = store_order_amo(s, (uint8_t *)bytes + (s->pa - pa));
        for (unsigned at = 0; at < s->size; at++)
            if (s->pa + at >= pa && s->pa + at - pa < size)
                ((uint8_t *)bytes)[s->pa + at - pa] = (uint8_t)(value >> 8 * at);
    }
}

bool hart_read(const struct hart *h, uint64_t pa, void *to, size_t len)
{
    if (!bus_read(h->cluster->config.bus, pa, to, len))
        return false;
    if (h->s.order)
        store_order_overlay(h, pa, to, len);
    return true;
}
