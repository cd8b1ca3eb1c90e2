/*
 * syscall.c - perf_event_open(2): checks what is asked for, makes events and frees them.
 *
 * Not instrumented.
 */
#include "core.h"
#include <linux/bpf.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

enum { MAX_GROUP = 64 };

/* ---- making and freeing events; under perf_event_mutex ---- */

static void init_period(struct perf_event *event, const struct perf_event *parent)
{
    struct hw_perf_event *hwc = &event->hw;

    hwc->sample_period = event->attr.sample_period;
    if (event->attr.freq && event->attr.sample_freq)
        hwc->sample_period = 1;
    if (parent && event->attr.freq)
        hwc->sample_period = parent->hw.sample_period;
    hwc->last_period = hwc->sample_period;
    hwc->period_left = hwc->sample_period;
}

static bool needs_sched(const struct perf_event *event)
{
    return event->hw.target || is_sampling_event(event);
}

static void account_event(const struct perf_event *event, int by)
{
    if (event->parent)
        return;
    perf_account_records(event, by);
    if (!needs_sched(event))
        return;
    if (by > 0)
        static_branch_inc(&perf_sched_events);
    else
        static_branch_dec(&perf_sched_events);
}

static struct perf_event *new_event(const struct perf_event_attr *attr, int cpu,
                                    struct perf_event *group_leader, struct perf_event *parent)
{
    struct perf_event *event = kzalloc(sizeof(*event));

    if (!event)
        return NULL;
    INIT_LIST_HEAD(&event->event_entry);
    INIT_LIST_HEAD(&event->group_entry);
    INIT_LIST_HEAD(&event->sibling_list);
    INIT_LIST_HEAD(&event->sibling_entry);
    INIT_LIST_HEAD(&event->child_list);
    INIT_LIST_HEAD(&event->child_entry);
    INIT_LIST_HEAD(&event->rb_entry);
    INIT_LIST_HEAD(&event->hw.link);
    mutex_init(&event->mmap_mutex);
    init_waitqueue_head(&event->waitq);
    init_irq_work(&event->pending_irq, perf_pending_irq);
    event->group_leader = group_leader ? group_leader : event;
    event->attr = *attr;
    event->cpu = cpu;
    event->oncpu = -1;
    event->hw.idx = -1;
    event->id = perf_event_new_id();
    event->state = attr->disabled ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE;
    event->parent = parent;
    event->overflow_handler = perf_event_output;
    return event;
}

static bool wants_callchain(const struct perf_event *event)
{
    return event->attr.sample_type & PERF_SAMPLE_CALLCHAIN;
}

struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
                                    struct task_struct *task, struct perf_event *group_leader,
                                    struct perf_event *parent)
{
    struct perf_event *event = new_event(attr, cpu, group_leader, parent);
    int err;

    if (!event)
        return ERR_PTR(-ENOMEM);
    event->hw.target = task;
    init_period(event, parent);
    err = wants_callchain(event) ? get_callchain_buffers() : 0;
    if (!err) {
        err = perf_pmu_init_event(event);
        if (err && wants_callchain(event))
            put_callchain_buffers();
    }
    if (err) {
        kfree(event);
        return ERR_PTR(err);
    }
    if (parent)
        perf_event_inherit_bpf_prog(event);
    account_event(event, 1);
    return event;
}

void perf_free_event(struct perf_event *event)
{
    account_event(event, -1);
    perf_event_free_bpf_prog(event);
    irq_work_sync(&event->pending_irq);
    if (event->destroy)
        event->destroy(event);
    if (event->rb) {
        struct perf_buffer *rb = event->rb;

        ring_buffer_attach(event, NULL);
        ring_buffer_put(rb);
    }
    if (wants_callchain(event))
        put_callchain_buffers();
    if (event->ctx)
        perf_put_context(event->ctx);
    kfree(event);
}

void perf_detach_event(struct perf_event *event)
{
    enum perf_event_state dead = PERF_EVENT_STATE_DEAD;

    perf_event_function_call(event, event->ctx, perf_remove_event, &dead);
}

