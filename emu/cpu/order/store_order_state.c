/*
 * store_order_state.c - the order of memory in snapshots, and as one number (store_order_priv.h).
 */
#include <stdlib.h>

#include "base/state_io.h"
#include "cpu/hart_priv.h"
#include "cpu/store_order_priv.h"

static void waiting_io(struct state_io *io, struct buffered_store *s)
{
    STATE_IO(io, s->pa);
    STATE_IO(io, s->value);
    STATE_IO_BELOW(io, s->size, 9);
    STATE_IO_BELOW(io, s->kind, WAITS_LOAD + 1);
    STATE_IO_BELOW(io, s->rd, VIEWS);
    STATE_IO_BELOW(io, s->op, OP_COUNT);
    STATE_IO(io, s->is_signed);
    STATE_IO(io, s->acquires);
    STATE_IO(io, s->releases);
    STATE_IO(io, s->reserves);
    STATE_IO(io, s->broken);
    STATE_IO(io, s->data);
    STATE_IO(io, s->lr);
    STATE_IO(io, s->lr_pa);
    STATE_IO_BELOW(io, s->lr_size, 9);
    STATE_IO(io, s->before_lr);
    STATE_IO(io, s->view);
    STATE_IO(io, s->number);
    STATE_IO(io, s->after);
    STATE_IO(io, s->after_reads);
    STATE_IO(io, s->from);
    STATE_IO(io, s->due);
    writer_state_io(io, &s->who);
}

void hart_order_state_io(struct state_io *io, struct hart *h)
{
    struct hart_order *o = h->s.order;

    state_io_section(io, "hart order", 5);
    o->late = 0;
    o->unbound = 0;
    STATE_IO_BELOW(io, o->count, STORES_WAITING_MAX + 1);
    for (unsigned i = 0; i < o->count; i++) {
        waiting_io(io, &o->waiting[i]);
        if (io->loading && !ram_has(h->cluster->ram, o->waiting[i].pa, 8))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        o->late += o->waiting[i].kind != WAITS_STORE;
        if (o->waiting[i].kind != WAITS_STORE && o->waiting[i].rd < VIEW_NONE)
            o->unbound |= UINT64_C(1) << o->waiting[i].rd;
    }
    if (io->error)
        o->count = 0;
    STATE_IO(io, o->number);
    STATE_IO(io, o->due);
    STATE_IO(io, o->before_store);
    STATE_IO(io, o->before_output);
    STATE_IO(io, o->before_input);
    STATE_IO(io, o->reads_before_store);
    STATE_IO(io, o->reads_before_load);
    o->view[VIEW_SINK] = o->view[VIEW_VECTOR] = 0;
    state_io_bytes(io, o->view, sizeof o->view);
    STATE_IO(io, o->csr_view);
    STATE_IO(io, o->reads);
    STATE_IO(io, o->writes);
    STATE_IO(io, o->inputs);
    STATE_IO(io, o->outputs);
    STATE_IO(io, o->annotated);
    STATE_IO(io, o->reservation.holds);
    STATE_IO(io, o->reservation.broken);
    STATE_IO(io, o->reservation.pa);
    STATE_IO_BELOW(io, o->reservation.size, 9);
    STATE_IO(io, o->reservation.before);
    STATE_IO(io, o->reservation.from);
    STATE_IO(io, o->reservation.lr);
    STATE_IO(io, o->next_reads);
    STATE_IO(io, o->seen);
    STATE_IO(io, o->seen_until);
    STATE_IO(io, o->waited);
    STATE_IO(io, o->held);
    STATE_IO(io, o->late_pc);
    STATE_IO(io, o->fetch_floor);
    STATE_IO(io, o->next_fetched);
}

static void write_io(struct state_io *io, struct past_write *w)
{
    STATE_IO(io, w->place);
    STATE_IO(io, w->pa);
    STATE_IO(io, w->old);
    STATE_IO(io, w->view);
    STATE_IO(io, w->older);
    STATE_IO(io, w->mask);
    STATE_IO(io, w->hart);
    STATE_IO(io, w->atomic);
}

/* What harts have seen of the eight bytes of a write, which is kept with the newest one to them. */
static void word_io(struct state_io *io, struct cluster *c, uint64_t number)
{
    struct store_order *o = c->order;
    struct written_word *word = store_order_word(o, store_order_kept(o, number)->pa);
    bool newest = word && word->newest == number;
    size_t bytes = c->harts.len * 8 * sizeof word->seen[0];

    STATE_IO(io, newest);
    if (!newest)
        return;
    if (io->loading && !word) {
        word = xcalloc(1, sizeof *word + bytes);
        map_put_ptr(&o->words, store_order_kept(o, number)->pa, word);
    }
    word->newest = number;
    state_io_bytes(io, word->seen, bytes);
}

