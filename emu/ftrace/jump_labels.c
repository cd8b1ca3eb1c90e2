/*
 * jump_labels.c - see jump_labels.h.
 */
#include "ftrace/jump_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "ftrace/jump_table.h"
#include "load/symbols.h"

/* The instructions at a place: `nop`, and `jal zero` with any offset; never compressed. */
enum { NOP = 0x00000013, JAL_ZERO = 0x0000006f, JAL_ZERO_MASK = 0xfff };

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

    if (view->size < JUMP_LABEL_BYTES)
        return (struct probe_plan){.action = PROBE_IGNORE};
    memcpy(&insn, view->bytes, sizeof insn);
    if ((insn & JAL_ZERO_MASK) == JAL_ZERO)
        state = JUMP_JUMP;
    else if (insn != NOP)
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){.action = PROBE_COUNT,
                               .counter = l->places.at[id].tally[state],
                               .charged_bytes = JUMP_LABEL_BYTES};
}

struct reader {
    struct jump_labels *labels;
    const struct symbols *symbols;
};

static void add(void *ctx, const struct jump_place *at)
{
    const struct reader *r = ctx;
    const struct symbol *function = symbols_function_at(r->symbols, at->va);
    const char *name = symbols_at(r->symbols, at->key, NULL);
    struct place p = {.va = at->va, .pa = at->pa};

    p.function = function ? function->name : "";
    p.key = name ? name : "";
    VEC_PUSH(&r->labels->places, p);
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
    jump_table_read(im, symbols, add, &(struct reader){l, symbols});
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
