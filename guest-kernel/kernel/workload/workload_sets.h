/* workload_sets.h - WORKLOAD_BODY twice, and a workload made of both.  See workload.h. */
#include "workload.h"

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef CALL
#undef SET_ATTR

/* One counting pass at a time: the workload command's mutex. */
static u64 counted;

#define FN(name) counted_##name
#define CALL()   ((void)counted++)
#define SET_ATTR static notrace WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef CALL
#undef SET_ATTR

/* NAME_run() is n times NAME_once(i), NAME_counted_run() the same of the set that counts. */
#define DEFINE_WORKLOAD(which)                                   \
    u64 which##_run(unsigned long n)                             \
    {                                                            \
        u64 hash = 0;                                            \
                                                                 \
        for (unsigned long i = 0; i < n; i++)                    \
            hash = mix(hash, which##_once(i));                   \
        return hash;                                             \
    }                                                            \
                                                                 \
    u64 notrace which##_counted_run(unsigned long n, u64 *calls) \
    {                                                            \
        u64 hash = 0;                                            \
                                                                 \
        counted = 0;                                             \
        for (unsigned long i = 0; i < n; i++) {                  \
            counted++;                                           \
            hash = mix(hash, counted_##which##_once(i));         \
        }                                                        \
        *calls += counted;                                       \
        return hash;                                             \
    }                                                            \
                                                                 \
    const struct workload workload_##which = {                   \
        .name = #which,                                          \
        .run = which##_run,                                      \
        .run_counted = which##_counted_run,                      \
        .default_iterations = 10,                                \
    }
