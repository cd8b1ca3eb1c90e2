/*
 * outcome.h - the result of a run of an interleaving, which its process sends to the search.
 */
#ifndef EXPLORE_OUTCOME_H
#define EXPLORE_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "explore/order.h"
#include "machine/machine.h"
#include "machine/plan.h"

struct report;

/* A finding of the auditor, as text. */
enum { HOLD_TICKS = 64 }; /* the steps that do again what the one before them did, at most */

struct outcome_finding {
    unsigned rule;
    char *key, *text;
};

struct outcome {
    uint64_t index; /* of the turn that was taken */
    struct plan plan;
    uint64_t order;         /* order_hash of its acts */
    uint64_t salt;          /* in `order': a hash of the accesses to data that its plan turns */
    uint64_t acts;          /* number of its acts */
    uint64_t races;         /* pairs of accesses to data that nothing orders */
    double interleavings;   /* order_count_log10 of its acts */
    bool full;              /* the list of acts was full */
    struct turn_list turns; /* turns of its acts */
    uint64_t more_turns;    /* turns that were left out, as there were too many */
    enum stop_reason reason;
    unsigned code;                           /* STOP_EXIT */
    char *stops;                             /* what the steps do, in words, a line each */
    char *died;                              /* why the guest cannot continue; "": it can */
    VEC_OF(struct outcome_finding) findings; /* all findings of the auditor */
};

/* Copies the findings of the auditor. The caller fills in the rest. */
void outcome_take_findings(struct outcome *o, const struct report *r);
void outcome_free(struct outcome *o);

/*
 * The channel from many processes to one. Messages do not mix: channel_send waits while another
 * process sends.
 */
struct channel {
    int read_end, write_end; /* -1: closed */
    int lock;
};

bool channel_open(struct channel *c); /* false: errno has the reason */
void channel_close_write(struct channel *c);
void channel_close(struct channel *c);
void channel_send(struct channel *c, struct outcome *o);
/* Waits a fifth of a second at most. False: there is nothing to receive yet. */
bool channel_wait(const struct channel *c);
/* Receives an outcome. False: all processes that could send have ended. */
bool channel_receive(struct channel *c, struct outcome *o);

#endif
