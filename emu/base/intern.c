/*
 * intern.c - see intern.h.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

const char *interned_text(const struct interned *i, uint32_t number)
{
    return i->text.at + i->at.at[number];
}

/* The slot of the string, or the empty one for it. */
static uint32_t *slot_of(const struct interned *i, const char *text)
{
    size_t slot = fnv1a(FNV1A_START, (const uint8_t *)text, strlen(text)) & (i->slot_count - 1);

    while (i->slots[slot] && strcmp(interned_text(i, i->slots[slot] - 1), text) != 0)
        slot = (slot + 1) & (i->slot_count - 1);
    return &i->slots[slot];
}

static void grow(struct interned *i)
{
    free(i->slots);
    i->slot_count = i->slot_count ? 2 * i->slot_count : 64;
    i->slots = xcalloc(i->slot_count, sizeof *i->slots);
    for (uint32_t number = 0; number < i->at.len; number++)
        *slot_of(i, interned_text(i, number)) = number + 1;
}

bool intern(struct interned *i, const char *text, uint32_t *number)
{
    size_t size = strlen(text) + 1;
    uint32_t *slot;

    if (4 * (i->at.len + 1) > 3 * i->slot_count)
        grow(i);
    slot = slot_of(i, text);
    if (*slot) {
        *number = *slot - 1;
        return false;
    }
    *number = (uint32_t)i->at.len;
    *slot = *number + 1;
    VEC_PUSH(&i->at, i->text.len);
    VEC_RESERVE(&i->text, size);
    memcpy(i->text.at + i->text.len, text, size);
    i->text.len += size;
    return true;
}

void interned_free(struct interned *i)
{
    VEC_FREE(&i->text);
    VEC_FREE(&i->at);
    free(i->slots);
    *i = (struct interned){0};
}
