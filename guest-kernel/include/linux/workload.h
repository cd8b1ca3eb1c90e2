/*
 * workload.h - things to trace and to measure.
 *
 * A workload is a set of functions that the compiler may neither inline, clone
 * nor turn into loops, so the number of calls is a property of the source.
 */
#ifndef LINUX_WORKLOAD_H
#define LINUX_WORKLOAD_H

#include <linux/types.h>

struct workload {
    const char *name;
    /* The measured pass. */
    u64 (*run)(unsigned long iterations);
    /* The same work again, not traced, adding each call to *calls. */
    u64 (*run_counted)(unsigned long iterations, u64 *calls);
    unsigned long default_iterations;
};

extern const struct workload workload_calls, workload_tree, workload_sort, workload_mixed,
    workload_deep;

/*
 * 0, or -EINVAL for a name that is none.  iterations 0: as many as is usual.  each_line() takes the
 * answer.  A wrong result ends the machine with failure.
 */
int workload_command(const char *name, unsigned long iterations,
                     int (*each_line)(const char *text, size_t len, void *to), void *to);
void workload_list(void (*each)(const char *name, void *to), void *to);

void proc_workload_init(void);

#endif
