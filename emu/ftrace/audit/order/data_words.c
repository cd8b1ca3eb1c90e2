/*
 * data_words.c - see data_words.h.
 */
#include "ftrace/audit/order/data_words.h"

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"

/* Bytes of the host's memory for all words, and the most words. */
enum { BYTES_MAX = 48 << 20, WORDS_MAX = 1 << 17 };

struct data_words {
    unsigned harts;
    size_t width, max;
    struct map index; /* word number -> its place in the arrays */
    VEC_OF(struct data_access) stores;
    VEC_OF(uint64_t) values;
    VEC_OF(view_number) views;
    VEC_OF(struct data_access) loads;
    uint64_t forgotten;
};

_Static_assert(sizeof(struct data_access) == 48, "it is saved as it is");

struct data_words *data_words_new(unsigned harts, size_t width)
{
    struct data_words *w = xcalloc(1, sizeof *w);

    w->harts = harts;
    w->width = width;
    w->max = BYTES_MAX / (sizeof(struct data_access) * (harts + 1) + sizeof(uint64_t) +
                          width * sizeof(view_number));
    w->max = w->max < WORDS_MAX ? w->max : WORDS_MAX;
    return w;
}

void data_words_free(struct data_words *w)
{
    if (!w)
        return;
    map_free(&w->index);
    VEC_FREE(&w->stores);
    VEC_FREE(&w->values);
    VEC_FREE(&w->views);
    VEC_FREE(&w->loads);
    free(w);
}

static size_t add_word(struct data_words *w, uint64_t number)
{
    size_t at = w->stores.len;

    VEC_PUSH(&w->stores, (struct data_access){0});
    VEC_PUSH(&w->values, 0);
    for (size_t i = 0; i < w->width; i++)
        VEC_PUSH(&w->views, 0);
    for (unsigned i = 0; i < w->harts; i++)
        VEC_PUSH(&w->loads, (struct data_access){0});
    map_put(&w->index, number, at);
    return at;
}

static void forget(struct data_words *w)
{
    w->forgotten += w->stores.len;
    map_clear(&w->index);
    w->stores.len = w->values.len = w->views.len = w->loads.len = 0;
}

static void fill_word(struct data_words *w, uint64_t at, struct data_word *word)
{
    *word = (struct data_word){&w->stores.at[at], &w->values.at[at], &w->views.at[at * w->width],
                               &w->loads.at[at * w->harts]};
}

bool data_words_find(struct data_words *w, uint64_t pa, struct data_word *word)
{
    uint64_t at;

    if (!map_get(&w->index, pa >> WORD_SHIFT, &at))
        return false;
    fill_word(w, at, word);
    return true;
}

void data_words_at(struct data_words *w, uint64_t pa, struct data_word *word)
{
    uint64_t at;

    if (!map_get(&w->index, pa >> WORD_SHIFT, &at)) {
        if (w->stores.len == w->max)
            forget(w);
        at = add_word(w, pa >> WORD_SHIFT);
    }
    fill_word(w, at, word);
}

size_t data_words_count(const struct data_words *w)
{
    return w->stores.len;
}

uint64_t data_words_forgotten(const struct data_words *w)
{
    return w->forgotten;
}

void data_words_state_io(struct state_io *io, struct data_words *w)
{
    state_io_section(io, "data-words", 1);
    STATE_IO_SAME(io, w->harts);
    state_io_map(io, &w->index);
    STATE_IO_PLAIN_VEC(io, &w->stores, w->max);
    STATE_IO_PLAIN_VEC(io, &w->values, w->max);
    STATE_IO_PLAIN_VEC(io, &w->views, w->max * w->width);
    STATE_IO_PLAIN_VEC(io, &w->loads, w->max * w->harts);
    STATE_IO(io, w->forgotten);
    if (w->index.len != w->stores.len || w->values.len != w->stores.len ||
        w->views.len != w->stores.len * w->width || w->loads.len != w->stores.len * w->harts)
        state_io_fail(io, STATE_OUT_OF_RANGE);
}
