/*
 * kernel_probes.h - calls back when a hart comes to a function of the kernel, which is found by
 * name, and when that call returns.
 */
#ifndef FTRACE_KERNEL_PROBES_H
#define FTRACE_KERNEL_PROBES_H

#include <stddef.h>
#include <stdint.h>

struct cluster;
struct hart;
struct image;
struct kernel_probes;
struct state_io;
struct symbols;

/* A hart is about to execute the first instruction of names[which]. */
typedef void kernel_called(void *ctx, unsigned which, struct hart *h);

/*
 * Plants a probe at each of the functions that the image has; there may be none. A name may be
 * NULL. Image, symbols and names are not needed afterwards. Never NULL.
 */
struct kernel_probes *kernel_probes_new(struct cluster *c, const struct image *im,
                                        const struct symbols *symbols, const char *const *names,
                                        size_t count, kernel_called *called, void *ctx);
/*
 * The same at __switch_to(previous, next), where the hart leaves the task whose struct task_struct
 * is at a0 and continues with the one at a1. `which` is 0.
 */
struct kernel_probes *kernel_probes_at_switch(struct cluster *c, const struct image *im,
                                              const struct symbols *symbols, kernel_called *called,
                                              void *ctx);
void kernel_probes_free(struct kernel_probes *k); /* NULL is allowed */

/* Calls returned() for the calls that kernel_probes_await has named. */
void kernel_probes_on_return(struct kernel_probes *k, kernel_called *returned);

/*
 * To be called by called(), for the call of names[which] that it was told of: it has returned when
 * a hart comes to its return address with its sp. A call that never returns is forgotten when its
 * place on the stack is used for another call of the same function, or if there are too many.
 */
void kernel_probes_await(struct kernel_probes *k, unsigned which, struct hart *h);

/* The number of calls whose returns are not awaited any more: there were too many. */
uint64_t kernel_probes_left_out(const struct kernel_probes *k);

/* Saves or restores the calls that are awaited. */
void kernel_probes_state_io(struct state_io *io, struct kernel_probes *k);

#endif