/* ---- perf_event_open ---- */

/* A size that the kernel does not know is answered by the one that it does. */
static int wrong_size(struct perf_event_attr __user *uattr)
{
    (void)put_user((u32)sizeof(struct perf_event_attr), &uattr->size);
    return -E2BIG;
}

/* Bytes beyond what the kernel knows must be 0. */
static int check_rest(const char __user *rest, unsigned long n)
{
    char byte;

    for (; n; n--, rest++) {
        if (get_user(byte, rest))
            return -EFAULT;
        if (byte)
            return -E2BIG;
    }
    return 0;
}

static int check_attr(const struct perf_event_attr *attr)
{
    const u64 unsupported =
        PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
        PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX | PERF_SAMPLE_REGS_USER |
        PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
        PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION;

    if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
        return -EINVAL;
    if (attr->sample_type >= PERF_SAMPLE_MAX || attr->read_format >= PERF_FORMAT_MAX)
        return -EINVAL;
    if (attr->write_backward || attr->context_switch || attr->build_id)
        return -EINVAL; /* as of a kernel that does not know them */
    if (attr->sample_type & PERF_SAMPLE_CGROUP)
        return -EINVAL;
    if (attr->sample_type & unsupported || attr->sigtrap)
        return -EOPNOTSUPP;
    if (!attr->inherit && attr->inherit_thread)
        return -EINVAL;
    if (attr->remove_on_exec && attr->enable_on_exec)
        return -EINVAL;
    return 0;
}

static int copy_attr(struct perf_event_attr __user *uattr, struct perf_event_attr *attr)
{
    u32 size;
    int err;

    if (get_user(size, &uattr->size))
        return -EFAULT;
    if (!size)
        size = PERF_ATTR_SIZE_VER0;
    if (size < PERF_ATTR_SIZE_VER0 || size > PAGE_SIZE)
        return wrong_size(uattr);
    memset(attr, 0, sizeof(*attr));
    if (copy_from_user(attr, uattr, min((size_t)size, sizeof(*attr))))
        return -EFAULT;
    if (size > sizeof(*attr)) {
        err = check_rest((const char __user *)uattr + sizeof(*attr), size - sizeof(*attr));
        if (err)
            return err == -E2BIG ? wrong_size(uattr) : err;
    }
    attr->size = size;
    return check_attr(attr);
}

static int check_rate(const struct perf_event_attr *attr)
{
    if (attr->freq)
        return attr->sample_freq > (u64)sysctl_perf_event_sample_rate ? -EINVAL : 0;
    return attr->sample_period >> 63 ? -EINVAL : 0;
}

/* All clocks of this kernel are one. */
static bool is_clock(int clockid)
{
    enum { CLOCK_TAI = 11 };

    return clockid == CLOCK_MONOTONIC || clockid == CLOCK_MONOTONIC_RAW ||
           clockid == CLOCK_REALTIME || clockid == CLOCK_BOOTTIME || clockid == CLOCK_TAI;
}

static int check_group(const struct perf_event *event, const struct perf_event *leader,
                       const struct task_struct *task)
{
    if (leader->group_leader != leader || leader->cpu != event->cpu || leader->hw.target != task ||
        leader->attr.use_clockid != event->attr.use_clockid ||
        leader->attr.clockid != event->attr.clockid)
        return -EINVAL;
    if (event->attr.exclusive || event->attr.pinned)
        return -EINVAL;
    return leader->nr_siblings + 2 > MAX_GROUP ? -E2BIG : 0;
}

