/*
 * order.h - which orders of the acts of a run are worth trying, and which are the same.
 *
 * Two acts of different harts conflict if their order matters: a store and a fetch of the place,
 * or a fence.i; what one hart does and an interrupt or remote fence that another sends it. Runs
 * whose conflicting acts come in the same order are equivalent: one of them is enough
 * (C. Flanagan, P. Godefroid: Dynamic partial-order reduction for model checking software, 2005).
 */
#ifndef EXPLORE_ORDER_H
#define EXPLORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "explore/acts.h"
#include "machine/plan.h"

/*
 * A step that would make two conflicting acts come in the other order: `hart` stalls before the
 * first one until `until` has been done by its hart; or it is interrupted before it by its timer.
 */
struct turn {
    enum plan_kind kind;
    unsigned hart;
    uint64_t at;          /* instructions of all harts */
    struct act until;     /* PLAN_STALL */
    uint64_t order;       /* what order_hash is expected to be then */
    unsigned rank;        /* its kind */
    size_t first, second; /* the acts */
    uint64_t key;         /* the lower, the earlier it is tried */
};

struct turn_list {
    VEC_OF(struct turn) turns;
};

/*
 * The turns of acts from instruction `from` on, in the order in which they are worth trying: kinds
 * of turns by turns, and of each kind spread over the acts. At most `max`; *more: how many there
 * are beyond. `window`: acts that are turned with earlier ones come from this instruction on. The
 * caller frees the list.
 */
struct turn_list order_turns(const struct act_list *l, uint64_t from, uint64_t window, size_t max,
                             size_t *more);

/* Equal for runs that are equivalent. */
uint64_t order_hash(const struct act_list *l);

/* Whether it is the act that is waited for, whose hart may be ANY_HART; at perhaps another time. */
bool act_is(const struct act *a, const struct act *awaited);

enum { ANY_HART = 0xff };

/*
 * The decimal logarithm of the number of orders in which harts can do these acts, each hart its own
 * in their order.
 */
double order_count_log10(const struct act_list *l);

#endif
