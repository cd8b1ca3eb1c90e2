/*
 * acts.h - the acts of harts that others can notice, in the order of a run.
 *
 * An act is an instruction of a patched place that is executed, a store to code, a fence.i, an
 * interrupt sent to another hart or taken, or a hart that is started. That the code of a module can
 * no longer be executed, because its mapping was taken away, counts as a store to its sites. Two
 * runs in which each hart does the same acts, and conflicting acts of different harts come in the
 * same order, are equal for the auditor. Accesses to data are not kept in a list: those that are
 * turned come from the auditor (ftrace/audit/order/races.h), and act_log_await waits for one. Nor
 * is what is done with the locks of ftrace, which only says that the kernel may have changed
 * something of it.
 *
 * Of the executions of an instruction by a hart without other acts between them are kept: the
 * first, and the last by each of the last LAST_TASKS tasks. If there is no room, the first are
 * given up, then those by all tasks but the last.
 */
#ifndef EXPLORE_ACTS_H
#define EXPLORE_ACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

struct machine;
struct state_io;
struct watch;

enum act_kind {
    ACT_EXECUTE, /* an instruction of a place; before it is executed */
    ACT_STORE,   /* to a place, or its mapping is taken away */
    ACT_FENCE,   /* fence.i of `other`, by the hart itself or by firmware for it */
    ACT_SEND,    /* an interrupt to `other` */
    ACT_TAKE,    /* an interrupt of another hart is taken */
    ACT_START,   /* `other` is started */
    ACT_ACCESS,  /* to a word of data; never in a list */
    ACT_LOCK,    /* a lock of ftrace, kprobes or jump labels is asked for; never in a list */
    ACT_UNLOCK,  /* it is released; never in a list */
    ACT_KINDS,
};

struct act {
    uint64_t insns; /* executed by all harts before it */
    uint32_t place; /* EXECUTE, STORE: the site's id, or PLACE_PAGE and a page number; ACCESS: the
                       number of the word */
    uint8_t kind, hart;
    uint8_t other;  /* ACCESS: 1: a store, 0: a load */
    uint8_t offset; /* EXECUTE: of the instruction from the beginning of the site, bytes */
    uint32_t page;  /* EXECUTE, STORE, ACCESS: the number of the physical page */
    bool masked;    /* EXECUTE: no timer can interrupt it */
    uint64_t task;  /* tp of the hart, which Linux and the guest kernel keep the task in; 0: none */
    uint64_t va;    /* ACCESS */
};

#define PLACE_PAGE UINT32_C(0x80000000)

struct act_list {
    VEC_OF(struct act) acts;
    unsigned harts; /* of the machine */
};

enum { ACTS_MAX = 20000, ACT_WORD_BYTES = 4 };

void act_state_io(struct state_io *io, struct act *a);

struct act_log;

/*
 * Attaches a log to the machine for as long as the machine exists. Records nothing until
 * act_log_begin.
 */
struct act_log *act_log_new(struct machine *m, struct watch *w);
void act_log_free(struct act_log *l);

/*
 * Begins with an empty list. `sites`: ids of the sites whose instructions are acts, also of those
 * that are added only later. Before instruction `from` only executions are recorded. At most
 * ACTS_MAX acts are recorded; act_log_is_full says that there were more.
 */
void act_log_begin(struct act_log *l, const uint32_t *sites, size_t count, uint64_t from);
void act_log_end(struct act_log *l);
bool act_log_is_full(const struct act_log *l);

/* Returns the acts so far; valid until the next act. */
const struct act_list *act_log_list(struct act_log *l);

/* Keeps no list until act_log_begin; acts are only passed on by act_log_listen. */
void act_log_watch(struct act_log *l);

/* The act ACT_ACCESS is passed on, too, from now on; until act_log_await_no_more. */
void act_log_await(struct act_log *l, const struct act *access);
void act_log_await_no_more(struct act_log *l);

/* Calls `on_act` for each act from now on; NULL ends this. */
void act_log_listen(struct act_log *l, void (*on_act)(void *ctx, const struct act *a), void *ctx);

#endif
