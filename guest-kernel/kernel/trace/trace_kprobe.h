/*
 * trace_kprobe.h - a probe of kprobe_events and its event. trace_kprobe.c has the probes,
 * trace_kprobe_event.c what they record.
 */
#ifndef KERNEL_TRACE_KPROBE_H
#define KERNEL_TRACE_KPROBE_H

#include "trace_probe.h"
#include <linux/kprobes.h>
#include <linux/list.h>

struct trace_kprobe {
    struct list_head list;
    struct list_head sibling; /* probes of its event, or those that were removed from it */
    struct kretprobe rp;      /* of a kprobe only rp.kp is used */
    bool is_return;
    bool registered;              /* false: its module is not loaded */
    char *symbol, *group, *event; /* symbol: NULL: an address */
    unsigned long nhit[NR_CPUS];  /* each hart's own */
    struct trace_probe tp;
    struct kprobe_event *ev;
};

struct kprobe_event {
    struct list_head probes; /* changed under event_mutex and trace_probe_mutex */
    /* They are freed with the event, because its entries are printed by the first probe's. */
    struct list_head removed;
    const struct trace_kprobe *first;
    struct list_head files; /* under event_mutex; handlers have preemption off */
    bool perf;              /* events of perf use it; under event_mutex */
    struct trace_event_class class;
    struct trace_event_call call;
};

/* The handlers. */
int trace_kprobe_hit(struct kprobe *kp, struct pt_regs *regs);
int trace_kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs);

/* The event of its first probe. NULL: no memory. */
struct kprobe_event *alloc_kprobe_event(struct trace_kprobe *tk);
bool kprobe_event_is_on(const struct kprobe_event *ev);
int trace_kprobe_enable(struct trace_kprobe *tk);

#endif
