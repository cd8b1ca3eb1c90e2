/*
 * writes.bpf.c - how often each process has written to pipes, by a probe at pipe_write(), and how
 * often that has returned; of one process, if there is a target.
 */
#include "bpf_helpers.h"

struct bpf_map_def SEC("maps") writers = {
    .type = BPF_MAP_TYPE_HASH,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u64),
    .max_entries = 64,
};

__u32 target = 0;         /* a variable, in .bss */
static __u64 returns = 1; /* another one, in .data: one more than there were */

static __always_inline int is_counted(__u32 pid)
{
    return !target || pid == target;
}

SEC("kprobe/pipe_write")
int on_write(void *ctx)
{
    __u32 pid = bpf_get_current_pid_tgid() >> 32;
    __u64 one = 1, *count;

    if (!is_counted(pid))
        return 0;
    count = bpf_map_lookup_elem(&writers, &pid);
    if (count)
        __sync_fetch_and_add(count, 1);
    else
        bpf_map_update_elem(&writers, &pid, &one, BPF_NOEXIST);
    return 0;
}

SEC("kretprobe/pipe_write")
int on_return(void *ctx)
{
    if (is_counted(bpf_get_current_pid_tgid() >> 32))
        __sync_fetch_and_add(&returns, 1);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
