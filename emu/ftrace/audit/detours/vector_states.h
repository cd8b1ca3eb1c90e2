/*
 * vector_states.h - what the harts' vector registers were at the begins of detours.
 *
 * The registers are up to four kilobytes, and the kernel changes them rarely: all detours between
 * two vector instructions of a hart have one copy. The newest of a hart's are kept.
 */
#ifndef FTRACE_VECTOR_STATES_H
#define FTRACE_VECTOR_STATES_H

#include <stdint.h>

#include "cpu/hart.h"

struct cluster;
struct state_io;
struct vector_states;

/* The vector unit of a hart at one moment. */
struct kept_vectors {
    uint64_t status; /* hart_status.vectors; 0: none are kept */
    struct hart_vectors state;
    uint8_t *v; /* 32 registers, one after another */
};

/* NULL: the harts have no vector unit; then the other functions must not be called, but free. */
struct vector_states *vector_states_new(const struct cluster *c);
void vector_states_free(struct vector_states *s);

/* Keeps what the hart has now. */
void vector_states_keep(struct vector_states *s, const struct hart *h);

/* What the hart had when its hart_status.vectors was this; NULL: that is not kept any more. */
const struct kept_vectors *vector_states_find(const struct vector_states *s, const struct hart *h,
                                              uint64_t status);

/* Must be called when a program is left by a trap. switches: of tasks, that the hart has made. */
void vector_states_leave_program(struct vector_states *s, const struct hart *h, uint32_t switches);

/*
 * Whether the registers are the only place of that program's vectors: it had changed them, and no
 * vector register was stored since, nor was the task switched.
 */
bool vector_states_are_programs(const struct vector_states *s, const struct hart *h,
                                uint32_t switches);

/* What a hart's unit had, as part of other state. */
void vector_unit_io(struct state_io *io, struct hart_vectors *v);
void vector_states_io(struct state_io *io, struct vector_states *s);

#endif
