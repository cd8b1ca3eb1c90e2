/*
 * order.h - finds the orders of the acts of a run that are worth trying, and those that are
 * equivalent.
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
 * A step that would turn two conflicting acts around: `hart` stalls before the first one until
 * another hart has done `until`; or its timer interrupts its task there, and again whenever the
 * task is about to go on, until `until` was done. Of accesses to data: what it stores there is held
 * back until then; or the load of `hart` by the instruction at `pc`, which is `until' itself,
 * returns an older value than that stored there.
 */
struct turn {
    enum plan_kind kind;
    unsigned hart;
    uint64_t at;          /* instructions of all harts */
    uint64_t pc;          /* PLAN_LATE */
    struct act until;     /* PLAN_TICK: kind ACT_KINDS: nothing is awaited */
    uint64_t order;       /* the expected order_hash of the run with this step */
    unsigned rank;        /* its kind */
    size_t first, second; /* the acts; no meaning if `until' is an access to data */
    uint64_t key;         /* the lower, the earlier it is tried */
    bool follow;          /* set by the search: data is followed in the run with this step */
};

struct race;

struct turn_list {
    VEC_OF(struct turn) turns;
};

/* Pairs of accesses to data that nothing orders, which are turned, too. */
struct data_races {
    const struct race *at; /* ftrace/audit/order/races.h */
    size_t count;
    uint64_t salt; /* of the run: a hash of the accesses that its plan has turned */
};

/*
 * Returns the turns of acts from instruction `from` on, the most promising first: one of each kind
 * in turn, and those of a kind spread over the acts. At most `max`; *more: the number of further
 * ones. `window`: acts that are turned with earlier ones come from this instruction on. The caller
 * frees the list.
 */
struct turn_list order_turns(const struct act_list *l, const struct data_races *races,
                             uint64_t from, uint64_t window, size_t max, size_t *more);

/* Returns a hash that is equal for equivalent runs. */
uint64_t order_hash(const struct act_list *l);

/* Whether the act is the awaited one, whose hart may be ANY_HART; the times may differ. */
bool act_is(const struct act *a, const struct act *awaited);

enum { ANY_HART = 0xff };

/*
 * Returns the decimal logarithm of the number of interleavings of these acts, where each hart keeps
 * the order of its own.
 */
double order_count_log10(const struct act_list *l);

#endif
