/*
 * happens.h - which accesses to memory are sure to come before which, as the memory model of the
 * ISA (RVWMO, vol. I) has it.
 *
 * Each load and each store of a hart has a number. A view says, for each hart, up to which of its
 * loads and stores all come before something: two numbers for each hart. What comes before the next
 * load of a hart, and before its next store, changes by its fences, by .aq and .rl, by loads of
 * what another hart has stored, and by what an address, a value or a branch is computed from. A
 * store leaves a view in its place, which a load there takes.
 *
 * Where a view cannot say it exactly, it says too little: one access comes before, but not all
 * before it.
 */
#ifndef FTRACE_HAPPENS_H
#define FTRACE_HAPPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct happens;
struct state_io;

/* A view is an array of happens_width() of these. */
typedef uint32_t view_number;

enum access_kind { ACCESS_OF_LOADS, ACCESS_OF_STORES, ACCESS_KINDS };

/* Another access: the load or store of a hart with this number; number 0: none. */
struct happening {
    uint32_t hart, number;
    enum access_kind kind;
};

/* An access that a hart is about to make. Registers are a bit each. */
struct ordered_access {
    bool loads, stores; /* both: an atomic operation */
    bool aq, rl;
    uint32_t address, value; /* the registers that these are computed from */
    uint32_t target;
};

struct happens *happens_new(unsigned harts);
void happens_free(struct happens *h);
void happens_state_io(struct state_io *io, struct happens *h);
size_t happens_width(const struct happens *h);
/* Adds what another view has. */
void happens_join(const struct happens *h, view_number *to, const view_number *from);

/* Begins an access; happens_is_before may be asked of it until it is made. */
void happens_begin(struct happens *h, unsigned hart, const struct ordered_access *a);

/*
 * Whether the other access is sure to come before the one that was begun. `as_store`: before its
 * store, if it both loads and stores.
 */
bool happens_is_before(const struct happens *h, const struct happening *other, bool as_store);

/* Whether a fence orders that earlier load of the same hart before the load that was begun. */
bool happens_is_after_load(const struct happens *h, uint32_t number);

/*
 * Makes the access that was begun. `read`: the view that the last store left there; NULL: it is not
 * known. `left`: gets the view that this store leaves; may be `read`.
 */
void happens_make(struct happens *h, const view_number *read, view_number *left);

/* The number of the hart's last access of that kind. */
uint32_t happens_count(const struct happens *h, unsigned hart, enum access_kind kind);

/* Up to which access of the hart the view has all. */
uint32_t view_has(const view_number *view, unsigned hart, enum access_kind kind);

/* A data fence; `pred' and `succ': FENCE_SET_ bits (cpu/observer.h). */
void happens_fence(struct happens *h, unsigned hart, unsigned pred, unsigned succ, bool tso);

/* An instruction computes `targets` from `sources`, or branches by them. */
void happens_compute(struct happens *h, unsigned hart, uint32_t sources, uint32_t targets);
void happens_branch(struct happens *h, unsigned hart, uint32_t sources);

/* All that the hart has done or learnt, as it is sent with an interrupt; added to the view. */
void happens_send(const struct happens *h, unsigned hart, view_number *view);
/*
 * What is sure to come before the next store of the hart, and (`outputs') before what it writes to
 * devices or asks of its firmware.
 */
void happens_next_store(const struct happens *h, unsigned hart, bool outputs, view_number *view);
/* All in the view comes before what the hart does from now on. */
void happens_receive(struct happens *h, unsigned hart, const view_number *view);

#endif
