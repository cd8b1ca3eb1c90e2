/*
 * helpers.c - functions of the kernel that programs call.
 *
 * Each has five arguments and uses the first ones; the verifier has checked them.
 */
#include "bpf_internal.h"
#include <asm/processor.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define HELPER(name)                                                                     \
    static u64 name(u64 r1 __maybe_unused, u64 r2 __maybe_unused, u64 r3 __maybe_unused, \
                    u64 r4 __maybe_unused, u64 r5 __maybe_unused)
#define POINTER(r) ((void *)(unsigned long)(r))

/* ---- maps ---- */

HELPER(map_lookup_elem)
{
    struct bpf_map *map = POINTER(r1);

    return (unsigned long)map->ops->lookup(map, POINTER(r2));
}

HELPER(map_update_elem)
{
    struct bpf_map *map = POINTER(r1);

    return map->ops->update(map, POINTER(r2), POINTER(r3), r4);
}

HELPER(map_delete_elem)
{
    struct bpf_map *map = POINTER(r1);

    return map->ops->remove(map, POINTER(r2));
}

/* ---- memory; with preemption off a fault ends the copy ---- */

unsigned long __asm_copy_from_user(void *to, const void __user *from, unsigned long n);

static bool read_kernel(void *to, u64 from, u64 n)
{
    if (n <= TASK_SIZE && from <= TASK_SIZE - n)
        return false;
    return !__asm_copy_from_user(to, (const void __user *)(unsigned long)from, n);
}

/* What cannot be read is zero. */
HELPER(probe_read_kernel)
{
    if (read_kernel(POINTER(r1), r3, r2))
        return 0;
    memset(POINTER(r1), 0, r2);
    return -EFAULT;
}

/* Returns the length with the NUL. */
HELPER(probe_read_kernel_str)
{
    char *to = POINTER(r1);
    u64 n;

    for (n = 0; n < r2; n++) {
        if (!read_kernel(to + n, r3 + n, 1)) {
            memset(to, 0, r2);
            return -EFAULT;
        }
        if (!to[n])
            return n + 1;
    }
    if (r2)
        to[r2 - 1] = 0;
    return r2;
}

/* ---- what runs, and when ---- */

HELPER(get_current_pid_tgid)
{
    return (u64)current->pid << 32 | (u32)current->pid;
}

HELPER(get_zero)
{
    return 0;
}

HELPER(get_current_comm)
{
    char *to = POINTER(r1);

    memset(to, 0, r2);
    strscpy(to, current->comm, r2);
    return 0;
}

HELPER(get_current_task)
{
    return (unsigned long)current;
}

HELPER(get_smp_processor_id)
{
    return raw_smp_processor_id();
}

HELPER(ktime_get_ns)
{
    return sched_clock();
}

/* A sequence of each hart's own: xorshift. */
HELPER(get_prandom_u32)
{
    static u32 state[NR_CPUS];
    u32 *s = &state[raw_smp_processor_id()];

    if (!*s)
        *s = 2463534242u + raw_smp_processor_id();
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    return *s;
}

bpf_func_t bpf_helper_funcs[__BPF_FUNC_MAX_ID] = {
    [BPF_FUNC_map_lookup_elem] = map_lookup_elem,
    [BPF_FUNC_map_update_elem] = map_update_elem,
    [BPF_FUNC_map_delete_elem] = map_delete_elem,
    [BPF_FUNC_probe_read_kernel] = probe_read_kernel,
    [BPF_FUNC_probe_read_kernel_str] = probe_read_kernel_str,
    [BPF_FUNC_ktime_get_ns] = ktime_get_ns,
    [BPF_FUNC_get_prandom_u32] = get_prandom_u32,
    [BPF_FUNC_get_smp_processor_id] = get_smp_processor_id,
    [BPF_FUNC_get_current_pid_tgid] = get_current_pid_tgid,
    [BPF_FUNC_get_current_uid_gid] = get_zero,
    [BPF_FUNC_get_current_comm] = get_current_comm,
    [BPF_FUNC_get_current_task] = get_current_task,
    [BPF_FUNC_trace_printk] = bpf_trace_printk,
    [BPF_FUNC_perf_event_output] = bpf_perf_event_output,
};
