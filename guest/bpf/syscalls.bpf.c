/*
 * syscalls.bpf.c - how often each process made each system call, and the sum of the results of
 * those that succeeded; of one process, if there is a target.
 */
#include "bpf_helpers.h"

struct call {
    __u32 pid, nr;
};

struct count {
    __u64 entered, left, sum;
};

struct bpf_map_def SEC("maps") calls = {
    .type = BPF_MAP_TYPE_HASH,
    .key_size = sizeof(struct call),
    .value_size = sizeof(struct count),
    .max_entries = 512,
};

/* Entries and exits of all that were counted. */
struct bpf_map_def SEC("maps") totals = {
    .type = BPF_MAP_TYPE_ARRAY,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u64),
    .max_entries = 2,
};

const volatile __u32 target = 0;

/* Of the events raw_syscalls/sys_enter and sys_exit. */
struct enter {
    __u64 common;
    long id;
};
struct leave {
    __u64 common;
    long id, ret;
};

static __always_inline void add_to_total(__u32 which)
{
    __u64 *total = bpf_map_lookup_elem(&totals, &which);

    if (total)
        __sync_fetch_and_add(total, 1);
}

/* The element of the process that runs; NULL: it is not counted. */
static __always_inline struct count *count_of(__u32 nr)
{
    struct call key = {.pid = bpf_get_current_pid_tgid() >> 32, .nr = nr};
    struct count none = {0};

    if (target && key.pid != target)
        return 0;
    bpf_map_update_elem(&calls, &key, &none, BPF_NOEXIST);
    return bpf_map_lookup_elem(&calls, &key);
}

SEC("tracepoint/raw_syscalls/sys_enter")
int on_enter(struct enter *ctx)
{
    struct count *count = count_of(ctx->id);

    if (count) {
        __sync_fetch_and_add(&count->entered, 1);
        add_to_total(0);
    }
    return 0;
}

SEC("tracepoint/raw_syscalls/sys_exit")
int on_exit(struct leave *ctx)
{
    struct count *count = count_of(ctx->id);

    if (!count)
        return 0;
    __sync_fetch_and_add(&count->left, 1);
    if (ctx->ret > 0)
        __sync_fetch_and_add(&count->sum, ctx->ret);
    add_to_total(1);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
