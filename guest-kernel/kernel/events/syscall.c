/*
 * syscall.c - perf_event_open(2), and what programs do with its descriptors.
 *
 * perf_event_mutex is not held while user memory is accessed: a mapping is closed, and with it
 * perhaps an event, under the address space's lock.
 *
 * Not instrumented.
 */
#include "core.h"
#include <linux/bpf.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/sysctl.h>
#include <linux/sysfs.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

enum { MAX_GROUP = 64, MAX_FILTER = 4096, MAX_STACK_USER = 0xffff };

/* Only kept: there is one user, who may do everything. */
int sysctl_perf_event_paranoid = 2;

static LIST_HEAD(pmus); /* under perf_event_mutex; the first of a name's type is asked first */

static const struct file_operations perf_fops;

/* ---- pmus ---- */

void perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
    static unsigned int next_type = PERF_TYPE_MAX;

    mutex_lock(&perf_event_mutex);
    pmu->name = name;
    pmu->type = type >= 0 ? (unsigned int)type : next_type++;
    list_add_tail(&pmu->entry, &pmus);
    mutex_unlock(&perf_event_mutex);
}

/* What attr points to is memory of the user, which must not be read under perf_event_mutex. */
static int read_attr(struct perf_event_attr *attr)
{
    int (*read)(struct perf_event_attr * attr) = NULL;
    struct pmu *pmu;

    mutex_lock(&perf_event_mutex);
    list_for_each_entry(pmu, &pmus, entry)
    {
        if (pmu->type == attr->type && pmu->read_attr)
            read = pmu->read_attr;
    }
    mutex_unlock(&perf_event_mutex);
    return read ? read(attr) : 0;
}

static int init_event(struct perf_event *event)
{
    struct pmu *pmu;
    int err = -ENOENT;

    list_for_each_entry(pmu, &pmus, entry)
    {
        event->pmu = pmu;
        err = pmu->event_init(event);
        if (err != -ENOENT)
            return err;
    }
    return err;
}

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
    return event->hw.target || event->attr.context_switch || is_sampling_event(event);
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
        err = init_event(event);
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

static void detach(struct perf_event *event)
{
    enum perf_event_state dead = PERF_EVENT_STATE_DEAD;

    perf_event_function_call(event, event->ctx, perf_remove_event, &dead);
}

static int perf_release(struct inode *inode, struct file *file)
{
    struct perf_event *event = inode->i_private, *child, *next;

    (void)file;
    mutex_lock(&perf_event_mutex);
    detach(event);
    list_for_each_entry_safe(child, next, &event->child_list, child_entry)
    {
        detach(child);
        list_del_init(&child->child_entry);
        perf_free_event(child);
    }
    perf_free_event(event);
    mutex_unlock(&perf_event_mutex);
    return 0;
}

/* ---- read ---- */

struct perf_value {
    u64 count, enabled, running;
};

static void add_value(struct perf_event *event, struct perf_value *value)
{
    perf_event_function_call(event, event->ctx, perf_read_event, NULL);
    value->count += __atomic_load_n(&event->count, __ATOMIC_RELAXED);
    value->enabled += event->total_time_enabled;
    value->running += event->total_time_running;
}

/* With all that it has inherited. */
static struct perf_value read_value(struct perf_event *event)
{
    struct perf_value value = {event->child_count, event->child_total_time_enabled,
                               event->child_total_time_running};
    struct perf_event *child;

    add_value(event, &value);
    list_for_each_entry(child, &event->child_list, child_entry) add_value(child, &value);
    return value;
}

static unsigned int put_times(u64 format, const struct perf_value *value, u64 *words)
{
    unsigned int n = 0;

    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        words[n++] = value->enabled;
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        words[n++] = value->running;
    return n;
}

static unsigned int put_id(u64 format, const struct perf_event *event, u64 *words)
{
    unsigned int n = 0;

    if (format & PERF_FORMAT_ID)
        words[n++] = event->id;
    if (format & PERF_FORMAT_LOST)
        words[n++] = __atomic_load_n(&event->lost_samples, __ATOMIC_RELAXED);
    return n;
}

static unsigned int read_one(struct perf_event *event, u64 *words)
{
    struct perf_value value = read_value(event);
    unsigned int n = 1;

    words[0] = value.count;
    n += put_times(event->attr.read_format, &value, words + n);
    return n + put_id(event->attr.read_format, event, words + n);
}

