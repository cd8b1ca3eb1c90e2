/*
 * wakeups.bpf.c - how long tasks waited between their wake-up and their turn: a histogram by powers
 * of two of nanoseconds.
 */
#include "bpf_helpers.h"

enum { SLOTS = 32 };

/* When a task was woken; by the address of its task_struct. */
struct bpf_map_def SEC("maps") woken = {
    .type = BPF_MAP_TYPE_HASH,
    .key_size = sizeof(__u64),
    .value_size = sizeof(__u64),
    .max_entries = 128,
};

struct bpf_map_def SEC("maps") histogram = {
    .type = BPF_MAP_TYPE_ARRAY,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u64),
    .max_entries = SLOTS,
};

static __u64 longest; /* the longest wait */

/* Without a loop: by halves of what is left. */
static __always_inline __u32 log2_of(__u64 ns)
{
    __u32 n = 0;

    if (ns >= 1ull << (SLOTS - 1))
        return SLOTS - 1;
#pragma unroll
    for (int bits = SLOTS / 2; bits; bits /= 2)
        if (ns >> bits) {
            ns >>= bits;
            n += bits;
        }
    return n;
}

SEC("raw_tracepoint/sched_waking")
int on_waking(__u64 *ctx)
{
    __u64 task = ctx[0], now = bpf_ktime_get_ns();

    bpf_map_update_elem(&woken, &task, &now, BPF_ANY);
    return 0;
}

SEC("raw_tracepoint/sched_switch")
int on_switch(__u64 *ctx)
{
    __u64 task = ctx[2], *since = bpf_map_lookup_elem(&woken, &task), *slot, wait;
    __u32 index;

    if (!since)
        return 0;
    wait = bpf_ktime_get_ns() - *since;
    bpf_map_delete_elem(&woken, &task);
    if (wait > longest)
        longest = wait;
    index = log2_of(wait);
    slot = bpf_map_lookup_elem(&histogram, &index);
    if (slot)
        __sync_fetch_and_add(slot, 1);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
