/*
 * callchain.c - the callers of a sample, by frame pointers: of the kernel, then of the program.
 *
 * Not instrumented.
 */
#include "internal.h"
#include <asm/ptrace.h>
#include <asm/stacktrace.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

int sysctl_perf_event_max_stack = PERF_MAX_STACK_DEPTH;

/* A chain for each hart and context. */
struct callchain_buffers {
    struct perf_callchain_entry entry[NR_CPUS][PERF_NR_CONTEXTS];
};

static struct callchain_buffers *buffers;
static unsigned int users; /* under perf_event_mutex */

int get_callchain_buffers(void)
{
    if (!buffers)
        buffers = kzalloc(sizeof(*buffers));
    if (!buffers)
        return -ENOMEM;
    users++;
    return 0;
}

/* No event uses them any more. */
void put_callchain_buffers(void)
{
    if (--users)
        return;
    kfree(buffers);
    buffers = NULL;
}

static void store(struct perf_callchain_entry *entry, u64 ip)
{
    if (entry->nr < ARRAY_SIZE(entry->ip))
        entry->ip[entry->nr++] = ip;
}

/* As many words as there is room for. */
static unsigned long *room_in(struct perf_callchain_entry *entry)
{
    return (unsigned long *)&entry->ip[entry->nr];
}

const struct perf_callchain_entry *perf_callchain(struct perf_event *event, struct pt_regs *regs)
{
    static const struct perf_callchain_entry none;
    unsigned int room = min(event->attr.sample_max_stack, (u16)PERF_MAX_STACK_DEPTH), n = 0;
    struct perf_callchain_entry *entry;

    if (!buffers)
        return &none;
    entry = &buffers->entry[smp_processor_id()][perf_get_context_level()];
    entry->nr = 0;
    if (!user_mode(regs) && !event->attr.exclude_callchain_kernel) {
        store(entry, PERF_CONTEXT_KERNEL);
        n = stack_trace_save_regs(regs, room_in(entry), room);
        entry->nr += n;
    }
    if (current->mm && !event->attr.exclude_callchain_user && n < room) {
        store(entry, PERF_CONTEXT_USER);
        entry->nr += stack_trace_save_user(room_in(entry), room - n);
    }
    return entry;
}
