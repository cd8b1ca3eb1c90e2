/*
 * bpf_trace.h - programs at events.
 *
 * TRACE_EVENT() makes a probe for programs of each event class, and an entry of a table for each
 * event, by which BPF_RAW_TRACEPOINT_OPEN finds it. The probe passes the tracepoint's arguments as
 * an array of numbers. An event without programs costs nothing more than without the table.
 */
#ifndef LINUX_BPF_TRACE_H
#define LINUX_BPF_TRACE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct bpf_prog;
struct tracepoint;

struct bpf_raw_event_map {
    struct tracepoint *tp;
    void *bpf_func; /* the probe */
    u32 num_args;
};

/* Runs the program with these arguments of a tracepoint. Preemption is off. */
void bpf_trace_run(struct bpf_prog *prog, const u64 *args);
/* May sleep. The second returns when the program no longer runs for the event. */
int bpf_probe_register(const struct bpf_raw_event_map *btp, struct bpf_prog *prog);
void bpf_probe_unregister(const struct bpf_raw_event_map *btp, struct bpf_prog *prog);

/*
 * Between these, on this hart, no program runs for an event of a kprobe or perf: the lock of a map
 * may be held. Preemption is off.
 */
void bpf_disable_programs(void);
void bpf_enable_programs(void);

/* The arguments as numbers; those that are narrower are extended by zeros. */
#define __BPF_U64(x)                                 \
    (sizeof(x) == 1   ? (u64)(u8)(unsigned long)(x)  \
     : sizeof(x) == 2 ? (u64)(u16)(unsigned long)(x) \
     : sizeof(x) == 4 ? (u64)(u32)(unsigned long)(x) \
                      : (u64)(unsigned long)(x))
#define __BPF_ARGS1(a)       __BPF_U64(a)
#define __BPF_ARGS2(a, ...)  __BPF_U64(a), __BPF_ARGS1(__VA_ARGS__)
#define __BPF_ARGS3(a, ...)  __BPF_U64(a), __BPF_ARGS2(__VA_ARGS__)
#define __BPF_ARGS4(a, ...)  __BPF_U64(a), __BPF_ARGS3(__VA_ARGS__)
#define __BPF_ARGS5(a, ...)  __BPF_U64(a), __BPF_ARGS4(__VA_ARGS__)
#define __BPF_ARGS6(a, ...)  __BPF_U64(a), __BPF_ARGS5(__VA_ARGS__)
#define __BPF_ARGS7(a, ...)  __BPF_U64(a), __BPF_ARGS6(__VA_ARGS__)
#define __BPF_ARGS8(a, ...)  __BPF_U64(a), __BPF_ARGS7(__VA_ARGS__)
#define __BPF_ARGS9(a, ...)  __BPF_U64(a), __BPF_ARGS8(__VA_ARGS__)
#define __BPF_ARGS10(a, ...) __BPF_U64(a), __BPF_ARGS9(__VA_ARGS__)
#define __BPF_ARGS11(a, ...) __BPF_U64(a), __BPF_ARGS10(__VA_ARGS__)
#define __BPF_ARGS12(a, ...) __BPF_U64(a), __BPF_ARGS11(__VA_ARGS__)

#define __BPF_COUNT_OF(a, b, c, d, e, f, g, h, i, j, k, l, n, ...) n
#define __BPF_COUNT(...)                                           __BPF_COUNT_OF(__VA_ARGS__, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define __BPF_JOIN_(a, b)                                          a##b
#define __BPF_JOIN(a, b)                                           __BPF_JOIN_(a, b)
#define BPF_COUNT_ARGS(...)                                        __BPF_COUNT(__VA_ARGS__)
#define BPF_CAST_TO_U64(...)                                       __BPF_JOIN(__BPF_ARGS, __BPF_COUNT(__VA_ARGS__))(__VA_ARGS__)

#endif
