/*
 * input.h - what the console has answered since the first snapshot, so that a run that goes on
 * from a snapshot gets the same input at the same moments.
 *
 * Answers that say "nothing" are not kept. When a run goes another way than the one before it,
 * bytes whose moment has passed are given to the guest as soon as it asks.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "machine.h"

struct state_io;

enum input_kind { INPUT_BYTE, INPUT_WAIT };

struct input_answer {
    enum input_kind kind;
    struct moment at;
    uint64_t value; /* the byte, or the cycle at which the wait ended */
};

struct input_log {
    bool on; /* answers are kept */
    VEC_OF(struct input_answer) answers;
    size_t next;  /* of the answers: less than all while a part of the run is repeated */
    bool strayed; /* this is another run than the one that gave the answers from `next` on */
};

void input_log_free(struct input_log *l);

/* The console's `get` and `wait`, or what they answered the first time. */
int input_get(struct input_log *l, const struct console *c, const struct moment *at);
uint64_t input_wait(struct input_log *l, const struct console *c, const struct moment *at,
                    uint64_t until);

/* Saves or restores the position, for a snapshot in this process. */
void input_state_io(struct state_io *io, struct input_log *l);

#endif
