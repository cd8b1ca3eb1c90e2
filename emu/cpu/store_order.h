/*
 * store_order.h - data that other harts see late (docs/machine.md, "When others see data").
 *
 * A hart's stores wait in its buffer and leave it in any order that RVWMO permits; those that have
 * left are a list, the order of all writes. A load has a place in that list, too: it returns what
 * memory held there. The hart's view says how early the place may be. By default the seed says when
 * a store leaves and which place a load takes. A search puts a chooser in its place (choice.h);
 * then stores leave only by the calls below and where an instruction needs it, and a search is
 * complete if, before each instruction of a hart, it tries all orders in which stores may leave.
 */
#ifndef CPU_STORE_ORDER_H
#define CPU_STORE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct cluster;
struct hart;

enum store_mode {
    STORES_PROMPT,  /* memory is sequentially consistent, and costs nothing */
    STORES_DELAYED, /* stores leave as late, and loads return what is as old, as is permitted */
    STORES_RANDOM,  /* by the seed, or by the chooser */
};

enum store_mode cluster_stores(const struct cluster *c);

/*
 * The stores of the hart that wait, and those of them that may leave now; AMOs and sc that wait are
 * counted, too. Prompt mode: none.
 */
unsigned hart_waiting_stores(const struct hart *h);
unsigned hart_stores_that_may_leave(const struct hart *h);

/*
 * With `late_registers` (cluster.h) loads, AMOs and sc wait until their result is needed. The
 * loads that wait, and the registers that have their former value until what waits has left, a bit
 * each.
 */
unsigned hart_late_loads(const struct hart *h);
uint32_t hart_late_registers(const struct hart *h);

/*
 * Lets one of those that may leave reach memory, counted from the oldest, 0; after these come the
 * loads that wait. Between two runs of harts.
 */
void hart_let_store_leave(struct hart *h, unsigned number);

/*
 * Keeps the order of writes in a prompt machine from now on, so that single stores can wait and
 * single loads can be late; all others are as prompt as before. Off: what waits leaves. Between two
 * runs of harts; not in a machine with a core model.
 */
void cluster_keep_store_order(struct cluster *c, bool on);

/*
 * What the next instruction of the hart stores waits until it is let leave, or must: a fence, an
 * atomic operation, or a later store puts it before what becomes visible.
 */
void hart_hold_next_store(struct hart *h);

/*
 * Loads of the hart by the instruction at pc return the oldest value that the ISA permits, of those
 * since the order is kept. 0: none does.
 */
void hart_load_late(struct hart *h, uint64_t pc);

/* Lets all of them leave, oldest first. Also within a run, where the hart's own code is called. */
void hart_let_stores_leave(struct hart *h);
void cluster_let_stores_leave(struct cluster *c);

/* Reads RAM, and puts what waits in the hart's buffer over it. False: the range is not all RAM. */
MUST_USE bool hart_read(const struct hart *h, uint64_t pa, void *to, size_t len);

/* A store that waits, counted from the oldest, below hart_waiting_stores. */
struct waiting_store {
    uint64_t pa, value, pc;
    unsigned size;
};
struct waiting_store hart_waiting_store(const struct hart *h, unsigned number);

/*
 * A number that is the same for two states of one machine whose buffers, views and kept writes are
 * the same. Memory and registers are not part of it.
 */
uint64_t cluster_store_order_hash(const struct cluster *c);

#endif
