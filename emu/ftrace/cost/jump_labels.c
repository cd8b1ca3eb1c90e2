/*
 * jump_labels.c - see jump_labels.h.
 */
#include "ftrace/cost/jump_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "ftrace/kernel/jump_table.h"
#include "load/symbols.h"

/* The maximum number of added labels: ids are not reused. */
enum { ADDED_MAX = 1 << 18 };

struct place {
    struct jump_label label; /* its entries and parts are computed from `tally` */
    uint64_t pa;
    uint64_t tally[JUMP_STATES][PROBE_TALLY];
    uint32_t probe;
    char *function, *key, *module; /* of an added one: its names */
};

struct jump_labels {
    struct cluster *cluster;
    struct probe_owner owner;
    VEC_OF(struct place *) places; /* allocated one by one, as blocks point to them */
    size_t first_count;            /* places of the image */
    struct map added; /* physical address of an added place that is not gone -> its index */
    uint64_t left_out;
};

/*
 * Plans the probe by the instruction: the nop, the jump, or other code, once init memory was freed.
 */
static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_code *code)
{
    struct jump_labels *l = ctx;
    uint32_t insn;
    enum jump_state state = JUMP_NOP;

    if (code->size < JUMP_LABEL_BYTES)
        return (struct probe_plan){.action = PROBE_IGNORE};
    memcpy(&insn, code->bytes, sizeof insn);
    if (jump_insn_is_jump(insn))
        state = JUMP_JUMP;
    else if (!jump_insn_is_nop(insn))
        return (struct probe_plan){.action = PROBE_IGNORE};
    return (struct probe_plan){.action = PROBE_COUNT,
                               .counter = l->places.at[id]->tally[state],
                               .charged_bytes = JUMP_LABEL_BYTES};
}

struct reader {
    struct jump_labels *labels;
    const struct symbols *symbols;
};

static void read_place(void *ctx, const struct jump_place *at)
{
    const struct reader *r = ctx;
    const struct symbol *function = symbols_function_at(r->symbols, at->va);
    const char *key = symbols_at(r->symbols, at->key, NULL);
    struct place *p = xcalloc(1, sizeof *p);

    p->label.va = at->va;
    p->label.function = function ? function->name : "";
    p->label.key = key ? key : "";
    p->pa = at->pa;
    VEC_PUSH(&r->labels->places, p);
}

static int compare_va(const void *a, const void *b)
{
    const struct place *const *x = a, *const *y = b;

    return ((*x)->label.va > (*y)->label.va) - ((*x)->label.va < (*y)->label.va);
}

static void free_place(struct place *p)
{
    free(p->function);
    free(p->key);
    free(p->module);
    free(p);
}

/*
 * Removes further entries of one address, which a sound image does not have: they would be counted
 * twice.
 */
static void put_in_order(struct jump_labels *l)
{
    size_t kept = 0;

    if (l->places.len)
        qsort(l->places.at, l->places.len, sizeof *l->places.at, compare_va);
    for (size_t i = 0; i < l->places.len; i++)
        if (!kept || l->places.at[i]->label.va != l->places.at[kept - 1]->label.va)
            l->places.at[kept++] = l->places.at[i];
        else
            free_place(l->places.at[i]);
    l->places.len = kept;
}

static void plant(struct jump_labels *l, uint32_t id)
{
    l->places.at[id]->probe = cluster_plant(l->cluster, l->places.at[id]->pa, &l->owner, id);
}

struct jump_labels *jump_labels_new(struct cluster *c, const struct image *im,
                                    const struct symbols *symbols)
{
    struct jump_labels *l = xcalloc(1, sizeof *l);

    l->cluster = c;
    l->owner = (struct probe_owner){l, plan, NULL};
    jump_table_read(im, symbols, read_place, &(struct reader){l, symbols});
    put_in_order(l);
    l->first_count = l->places.len;
    for (uint32_t i = 0; i < l->places.len; i++)
        plant(l, i);
    return l;
}

