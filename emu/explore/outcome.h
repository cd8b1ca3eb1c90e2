/*
 * outcome.h - how a run of an interleaving ended, as it is passed from its process to the search.
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
struct outcome_finding {
    unsigned rule;
    char *key, *text;
};

struct outcome {
    uint64_t index; /* of the turn that was taken */
    struct plan plan;
    uint64_t order;         /* order_hash of its acts */
    uint64_t acts;          /* their number */
    double interleavings;   /* order_count_log10 of its acts */
    bool full;              /* there were more acts */
    struct turn_list turns; /* that follow */
    uint64_t more_turns;    /* left out, as there were too many */
    enum stop_reason reason;
    unsigned code;                           /* STOP_EXIT */
    char *died;                              /* why the guest cannot go on; "": it can */
    VEC_OF(struct outcome_finding) findings; /* all that the auditor has */
};

/* Takes what the auditor has found. The rest is for the caller. */
void outcome_take_findings(struct outcome *o, const struct report *r);
void outcome_free(struct outcome *o);

/*
 * The channel from many processes to one. Messages are whole: channel_send waits while another
 * process sends.
 */
struct channel {
    int read_end, write_end; /* -1: closed */
    int lock;
};

bool channel_open(struct channel *c); /* false: errno tells why */
void channel_close_write(struct channel *c);
void channel_close(struct channel *c);
void channel_send(struct channel *c, struct outcome *o);
/* Waits a fifth of a second at most. False: there is nothing to receive yet. */
bool channel_wait(const struct channel *c);
/* False: all processes that could send have ended. */
bool channel_receive(struct channel *c, struct outcome *o);

#endif
