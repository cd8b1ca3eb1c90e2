/*
 * func_proto.c - what programs may do, by type: the helpers they may call, with their arguments,
 * and the parts of the context they may read.
 */
#include <linux/bpf.h>
#include <linux/kernel.h>

static const struct bpf_func_proto protos[__BPF_FUNC_MAX_ID] = {
#define PROTO(id, ret, gpl, ...) \
    [BPF_FUNC_##id] = {          \
        .name = "bpf_" #id, .ret_type = RET_##ret, .gpl_only = gpl, .arg_type = {__VA_ARGS__}}
    PROTO(map_lookup_elem, PTR_TO_MAP_VALUE_OR_NULL, false, ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY),
    PROTO(map_update_elem, INTEGER, false, ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY,
          ARG_PTR_TO_MAP_VALUE, ARG_ANYTHING),
    PROTO(map_delete_elem, INTEGER, false, ARG_CONST_MAP_PTR, ARG_PTR_TO_MAP_KEY),
    PROTO(ktime_get_ns, INTEGER, false, ARG_DONTCARE),
    /* Its further arguments may be anything, set or not. */
    PROTO(trace_printk, INTEGER, true, ARG_PTR_TO_MEM, ARG_CONST_SIZE),
    PROTO(get_prandom_u32, INTEGER, false, ARG_DONTCARE),
    PROTO(get_smp_processor_id, INTEGER, false, ARG_DONTCARE),
    PROTO(get_current_pid_tgid, INTEGER, false, ARG_DONTCARE),
    PROTO(get_current_uid_gid, INTEGER, false, ARG_DONTCARE),
    PROTO(get_current_comm, INTEGER, false, ARG_PTR_TO_UNINIT_MEM, ARG_CONST_SIZE),
    PROTO(perf_event_output, INTEGER, true, ARG_PTR_TO_CTX, ARG_CONST_MAP_PTR, ARG_ANYTHING,
          ARG_PTR_TO_MEM, ARG_CONST_SIZE_OR_ZERO),
    PROTO(get_current_task, INTEGER, true, ARG_DONTCARE),
    PROTO(probe_read_kernel, INTEGER, true, ARG_PTR_TO_UNINIT_MEM, ARG_CONST_SIZE_OR_ZERO,
          ARG_ANYTHING),
    PROTO(probe_read_kernel_str, INTEGER, true, ARG_PTR_TO_UNINIT_MEM, ARG_CONST_SIZE_OR_ZERO,
          ARG_ANYTHING),
#undef PROTO
};

const char *bpf_func_name(int func_id)
{
    if (func_id == BPF_FUNC_unspec)
        return "bpf_unspec";
    if (func_id < 0 || func_id >= __BPF_FUNC_MAX_ID || !protos[func_id].name)
        return "unknown";
    return protos[func_id].name;
}

const struct bpf_func_proto *bpf_get_func_proto(int func_id)
{
    if (func_id <= 0 || func_id >= __BPF_FUNC_MAX_ID || !protos[func_id].name)
        return NULL;
    return &protos[func_id];
}

static bool perf_event_access_ok(int off, int size)
{
    if (off < 0 || off >= (int)sizeof(struct bpf_perf_event_data) || off % size)
        return false;
    /* The registers only as a whole; the numbers after them also by their lower bytes. */
    if (off < (int)offsetof(struct bpf_perf_event_data, sample_period))
        return size == sizeof(unsigned long);
    return size == 8 || off % 8 == 0;
}

bool bpf_ctx_access_ok(u32 prog_type, int off, int size, bool write)
{
    if (write || off < 0)
        return false;
    switch (prog_type) {
    case BPF_PROG_TYPE_KPROBE: /* Linux's struct pt_regs has 36 words */
        return off + size <= 36 * 8 && off % size == 0;
    case BPF_PROG_TYPE_TRACEPOINT:
        return off >= (int)sizeof(void *) && off < BPF_MAX_TRACE_SIZE && off % size == 0;
    case BPF_PROG_TYPE_RAW_TRACEPOINT: return off < 8 * MAX_BPF_FUNC_ARGS && off % size == 0;
    case BPF_PROG_TYPE_PERF_EVENT: return perf_event_access_ok(off, size);
    default: return false;
    }
}

/* An array of events has a helper of its own, and no other. */
bool bpf_map_func_compatible(u32 map_type, int func_id)
{
    return (map_type == BPF_MAP_TYPE_PERF_EVENT_ARRAY) == (func_id == BPF_FUNC_perf_event_output);
}
