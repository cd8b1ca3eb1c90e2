/* bpf.h - programs of BPF, for what runs them. */
#ifndef LINUX_BPF_H
#define LINUX_BPF_H

#include <linux/errno.h>
#include <linux/types.h>

struct bpf_prog;
struct perf_event;
struct trace_event_call;

#ifdef CONFIG_BPF_SYSCALL

/* The program of a descriptor, with a reference; or ERR_PTR. */
struct bpf_prog *bpf_prog_get(u32 fd);
void bpf_prog_put(struct bpf_prog *prog);
/* Runs the programs of an event; 0: none of them wants it recorded. Preemption is off. */
unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx);
/* Attaches a program to an event, which takes the reference over. 0 or an error. */
int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog, u64 bpf_cookie);
/* Detaches the event's program, if it has one. */
void perf_event_free_bpf_prog(struct perf_event *event);
/* PERF_EVENT_IOC_QUERY_BPF. */
int perf_event_query_prog_array(struct perf_event *event, void __user *info);

#else

static inline struct bpf_prog *bpf_prog_get(u32 fd)
{
    (void)fd;
    return ERR_PTR(-EOPNOTSUPP);
}

static inline void bpf_prog_put(struct bpf_prog *prog)
{
    (void)prog;
}

static inline unsigned int trace_call_bpf(struct trace_event_call *call, void *ctx)
{
    (void)call;
    (void)ctx;
    return 1;
}

static inline int perf_event_set_bpf_prog(struct perf_event *event, struct bpf_prog *prog,
                                          u64 bpf_cookie)
{
    (void)event;
    (void)prog;
    (void)bpf_cookie;
    return -EOPNOTSUPP;
}

static inline void perf_event_free_bpf_prog(struct perf_event *event)
{
    (void)event;
}

static inline int perf_event_query_prog_array(struct perf_event *event, void __user *info)
{
    (void)event;
    (void)info;
    return -EOPNOTSUPP;
}

#endif

#endif