static unsigned int read_group(struct perf_event *event, u64 *words)
{
    struct perf_event *leader = event->group_leader, *sibling;
    u64 format = event->attr.read_format;
    struct perf_value value = read_value(leader);
    unsigned int n = 1;

    words[0] = 1 + leader->nr_siblings;
    n += put_times(format, &value, words + n);
    words[n++] = value.count;
    n += put_id(format, leader, words + n);
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry)
    {
        words[n++] = read_value(sibling).count;
        n += put_id(format, sibling, words + n);
    }
    return n;
}

static ssize_t perf_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
    struct perf_event *event = file->f_inode->i_private;
    u64 *words = kmalloc(PERF_MAX_READ * sizeof(*words));
    ssize_t n = 0;

    (void)pos;
    if (!words)
        return -ENOMEM;
    mutex_lock(&perf_event_mutex);
    if (event->state != PERF_EVENT_STATE_ERROR) {
        n = event->attr.read_format & PERF_FORMAT_GROUP ? read_group(event, words)
                                                        : read_one(event, words);
        n *= sizeof(*words);
    }
    mutex_unlock(&perf_event_mutex);
    if ((size_t)n > count)
        n = -ENOSPC;
    else
        memcpy(buf, words, n);
    kfree(words);
    return n;
}

int perf_event_read_local(struct perf_event *event, u64 *value, u64 *enabled, u64 *running)
{
    unsigned long flags;
    int err = 0;

    if (event->attr.inherit)
        return -EOPNOTSUPP;
    raw_local_irq_save(flags);
    if ((event->hw.target && event->hw.target != current) ||
        (!event->hw.target && event->cpu != smp_processor_id())) {
        err = -EINVAL;
    } else {
        u64 now = event->ctx->time + perf_clock() - event->ctx->timestamp;

        if (event->oncpu == smp_processor_id())
            event->pmu->read(event);
        *value = __atomic_load_n(&event->count, __ATOMIC_RELAXED);
        *enabled = event->total_time_enabled;
        *running = event->total_time_running;
        if (event->state >= PERF_EVENT_STATE_INACTIVE)
            *enabled += now - event->tstamp;
        if (event->state >= PERF_EVENT_STATE_ACTIVE)
            *running += now - event->tstamp;
    }
    raw_local_irq_restore(flags);
    return err;
}

/* ---- poll ---- */

static unsigned int perf_poll(struct file *file, struct poll_table *table)
{
    struct perf_event *event = file->f_inode->i_private;
    unsigned int events = POLLHUP;
    struct perf_buffer *rb;

    poll_wait(file, &event->waitq, table);
    if (event->state <= PERF_EVENT_STATE_EXIT)
        return events;
    rb = ring_buffer_get(event);
    if (rb)
        events = __atomic_exchange_n(&rb->poll, 0, __ATOMIC_RELAXED);
    ring_buffer_put(rb);
    return events;
}

/* ---- mmap ---- */

void perf_event_update_userpage(struct perf_event *event)
{
    struct perf_buffer *rb;
    struct perf_event_mmap_page *page;
    unsigned long flags;

    raw_local_irq_save(flags);
    rb = rcu_dereference(event->rb);
    if (rb) {
        page = rb->user_page;
        WRITE_ONCE(page->lock, page->lock + 1);
        smp_wmb();
        page->index = 0; /* programs cannot read counters themselves */
        page->offset = __atomic_load_n(&event->count, __ATOMIC_RELAXED);
        page->time_enabled = event->total_time_enabled + event->child_total_time_enabled;
        page->time_running = event->total_time_running + event->child_total_time_running;
        smp_wmb();
        WRITE_ONCE(page->lock, page->lock + 1);
    }
    raw_local_irq_restore(flags);
}

static void perf_mmap_open(struct vm_area_struct *vma)
{
    struct perf_event *event = vma->vm_file->f_inode->i_private;

    mutex_lock(&event->mmap_mutex);
    event->mmap_count++;
    atomic_inc(&event->rb->mmap_count);
    mutex_unlock(&event->mmap_mutex);
}

/* Without a mapping the ring has no reader: the events that write to it have none any more. */
static void perf_mmap_close(struct vm_area_struct *vma)
{
    struct perf_event *event = vma->vm_file->f_inode->i_private;
    struct perf_buffer *rb = ring_buffer_get(event);

    mutex_lock(&event->mmap_mutex);
    event->mmap_count--;
    mutex_unlock(&event->mmap_mutex);
    if (rb && atomic_dec_and_test(&rb->mmap_count))
        ring_buffer_detach_all(rb);
    ring_buffer_put(rb);
}

