/*
 * call_stacks_priv.h - what call_stacks.c, which follows calls, and call_stacks_state.c, which
 * saves and restores them, have in common.
 */
#ifndef FTRACE_CALL_STACKS_PRIV_H
#define FTRACE_CALL_STACKS_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "ftrace/calls/call_stacks.h"
#include "ftrace/calls/call_values.h"

/*
 * The most open calls on one stack, more than fit on it; the most stacks, more than a guest has
 * tasks; and the most open calls on all stacks together (a call takes about a hundred bytes).
 * Stacks that have become shallow keep their room, until it is ROOM_MAX calls in all.
 */
enum { OPEN_MAX = 4096, STACKS_MAX = 1 << 15, SUM_MAX = 1 << 17, ROOM_MAX = 2 * SUM_MAX };

struct stack {
    uint32_t number;
    uint64_t when;
    VEC_OF(struct call) open;
};

struct call_stacks {
    struct call_stacks_config config;
    size_t called;          /* open functions with HOOK_CALLED */
    struct call_moment now; /* of the present step */
    struct call_values values;
    VEC_OF(struct stack) stacks;
    struct map stack_at; /* address / TASK_STACK_BYTES -> index */
    struct {
        uint64_t key, index;
    } last; /* the stack that was looked up last; its index is UINT64_MAX if there is none */
    uint32_t stack_count;
    size_t sum, room;  /* of all stacks: open calls, and calls for which memory is allotted */
    bool dropped;      /* some call was ended because there were too many */
    uint64_t left_out; /* how many */
};

#endif
