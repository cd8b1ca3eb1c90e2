/*
 * search.h - tries the interleavings of one window of a run: around an update of code.
 *
 * First the window is run as the seed has it. From the acts of a run follow the turns that are
 * worth trying (order.h); each becomes a run of its own, from whose acts further turns follow, up
 * to a number of steps. Runs with fewer steps come first. Each run is a process: a copy of one that
 * has come to the turn, so that no run repeats what is before.
 */
#ifndef EXPLORE_SEARCH_H
#define EXPLORE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "ftrace/audit/rules.h"
#include "machine/plan.h"

struct act_log;
struct last_line;
struct machine;
struct report;
struct search;
struct snapshot;

/* A finding of a run that the run of the seed does not have. */
struct discovery {
    bool died; /* the guest died otherwise than in the run of the seed; `rule' is meaningless */
    enum rule rule;
    char *key;        /* discoveries with equal keys are the same */
    char *text;       /* lines, with all evidence */
    char *stops;      /* what the steps of the plan do, in words, a line each */
    struct plan plan; /* the plan with the fewest steps, and among these with the shortest stalls */
    uint64_t runs;    /* number of runs with this finding, without that of the seed */
    unsigned update;  /* the update of the plan */
    uint64_t first;   /* number of runs until the first with it in that update; 0: that of the seed,
                         where data is followed */
};

struct discoveries {
    VEC_OF(struct discovery) list;
};

void discovery_free(struct discovery *d);
void discoveries_free(struct discoveries *d);

/* The limit at which a search has stopped. */
enum search_bound {
    BOUND_STEPS, /* all runs with that number of steps were tried */
    BOUND_RUNS,  /* as many runs as allowed were made */
    BOUND_TIME,
    BOUND_ASKED, /* the user has asked to stop */
    BOUNDS,
};

struct search_config {
    struct machine *machine;
    struct act_log *log;
    const struct report *report; /* prints findings */
    struct last_line *last_line;
    const struct snapshot
        *start;          /* of the machine, before the window: acts of harts from there on count */
    unsigned update;     /* its number, for the discoveries */
    uint64_t begin, end; /* of the window: instructions of all harts */
    const uint32_t *sites; /* the sites that are patched in the window */
    size_t site_count;
    unsigned jobs, steps;
    uint64_t runs; /* at most */
    /*
     * Called several times a second; `more`: runs that are not counted in `now` yet. True: the
     * search must stop, for the reason *why.
     */
    bool (*stop)(void *ctx, const struct search *now, uint64_t more, enum search_bound *why);
    void *ctx;
};

/* The numbers of a search. */
struct search {
    double interleavings; /* in the window: the decimal logarithm of their number */
    size_t acts;
    uint64_t races;      /* pairs of accesses to data that nothing orders */
    bool acts_left_out;  /* there were too many acts */
    uint64_t turns;      /* turns that were found: the sum of the next three numbers */
    uint64_t runs;       /* interleavings that were run, without that of the seed */
    uint64_t equivalent; /* not run: the same as one that was */
    uint64_t left;       /* not run, because of the bound */
    uint64_t same;       /* those of the runs that turned out to be equivalent to another */
    uint64_t lost;       /* those left whose processes ended without a result */
    enum search_bound bound;
};

/*
 * Tries the interleavings and adds to `found`. Leaves the machine as the snapshot has it. False: no
 * process can be made.
 */
bool search_window(const struct search_config *config, struct search *done,
                   struct discoveries *found);

const char *search_bound_text(enum search_bound b); /* "the number of steps" */

#endif