static const struct vm_operations_struct perf_mmap_vmops = {
    .open = perf_mmap_open,
    .close = perf_mmap_close,
};

static void init_userpage(const struct perf_buffer *rb)
{
    struct perf_event_mmap_page *page = rb->user_page;

    page->cap_bit0_is_deprecated = 1;
    page->size = offsetof(struct perf_event_mmap_page, __reserved);
    page->data_offset = PAGE_SIZE;
    page->data_size = (u64)rb->nr_pages << PAGE_SHIFT;
}

/* The event's ring for a new mapping; mmap_mutex is held. 0 or an error. */
static int ring_for(struct perf_event *event, unsigned long nr_pages, bool writable)
{
    struct perf_buffer *rb = event->rb;
    long watermark = event->attr.watermark ? event->attr.wakeup_watermark : 0;

    if (rb)
        return rb->nr_pages == nr_pages ? 0 : -EINVAL;
    rb = rb_alloc(nr_pages, watermark, writable);
    if (!rb)
        return -ENOMEM;
    init_userpage(rb);
    ring_buffer_attach(event, rb);
    perf_event_update_userpage(event);
    return 0;
}

static int map_pages(struct vm_area_struct *vma, struct perf_buffer *rb)
{
    unsigned long i;
    int err = 0;

    for (i = 0; !err && i <= rb->nr_pages; i++)
        err = vm_insert_page(vma, vma->vm_start + i * PAGE_SIZE, perf_mmap_to_page(rb, i));
    return err;
}

static int perf_mmap(struct file *file, struct vm_area_struct *vma)
{
    struct perf_event *event = file->f_inode->i_private;
    unsigned long nr_pages = ((vma->vm_end - vma->vm_start) >> PAGE_SHIFT) - 1;
    int err;

    if (event->cpu == -1 && event->attr.inherit)
        return -EINVAL;
    if (!(vma->vm_flags & VM_SHARED) || vma->vm_offset || nr_pages & (nr_pages - 1) ||
        nr_pages > 1024)
        return -EINVAL;
    mutex_lock(&event->mmap_mutex);
    err = ring_for(event, nr_pages, vma->vm_flags & VM_WRITE);
    if (!err)
        err = map_pages(vma, event->rb);
    if (!err) {
        event->mmap_count++;
        atomic_inc(&event->rb->mmap_count);
    }
    mutex_unlock(&event->mmap_mutex);
    if (err)
        return err;
    vma->vm_flags |= VM_DONTCOPY;
    vma->vm_ops = &perf_mmap_vmops;
    return 0;
}

/* ---- ioctl ---- */

struct file *perf_event_get(unsigned int fd)
{
    struct file *file = fget(fd);

    if (file && file->f_op == &perf_fops)
        return file;
    if (file)
        fput(file);
    return ERR_PTR(-EBADF);
}

struct perf_event *perf_event_of(struct file *file)
{
    return file->f_inode->i_private;
}

/* To the event and all that it has passed on. */
static void call_with_children(struct perf_event *event, perf_event_function fn, void *data)
{
    struct perf_event *child;

    perf_event_function_call(event, event->ctx, fn, data);
    list_for_each_entry(child, &event->child_list, child_entry)
        perf_event_function_call(child, child->ctx, fn, data);
}

static void call_for(struct perf_event *event, perf_event_function fn, bool group)
{
    struct perf_event *sibling;

    if (!group) {
        call_with_children(event, fn, NULL);
        return;
    }
    event = event->group_leader;
    call_with_children(event, fn, NULL);
    list_for_each_entry(sibling, &event->sibling_list, sibling_entry)
        call_with_children(sibling, fn, NULL);
}

static int set_refresh(struct perf_event *event, int refresh)
{
    if (event->attr.inherit || !is_sampling_event(event))
        return -EINVAL;
    atomic_add_return(refresh, &event->event_limit);
    call_with_children(event, perf_enable_event, NULL);
    return 0;
}

static int set_period(struct perf_event *event, u64 value)
{
    if (!is_sampling_event(event) || !value)
        return -EINVAL;
    if (event->attr.freq ? value > (u64)sysctl_perf_event_sample_rate : value >> 63)
        return -EINVAL;
    call_with_children(event, perf_period_event, &value);
    return 0;
}

