/*
 * jump_labels.c - see jump_labels.h.
 */
#include "ftrace/jump_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "load/image.h"
#include "load/symbols.h"

/* The instructions at a place: `nop`, and `jal zero` with any offset; never compressed. */
enum { INSN_BYTES = 4, NOP = 0x00000013, JAL_ZERO = 0x0000006f, JAL_ZERO_MASK = 0xfff };

/* Bits of an entry's key that say how its condition was written; the rest is an address. */
enum { KEY_FLAGS = 3 };

/* An entry of __jump_table: distances from the fields themselves. */
struct entry {
    int32_t code, target;
    int64_t key;
};

struct place {
    uint64_t va, pa;
    const char *function, *key;
    uint64_t tally[JUMP_STATES][PROBE_TALLY];
    uint32_t probe;
};

struct jump_labels {
    struct cluster *cluster;
    struct probe_owner owner;
    VEC_OF(struct place) places;
};

/* A nop at first, the jump, or, once init memory was freed, something else. */
static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_view *view)
{
    struct jump_labels *l = ctx;
    uint32_t insn;
    enum jump_state state = JUMP_NOP;

    if (view->size < INSN_BYTES)
        return (struct probe_plan){.action = PROBE_IGNORE};
    memcpy(&insn, view->bytes, sizeof insn);
    if ((insn & JAL_ZERO_MASK) == JAL_ZERO)
        state = JUMP_JUMP;
    else if (insn != NOP)
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){.action = PROBE_COUNT,
                               .counter = l->places.at[id].tally[state],
                               .charged_bytes = INSN_BYTES};
}

static void add(struct jump_labels *l, const struct image *im, const struct symbols *symbols,
                uint64_t at, const struct entry *e)
{
    uint64_t key = at + offsetof(struct entry, key) + (uint64_t)e->key;
    struct place p = {.va = at + (uint64_t)(int64_t)e->code};
    const struct symbol *function = symbols_function_at(symbols, p.va);
    const char *name = symbols_at(symbols, key & ~(uint64_t)KEY_FLAGS, NULL);

    if (p.va % 2 || !image_is_text(im, p.va, INSN_BYTES) || !image_va_to_pa(im, p.va, &p.pa))
        return;
    p.function = function ? function->name : "";
    p.key = name ? name : "";
    VEC_PUSH(&l->places, p);
}

static void read_table(struct jump_labels *l, const struct image *im, const struct symbols *symbols)
{
    uint64_t at, stop;
    struct entry e;

    if (!symbols_find(symbols, "__start___jump_table", &at) ||
        !symbols_find(symbols, "__stop___jump_table", &stop))
        return;
    for (; at < stop && stop - at >= sizeof e && image_read(im, at, &e, sizeof e); at += sizeof e)
        add(l, im, symbols, at, &e);
}

static int compare_va(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->va > y->va) - (x->va < y->va);
}

/* Entries of one address, of which a sound image has none, would be counted twice. */
static void put_in_order(struct jump_labels *l)
{
    size_t kept = 0;

    if (l->places.len)
        qsort(l->places.at, l->places.len, sizeof *l->places.at, compare_va);
    for (size_t i = 0; i < l->places.len; i++)
        if (!kept || l->places.at[i].va != l->places.at[kept - 1].va)
            l->places.at[kept++] = l->places.at[i];
    l->places.len = kept;
}

struct jump_labels *jump_labels_new(struct cluster *c, const struct image *im,
                                    const struct symbols *symbols)
{
    struct jump_labels *l = xcalloc(1, sizeof *l);

    l->cluster = c;
    l->owner = (struct probe_owner){l, plan, NULL};
    read_table(l, im, symbols);
    put_in_order(l);
    for (uint32_t i = 0; i < l->places.len; i++)
        l->places.at[i].probe = cluster_plant(c, l->places.at[i].pa, &l->owner, i);
    return l;
}

void jump_labels_free(struct jump_labels *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->places.len; i++)
        cluster_uproot(l->cluster, l->places.at[i].probe);
    VEC_FREE(&l->places);
    free(l);
}

size_t jump_labels_count(const struct jump_labels *l)
{
    return l->places.len;
}

struct jump_label jump_labels_get(const struct jump_labels *l, size_t i)
{
    const struct place *p = &l->places.at[i];
    struct jump_label result = {.va = p->va, .function = p->function, .key = p->key};

    for (unsigned s = 0; s < JUMP_STATES; s++) {
        result.entries[s] = p->tally[s][TALLY_ENTRIES];
        result.parts[s] = site_cost_of_tally(p->tally[s]);
    }
    return result;
}

void jump_labels_state_io(struct state_io *io, struct jump_labels *l)
{
    state_io_section(io, "jump-labels", 1);
    STATE_IO_SAME(io, l->places.len);
    for (size_t i = 0; i < l->places.len; i++)
        state_io_bytes(io, l->places.at[i].tally, sizeof l->places.at[i].tally);
}
