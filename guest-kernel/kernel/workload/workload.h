/*
 * workload.h - how the source of a workload becomes two sets of functions.
 *
 * Each workload has a body file that is included twice: for the measured functions, and for an
 * untraced copy in which FN gives other names and CALL counts.
 *
 *   FN(name)   the function's name in this set
 *   CALL()     stands before each call that the set makes
 *   SET_ATTR   attributes of each function of the set
 *
 * A workload's source defines WORKLOAD_BODY as that file's name, includes workload_sets.h, and
 * ends with DEFINE_WORKLOAD().
 */
#ifndef KERNEL_WORKLOAD_H
#define KERNEL_WORKLOAD_H

#include <linux/compiler.h>
#include <linux/workload.h>

/*
 * noipa: not inlined, cloned or merged, and callers assume nothing about it. GCC may still turn
 * a self-call in the last position into a loop; keep() after the call prevents that.
 */
#define WORKLOAD_FN __attribute__((noipa))

static __always_inline u64 keep(u64 value)
{
    __asm__ __volatile__("" : "+r"(value));
    return value;
}

static __always_inline u64 mix(u64 hash, u64 value)
{
    return (hash ^ value) * 0x100000001b3ull;
}

u64 calls_run(unsigned long n);
u64 tree_run(unsigned long n);
u64 sort_run(unsigned long n);
u64 calls_counted_run(unsigned long n, u64 *calls);
u64 tree_counted_run(unsigned long n, u64 *calls);
u64 sort_counted_run(unsigned long n, u64 *calls);
u64 density4_run(unsigned long n);
u64 density16_run(unsigned long n);
u64 density64_run(unsigned long n);
u64 density256_run(unsigned long n);
u64 density1024_run(unsigned long n);
u64 deep_run(unsigned long n);
u64 density4_counted_run(unsigned long n, u64 *calls);
u64 density16_counted_run(unsigned long n, u64 *calls);
u64 density64_counted_run(unsigned long n, u64 *calls);
u64 density256_counted_run(unsigned long n, u64 *calls);
u64 density1024_counted_run(unsigned long n, u64 *calls);
u64 deep_counted_run(unsigned long n, u64 *calls);

#endif
