/*
 * helpers.c - functions of the kernel that programs call.
 *
 * Each has five arguments, of which it uses the first ones; the verifier has checked them.
 */
#include "bpf_internal.h"
#include <asm/processor.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/random.h>
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

static bool read_memory(void *to, u64 from, u64 n, bool user)
{
    bool is_user = n <= TASK_SIZE && from <= TASK_SIZE - n;

    if (is_user != user)
        return false;
    return !__asm_copy_from_user(to, (const void __user *)(unsigned long)from, n);
}

/* The same, of either kind of memory. What cannot be read is zero. */
static u64 probe_read(void *to, u64 from, u64 n, bool user, bool kernel)
{
    bool ok =
        (user && read_memory(to, from, n, true)) || (kernel && read_memory(to, from, n, false));

    if (!ok)
        memset(to, 0, n);
    return ok ? 0 : -EFAULT;
}

HELPER(probe_read_any)
{
    return probe_read(POINTER(r1), r3, r2, true, true);
}

HELPER(probe_read_user)
{
    return probe_read(POINTER(r1), r3, r2, true, false);
}

HELPER(probe_read_kernel)
{
    return probe_read(POINTER(r1), r3, r2, false, true);
}

/* Returns the length with the NUL. */
static u64 probe_read_str(char *to, u64 from, u64 size, bool user, bool kernel)
{
    u64 n;

    if (!size)
        return 0;
    for (n = 0; n < size; n++) {
        if (!(user && read_memory(to + n, from + n, 1, true)) &&
            !(kernel && read_memory(to + n, from + n, 1, false))) {
            memset(to, 0, size);
            return -EFAULT;
        }
        if (!to[n])
            return n + 1;
    }
    to[size - 1] = 0;
    return size;
}

HELPER(probe_read_any_str)
{
    return probe_read_str(POINTER(r1), r3, r2, true, true);
}

HELPER(probe_read_user_str)
{
    return probe_read_str(POINTER(r1), r3, r2, true, false);
}

HELPER(probe_read_kernel_str)
{
    return probe_read_str(POINTER(r1), r3, r2, false, true);
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
    [BPF_FUNC_probe_read] = probe_read_any,
    [BPF_FUNC_probe_read_user] = probe_read_user,
    [BPF_FUNC_probe_read_kernel] = probe_read_kernel,
    [BPF_FUNC_probe_read_str] = probe_read_any_str,
    [BPF_FUNC_probe_read_user_str] = probe_read_user_str,
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
