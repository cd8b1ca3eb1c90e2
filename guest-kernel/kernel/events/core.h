/* core.h - contexts of events (core.c), for syscall.c and inherit.c. */
#ifndef KERNEL_EVENTS_CORE_H
#define KERNEL_EVENTS_CORE_H

#include "internal.h"
#include <linux/poll.h>

/* Of pending_kill. */
enum { POLL_IN_EVENT = POLLIN, POLL_HUP_EVENT = POLLHUP };

u64 perf_event_new_id(void);
struct perf_event_context *perf_cpu_context(unsigned int cpu);
/* The context of a task, made if there is none; NULL: no memory. Under perf_event_mutex. */
struct perf_event_context *perf_task_context(struct task_struct *task);
void perf_put_context(struct perf_event_context *ctx);
void perf_lock_context(struct perf_event_context *ctx, unsigned long *flags);
void perf_unlock_context(struct perf_event_context *ctx, unsigned long flags);

/*
 * Calls fn on the hart where the context is active, or here if it is active nowhere; the context is
 * locked and interrupts are off meanwhile. May sleep.
 */
typedef void (*perf_event_function)(struct perf_event *event, struct perf_event_context *ctx,
                                    void *data);
void perf_event_function_call(struct perf_event *event, struct perf_event_context *ctx,
                              perf_event_function fn, void *data);

/* Functions for that. */
void perf_remove_event(struct perf_event *event, struct perf_event_context *ctx, void *data);
void perf_enable_event(struct perf_event *event, struct perf_event_context *ctx, void *unused);
void perf_disable_event(struct perf_event *event, struct perf_event_context *ctx, void *unused);
void perf_read_event(struct perf_event *event, struct perf_event_context *ctx, void *unused);
void perf_reset_event(struct perf_event *event, struct perf_event_context *ctx, void *unused);
void perf_period_event(struct perf_event *event, struct perf_event_context *ctx, void *data);

/* Puts a new event into a context, and takes a reference to the context for it. May sleep. */
void perf_install_in_context(struct perf_event *event, struct perf_event_context *ctx);

void perf_pending_irq(struct irq_work *work);

/* pmu.c */
void perf_pmu_files_init(void);
/* The first pmu that takes the event makes it its own. 0 or an error. Under perf_event_mutex. */
int perf_pmu_init_event(struct perf_event *event);
/* Reads what attr points to: memory of the user, which must not be read under perf_event_mutex. */
int perf_pmu_read_attr(struct perf_event_attr *attr);

/* file.c */
/* A new file of the event. ERR_PTR. */
struct file *perf_event_file(struct perf_event *event);
/* Samples of event go to the ring of output from now on; NULL: nowhere. 0 or an error. */
int perf_event_set_output(struct perf_event *event, struct perf_event *output);

/* syscall.c */
/* Takes the event out of its context. Under perf_event_mutex. */
void perf_detach_event(struct perf_event *event);
/* Makes an event; parent: it is inherited. ERR_PTR. Under perf_event_mutex. */
struct perf_event *perf_event_alloc(const struct perf_event_attr *attr, int cpu,
                                    struct task_struct *task, struct perf_event *group_leader,
                                    struct perf_event *parent);
/* It is in no context any more. */
void perf_free_event(struct perf_event *event);

/* records.c */
/* The task ends: a record for the events of its context. */
void perf_event_exit_record(struct task_struct *task, struct perf_event_context *ctx);
/* Counts the events that want records; add: 1 or -1. */
void perf_account_records(const struct perf_event *event, int add);

#endif
