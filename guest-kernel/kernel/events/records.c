/*
 * records.c - the records that go with samples: names, mappings, forks and ends of tasks, and
 * the text of programs in BPF, which comes and goes.
 *
 * Each goes to the events of this hart and of the current task that have asked for it.
 *
 * Not instrumented.
 */
#include "core.h"
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/slab.h>
#include <linux/string.h>

/* Numbers of events that want them. */
static atomic_t nr_mmap, nr_comm, nr_task, nr_ksymbol;

static void add(atomic_t *n, bool wanted, int by)
{
    if (wanted)
        atomic_add_return(by, n);
}

void perf_account_records(const struct perf_event *event, int by)
{
    add(&nr_mmap, event->attr.mmap || event->attr.mmap_data, by);
    add(&nr_comm, event->attr.comm, by);
    add(&nr_task, event->attr.task || event->attr.mmap || event->attr.comm, by);
    add(&nr_ksymbol, event->attr.ksymbol, by);
}

/* A record of a fixed part, a string padded to words, and the id. */
static void write_record(struct perf_event *event, u16 type, u16 misc, const void *fixed,
                         unsigned int size, const char *text, const struct task_struct *task)
{
    unsigned int text_size = text ? ALIGN((unsigned int)strlen(text) + 1, 8u) : 0;
    struct perf_event_header header = {type, misc, 0};
    struct perf_output_handle handle;
    const u64 zero = 0;

    header.size = sizeof(header) + size + text_size + perf_event_id_size(event);
    if (!perf_output_begin(&handle, event, header.size))
        return;
    perf_output_put(&handle, header);
    perf_output_copy(&handle, fixed, size);
    if (text) {
        perf_output_copy(&handle, text, strlen(text) + 1);
        perf_output_copy(&handle, &zero, text_size - strlen(text) - 1);
    }
    perf_output_id(&handle, event, task);
    perf_output_end(&handle);
}

/* ---- PERF_RECORD_FORK and PERF_RECORD_EXIT ---- */

struct task_record {
    bool fork;
    const struct task_struct *task;
    struct {
        u32 pid, ppid, tid, ptid;
        u64 time;
    } fixed;
};

static void output_task(struct perf_event *event, void *data)
{
    const struct task_record *r = data;

    if (event->attr.task || event->attr.mmap || event->attr.mmap2 || event->attr.mmap_data ||
        event->attr.comm)
        write_record(event, r->fork ? PERF_RECORD_FORK : PERF_RECORD_EXIT, 0, &r->fixed,
                     sizeof(r->fixed), NULL, r->fork ? current : r->task);
}

static struct task_record task_record(const struct task_struct *task, bool fork)
{
    pid_t parent = fork ? current->pid : task->parent ? task->parent->pid : 0;

    return (struct task_record){
        fork, task, {task->pid, parent, task->pid, fork ? current->pid : parent, perf_clock()}};
}

void perf_event_fork(struct task_struct *child)
{
    struct task_record r;

    if (!atomic_read(&nr_task))
        return;
    r = task_record(child, true);
    perf_iterate_sb(output_task, &r);
}

void perf_event_exit_record(struct task_struct *task, struct perf_event_context *ctx)
{
    struct task_record r;

    (void)ctx;
    if (!atomic_read(&nr_task))
        return;
    r = task_record(task, false);
    perf_iterate_sb(output_task, &r);
}

/* ---- PERF_RECORD_COMM ---- */

struct comm_record {
    bool exec;
    const struct task_struct *task;
    struct {
        u32 pid, tid;
    } fixed;
};

static void output_comm(struct perf_event *event, void *data)
{
    const struct comm_record *r = data;

    if (event->attr.comm)
        write_record(event, PERF_RECORD_COMM, r->exec ? PERF_RECORD_MISC_COMM_EXEC : 0, &r->fixed,
                     sizeof(r->fixed), r->task->comm, r->task);
}

void perf_event_comm(struct task_struct *task, bool exec)
{
    struct comm_record r = {exec, task, {task->pid, task->pid}};

    if (atomic_read(&nr_comm))
        perf_iterate_sb(output_comm, &r);
}

/* ---- PERF_RECORD_MMAP and PERF_RECORD_MMAP2 ---- */

struct mmap_record {
    const struct vm_area_struct *vma;
    const char *name;
    struct {
        u32 pid, tid;
        u64 addr, len, pgoff;
    } fixed;
    struct {
        u32 maj, min;
        u64 ino, ino_generation;
        u32 prot, flags;
    } more; /* of MMAP2 */
};

