/*
 * trace_instances.c - instances/: traces beside the main one, each with buffers, events, settings
 * and a tracer of its own.
 *
 * mkdir makes one, rmdir removes it, unless a file in it is open or the kernel uses it (EBUSY).
 * What is removed is unlinked and turned off first, and freed after a grace period. An inode may
 * outlive its instance: its owner (tracefs.h) then has none, and it cannot be opened.
 *
 * Not instrumented.
 */
#include "trace.h"
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace.h>

static struct dentry *instances_dir;

static struct trace_array *find_trace(const char *name)
{
    struct trace_array *tr;

    for_each_trace_array(tr)
        if (tr->name && !strcmp(tr->name, name))
            return tr;
    return NULL;
}

/* ---- the owner of an instance's files ---- */

static int get_instance(struct tracefs_owner *owner)
{
    struct trace_array *tr;

    mutex_lock(&trace_types_lock);
    tr = owner->data;
    if (tr)
        tr->ref++;
    mutex_unlock(&trace_types_lock);
    return tr ? 0 : -ENODEV;
}

static void put_instance(struct tracefs_owner *owner)
{
    trace_array_put(owner->data);
}

static struct tracefs_owner *new_owner(struct trace_array *tr)
{
    struct tracefs_owner *owner = kzalloc(sizeof(*owner));

    if (owner)
        *owner = (struct tracefs_owner){
            .get = get_instance, .put = put_instance, .data = tr, .refs = {1}};
    return owner;
}

/* ---- making and removing; event_mutex and trace_types_lock are held ---- */

/* Nothing refers to it any more. */
static void free_instance(struct trace_array *tr)
{
    trace_free_option_files(tr);
    trace_free_error_log(tr);
    ftrace_free_ftrace_ops(tr);
    trace_free_buffers(tr);
    tracefs_put_owner(tr->owner);
    kfree(tr->name);
    kfree(tr);
}

static void unlink_instance(struct trace_array *tr)
{
    struct trace_array *before = &global_trace;

    while (before->next != tr)
        before = before->next;
    WRITE_ONCE(before->next, tr->next);
}

static int fill_instance(struct trace_array *tr)
{
    const struct tracer *t;
    int err = trace_create_error_log(tr, tr->dir);

    if (err)
        return err;
    trace_create_array_files(tr, tr->dir);
    for (t = trace_types; !err && t; t = t->next)
        if (trace_ok_for_array(t, tr))
            err = trace_add_tracer_options(tr, t);
    return err ? err : event_trace_add_tracer(tr->dir, tr);
}

/* Turns all off, and frees the instance after a grace period. */
static void remove_instance(struct trace_array *tr)
{
    unsigned int type;

    tr->owner->data = NULL;
    trace_event_clear_pids(tr);
    trace_event_follow_fork(tr, false);
    ftrace_pid_follow_fork(tr, false);
    ftrace_clear_commands(tr); /* which keep events on */
    event_trace_del_tracer(tr);
    for (type = 0; type < TRACE_PID_TYPES; type++)
        function_pid_file_ops.set(tr, type, NULL);
    unlink_instance(tr);
    tracefs_remove(tr->dir);
    synchronize_rcu();
    free_instance(tr);
}

static struct trace_array *make_instance(const char *name)
{
    struct trace_array *tr = kzalloc(sizeof(*tr)), *last = &global_trace;
    int err = -ENOMEM;

    if (!tr)
        return ERR_PTR(-ENOMEM);
    INIT_LIST_HEAD(&tr->systems);
    INIT_LIST_HEAD(&tr->events);
    tr->trace_flags = global_trace.trace_flags & ~(TRACE_ITER_EVENT_FORK | TRACE_ITER_FUNC_FORK);
    tr->current_trace = nop_tracer();
    tr->buffer_expanded = true;
    tr->name = kstrdup(name);
    tr->owner = new_owner(tr);
    if (tr->name && tr->owner && !init_trace_array(tr, trace_buf_size))
        err = ftrace_allocate_ftrace_ops(tr);
    if (!err)
        tr->dir = tracefs_create_owned_dir(name, instances_dir, tr->owner);
    if (!tr->dir) {
        free_instance(tr);
        return ERR_PTR(-ENOMEM);
    }
    while (last->next)
        last = last->next;
    smp_store_release(&last->next, tr);
    err = fill_instance(tr);
    if (!err)
        return tr;
    remove_instance(tr);
    return ERR_PTR(err);
}

static void lock_traces(void)
{
    mutex_lock(&event_mutex);
    mutex_lock(&trace_types_lock);
}

static void unlock_traces(void)
{
    mutex_unlock(&trace_types_lock);
    mutex_unlock(&event_mutex);
}

static int instance_mkdir(const char *name)
{
    struct trace_array *tr;

    lock_traces();
    tr = find_trace(name) ? ERR_PTR(-EEXIST) : make_instance(name);
    unlock_traces();
    return IS_ERR(tr) ? PTR_ERR(tr) : 0;
}

/* refs: references that do not count. */
static int destroy_instance(struct trace_array *tr, int refs)
{
    if (tr->ref > refs || tr->trace_ref)
        return -EBUSY;
    tracing_reset_tracer(tr);
    remove_instance(tr);
    return 0;
}

static int instance_rmdir(const char *name)
{
    struct trace_array *tr;
    int err;

    lock_traces();
    tr = find_trace(name);
    err = tr ? destroy_instance(tr, 0) : -ENODEV;
    unlock_traces();
    return err;
}

/* ---- for the kernel and its modules ---- */

struct trace_array *trace_array_get_by_name(const char *name)
{
    struct trace_array *tr;

    lock_traces();
    tr = find_trace(name);
    if (!tr)
        tr = make_instance(name);
    if (!IS_ERR(tr))
        tr->ref++;
    unlock_traces();
    return IS_ERR(tr) ? NULL : tr;
}
EXPORT_SYMBOL_GPL(trace_array_get_by_name);

void trace_array_put(struct trace_array *tr)
{
    if (!tr)
        return;
    mutex_lock(&trace_types_lock);
    tr->ref--;
    mutex_unlock(&trace_types_lock);
}
EXPORT_SYMBOL_GPL(trace_array_put);

int trace_array_destroy(struct trace_array *tr)
{
    struct trace_array *each;
    int err = -ENODEV;

    if (!tr)
        return -EINVAL;
    lock_traces();
    for_each_trace_array(each)
        if (each == tr && each != &global_trace)
            err = 0;
    if (!err)
        err = destroy_instance(tr, 0);
    unlock_traces();
    return err;
}
EXPORT_SYMBOL_GPL(trace_array_destroy);

void trace_create_instances(void)
{
    instances_dir = tracefs_create_instance_dir("instances", instance_mkdir, instance_rmdir);
}
