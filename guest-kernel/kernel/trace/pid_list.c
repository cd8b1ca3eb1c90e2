/* pid_list.c - a bit for each pid. Not instrumented: read at every traced call. */
#include "pid_list.h"
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

struct trace_pid_list {
    unsigned long bits[PID_MAX / 64];
};

struct trace_pid_list *trace_pid_list_alloc(void)
{
    return kzalloc(sizeof(struct trace_pid_list));
}

struct trace_pid_list *trace_pid_list_copy(const struct trace_pid_list *list)
{
    struct trace_pid_list *copy = trace_pid_list_alloc();

    if (copy && list)
        memcpy(copy, list, sizeof(*copy));
    return copy;
}

void trace_pid_list_free(struct trace_pid_list *list)
{
    kfree(list);
}

int trace_pid_list_set(struct trace_pid_list *list, unsigned int pid)
{
    if (pid >= PID_MAX)
        return -EINVAL;
    set_bit(pid % 64, &list->bits[pid / 64]);
    return 0;
}

int trace_pid_list_clear(struct trace_pid_list *list, unsigned int pid)
{
    if (pid >= PID_MAX)
        return -EINVAL;
    clear_bit(pid % 64, &list->bits[pid / 64]);
    return 0;
}

bool trace_pid_list_is_set(const struct trace_pid_list *list, unsigned int pid)
{
    return pid < PID_MAX && (list->bits[pid / 64] >> pid % 64 & 1);
}

int trace_pid_list_next(const struct trace_pid_list *list, unsigned int pid, unsigned int *next)
{
    for (; pid < PID_MAX; pid++) {
        if (!trace_pid_list_is_set(list, pid))
            continue;
        *next = pid;
        return 0;
    }
    return -1;
}
