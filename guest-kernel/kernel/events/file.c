/*
 * file.c - the descriptor of an event: read, poll, mmap, ioctl.
 *
 * perf_event_mutex is not held while user memory is accessed: a mapping is closed, and with it
 * perhaps an event, under the address space's lock.
 *
 * Not instrumented.
 */
#include "core.h"
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>

enum { MAX_FILTER = 4096 };

static const struct file_operations perf_fops;

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
    list_for_each_entry(child, &event->child_list, child_entry)
        add_value(child, &value);
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
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry) {
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
int perf_event_set_output(struct perf_event *event, struct perf_event *output)
{
    struct perf_buffer *rb = NULL, *old;
    int err = 0;

    if (output && (event == output || output->cpu != event->cpu ||
                   (output->cpu == -1 && output->hw.target != event->hw.target)))
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
        return perf_event_set_output(event, NULL);
    file = perf_event_get(fd);
    if (IS_ERR(file))
        return PTR_ERR(file);
    err = perf_event_set_output(event, perf_event_of(file));
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
    err = perf_event_set_bpf_prog(event, prog);
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
    case PERF_EVENT_IOC_MODIFY_ATTRIBUTES: return -EOPNOTSUPP;
    }
    if (cmd == PERF_EVENT_IOC_PERIOD && get_user(value, (const u64 __user *)arg))
        return -EFAULT;
    mutex_lock(&perf_event_mutex);
    err = locked_ioctl(event, cmd, arg, value);
    mutex_unlock(&perf_event_mutex);
    return err;
}

static int perf_release(struct inode *inode, struct file *file)
{
    struct perf_event *event = inode->i_private, *child, *next;

    (void)file;
    mutex_lock(&perf_event_mutex);
    perf_detach_event(event);
    list_for_each_entry_safe(child, next, &event->child_list, child_entry) {
        perf_detach_event(child);
        list_del_init(&child->child_entry);
        perf_free_event(child);
    }
    perf_free_event(event);
    mutex_unlock(&perf_event_mutex);
    return 0;
}

static const struct file_operations perf_fops = {
    .read = perf_read,
    .poll = perf_poll,
    .mmap = perf_mmap,
    .unlocked_ioctl = perf_ioctl,
    .release = perf_release,
};

struct file *perf_event_file(struct perf_event *event)
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