void store_order_state_io(struct state_io *io, struct cluster *c)
{
    struct store_order *o = c->order;
    uint64_t first = o->first, count = o->next - o->first;

    state_io_section(io, "store order", 1);
    STATE_IO_SAME(io, WRITES_KEPT);
    if (io->loading)
        store_order_forget(c);
    STATE_IO(io, o->now);
    STATE_IO(io, o->forgotten);
    STATE_IO(io, first);
    STATE_IO_BELOW(io, count, WRITES_KEPT + 1);
    o->first = o->next = first;
    for (uint64_t i = 0; i < count && !io->error; i++) {
        struct past_write *w = store_order_kept(o, first + i);

        write_io(io, w);
        if (w->pa % 8 || !ram_has(c->ram, w->pa, 8) ||
            (w->hart != WRITER_IS_NO_HART && w->hart >= c->harts.len)) {
            state_io_fail(io, STATE_OUT_OF_RANGE);
            return;
        }
        word_io(io, c, first + i);
        o->next++;
    }
}

/* ---- as one number ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9fb21c651e98df25);
    return hash ^ hash >> 32;
}

/* The number of what waits, counted from the newest; 0: it does not wait. */
static uint64_t number_of(const struct hart_order *o, uint64_t number)
{
    return number && o->count && number >= o->waiting[0].number ? o->number - number + 1 : 0;
}

static uint64_t hash_waiting(uint64_t hash, const struct hart_order *o)
{
    for (unsigned i = 0; i < o->count; i++) {
        const struct buffered_store *s = &o->waiting[i];

        hash = mix(mix(mix(hash, s->pa), s->value), s->size);
        hash = mix(mix(hash, s->view), o->number - s->number);
        hash = mix(hash, (uint64_t)s->acquires << 1 | s->releases);
        hash = mix(hash, s->after < o->waiting[0].number ? 0 : s->after - o->waiting[0].number + 1);
        if (s->kind == WAITS_STORE && !o->late)
            continue;
        hash = mix(hash, s->after_reads < o->waiting[0].number
                             ? 0
                             : s->after_reads - o->waiting[0].number + 1);
        hash = mix(mix(hash, (uint64_t)s->kind << 32 | (uint64_t)s->rd << 16 | s->op), s->from);
        hash = mix(hash, (uint64_t)s->is_signed << 2 | (uint64_t)s->acquires << 1 | s->releases);
        hash = mix(mix(hash, s->lr_pa + s->lr_size), number_of(o, s->before_lr));
        hash = mix(mix(mix(hash, number_of(o, s->lr)), number_of(o, s->data)),
                   (uint64_t)s->reserves << 1 | s->broken);
    }
    return mix(hash, o->count);
}

/* How many of the stores that wait are up to this number. */
static uint64_t count_up_to(const struct hart_order *o, uint64_t number)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < o->count; i++)
        count += o->waiting[i].number <= number;
    return count;
}

static uint64_t hash_hart(uint64_t hash, const struct hart *h)
{
    const struct hart_order *o = h->s.order;

    if (h->cluster->config.late_registers && o->reservation.holds) {
        hash = mix(mix(hash, o->reservation.pa + o->reservation.size), o->reservation.from);
        hash = mix(mix(hash, o->reservation.broken), number_of(o, o->reservation.lr));
        hash = mix(hash, number_of(o, o->reservation.before));
    }
    hash = hash_waiting(hash, o);
    hash = mix(hash, count_up_to(o, o->before_store));
    hash = mix(hash, count_up_to(o, o->before_output));
    hash = mix(hash, count_up_to(o, o->before_input));
    if (o->late) {
        hash = mix(hash, count_up_to(o, o->reads_before_store));
        hash = mix(hash, count_up_to(o, o->reads_before_load));
    }
    for (unsigned i = 0; i < VIEW_NONE; i++)
        hash = mix(hash, o->view[i]);
    hash = mix(mix(hash, o->csr_view), o->next_reads);
    hash = mix(mix(hash, o->reads), o->writes);
    hash = mix(mix(hash, o->inputs), o->outputs);
    hash = mix(mix(hash, o->fetch_floor), o->next_fetched);
    return mix(mix(hash, o->annotated), o->waited);
}

uint64_t cluster_store_order_hash(const struct cluster *c)
{
    const struct store_order *o = c->order;
    uint64_t hash = 0;

    if (!o)
        return 0;
    for (uint64_t n = o->first; n < o->next; n++) {
        const struct past_write *w = store_order_kept(o, n);
        const struct written_word *word = store_order_word(o, w->pa);

        hash = mix(mix(mix(hash, w->place), w->pa), w->old);
        hash =
            mix(mix(hash, w->view), (uint64_t)w->mask << 16 | (uint64_t)w->hart << 8 | w->atomic);
        for (size_t i = 0; word && word->newest == n && i < c->harts.len * 8; i++)
            hash = mix(hash, word->seen[i]);
    }
    for (size_t i = 0; i < c->harts.len; i++)
        hash = hash_hart(hash, c->harts.at[i]);
    return mix(hash, o->forgotten);
}
