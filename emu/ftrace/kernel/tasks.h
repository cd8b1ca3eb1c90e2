/*
 * tasks.h - the tasks of the guest kernel: name, pid and stack of the one that a hart runs.
 *
 * In Linux and in the guest kernel tp is the address of the current struct task_struct. Where its
 * members are is known from the kernel's debug information (DWARF) or from its BTF. Without both,
 * the name is where the first task, init_task, has `swapper', and the pid is the only number before
 * it that four tasks have twice (as pid and tgid), a different one in each, and that is 0 in
 * init_task; so at first it is not known.
 */
#ifndef FTRACE_TASKS_H
#define FTRACE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct hart;
struct image;
struct lines;
struct state_io;
struct symbols;
struct tasks;

enum { TASK_NAME_MAX = 16 }; /* Linux's TASK_COMM_LEN; with its NUL */

/* The size of a task's stack in the kernel, to which its address is aligned: Linux's THREAD_SIZE.
 */
enum { TASK_STACK_SHIFT = 14, TASK_STACK_BYTES = 1 << TASK_STACK_SHIFT };

struct task {
    char name[TASK_NAME_MAX]; /* printable ASCII; other bytes are question marks */
    int32_t pid;              /* -1: not known */
    uint64_t stack;           /* the lowest address of its stack; 0: not known */
};

/*
 * The members are searched only at the first call that needs them. Image, symbols and lines must
 * outlive it.
 */
struct tasks *tasks_new(const struct image *im, const struct symbols *symbols, struct lines *lines);
void tasks_free(struct tasks *t); /* NULL is allowed */

/* Reads the task with this tp. False: it is not a task, or the members are not known. */
MUST_USE bool tasks_read(struct tasks *t, struct hart *h, uint64_t tp, struct task *task);

/* Gives the address of the task's name, TASK_NAME_MAX bytes. False: it is not known. */
MUST_USE bool tasks_name_address(struct tasks *t, uint64_t tp, uint64_t *va);

/*
 * Reads, of the task that the hart runs, the depth of its return stack, on which the function graph
 * tracer has its entries, in units of the kernel: more entries have a higher number. False: not
 * known.
 */
MUST_USE bool tasks_return_depth(struct tasks *t, struct hart *h, uint64_t tp, int32_t *depth);

/* The address of that return stack; 0: the task has none. False: not known. */
MUST_USE bool tasks_return_stack(struct tasks *t, struct hart *h, uint64_t tp, uint64_t *va);

/* The first in the task's list of the returns that rethooks have hooked; 0: none. False: not known.
 */
MUST_USE bool tasks_hooks(struct tasks *t, struct hart *h, uint64_t tp, uint64_t *va);

/* The same of the task's preempt_count: above 0 it cannot be preempted. */
MUST_USE bool tasks_preempt_count(struct tasks *t, struct hart *h, uint64_t tp, int32_t *count);

/* Gives the address of that number, 4 bytes. False: it is not known. */
MUST_USE bool tasks_preempt_address(struct tasks *t, uint64_t tp, uint64_t *va);

/* The number of the hart (cpu) that runs the task, or has last run it, as the task says. */
MUST_USE bool tasks_cpu(struct tasks *t, struct hart *h, uint64_t tp, int32_t *cpu);

/* The size of a task's stack: that of the first task, if it can be known, or TASK_STACK_BYTES. */
uint64_t tasks_stack_bytes(const struct tasks *t);

/*
 * All of these of the task with this tp, which the hart runs; and the first in its list of the
 * returns that rethooks have hooked.
 */
struct task_counts {
    bool has_depth, has_preempt, has_hooks;
    int32_t depth, preempt; /* 0: not known */
    uint64_t hooks;
};
struct task_counts tasks_counts(struct tasks *t, struct hart *h, uint64_t tp);

/* What tracers take of their task, and give back. */
struct task_guard_words {
    uint64_t recursion; /* trace_recursion: a bit for each context that is in a tracer */
    bool has_call_depth;
    int32_t paused;     /* tracing_graph_pause: above 0 it is not called for the task */
    int32_t call_depth; /* curr_ret_depth: calls that the function graph tracer has counted */
};
/* The same of these. False: trace_recursion is not known. */
MUST_USE bool tasks_guards(struct tasks *t, struct hart *h, uint64_t tp,
                           struct task_guard_words *words);

/*
 * Calls back for the tasks in the kernel's list that are kept from running: those that sleep until
 * they are woken, whatever signals come (uninterruptibly), and belong to a program, or are init, as
 * other kernel threads may sleep so for good; and, `runnable', those of all kinds that could run,
 * also if they do. There are none if the members are not known.
 */
void tasks_each_kept(struct tasks *t, struct hart *h,
                     void (*found)(void *ctx, uint64_t tp, bool runnable), void *ctx);

/*
 * Calls back for the tasks in the kernel's list that are to go on at some time, whatever they do
 * now: those that have not ended. There are none if the members are not known.
 */
void tasks_each_live(struct tasks *t, struct hart *h, void (*found)(void *ctx, uint64_t tp),
                     void *ctx);

/* The registers with which a task that runs on no hart will go on. */
struct task_registers {
    uint64_t pc, sp, s[12];
};
MUST_USE bool tasks_registers(struct tasks *t, struct hart *h, uint64_t tp,
                              struct task_registers *registers);

/* Saves or restores what was learnt from tasks that ran. */
void tasks_state_io(struct state_io *io, struct tasks *t);

#endif
