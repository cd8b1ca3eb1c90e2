/*
 * key_labels.c - see key_labels.h.
 *
 * A static key begins with the number of its users, an int. Its labels are sorted when they are
 * needed, and not at each one that a module brings.
 */
#include "ftrace/kernel/key_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "ftrace/kernel/image_labels.h"
#include "mem/bus.h"

/* The labels of all modules: more than a kernel has. */
enum { ADDED_MAX = 1 << 18 };

struct key_labels {
    struct cluster *cluster;
    const struct image_labels *image;
    uint32_t *by_key;               /* their numbers in order; NULL: not sorted yet */
    VEC_OF(struct key_label) added; /* of modules, in order of arrival */
    VEC_OF(struct key_label) order; /* the same, sorted; only if is_sorted */
    struct map key_at;              /* half of the physical address of an added one -> its key */
    bool is_sorted;
    size_t incomplete; /* labels with a loader */
    uint64_t left_out;
};

struct key_labels *key_labels_new(struct cluster *c, const struct image_labels *labels)
{
    struct key_labels *k = xcalloc(1, sizeof *k);

    k->cluster = c;
    k->image = labels;
    return k;
}

void key_labels_free(struct key_labels *k)
{
    if (!k)
        return;
    free(k->by_key);
    VEC_FREE(&k->added);
    VEC_FREE(&k->order);
    map_free(&k->key_at);
    free(k);
}

/* ---- labels of modules ---- */

void key_labels_add(struct key_labels *k, const struct jump_place *place, uint64_t loader)
{
    if (k->added.len == ADDED_MAX) {
        k->left_out++;
        return;
    }
    VEC_PUSH(&k->added, ((struct key_label){*place, loader}));
    map_put(&k->key_at, place->pa / 2, place->key);
    k->incomplete += loader != 0;
    k->is_sorted = false;
}

uint64_t key_labels_left_out(const struct key_labels *k)
{
    return k->left_out;
}

void key_labels_remove(struct key_labels *k, uint64_t pa)
{
    size_t kept = 0;

    for (size_t i = 0; i < k->added.len; i++) {
        if (k->added.at[i].place.pa != pa) {
            k->added.at[kept++] = k->added.at[i];
            continue;
        }
        k->incomplete -= k->added.at[i].loader != 0;
        map_remove(&k->key_at, pa / 2);
        k->is_sorted = false;
    }
    k->added.len = kept;
}

void key_labels_complete(struct key_labels *k, uint64_t loader,
                         void (*key)(void *ctx, uint64_t key), void *ctx)
{
    for (size_t i = 0; k->incomplete && loader && i < k->added.len; i++) {
        if (k->added.at[i].loader != loader)
            continue;
        k->added.at[i].loader = 0;
        k->incomplete--;
        k->is_sorted = false;
        key(ctx, k->added.at[i].place.key);
    }
}

uint64_t key_labels_key_at(const struct key_labels *k, uint64_t pa, unsigned size)
{
    uint64_t key;
    size_t label;

    for (uint64_t at = (pa - JUMP_LABEL_BYTES + 2) & ~UINT64_C(1); at < pa + size; at += 2)
        if (map_get(&k->key_at, at / 2, &key))
            return key;
    label = image_labels_find(k->image, pa, size);
    return label == SIZE_MAX ? 0 : image_labels_get(k->image, label).key;
}

/* ---- in order ---- */

static int compare_places(const struct jump_place *x, const struct jump_place *y)
{
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->va > y->va) - (x->va < y->va);
}

static int compare_labels(const void *a, const void *b)
{
    const struct key_label *x = a, *y = b;

    return compare_places(&x->place, &y->place);
}

/* What a label of the image is sorted by, and its number. */
struct sorted {
    uint64_t key, va;
    uint32_t number;
};

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;

    return compare_places(&(struct jump_place){.key = x->key, .va = x->va},
                          &(struct jump_place){.key = y->key, .va = y->va});
}

static void sort_image(struct key_labels *k)
{
    size_t count = image_labels_count(k->image);
    struct sorted *all = xcalloc(count, sizeof *all);

    k->by_key = xcalloc(count, sizeof *k->by_key);
    for (uint32_t i = 0; i < count; i++) {
        const struct jump_place place = image_labels_get(k->image, i);

        all[i] = (struct sorted){place.key, place.va, i};
    }
    sort_unless_sorted(all, count, sizeof *all, compare_sorted);
    for (size_t i = 0; i < count; i++)
        k->by_key[i] = all[i].number;
    free(all);
}

