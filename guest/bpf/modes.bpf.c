/* modes.bpf.c - how many samples of each hart's clock were in the kernel, and how many in programs.
 */
#include "bpf_helpers.h"

enum { IN_KERNEL, IN_PROGRAM, MODES, HARTS = 8 };

struct bpf_map_def SEC("maps") modes = {
    .type = BPF_MAP_TYPE_ARRAY,
    .key_size = sizeof(__u32),
    .value_size = sizeof(__u64),
    .max_entries = HARTS * MODES,
};

/* What is read of a program's context: registers, the period, the address. */
struct sample {
    long pc;
};

static __always_inline int is_kernel(long pc)
{
    return pc < 0;
}

SEC("perf_event")
int on_sample(struct sample *ctx)
{
    __u32 key = bpf_get_smp_processor_id() * MODES + (is_kernel(ctx->pc) ? IN_KERNEL : IN_PROGRAM);
    __u64 *count = bpf_map_lookup_elem(&modes, &key);

    if (count)
        ++*count; /* no other hart has this one */
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
