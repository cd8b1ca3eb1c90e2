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
#include "cpu/hart.h"
#include "ftrace/kernel/image_labels.h"
#include "load/symbols.h"

/* The maximum number of added labels: ids are not reused. */
enum { ADDED_MAX = 1 << 18 };

struct tally {
    uint64_t of[JUMP_STATES][PROBE_TALLY];
};

/* An added label. */
struct place {
    uint64_t va, pa;
    struct tally tally;
    uint32_t probe;
    bool gone;
    char *function, *key, *module;
};

struct jump_labels {
    struct cluster *cluster;
    const struct symbols *symbols;
    const struct image_labels *image;
    struct probe_owner owner;      /* the number of a probe is that of its label */
    struct probe_field field;      /* the probes of the labels of the image */
    VEC_OF(uint32_t) probes;       /* those of them that are planted */
    struct tally *tallies;         /* of the labels of the image */
    VEC_OF(struct place *) places; /* added; allocated one by one, as blocks point to them */
    size_t first_count;            /* labels of the image */
    struct map added; /* physical address of an added place that is not gone -> its index */
    uint64_t left_out;
};

static struct tally *tally_of(const struct jump_labels *l, size_t label)
{
    return label < l->first_count ? &l->tallies[label]
                                  : &l->places.at[label - l->first_count]->tally;
}

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
                               .counter = tally_of(l, id)->of[state],
                               .charged_bytes = JUMP_LABEL_BYTES};
}

static void plant_in_page(void *ctx, uint64_t page)
{
    struct jump_labels *l = ctx;

    for (size_t i = image_labels_from(l->image, page); i < l->first_count; i++) {
        uint64_t pa = image_labels_pa(l->image, i);

        if (pa - page >= PAGE_BYTES)
            break;
        VEC_PUSH(&l->probes, cluster_plant(l->cluster, pa, &l->owner, (uint32_t)i));
    }
}

struct jump_labels *jump_labels_new(struct cluster *c, const struct image_labels *labels,
                                    const struct symbols *symbols)
{
    struct jump_labels *l = xcalloc(1, sizeof *l);

    l->cluster = c;
    l->symbols = symbols;
    l->image = labels;
    l->owner = (struct probe_owner){l, plan, NULL};
    l->field = (struct probe_field){l, plant_in_page};
    l->first_count = image_labels_count(labels);
    l->tallies = xcalloc(l->first_count, sizeof *l->tallies);
    cluster_add_field(c, &l->field);
    return l;
}

static void free_place(struct place *p)
{
    free(p->function);
    free(p->key);
    free(p->module);
    free(p);
}

/* Removes all added places. */
static void drop(struct jump_labels *l)
{
    while (l->places.len) {
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
    drop(l);
    cluster_remove_field(l->cluster, &l->field);
    for (size_t i = 0; i < l->probes.len; i++)
        cluster_uproot(l->cluster, l->probes.at[i]);
    VEC_FREE(&l->probes);
    VEC_FREE(&l->places);
    map_free(&l->added);
    free(l->tallies);
    free(l);
}

/* ---- labels of modules ---- */

static void add(struct jump_labels *l, struct place *p)
{
    size_t index = l->places.len;

    p->probe = CLUSTER_NO_PROBE;
    VEC_PUSH(&l->places, p);
    if (p->gone)
        return;
    p->probe = cluster_plant(l->cluster, p->pa, &l->owner, (uint32_t)(l->first_count + index));
    map_put(&l->added, p->pa, index);
}

void jump_labels_begin(struct jump_labels *l, uint64_t pa, const struct jump_label *label)
{
    struct place *p;

    jump_labels_end(l, pa);
    if (l->places.len == ADDED_MAX) {
        l->left_out++;
        return;
    }
    p = xcalloc(1, sizeof *p);
    p->va = label->va;
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
    l->places.at[id]->gone = true;
    map_remove(&l->added, pa);
}

uint64_t jump_labels_left_out(const struct jump_labels *l)
{
    return l->left_out;
}

size_t jump_labels_count(const struct jump_labels *l)
{
    return l->first_count + l->places.len;
}

static struct jump_label image_label(const struct jump_labels *l, size_t i)
{
    const struct jump_place place = image_labels_get(l->image, i);
    const struct symbol *function = symbols_function_at(l->symbols, place.va);
    const char *key = symbols_at(l->symbols, place.key, NULL);

    return (struct jump_label){
        .va = place.va, .function = function ? function->name : "", .key = key ? key : ""};
}

static struct jump_label added_label(const struct place *p)
{
    return (struct jump_label){
        .va = p->va, .function = p->function, .key = p->key, .module = p->module, .gone = p->gone};
}

void jump_labels_cost(const struct jump_labels *l, size_t i, uint64_t entries[JUMP_STATES],
                      struct site_cost parts[JUMP_STATES])
{
    const struct tally *tally = tally_of(l, i);

    for (unsigned s = 0; s < JUMP_STATES; s++) {
        entries[s] = tally->of[s][TALLY_ENTRIES];
        parts[s] = site_cost_of_tally(tally->of[s]);
    }
}

struct jump_label jump_labels_get(const struct jump_labels *l, size_t i)
{
    struct jump_label result =
        i < l->first_count ? image_label(l, i) : added_label(l->places.at[i - l->first_count]);

    jump_labels_cost(l, i, result.entries, result.parts);
    return result;
}

/* ---- state ---- */

/* Saves or restores a place; a restored one is from xcalloc. */
static void added_io(struct state_io *io, struct place *p)
{
    STATE_IO(io, p->va);
    STATE_IO(io, p->pa);
    STATE_IO(io, p->gone);
    state_io_text(io, &p->function);
    state_io_text(io, &p->key);
    state_io_text(io, &p->module);
}

static void all_added_io(struct state_io *io, struct jump_labels *l)
{
    size_t count = state_io_count(io, l->places.len, ADDED_MAX);
    uint64_t ignored;

    if (io->loading)
        drop(l);
    for (size_t i = 0; i < count; i++) {
        struct place *p = io->loading ? xcalloc(1, sizeof *p) : l->places.at[i];

        added_io(io, p);
        if (!io->loading)
            continue;
        if (p->pa % 2 || (!p->gone && map_get(&l->added, p->pa, &ignored)))
            state_io_fail(io, STATE_OUT_OF_RANGE);
        p->gone |= io->error != STATE_OK;
        add(l, p);
    }
}

void jump_labels_state_io(struct state_io *io, struct jump_labels *l)
{
    state_io_section(io, "jump-labels", 2);
    STATE_IO_SAME(io, l->first_count);
    all_added_io(io, l);
    STATE_IO(io, l->left_out);
    for (size_t i = 0; i < jump_labels_count(l); i++)
        state_io_bytes(io, tally_of(l, i), sizeof(struct tally));
}