static void output_mmap(struct perf_event *event, void *data)
{
    const struct mmap_record *r = data;
    bool executable = r->vma->vm_flags & VM_EXEC;
    u16 misc = PERF_RECORD_MISC_USER | (executable ? 0 : PERF_RECORD_MISC_MMAP_DATA);
    struct {
        __typeof__(r->fixed) fixed;
        __typeof__(r->more) more;
    } both = {r->fixed, r->more};

    if (!(executable ? event->attr.mmap || event->attr.mmap2 : event->attr.mmap_data))
        return;
    if (event->attr.mmap2)
        write_record(event, PERF_RECORD_MMAP2, misc, &both, sizeof(both), r->name, current);
    else
        write_record(event, PERF_RECORD_MMAP, misc, &r->fixed, sizeof(r->fixed), r->name, current);
}

/* What has no file: the kernel's names for it. */
static const char *name_of_area(const struct vm_area_struct *vma)
{
    const char *name = arch_vma_name(vma);

    return name ? name : "//anon";
}

static void fill_file(struct mmap_record *r, const struct file *file, char *buf)
{
    const struct inode *inode = file->f_inode;
    char *path = file->f_path.dentry ? d_path(&file->f_path, buf, PATH_MAX) : NULL;

    r->name = path && !IS_ERR(path) ? path : "//toolong";
    r->more.ino = inode->i_ino;
}

void perf_event_mmap(struct vm_area_struct *vma)
{
    struct mmap_record r = {
        .vma = vma,
        .fixed = {current->pid, current->pid, vma->vm_start, vma->vm_end - vma->vm_start,
                  vma->vm_file ? (u64)vma->vm_offset : 0},
        .more = {.prot = vma->vm_flags & VM_ACCESS,
                 .flags = vma->vm_flags & VM_SHARED ? MAP_SHARED : MAP_PRIVATE},
    };
    char *buf;

    if (!atomic_read(&nr_mmap))
        return;
    buf = kmalloc(PATH_MAX);
    if (vma->vm_file && vma->vm_file->f_path.dentry && buf)
        fill_file(&r, vma->vm_file, buf);
    else
        r.name = buf ? name_of_area(vma) : "//enomem";
    perf_iterate_sb(output_mmap, &r);
    kfree(buf);
}

/* ---- PERF_RECORD_KSYMBOL ---- */

struct ksymbol_record {
    const char *name;
    struct {
        u64 addr;
        u32 len;
        u16 type, flags;
    } fixed;
};

static void output_ksymbol(struct perf_event *event, void *data)
{
    const struct ksymbol_record *r = data;

    if (event->attr.ksymbol)
        write_record(event, PERF_RECORD_KSYMBOL, 0, &r->fixed, sizeof(r->fixed), r->name, current);
}

static void bpf_ksymbol(const char *name, unsigned long addr, unsigned long len, u16 flags)
{
    struct ksymbol_record r = {name, {addr, len, PERF_RECORD_KSYMBOL_TYPE_BPF, flags}};

    perf_iterate_sb(output_ksymbol, &r);
}

/* As in Linux, an interpreted program is the interpreter, without a name or a length. */
void perf_event_bpf_event(const struct bpf_prog *prog, enum perf_bpf_event_type type)
{
    u16 flags = type == PERF_BPF_EVENT_PROG_UNLOAD ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0;
    const struct bpf_ksym *ksym = prog->jited ? &prog->jited->ksym : NULL;

    if (!atomic_read(&nr_ksymbol))
        return;
    if (ksym)
        bpf_ksymbol(ksym->name, ksym->start, ksym->end - ksym->start, flags);
    else
        bpf_ksymbol("", (unsigned long)prog->bpf_func, 0, flags);
}

/* ---- PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE, PERF_RECORD_READ ---- */

void perf_log_throttle(struct perf_event *event, bool enable)
{
    const struct {
        u64 time, id, stream_id;
    } fixed = {perf_clock(), event->parent ? event->parent->id : event->id, event->id};

    write_record(event, enable ? PERF_RECORD_UNTHROTTLE : PERF_RECORD_THROTTLE, 0, &fixed,
                 sizeof(fixed), NULL, current);
}

void perf_event_read_record(struct perf_event *event, const struct task_struct *task)
{
    struct {
        u32 pid, tid;
        u64 values[PERF_MAX_READ];
    } fixed = {task->pid, task->pid, {0}};
    unsigned int n = perf_event_values(event, fixed.values, PERF_MAX_READ);

    write_record(event, PERF_RECORD_READ, 0, &fixed, 8 + 8 * n, NULL, task);
}
