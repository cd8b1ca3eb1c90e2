/*
 * trampolines.h - the cost of ftrace's own assembly: the trampolines that sites call, and
 * return_to_handler, to which functions return under the graph tracer.
 *
 * They are found by their names. RISC-V Linux makes no trampoline at run time: a site calls
 * ftrace_caller or ftrace_regs_caller, and with a direct call (BPF) the former jumps on to code
 * that counts as a tracer. All cycles of their instructions are counted, those of the calls of
 * tracers in them (ftrace_call) included; tracers are not.
 */
#ifndef FTRACE_TRAMPOLINES_H
#define FTRACE_TRAMPOLINES_H

#include <stddef.h>
#include <stdint.h>

#include "ftrace/cost/account.h"

struct image;
struct symbols;
struct trampolines;

struct trampoline {
    const char *name;
    uint64_t va, size; /* size in bytes */
    uint64_t entries;  /* times that its first instruction was executed */
    struct site_cost parts;
};

/* The symbols must outlive it. Never NULL. */
struct trampolines *trampolines_new(struct cluster *c, const struct image *im,
                                    const struct symbols *symbols);
void trampolines_free(struct trampolines *t); /* NULL is allowed */

size_t trampolines_count(const struct trampolines *t);
struct trampoline trampolines_get(const struct trampolines *t, size_t i);

/* Saves or restores the counts. */
void trampolines_state_io(struct state_io *io, struct trampolines *t);

#endif
