/*
 * parallel.h - independent pieces of work on several threads of the host.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MAX = 8 };

/*
 * Calls work(ctx, i, thread) for each i below `count`, in no particular order, on as many threads
 * as the host has processors (at most PARALLEL_MAX, numbered from 0), and returns when all calls
 * have returned. Where the host gives no further thread, the calls are made by the threads that
 * there are.
 */
void parallel_for(size_t count, void (*work)(void *ctx, size_t i, unsigned thread), void *ctx);

#endif