/* Makes the event and puts it into its context; perf_event_mutex is held. */
static struct perf_event *open_event(struct perf_event_attr *attr, struct task_struct *task,
                                     int cpu, struct perf_event *leader, struct perf_event *output)
{
    struct perf_event_context *ctx;
    struct perf_event *event;
    int err = 0;

    event = perf_event_alloc(attr, cpu, task, leader, NULL);
    if (IS_ERR(event))
        return event;
    if (!event->attr.sample_max_stack)
        event->attr.sample_max_stack = sysctl_perf_event_max_stack;
    if (is_sampling_event(event) && event->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT)
        err = -EOPNOTSUPP;
    if (!err && leader)
        err = check_group(event, leader, task);
    if (!err && output)
        err = perf_event_set_output(event, output);
    if (!err && !task && !cpu_online(cpu))
        err = -ENODEV;
    if (!err && task && task->perf_exited)
        err = -ESRCH;
    ctx = task ? perf_task_context(task) : perf_cpu_context(cpu);
    if (!err && !ctx)
        err = -ENOMEM;
    if (err) {
        event->group_leader = event;
        perf_free_event(event);
        return ERR_PTR(err);
    }
    event->owner = current;
    perf_install_in_context(event, ctx);
    return event;
}

static struct file *open_file(struct perf_event_attr *attr, struct task_struct *task, int cpu,
                              struct perf_event *leader, struct perf_event *output)
{
    struct perf_event *event;
    struct file *file;

    mutex_lock(&perf_event_mutex);
    event = open_event(attr, task, cpu, leader, output);
    if (IS_ERR(event)) {
        file = (struct file *)event;
    } else {
        file = perf_event_file(event);
        if (IS_ERR(file)) {
            perf_detach_event(event);
            perf_free_event(event);
        }
    }
    mutex_unlock(&perf_event_mutex);
    return file;
}

static int check_open(struct perf_event_attr *attr, pid_t pid, int cpu, const struct file *group,
                      unsigned long flags)
{
    if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
        return -EINVAL;
    if (attr->use_clockid && !is_clock(attr->clockid))
        return -EINVAL;
    if (flags & PERF_FLAG_PID_CGROUP || (cpu == -1 && pid == -1) || cpu < -1 ||
        (cpu != -1 && (unsigned int)cpu >= nr_cpu_ids))
        return -EINVAL;
    if (pid != -1 && group &&
        ((struct perf_event *)group->f_inode->i_private)->attr.inherit != attr->inherit)
        return -EINVAL;
    return 0;
}

static long open_fd(struct perf_event_attr *attr, pid_t pid, int cpu, struct file *group,
                    unsigned long flags)
{
    struct perf_event *leader = group ? perf_event_of(group) : NULL, *output = NULL;
    struct task_struct *task = pid == -1 ? NULL : find_get_task(pid);
    struct file *file;
    long fd;

    if (pid != -1 && !task)
        return -ESRCH;
    if (flags & PERF_FLAG_FD_OUTPUT)
        output = leader;
    if (flags & PERF_FLAG_FD_NO_GROUP)
        leader = NULL;
    fd = get_unused_fd_flags(flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0);
    if (fd >= 0) {
        file = open_file(attr, task, cpu, leader, output);
        if (IS_ERR(file)) {
            put_unused_fd(fd);
            fd = PTR_ERR(file);
        } else {
            fd_install(fd, file);
        }
    }
    if (task)
        put_task_struct(task);
    return fd;
}

SYSCALL_DEFINE5(perf_event_open, struct perf_event_attr __user *, attr_uptr, pid_t, pid, int, cpu,
                int, group_fd, unsigned long, flags)
{
    struct perf_event_attr attr;
    struct file *group = NULL;
    long err;

    if (flags & ~(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP |
                  PERF_FLAG_FD_CLOEXEC))
        return -EINVAL;
    err = copy_attr(attr_uptr, &attr);
    if (!err)
        err = check_rate(&attr);
    if (err)
        return err;
    if (group_fd != -1) {
        group = perf_event_get(group_fd);
        if (IS_ERR(group))
            return PTR_ERR(group);
    }
    err = check_open(&attr, pid, cpu, group, flags);
    if (!err)
        err = perf_pmu_read_attr(&attr);
    if (!err)
        err = open_fd(&attr, pid, cpu, group, flags);
    if (group)
        fput(group);
    return err;
}
