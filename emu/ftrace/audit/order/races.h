/*
 * races.h - pairs of accesses to one word, at least one of them a store, of two harts where nothing
 * orders them, or of two tasks on one hart: found while data is followed (struct plan, data_from).
 */
#ifndef FTRACE_RACES_H
#define FTRACE_RACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct audit;

/* How promising it is to try the other order of the two. */
enum race_rank {
    RACE_OF_DETOUR, /* a task that changes code, and one in what a patched instruction leads to; or
                       a hart that is started, and what was stored before by the one that starts it
                     */
    RACE_IN_DETOUR, /* one is in what a patched instruction leads to */
    RACE_OF_UPDATE, /* one is of a task that changes code */
    RACE_OTHER,
    RACE_RANKS,
};

struct race_access {
    uint64_t step; /* instructions of all harts before it */
    uint64_t pc;
    uint64_t task; /* tp */
    uint32_t hart;
    bool store, detour;
    bool masked; /* no timer could interrupt it */
};

struct race {
    uint64_t pa, va;                  /* of the word; va: by the second access */
    struct race_access first, second; /* as the machine did them */
    bool of_start;                    /* the second is by a hart that the first one started later */
    enum race_rank rank;              /* valid from audit_races on */
};

/* The pairs found so far, of each two instructions and harts the first and the last ones. */
const struct race *audit_races(const struct audit *a, size_t *count);

/* The number of pairs that were not kept, as there were too many. */
uint64_t audit_races_left_out(const struct audit *a);

#endif
