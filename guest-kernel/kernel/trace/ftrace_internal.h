/* ftrace_internal.h - shared by the files of ftrace: ops, records, sets. */
#ifndef KERNEL_TRACE_FTRACE_INTERNAL_H
#define KERNEL_TRACE_FTRACE_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/mutex.h>

/* Guards ops, filters and records.  Taken before the architecture's text_mutex. */
extern struct mutex ftrace_lock;
extern bool ftrace_disabled; /* an error was found: change no code any more */
/* The sysctl: 0 turns all sites off while ops stay registered. Under ftrace_lock. */
extern int ftrace_enabled;

#define for_each_ftrace_op(op) \
    for (op = READ_ONCE(ftrace_ops_list); op != &ftrace_list_end; op = READ_ONCE(op->next))

/* The next value of function_trace_op; under ftrace_lock. */
extern struct ftrace_ops *set_function_trace_op;
ftrace_func_t ftrace_ops_get_func(const struct ftrace_ops *ops);
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                          struct ftrace_regs *fregs);
/* Updates ftrace_trace_function for the current ops and pids, and the code accordingly. */
void ftrace_startup_all(void);

/* fgraph.c: chooses the entry function for the current list of ops. */
void update_function_graph_func(void);
bool ftrace_graph_is_active(void);

/* ftrace_pid.c */
bool ftrace_pids_enabled(const struct ftrace_ops *ops);
void ftrace_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                     struct ftrace_regs *fregs);

#ifdef CONFIG_DYNAMIC_FTRACE

/*
 * Returns whether ops, or one of its subops, asks for this site. Interrupts are off, or
 * ftrace_lock is held.
 */
bool ops_references_ip(const struct ftrace_ops *ops, unsigned long ip);
/*
 * Updates in every record what the registered ops want of it, and adds to *command what must be
 * changed. Returns -EINVAL (an ops with IPMODIFY has no filter) or -EBUSY (two ops with
 * IPMODIFY at one function), with nothing changed.
 */
int ftrace_hash_rec_update(int *command);
void ftrace_replace_code(bool enable);
void ftrace_run_update_code(int command);
/* Removes a site of a module that is being unloaded from a set. */
void ftrace_hash_forget(struct ftrace_hash *hash, unsigned long ip);
/*
 * The same for the graph tracer's sets and for copies that are being written. Both locks are
 * held.
 */
void ftrace_files_forget(unsigned long ip);
/* While this is held, no file replaces a set; taken before ftrace_lock. */
void ftrace_filters_lock(void);
void ftrace_filters_unlock(void);
/* The same for the probes of commands. */
void ftrace_forget_probes(unsigned long ip);
/* The module that a record belongs to; NULL: the kernel. */
const struct module *ftrace_rec_module(const struct dyn_ftrace *rec);
/* Returns whether a module of that name is loaded and has sites. */
bool ftrace_knows_module(const char *name);
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip);
/* Applies the filters that waited for a module of that name, whose sites are known now. */
void process_cached_mods(const char *module);

#else

static inline int ftrace_hash_rec_update(int *command)
{
    (void)command;
    return 0;
}

#endif
#endif