/* Removes all places but the first `count`. */
static void drop(struct jump_labels *l, size_t count)
{
    while (l->places.len > count) {
        struct place *p = l->places.at[--l->places.len];

        cluster_uproot(l->cluster, p->probe);
        free_place(p);
    }
    map_clear(&l->added);
}

void jump_labels_free(struct jump_labels *l)
{
    if (!l)
        return;
    drop(l, 0);
    VEC_FREE(&l->places);
    map_free(&l->added);
    free(l);
}

/* ---- labels of modules ---- */

static void name_place(struct place *p)
{
    p->label.function = p->function;
    p->label.key = p->key;
    p->label.module = p->module;
}

static void add(struct jump_labels *l, struct place *p)
{
    uint32_t id = (uint32_t)l->places.len;

    name_place(p);
    p->probe = CLUSTER_NO_PROBE;
    VEC_PUSH(&l->places, p);
    if (p->label.gone)
        return;
    plant(l, id);
    map_put(&l->added, p->pa, id);
}

void jump_labels_begin(struct jump_labels *l, uint64_t pa, const struct jump_label *label)
{
    struct place *p;

    jump_labels_end(l, pa);
    if (l->places.len - l->first_count == ADDED_MAX) {
        l->left_out++;
        return;
    }
    p = xcalloc(1, sizeof *p);
    p->label.va = label->va;
    p->pa = pa;
    p->function = xstrdup(label->function);
    p->key = xstrdup(label->key);
    p->module = xstrdup(label->module);
    add(l, p);
}

void jump_labels_end(struct jump_labels *l, uint64_t pa)
{
    uint64_t id;

    if (!map_get(&l->added, pa, &id)) /* there is no such label, or it was left out */
        return;
    cluster_uproot(l->cluster, l->places.at[id]->probe);
    l->places.at[id]->probe = CLUSTER_NO_PROBE;
    l->places.at[id]->label.gone = true;
    map_remove(&l->added, pa);
}

uint64_t jump_labels_left_out(const struct jump_labels *l)
{
    return l->left_out;
}

size_t jump_labels_count(const struct jump_labels *l)
{
    return l->places.len;
}

struct jump_label jump_labels_get(const struct jump_labels *l, size_t i)
{
    const struct place *p = l->places.at[i];
    struct jump_label result = p->label;

    for (unsigned s = 0; s < JUMP_STATES; s++) {
        result.entries[s] = p->tally[s][TALLY_ENTRIES];
        result.parts[s] = site_cost_of_tally(p->tally[s]);
    }
    return result;
}

/* ---- state ---- */

/* Saves or restores a place; a restored one is from xcalloc. */
static void added_io(struct state_io *io, struct place *p)
{
    STATE_IO(io, p->label.va);
    STATE_IO(io, p->pa);
    STATE_IO(io, p->label.gone);
    state_io_text(io, &p->function);
    state_io_text(io, &p->key);
    state_io_text(io, &p->module);
}

static void all_added_io(struct state_io *io, struct jump_labels *l)
{
    size_t count = state_io_count(io, l->places.len - l->first_count, ADDED_MAX);
    uint64_t ignored;

    if (io->loading)
        drop(l, l->first_count);
    for (size_t i = 0; i < count; i++) {
        struct place *p = io->loading ? xcalloc(1, sizeof *p) : l->places.at[l->first_count + i];

        added_io(io, p);
        if (!io->loading)
            continue;
        if (p->pa % 2 || (!p->label.gone && map_get(&l->added, p->pa, &ignored)))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        p->label.gone |= io->error != STATE_OK;
        add(l, p);
    }
}

void jump_labels_state_io(struct state_io *io, struct jump_labels *l)
{
    state_io_section(io, "jump-labels", 2);
    STATE_IO_SAME(io, l->first_count);
    all_added_io(io, l);
    STATE_IO(io, l->left_out);
    for (size_t i = 0; i < l->places.len; i++)
        state_io_bytes(io, l->places.at[i]->tally, sizeof l->places.at[i]->tally);
}
