/* workload_sets.h - includes WORKLOAD_BODY twice and defines the workload. See workload.h. */
#include "workload.h"

#define FN(name) name
#define CALL()   ((void)0)
#define SET_ATTR static WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef CALL
#undef SET_ATTR

/* Calls counted by the current pass; under workload_mutex. */
static u64 counted;

#define FN(name)      COUNTED(name)
#define COUNTED(name) counted_##name /* in two steps: the name may be a macro */
#define CALL()        ((void)counted++)
#define SET_ATTR      static notrace WORKLOAD_FN
#include WORKLOAD_BODY
#undef FN
#undef COUNTED
#undef CALL
#undef SET_ATTR

/* NAME_run() calls NAME_once() n times; NAME_counted_run() does the same with the counting set. */
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