/* Samples of event go to the ring of output from now on; NULL: nowhere. */
static int set_output(struct perf_event *event, struct perf_event *output)
{
    struct perf_buffer *rb = NULL, *old;
    int err = 0;

    if (output && (event == output || output->cpu != event->cpu ||
                   (output->cpu == -1 && output->hw.target != event->hw.target) ||
                   output->attr.write_backward != event->attr.write_backward))
        return -EINVAL;
    mutex_lock(&event->mmap_mutex);
    if (output)
        rb = ring_buffer_get(output);
    if (event->mmap_count || (output && !rb))
        err = -EINVAL;
    if (!err) {
        old = event->rb;
        ring_buffer_attach(event, rb);
        rb = old;
    }
    mutex_unlock(&event->mmap_mutex);
    ring_buffer_put(rb);
    return err;
}

static int set_output_fd(struct perf_event *event, int fd)
{
    struct file *file;
    int err;

    if (fd == -1)
        return set_output(event, NULL);
    file = perf_event_get(fd);
    if (IS_ERR(file))
        return PTR_ERR(file);
    err = set_output(event, perf_event_of(file));
    fput(file);
    return err;
}

static int set_filter(struct perf_event *event, const char __user *text)
{
    char *filter;
    long n;
    int err;

    filter = kmalloc(MAX_FILTER);
    if (!filter)
        return -ENOMEM;
    n = strncpy_from_user(filter, text, MAX_FILTER);
    if (n < 0 || n >= MAX_FILTER) {
        kfree(filter);
        return n < 0 ? n : -EINVAL;
    }
    mutex_lock(&perf_event_mutex);
    err = event->tp_event ? ftrace_profile_set_filter(event, filter) : -EINVAL;
    mutex_unlock(&perf_event_mutex);
    kfree(filter);
    return err;
}

static int pause_output(struct perf_event *event, bool pause)
{
    struct perf_buffer *rb = ring_buffer_get(event);

    if (!rb || !rb->nr_pages) {
        ring_buffer_put(rb);
        return -EINVAL;
    }
    WRITE_ONCE(rb->paused, pause);
    ring_buffer_put(rb);
    return 0;
}

/* Those that change the event; perf_event_mutex is held. */
static long locked_ioctl(struct perf_event *event, unsigned int cmd, unsigned long arg, u64 value)
{
    bool group = arg & PERF_IOC_FLAG_GROUP;

    switch (cmd) {
    case PERF_EVENT_IOC_ENABLE: call_for(event, perf_enable_event, group); return 0;
    case PERF_EVENT_IOC_DISABLE: call_for(event, perf_disable_event, group); return 0;
    case PERF_EVENT_IOC_RESET: call_for(event, perf_reset_event, group); return 0;
    case PERF_EVENT_IOC_REFRESH: return set_refresh(event, arg);
    case PERF_EVENT_IOC_PERIOD: return set_period(event, value);
    case PERF_EVENT_IOC_PAUSE_OUTPUT: return pause_output(event, arg);
    default: return -ENOTTY;
    }
}

static int set_bpf(struct perf_event *event, unsigned int fd)
{
    struct bpf_prog *prog = bpf_prog_get(fd);
    int err;

    if (IS_ERR(prog))
        return PTR_ERR(prog);
    mutex_lock(&perf_event_mutex);
    err = perf_event_set_bpf_prog(event, prog, 0);
    mutex_unlock(&perf_event_mutex);
    if (err)
        bpf_prog_put(prog);
    return err;
}

static long perf_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
    struct perf_event *event = file->f_inode->i_private;
    u64 value = 0;
    long err;

    switch (cmd) {
    case PERF_EVENT_IOC_ID: return put_user(event->id, (u64 __user *)arg);
    case PERF_EVENT_IOC_SET_OUTPUT: return set_output_fd(event, arg);
    case PERF_EVENT_IOC_SET_FILTER: return set_filter(event, (const char __user *)arg);
    case PERF_EVENT_IOC_SET_BPF: return set_bpf(event, arg);
    case PERF_EVENT_IOC_QUERY_BPF: return perf_event_query_prog_array(event, (void __user *)arg);
    case PERF_EVENT_IOC_MODIFY_ATTRIBUTES: return -EOPNOTSUPP;
    }
    if (cmd == PERF_EVENT_IOC_PERIOD && get_user(value, (const u64 __user *)arg))
        return -EFAULT;
    mutex_lock(&perf_event_mutex);
    err = locked_ioctl(event, cmd, arg, value);
    mutex_unlock(&perf_event_mutex);
    return err;
}

