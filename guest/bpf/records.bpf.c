/*
 * records.bpf.c - each system call of one process as a record when it begins, by a ring buffer, and
 * as one when it ends, by the rings of events.
 */
#include "bpf_helpers.h"

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 65536);
} entered SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(__u32));
} left SEC(".maps");

struct record {
    __u32 nr, count, failed;
};

const volatile __u32 target = 0;
__u32 calls, returns;

/* Of the events raw_syscalls/sys_enter and sys_exit. */
struct enter {
    __u64 common;
    long id;
};
struct leave {
    __u64 common;
    long id, ret;
};

static __always_inline int is_target(void)
{
    return bpf_get_current_pid_tgid() >> 32 == target;
}

SEC("tracepoint/raw_syscalls/sys_enter")
int on_begin(struct enter *ctx)
{
    struct record *r;

    if (!is_target())
        return 0;
    r = bpf_ringbuf_reserve(&entered, sizeof(*r), 0);
    if (!r)
        return 0;
    r->nr = ctx->id;
    r->count = ++calls;
    r->failed = 0;
    bpf_ringbuf_submit(r, 0);
    return 0;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int on_end(struct leave *ctx)
{
    struct record r = {.nr = ctx->id, .failed = ctx->ret < 0};

    if (!is_target())
        return 0;
    r.count = ++returns;
    bpf_perf_event_output(ctx, &left, BPF_F_CURRENT_CPU, &r, sizeof(r));
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
