/*
 * jump_table.c - see jump_table.h.
 */
#include "ftrace/jump_table.h"

#include <stddef.h>

#include "load/image.h"
#include "load/symbols.h"

/* Bits of an entry's key that say how its condition was written; the rest is an address. */
enum { KEY_FLAGS = 3 };

/* An entry of __jump_table: distances from the fields themselves. */
struct entry {
    int32_t code, target;
    int64_t key;
};

void jump_table_read(const struct image *im, const struct symbols *symbols,
                     void (*add)(void *ctx, const struct jump_place *place), void *ctx)
{
    uint64_t at, stop;
    struct entry e;

    if (!symbols_find(symbols, "__start___jump_table", &at) ||
        !symbols_find(symbols, "__stop___jump_table", &stop))
        return;
    for (; at < stop && stop - at >= sizeof e && image_read(im, at, &e, sizeof e); at += sizeof e) {
        uint64_t key = at + offsetof(struct entry, key) + (uint64_t)e.key;
        struct jump_place p = {.va = at + (uint64_t)(int64_t)e.code,
                               .key = key & ~(uint64_t)KEY_FLAGS};

        if (p.va % 2 == 0 && image_is_text(im, p.va, JUMP_LABEL_BYTES) &&
            image_va_to_pa(im, p.va, &p.pa))
            add(ctx, &p);
    }
}