static void sort(struct key_labels *k)
{
    if (!k->by_key)
        sort_image(k);
    if (k->is_sorted)
        return;
    k->order.len = 0;
    for (size_t i = 0; i < k->added.len; i++)
        VEC_PUSH(&k->order, k->added.at[i]);
    sort_unless_sorted(k->order.at, k->order.len, sizeof *k->order.at, compare_labels);
    k->is_sorted = true;
}

size_t key_labels_count(const struct key_labels *k)
{
    return image_labels_count(k->image) + k->added.len;
}

/* The label of the image that is number i in the order of keys. */
static struct key_label image_label(const struct key_labels *k, size_t i)
{
    return (struct key_label){.place = image_labels_get(k->image, k->by_key[i])};
}

/* Calls each() for labels of the image and added ones, from these on, whose key is not above it. */
static void each_from(const struct key_labels *k, size_t i, size_t n, uint64_t key,
                      void (*each)(void *ctx, const struct key_label *l), void *ctx)
{
    size_t count = image_labels_count(k->image);

    while (i < count || n < k->order.len) {
        struct key_label of_image = {0}, *next = n < k->order.len ? &k->order.at[n] : NULL;

        if (i < count) {
            of_image = image_label(k, i);
            if (!next || compare_labels(&of_image, next) <= 0)
                next = &of_image;
        }
        if (next->place.key > key)
            return;
        each(ctx, next);
        i += next == &of_image;
        n += next != &of_image;
    }
}

void key_labels_each(struct key_labels *k, void (*each)(void *ctx, const struct key_label *l),
                     void *ctx)
{
    sort(k);
    each_from(k, 0, 0, UINT64_MAX, each, ctx);
}

void key_labels_of_key(struct key_labels *k, uint64_t key,
                       void (*each)(void *ctx, const struct key_label *l), void *ctx)
{
    sort(k);
    each_from(k,
              PARTITION_POINT(i, image_labels_count(k->image), image_label(k, i).place.key < key),
              PARTITION_POINT(i, k->order.len, k->order.at[i].place.key < key), key, each, ctx);
}

/* ---- what a key demands ---- */

/* Whether the instruction is a jump to the target, or a nop; neither is compressed. */
static bool is_as_demanded(uint32_t word, const struct jump_place *p, bool jumps)
{
    struct insn insn;

    if (!jumps)
        return jump_insn_is_nop(word);
    return insn_decode(word, &insn) && insn.op == OP_jal && !insn.rd &&
           p->va + (uint64_t)(int64_t)insn.imm == p->target;
}

/* Whether the kernel has noted that it does not patch the label any more. */
static bool is_given_up(struct hart *h, const struct jump_place *p)
{
    struct jump_entry e;

    return hart_peek(h, p->entry, &e, sizeof e) && jump_entry_place(&e, p->entry).va == p->va &&
           jump_entry_place(&e, p->entry).init;
}

bool key_label_read(const struct key_labels *k, struct hart *h, const struct key_label *l,
                    struct label_state *state)
{
    const struct jump_place *p = &l->place;
    int32_t count;

    if (!hart_peek(h, p->key, &count, sizeof count) ||
        !bus_read(cluster_bus(k->cluster), p->pa, &state->insn, sizeof state->insn))
        return false;
    state->count = (uint32_t)count;
    state->jumps = (count != 0) != p->branch;
    state->holds = is_as_demanded(state->insn, p, state->jumps);
    return state->holds || !is_given_up(h, p);
}

/* ---- state ---- */

static void label_io(struct state_io *io, struct key_label *l)
{
    STATE_IO(io, l->place.va);
    STATE_IO(io, l->place.pa);
    STATE_IO(io, l->place.key);
    STATE_IO(io, l->place.target);
    STATE_IO(io, l->place.entry);
    STATE_IO(io, l->place.branch);
    STATE_IO(io, l->place.init);
    STATE_IO(io, l->loader);
}

void key_labels_state_io(struct state_io *io, struct key_labels *k)
{
    state_io_section(io, "key-labels", 2);
    STATE_IO(io, k->left_out);
    for (size_t i = 0; io->loading && i < k->added.len; i++)
        map_remove(&k->key_at, k->added.at[i].place.pa / 2);
    STATE_IO_VEC(io, &k->added, ADDED_MAX, label_io);
    if (!io->loading)
        return;
    k->is_sorted = false;
    k->incomplete = 0;
    for (size_t i = 0; i < k->added.len; i++) {
        map_put(&k->key_at, k->added.at[i].place.pa / 2, k->added.at[i].place.key);
        k->incomplete += k->added.at[i].loader != 0;
    }
}
