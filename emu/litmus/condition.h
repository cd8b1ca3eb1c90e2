/*
 * condition.h - final states of a litmus test, and whether its condition holds in them.
 */
#ifndef LITMUS_CONDITION_H
#define LITMUS_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "litmus/image.h"

/* The values of the test's observed places, in their order. */
struct final_state {
    uint64_t *values;
    uint8_t faults; /* harts that have ended with an exception, a bit each */
};

bool condition_holds(const struct test_image *i, const struct condition *c,
                     const struct final_state *s);

/* "0:x5=1; x=2;", as herd writes it; the caller frees it. */
char *final_state_text(const struct test_image *i, const struct final_state *s);

/*
 * The same text for a state that another program has written, with its numbers and the order of
 * the places as in final_state_text: so that equal states have equal texts. NULL: the text is not
 * one of a state, or it lacks a place that the test observes.
 */
char *final_state_normalize(const struct test_image *i, const char *text);

#endif
