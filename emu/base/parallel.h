/*
 * parallel.h - independent pieces of work on several threads of the host.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/*
 * Calls work(ctx, i) for each i below `count`, in no particular order, on as many threads as the
 * host has processors (at most eight), and returns when all calls have returned. Where the host
 * gives no further thread, the calls are made by the threads that there are.
 */
void parallel_for(size_t count, void (*work)(void *ctx, size_t i), void *ctx);

#endif
