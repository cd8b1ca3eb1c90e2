/*
 * intern.c - see intern.h.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/search.h"

static const char *text_of(const struct interned *i, size_t index)
{
    return i->text.at + i->strings.at[index].at;
}

const char *interned_text(const struct interned *i, uint32_t number)
{
    return text_of(i, PARTITION_POINT(n, i->strings.len, i->strings.at[n].number < number));
}

/* The slot of the string, or the empty one for it. */
static uint32_t *slot_of(const struct interned *i, const char *text)
{
    size_t slot = fnv1a(FNV1A_START, (const uint8_t *)text, strlen(text)) & (i->slot_count - 1);

    while (i->slots[slot] && strcmp(text_of(i, i->slots[slot] - 1), text) != 0)
        slot = (slot + 1) & (i->slot_count - 1);
    return &i->slots[slot];
}

static void grow(struct interned *i)
{
    free(i->slots);
    i->slot_count = i->slot_count ? 2 * i->slot_count : 64;
    i->slots = xcalloc(i->slot_count, sizeof *i->slots);
    for (uint32_t index = 0; index < i->strings.len; index++)
        *slot_of(i, text_of(i, index)) = index + 1;
}

bool intern(struct interned *i, const char *text, uint32_t *number)
{
    size_t size = strlen(text) + 1;
    uint32_t *slot;

    if (4 * (i->strings.len + 1) > 3 * i->slot_count)
        grow(i);
    slot = slot_of(i, text);
    if (*slot) {
        *number = i->strings.at[*slot - 1].number;
        return false;
    }
    *number = i->count++;
    VEC_PUSH(&i->strings, ((struct interned_string){i->text.len, *number}));
    *slot = (uint32_t)i->strings.len;
    VEC_RESERVE(&i->text, size);
    memcpy(i->text.at + i->text.len, text, size);
    i->text.len += size;
    return true;
}

uint32_t intern_elsewhere(struct interned *i)
{
    return i->count++;
}

void interned_free(struct interned *i)
{
    VEC_FREE(&i->text);
    VEC_FREE(&i->strings);
    free(i->slots);
    *i = (struct interned){0};
}
