/*
 * list_phase.h - whether sites change only while the trampoline calls a tracer that may be called
 * for them.
 *
 * A tracer that the trampoline calls directly is called for all sites that are on, whatever its
 * filter is. So an update that ends with another tracer has to begin with the one that goes through
 * the list of ops and compares filters, unless all harts are stopped meanwhile.
 */
#ifndef FTRACE_LIST_PHASE_H
#define FTRACE_LIST_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

struct audit;
struct lock_event;
struct state_io;

struct list_phase {
    bool changed; /* a site, in this update, while the trampoline called `tracer' */
    uint32_t site;
    uint64_t tracer;
    struct writer who;
};

/* Must be called after a store to the site of a function. */
void list_phase_store(struct audit *a, struct list_phase *p, uint32_t site,
                      const struct code_write *w);

/* Must be called when a hart is about to release the kernel's ftrace_lock. */
void list_phase_end(struct audit *a, struct list_phase *p, const struct lock_event *lock);

void list_phase_state_io(struct state_io *io, struct list_phase *p, const struct audit *a);

#endif
