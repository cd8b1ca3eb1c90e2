/*
 * map.c - see map.h. Linear probing; removal shifts the run back, so there are
 * no tombstones and a look-up never degrades.
 */
#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"

static const uint64_t EMPTY = UINT64_MAX;

enum { SPARSE = 64 };

static void resize(struct map *m, size_t cap)
{
    struct map old = *m;

    m->cap = cap;
    m->len = 0;
    m->slots = xmalloc(cap * sizeof *m->slots);
    for (size_t i = 0; i < cap; i++)
        m->slots[i].key = EMPTY;
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].key != EMPTY)
            map_put(m, old.slots[i].key, old.slots[i].value);
    free(old.slots);
}

void map_put(struct map *m, uint64_t key, uint64_t value)
{
    struct map_slot *s;

    /*
     * Callers see to it: keys are numbers of pages, addresses of RAM, or sums with a zero bit.
     * Where a guest or a file chooses them, they are compared with it (account.c, state_io_map).
     */
    assert(key != EMPTY);
    if (m->len * 4 >= m->cap * 3)
        resize(m, m->cap ? m->cap * 2 : 16);
    s = map_slot_of(m, key);
    if (s->key == EMPTY)
        m->len++;
    *s = (struct map_slot){key, value};
}

void map_remove(struct map *m, uint64_t key)
{
    struct map_slot *hole, *next;

    if (!m->len)
        return;
    hole = map_slot_of(m, key);
    if (hole->key == EMPTY)
        return;
    m->len--;
    next = hole;
    for (;;) {
        size_t gap, dist;

        next = &m->slots[(size_t)(next - m->slots + 1) & (m->cap - 1)];
        if (next->key == EMPTY)
            break;
        gap = (size_t)(next - hole) & (m->cap - 1);
        dist = (size_t)((size_t)(next - m->slots) - map_home(m, next->key)) & (m->cap - 1);
        if (dist >= gap) {
            *hole = *next;
            hole = next;
        }
    }
    hole->key = EMPTY;
}

void map_clear(struct map *m)
{
    if (!m->len)
        return;
    if (m->len < m->cap / SPARSE) {
        map_free(m); /* otherwise each later map_clear would be slow after one large use */
        return;
    }
    for (size_t i = 0; i < m->cap; i++)
        m->slots[i].key = EMPTY;
    m->len = 0;
}

void map_free(struct map *m)
{
    free(m->slots);
    *m = (struct map){0};
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

uint64_t *map_keys(const struct map *m, size_t *count)
{
    uint64_t *keys = xmalloc((m->len + 1) * sizeof *keys);

    *count = 0;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slots[i].key != EMPTY)
            keys[(*count)++] = m->slots[i].key;
    qsort(keys, *count, sizeof *keys, compare_keys);
    return keys;
}

void *map_get_ptr(const struct map *m, uint64_t key)
{
    uint64_t value;

    return map_get(m, key, &value) ? (void *)(uintptr_t)value : NULL;
}

void map_put_ptr(struct map *m, uint64_t key, void *value)
{
    map_put(m, key, (uint64_t)(uintptr_t)value);
}
