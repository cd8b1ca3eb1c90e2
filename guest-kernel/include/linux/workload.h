/*
 * workload.h - functions to trace and to measure.
 *
 * The compiler may neither inline, clone nor turn into loops the functions of a workload, so
 * the number of calls follows from the source.
 */
#ifndef LINUX_WORKLOAD_H
#define LINUX_WORKLOAD_H

#include <linux/types.h>

struct workload {
    const char *name;
    /* The measured pass; returns the result. */
    u64 (*run)(unsigned long iterations);
    /* The same work without tracing; adds the number of calls to *calls. */
    u64 (*run_counted)(unsigned long iterations, u64 *calls);
    unsigned long default_iterations;
};

extern const struct workload workload_calls, workload_tree, workload_sort, workload_mixed,
    workload_deep, workload_density4, workload_density16, workload_density64, workload_density256,
    workload_density1024;

/*
 * Runs a workload; iterations 0: its default number. each_line() gets the output. A wrong
 * result ends the machine as failed. Returns 0, or -EINVAL for an unknown name.
 */
int workload_command(const char *name, unsigned long iterations,
                     int (*each_line)(const char *text, size_t len, void *to), void *to);
void workload_list(void (*each)(const char *name, void *to), void *to);

void proc_workload_init(void);

#endif
