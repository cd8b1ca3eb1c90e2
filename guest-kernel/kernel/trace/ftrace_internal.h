/* ftrace_internal.h - between the parts of ftrace: ops, records, sets. */
#ifndef KERNEL_TRACE_FTRACE_INTERNAL_H
#define KERNEL_TRACE_FTRACE_INTERNAL_H

#include <linux/ftrace.h>
#include <linux/mutex.h>

/* Guards ops, filters and records.  Taken before the architecture's text_mutex. */
extern struct mutex ftrace_lock;
extern bool ftrace_disabled; /* something went wrong: touch no code any more */
/* The sysctl: 0 turns every site off, and ops that are registered wait. Under ftrace_lock. */
extern int ftrace_enabled;

#define for_each_ftrace_op(op) \
    for (op = READ_ONCE(ftrace_ops_list); op != &ftrace_list_end; op = READ_ONCE(op->next))

/* What function_trace_op is to become; ftrace.c, under ftrace_lock. */
extern struct ftrace_ops *set_function_trace_op;
ftrace_func_t ftrace_ops_get_func(const struct ftrace_ops *ops);
void ftrace_ops_list_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                          struct ftrace_regs *fregs);
/* Brings ftrace_trace_function into line with ops and pids, and the code with it. */
void ftrace_startup_all(void);

/* fgraph.c: the entry function in force, given what ops there are. */
void update_function_graph_func(void);
bool ftrace_graph_is_active(void);

/* ftrace_pid.c */
bool ftrace_pids_enabled(const struct ftrace_ops *ops);
void ftrace_pid_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                     struct ftrace_regs *fregs);

#ifdef CONFIG_DYNAMIC_FTRACE

/* Does ops, or one it stands for, ask for this site?  Interrupts off, or ftrace_lock. */
bool ops_references_ip(const struct ftrace_ops *ops, unsigned long ip);
/*
 * Writes into every record what the ops in the list now want of it, and adds to
 * *command what has to be done about it.  -EBUSY or -EINVAL, and nothing
 * written: two ops would move one pc, or one any function's.
 */
int ftrace_hash_rec_update(int *command);
void ftrace_replace_code(bool enable);
void ftrace_run_update_code(int command);
/* The sites of a module are about to go: no set may bring them back to mind. */
void ftrace_hash_forget(struct ftrace_hash *hash, unsigned long ip);
/* Nor the graph tracer's sets, nor a copy that is being written. Under both locks. */
void ftrace_files_forget(unsigned long ip);
/* No set that was written is put in place meanwhile; taken before ftrace_lock. */
void ftrace_filters_lock(void);
void ftrace_filters_unlock(void);
/* And no command may wait for them. */
void ftrace_forget_probes(unsigned long ip);
/* Record by place among all, and whose site it is; NULL: the kernel's. */
const struct module *ftrace_rec_module(const struct dyn_ftrace *rec);
/* Is a module of that name loaded, with sites? */
bool ftrace_knows_module(const char *name);
int ftrace_hash_add(struct ftrace_hash *hash, unsigned long ip);
/* The sites of a module of that name are known now: to the words that waited for it. */
void process_cached_mods(const char *module);

#else

static inline int ftrace_hash_rec_update(int *command)
{
    (void)command;
    return 0;
}

#endif
#endif
