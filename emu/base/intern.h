/*
 * intern.h - strings that are kept once, by number: equal strings have the same number.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A zeroed one is empty. */
struct interned {
    VEC_OF(char) text;   /* of all of them, each with its zero byte */
    VEC_OF(uint64_t) at; /* by number: where it begins in the text */
    uint32_t *slots;     /* by hash: number + 1; 0: empty */
    size_t slot_count;   /* a power of two, or 0 */
};

/*
 * Sets the number of a string. True: it is new, and its number is the count of those before it;
 * there may be UINT32_MAX - 1.
 */
bool intern(struct interned *i, const char *text, uint32_t *number);

/* The string of a number; valid until the next one is new. */
const char *interned_text(const struct interned *i, uint32_t number);

void interned_free(struct interned *i);

#endif
