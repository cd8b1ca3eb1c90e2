/*
 * trampoline_calls.h - the calls in the code of trampolines and return handlers, and in text that
 * the kernel generates, where sp must be a multiple of 16: the rule misaligned-stack; and what
 * trampolines tell tracers: the rule wrong-arguments.
 *
 * The calls are found by following the code from its begin on, in generated text one instruction
 * after the other, and judged when a hart first comes to them, once each: a call has the same frame
 * each time.
 */
#ifndef FTRACE_TRAMPOLINE_CALLS_H
#define FTRACE_TRAMPOLINE_CALLS_H

#include <stdint.h>

struct audit;
struct detour;
struct hart;
struct state_io;
struct trampoline_calls;

/* `running' gives the innermost detour that the hart is in; NULL: it is in none. */
struct trampoline_calls *
trampoline_calls_new(struct audit *a,
                     const struct detour *(*running)(void *ctx, const struct hart *h), void *ctx);
void trampoline_calls_free(struct trampoline_calls *t); /* NULL is allowed */

/* A detour to this address begins. */
void trampoline_calls_meet(struct trampoline_calls *t, struct hart *h, uint64_t va);

/*
 * A hart is about to run generated text [va, va + size), as a program of BPF, for the first time.
 */
void trampoline_calls_generated(struct trampoline_calls *t, struct hart *h, uint64_t va,
                                uint64_t size);

/* The code of some trampoline may have changed. */
void trampoline_calls_changed(struct trampoline_calls *t);

/* The number of calls that were not judged: there were too many. */
uint64_t trampoline_calls_left_out(const struct trampoline_calls *t);

void trampoline_calls_state_io(struct state_io *io, struct trampoline_calls *t);

#endif
