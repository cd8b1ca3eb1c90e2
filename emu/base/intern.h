/*
 * intern.h - strings that are kept once, by number: equal strings have the same number. Numbers can
 * also be taken for strings that somebody else has.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct interned_string {
    uint64_t at; /* where it begins in the text */
    uint32_t number;
};

/* A zeroed one is empty. */
struct interned {
    VEC_OF(char) text;                      /* of all of them, each with its zero byte */
    VEC_OF(struct interned_string) strings; /* in the order of their numbers */
    uint32_t *slots;                        /* by hash: an index of strings + 1; 0: empty */
    size_t slot_count;                      /* a power of two, or 0 */
    uint32_t count;                         /* the numbers that were given */
};

/*
 * Sets the number of a string. True: it is new, and its number is the count of numbers before it;
 * there may be UINT32_MAX - 1.
 */
bool intern(struct interned *i, const char *text, uint32_t *number);

/* Gives the next number to a string that is not kept: intern does not find it. */
uint32_t intern_elsewhere(struct interned *i);

/* The string of a number that intern has set; valid until the next one is new. */
const char *interned_text(const struct interned *i, uint32_t number);

void interned_free(struct interned *i);

#endif
