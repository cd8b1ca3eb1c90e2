/*
 * fprobe.h - probes of the entries and returns of many functions, by ftrace.
 *
 * Only where ftrace saves all registers (layouts mcount, pfe16 and pfe8); elsewhere -EOPNOTSUPP.
 */
#ifndef LINUX_FPROBE_H
#define LINUX_FPROBE_H

#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/rethook.h>

/* The user sets flags, entry_data_size, nr_maxactive and the handlers; a handler may be NULL. */
struct fprobe {
#ifdef CONFIG_FUNCTION_TRACER
    struct ftrace_ops ops;
#endif
    unsigned long nmissed; /* calls without a handler: recursive, or no node was left */
    unsigned int flags;    /* FPROBE_FL_* */
    struct rethook *rethook;
    size_t entry_data_size; /* bytes that both handlers of a call get in entry_data */
    int nr_maxactive; /* calls that can be followed at once; 0: two for each function and hart */
    /* entry_ip: the call site. Called with preemption off. */
    void (*entry_handler)(struct fprobe *fp, unsigned long entry_ip, struct pt_regs *regs,
                          void *entry_data);
    /* Called with interrupts off. */
    void (*exit_handler)(struct fprobe *fp, unsigned long entry_ip, struct pt_regs *regs,
                         void *entry_data);
};

enum {
    FPROBE_FL_DISABLED = 1,      /* the handlers are not called */
    FPROBE_FL_KPROBE_SHARED = 2, /* they are those of kprobes, too: not while one is handled */
};

static inline bool fprobe_disabled(const struct fprobe *fp)
{
    return fp && (fp->flags & FPROBE_FL_DISABLED);
}

static inline bool fprobe_shared_with_kprobes(const struct fprobe *fp)
{
    return fp && (fp->flags & FPROBE_FL_KPROBE_SHARED);
}

static inline void disable_fprobe(struct fprobe *fp)
{
    if (fp)
        __atomic_fetch_or(&fp->flags, FPROBE_FL_DISABLED, __ATOMIC_SEQ_CST);
}

static inline void enable_fprobe(struct fprobe *fp)
{
    if (fp)
        __atomic_fetch_and(&fp->flags, ~(unsigned int)FPROBE_FL_DISABLED, __ATOMIC_SEQ_CST);
}

#ifdef CONFIG_FPROBE

/* Probes the functions that match filter (a pattern), without those that match notfilter, if any.
 */
int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter);
/* Probes functions by addresses in them as for ftrace_location(). */
int register_fprobe_ips(struct fprobe *fp, const unsigned long *addrs, int num);
/* Probes functions by name. -ENOENT: one of them does not exist. */
int register_fprobe_syms(struct fprobe *fp, const char *const *syms, int num);
/* On return no handler runs, and none will. -EINVAL: it was not registered. */
int unregister_fprobe(struct fprobe *fp);

#else

static inline int register_fprobe(struct fprobe *fp, const char *filter, const char *notfilter)
{
    (void)fp;
    (void)filter;
    (void)notfilter;
    return -EOPNOTSUPP;
}

static inline int register_fprobe_ips(struct fprobe *fp, const unsigned long *addrs, int num)
{
    (void)fp;
    (void)addrs;
    (void)num;
    return -EOPNOTSUPP;
}

static inline int register_fprobe_syms(struct fprobe *fp, const char *const *syms, int num)
{
    (void)fp;
    (void)syms;
    (void)num;
    return -EOPNOTSUPP;
}

static inline int unregister_fprobe(struct fprobe *fp)
{
    (void)fp;
    return -EOPNOTSUPP;
}

#endif
#endif
