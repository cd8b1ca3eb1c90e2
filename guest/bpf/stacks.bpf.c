/*
 * stacks.bpf.c - by which functions pipes are written, and how often; of one process, if there is a
 * target. The maps are declared in the older way, without types.
 */
#include "bpf_helpers.h"

enum { DEPTH = 16 };

struct bpf_map_def {
    __u32 type, key_size, value_size, max_entries, map_flags;
};

struct bpf_map_def SEC("maps") stacks = {
    .type = BPF_MAP_TYPE_STACK_TRACE,
    .key_size = sizeof(__u32),
    .value_size = DEPTH * sizeof(__u64),
    .max_entries = 64,
};

struct bpf_map_def SEC("maps") counts = {
    .type = BPF_MAP_TYPE_HASH,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u64),
    .max_entries = 64,
};

__u32 target = 0; /* a variable, in .bss */

SEC("kprobe/pipe_write")
int on_write(void *ctx)
{
    __u64 one = 1, *count;
    __u32 id;

    if (target && bpf_get_current_pid_tgid() >> 32 != target)
        return 0;
    id = bpf_get_stackid(ctx, &stacks, 0);
    count = bpf_map_lookup_elem(&counts, &id);
    if (count)
        __sync_fetch_and_add(count, 1);
    else
        bpf_map_update_elem(&counts, &id, &one, BPF_NOEXIST);
    return 0;
}

SEC("kretprobe/pipe_write")
int on_return(void *ctx)
{
    static __u64 returns = 1;

    __sync_fetch_and_add(&returns, 1);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
