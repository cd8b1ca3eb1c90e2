/*
 * data_words.h - the words of memory that harts access while data is followed: the last store to
 * each, and the last load of it by each hart.
 *
 * A word has four bytes. When there are as many words as are kept, all of them are forgotten: of
 * what was accessed before, nothing is said any more.
 */
#ifndef FTRACE_DATA_WORDS_H
#define FTRACE_DATA_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "ftrace/audit/order/happens.h"

struct data_words;
struct state_io;

enum { WORD_SHIFT = 2, WORD_BYTES = 1 << WORD_SHIFT };

/* What an access is made in: what a patched instruction leads to, or a patched call or breakpoint.
 */
enum { DETOUR_NONE, DETOUR_ANY, DETOUR_TRACER };

/* Plain data without padding, as it is saved. */
struct data_access {
    uint64_t step; /* instructions of all harts before it */
    uint64_t pc, cycle;
    uint64_t task;    /* tp */
    uint32_t number;  /* of the hart's loads or stores; 0: there is no access */
    uint32_t context; /* the task's, or an interrupt handler's on its stack */
    uint32_t hart;
    uint8_t bytes;      /* of the word, a bit each */
    uint8_t detour;     /* DETOUR_* */
    uint8_t atomic : 1; /* an atomic operation, or with .aq or .rl */
    uint8_t masked : 1; /* no timer could interrupt it */
    uint8_t size;       /* of the whole access */
};

/* A word; pointers are valid until the next call of data_words_at. */
struct data_word {
    struct data_access *store;
    uint64_t *value;           /* that the whole store wrote */
    view_number *view;         /* that the store left */
    struct data_access *loads; /* of each hart */
};

struct data_words *data_words_new(unsigned harts, size_t width);
void data_words_free(struct data_words *w);
void data_words_state_io(struct state_io *io, struct data_words *w);

/* The word at a physical address; if it is not kept, with no accesses. May forget all others. */
void data_words_at(struct data_words *w, uint64_t pa, struct data_word *word);
/* The same if it is kept; false: it is not. */
MUST_USE bool data_words_find(struct data_words *w, uint64_t pa, struct data_word *word);
size_t data_words_count(const struct data_words *w); /* that are kept */
uint64_t data_words_forgotten(const struct data_words *w);

#endif
