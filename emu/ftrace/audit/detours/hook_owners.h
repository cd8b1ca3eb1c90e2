/*
 * hook_owners.h - whether what hooked returns need is there until the functions have returned.
 *
 * A function whose return address was replaced by a rethook has a node in a list of its task, which
 * names the rethook that it belongs to. If either is freed while the function still runs, or
 * sleeps, its return goes by memory that is something else by then. And once rethook_free() has
 * returned, the handler of that rethook may be called for no return any more.
 */
#ifndef FTRACE_HOOK_OWNERS_H
#define FTRACE_HOOK_OWNERS_H

#include <stdbool.h>
#include <stdint.h>

struct audit;
struct detour;
struct hart;
struct hook_owners;
struct state_io;

/* running: the innermost detour that the hart is in; NULL: it is in none. */
struct hook_owners *
hook_owners_new(struct audit *a, const struct detour *(*running)(void *ctx, const struct hart *h),
                void *ctx);
void hook_owners_free(struct hook_owners *o); /* NULL is allowed */

/* Must be called at the first instruction of __switch_to(previous, next). */
void hook_owners_switch(struct hook_owners *o, struct hart *h);

/*
 * Whether the function whose return was hooked last in a task has `back` in its node, the address
 * that was replaced by `handler`. first: in the task's list. True, too: it is not known.
 */
bool hook_owners_keep(struct hook_owners *o, struct hart *h, uint64_t first, uint64_t handler,
                      uint64_t back);

void hook_owners_state_io(struct state_io *io, struct hook_owners *o);

#endif
