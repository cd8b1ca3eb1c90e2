/*
 * ooo_between.h - loads between stores to the same bytes. A store queue marks the newest store of
 * some bytes, in program order; a load takes them from that one, or from the only older one that
 * it finds. If it finds two and the newest is a younger one, it waits until they are in the cache.
 *
 * The model goes through instructions in program order, so at the load it does not know the
 * younger store. It remembers for each such load how long after its dispatch the younger store
 * issued the last time. State of the machine.
 */
#ifndef TIMING_OOO_BETWEEN_H
#define TIMING_OOO_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

struct state_io;

enum {
    BETWEEN_LOADS = 64,  /* loads that are remembered, by address */
    BETWEEN_WAITING = 4, /* ... that have found two older stores, and no younger one yet */
    BETWEEN_LATER = 128, /* instructions after which no younger store is expected */
    BETWEEN_NEVER = 255, /* no younger store issued in fewer cycles */
};

struct between_load {
    uint64_t pc;
    uint8_t after; /* cycles from the load's dispatch to the issue of the younger store */
    uint8_t unused[7];
};

struct between_waiting {
    uint64_t pc, from, to; /* the load and its bytes */
    uint64_t dispatched;   /* cycle */
    uint64_t end;          /* number of the instruction from which on it is of no interest */
};

struct ooo_between {
    struct between_load loads[BETWEEN_LOADS];
    struct between_waiting waiting[BETWEEN_WAITING]; /* a ring */
    uint64_t next;
    uint64_t end; /* the last `end' of them */
};

void between_reset(struct ooo_between *b); /* power-on */
void between_state_io(struct state_io *io, struct ooo_between *b);

/*
 * Whether a younger store to its bytes has issued before the load, which has found two older ones,
 * reads in cycle `at'.
 */
bool between_is(const struct ooo_between *b, uint64_t pc, uint64_t dispatched, uint64_t at);

/* Such a load: instruction `count', dispatched in that cycle. */
void between_note_load(struct ooo_between *b, const struct between_waiting *load, uint64_t count);

/* A store, instruction `count', which issues in that cycle. */
void between_note_store(struct ooo_between *b, uint64_t from, uint64_t to, uint64_t count,
                        uint64_t issued);

#endif
