/*
 * resumed_vectors.h - the vector registers of what an interrupt or a fault of a page has
 * interrupted: resumed_tasks.c compares them when it goes on.
 *
 * They are kept only where they are worth something: mstatus.VS is Clean or Dirty. In Initial they
 * are what software says that nothing is in, as after a system call.
 */
#ifndef FTRACE_RESUMED_VECTORS_H
#define FTRACE_RESUMED_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct finding;
struct hart;
struct resumed_vectors;
struct state_io;

/* NULL: the harts have no vector unit; then the other functions must not be called, but free. */
struct resumed_vectors *resumed_vectors_new(const struct cluster *c);
void resumed_vectors_free(struct resumed_vectors *s);

/* A number for what the hart has now, until it is dropped; 0: nothing that is worth keeping. */
uint32_t resumed_vectors_keep(struct resumed_vectors *s, const struct hart *h);
void resumed_vectors_drop(struct resumed_vectors *s, uint32_t number); /* 0: does nothing */

/* What a hart has otherwise. */
struct vectors_lost {
    uint32_t registers; /* v0 to v31 */
    uint32_t state;     /* the unit's own: by place in the table of resumed_vectors.c */
};
struct vectors_lost resumed_vectors_compare(const struct resumed_vectors *s, uint32_t number,
                                            const struct hart *h);

/* Adds the values before and after; of a register its first doubleword that differs. */
void resumed_vectors_add_registers(const struct resumed_vectors *s, uint32_t number,
                                   const struct hart *h, uint32_t registers, struct finding *f);
void resumed_vectors_add_state(const struct resumed_vectors *s, uint32_t number,
                               const struct hart *h, uint32_t state, struct finding *f);

void resumed_vectors_io(struct state_io *io, struct resumed_vectors *s);
/* Whether a number that was loaded is one that was kept. */
bool resumed_vectors_has(const struct resumed_vectors *s, uint32_t number);

#endif
