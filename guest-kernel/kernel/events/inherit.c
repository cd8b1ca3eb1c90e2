/*
 * inherit.c - events of tasks over fork, exec and exit.
 *
 * Not instrumented.
 */
#include "core.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/sched.h>

/* ---- fork; perf_event_mutex is held ---- */

static struct perf_event *inherit_event(struct perf_event *from, struct task_struct *child,
                                        struct perf_event *group_leader)
{
    struct perf_event *parent = from->parent ? from->parent : from, *event;
    struct perf_event_context *ctx = perf_task_context(child);
    struct perf_event_attr attr = parent->attr;

    if (!ctx)
        return NULL;
    attr.disabled = from->state < PERF_EVENT_STATE_INACTIVE;
    event = perf_event_alloc(&attr, parent->cpu, child, group_leader, parent);
    if (IS_ERR(event))
        return NULL;
    list_add_tail(&event->child_entry, &parent->child_list);
    perf_install_in_context(event, ctx);
    return event;
}

static bool is_inherited(const struct perf_event *event)
{
    return event->attr.inherit && !event->attr.inherit_thread &&
           event->state > PERF_EVENT_STATE_EXIT;
}

static int inherit_group(struct perf_event *leader, struct task_struct *child)
{
    struct perf_event *made, *sibling;

    if (!is_inherited(leader))
        return 0;
    made = inherit_event(leader, child, NULL);
    if (!made)
        return -ENOMEM;
    list_for_each_entry(sibling, &leader->sibling_list, sibling_entry) {
        if (is_inherited(sibling) && !inherit_event(sibling, child, made))
            return -ENOMEM;
    }
    return 0;
}

static int inherit_groups(struct list_head *groups, struct task_struct *child)
{
    struct perf_event *leader;
    int err = 0;

    list_for_each_entry(leader, groups, group_entry) {
        err = inherit_group(leader, child);
        if (err)
            break;
    }
    return err;
}

int perf_event_init_task(struct task_struct *child)
{
    struct perf_event_context *ctx = current->perf_event_ctxp;
    int err;

    if (!ctx)
        return 0;
    mutex_lock(&perf_event_mutex);
    err = inherit_groups(&ctx->pinned_groups, child);
    if (!err)
        err = inherit_groups(&ctx->flexible_groups, child);
    mutex_unlock(&perf_event_mutex);
    if (err)
        perf_event_free_task(child);
    return err;
}

/* ---- the end ---- */

/* What the child has counted is its parent's. */
static void sync_child(struct perf_event *event, const struct task_struct *task)
{
    struct perf_event *parent = event->parent;

    if (event->attr.inherit_stat)
        perf_event_read_record(event, task);
    parent->child_count += __atomic_load_n(&event->count, __ATOMIC_RELAXED);
    parent->child_total_time_enabled += event->total_time_enabled;
    parent->child_total_time_running += event->total_time_running;
}

static void end_event(struct perf_event *event, const struct task_struct *task)
{
    enum perf_event_state state = PERF_EVENT_STATE_EXIT;

    perf_event_function_call(event, event->ctx, perf_remove_event, &state);
    if (!event->parent) {
        perf_event_wakeup(event);
        return;
    }
    sync_child(event, task);
    list_del_init(&event->child_entry);
    perf_free_event(event);
}

static struct perf_event *first_event(struct perf_event_context *ctx)
{
    return list_empty(&ctx->event_list)
               ? NULL
               : list_first_entry(&ctx->event_list, struct perf_event, event_entry);
}

static void end_events(struct task_struct *task)
{
    struct perf_event_context *ctx = task->perf_event_ctxp;
    struct perf_event *event;
    unsigned long flags;

    if (!ctx)
        return;
    while ((event = first_event(ctx)))
        end_event(event, task);
    perf_lock_context(ctx, &flags);
    task->perf_event_ctxp = NULL;
    ctx->cpu = -1;
    perf_unlock_context(ctx, flags);
    perf_put_context(ctx);
}

void perf_event_exit_task(struct task_struct *child)
{
    perf_event_exit_record(child, child->perf_event_ctxp);
    mutex_lock(&perf_event_mutex);
    child->perf_exited = 1;
    end_events(child);
    mutex_unlock(&perf_event_mutex);
}

void perf_event_free_task(struct task_struct *child)
{
    mutex_lock(&perf_event_mutex);
    end_events(child);
    mutex_unlock(&perf_event_mutex);
}

/* ---- exec ---- */

static void enable_on_exec(struct perf_event_context *ctx)
{
    struct perf_event *event, *next;

    list_for_each_entry_safe(event, next, &ctx->event_list, event_entry) {
        if (event->attr.remove_on_exec) {
            end_event(event, current);
        } else if (event->attr.enable_on_exec) {
            event->attr.enable_on_exec = 0;
            perf_event_function_call(event, ctx, perf_enable_event, NULL);
        }
    }
}

void perf_event_exec(void)
{
    struct perf_event_context *ctx = current->perf_event_ctxp;

    if (!ctx)
        return;
    mutex_lock(&perf_event_mutex);
    enable_on_exec(ctx);
    mutex_unlock(&perf_event_mutex);
}