static const struct file_operations perf_fops = {
    .read = perf_read,
    .poll = perf_poll,
    .mmap = perf_mmap,
    .unlocked_ioctl = perf_ioctl,
    .release = perf_release,
};

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
    const u64 unsupported = PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC |
                            PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE |
                            PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX;

    if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
        return -EINVAL;
    if (attr->sample_type >= PERF_SAMPLE_MAX || attr->read_format >= PERF_FORMAT_MAX)
        return -EINVAL;
    if (attr->sample_type & PERF_SAMPLE_REGS_USER &&
        (!attr->sample_regs_user || attr->sample_regs_user >> PERF_REG_RISCV_MAX))
        return -EINVAL;
    if (attr->sample_type & PERF_SAMPLE_REGS_INTR &&
        (!attr->sample_regs_intr || attr->sample_regs_intr >> PERF_REG_RISCV_MAX))
        return -EINVAL;
    if (attr->sample_type & PERF_SAMPLE_STACK_USER &&
        (attr->sample_stack_user >= MAX_STACK_USER || attr->sample_stack_user % sizeof(u64)))
        return -EINVAL;
    if (attr->sample_type & PERF_SAMPLE_CGROUP ||
        (attr->sample_type & PERF_SAMPLE_WEIGHT && attr->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
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
        err = set_output(event, output);
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

static struct file *event_file(struct perf_event *event)
{
    struct inode *inode = new_inode(S_IRUSR | S_IWUSR);
    struct file *file;

    if (!inode)
        return ERR_PTR(-ENOMEM);
    inode->i_fop = &perf_fops;
    inode->i_private = event;
    file = dentry_open(NULL, inode, O_RDWR);
    iput(inode);
    return file;
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
        file = event_file(event);
        if (IS_ERR(file)) {
            detach(event);
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
        err = read_attr(&attr);
    if (!err)
        err = open_fd(&attr, pid, cpu, group, flags);
    if (group)
        fput(group);
    return err;
}

/* ---- files of settings ---- */

static int set_sample_rate(const struct ctl_table *table, int value)
{
    if (value < 1)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static int set_max_stack(const struct ctl_table *table, int value)
{
    if (value < 0 || value > PERF_MAX_STACK_DEPTH)
        return -EINVAL;
    WRITE_ONCE(*table->data, value);
    return 0;
}

static const struct ctl_table perf_sysctls[] = {
    {"perf_event_paranoid", &sysctl_perf_event_paranoid, NULL},
    {"perf_event_max_sample_rate", &sysctl_perf_event_sample_rate, set_sample_rate},
    {"perf_event_max_stack", &sysctl_perf_event_max_stack, set_max_stack},
};

static int type_show(struct seq_file *m, void *pmu)
{
    seq_printf(m, "%u\n", ((const struct pmu *)pmu)->type);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(type);

static int format_show(struct seq_file *m, void *format)
{
    seq_printf(m, "%s\n", ((const struct pmu_format *)format)->bits);
    return 0;
}
DEFINE_SHOW_ATTRIBUTE(format);

static void create_pmu_files(struct dentry *devices, struct pmu *pmu)
{
    struct dentry *dir = sysfs_create_dir(devices, pmu->name), *formats = NULL;
    bool done = simple_create_file(dir, "type", S_IRUGO, pmu, &type_fops);
    const struct pmu_format *format;

    if (pmu->formats)
        formats = sysfs_create_dir(dir, "format");
    for (format = pmu->formats; done && format && format->name; format++)
        done = simple_create_file(formats, format->name, S_IRUGO, (void *)format, &format_fops);
    if (!done)
        panic("no memory for a pmu in sysfs");
}

void perf_syscall_init(void)
{
    struct dentry *dir = sysfs_create_dir(NULL, "bus");
    struct pmu *pmu;

    register_sysctl("kernel", perf_sysctls, ARRAY_SIZE(perf_sysctls));
    dir = sysfs_create_dir(sysfs_create_dir(dir, "event_source"), "devices");
    list_for_each_entry(pmu, &pmus, entry)
    {
        if (pmu->name)
            create_pmu_files(dir, pmu);
    }
}
