/*
 * input.h - a log of the console's answers since the first snapshot, so that a run that continues
 * from a snapshot gets the same input at the same moments.
 *
 * Answers without input are not logged. If a repeated run differs from the earlier one, bytes whose
 * moment has passed are given to the guest as soon as it asks for input.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "machine/machine.h"

struct state_io;

enum input_kind { INPUT_BYTE, INPUT_WAIT };

struct input_answer {
    enum input_kind kind;
    struct moment at;
    uint64_t value; /* the byte, or the cycle at which the wait ended */
};

struct input_log {
    bool on; /* answers are logged */
    VEC_OF(struct input_answer) answers;
    size_t next; /* index of the next answer; below the count while a part of the run is repeated */
    /* Up to here the run was run before (machine_repeat_input); there is no other input than then.
     */
    uint64_t known_insns, known_cycles;
    uint64_t taken; /* bytes that the machine has taken since power-on */
    bool strayed; /* this run differs from the one in which the answers from `next` on were given */
};

void input_log_free(struct input_log *l);

/* The console's `get` and `wait`, or their logged answers. */
int input_get(struct input_log *l, const struct console *c, const struct moment *at);
uint64_t input_wait(struct input_log *l, const struct console *c, const struct moment *at,
                    uint64_t until);

/* Saves or restores the position. In a file nothing is saved: the input after a restore is new. */
void input_state_io(struct state_io *io, struct input_log *l);

#endif
