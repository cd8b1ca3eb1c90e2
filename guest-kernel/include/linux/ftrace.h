/*
 * ftrace.h - function tracing: call sites, and the ftrace_ops that are called from them.
 *
 * Without CONFIG_FUNCTION_TRACER the hooks in other code are empty.
 */
#ifndef LINUX_FTRACE_H
#define LINUX_FTRACE_H

#include <asm/ftrace.h>
#include <asm/ptrace.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

struct module;
struct seq_file;
struct task_struct;
struct trace_array;

#ifdef CONFIG_FUNCTION_TRACER

/*
 * What <asm/ftrace.h> of a layout defines besides MCOUNT_ADDR and MCOUNT_INSN_SIZE:
 * ftrace_call_adjust(), struct dyn_arch_ftrace, and optionally ftrace_init_nop(),
 * ftrace_graph_func() and its own struct ftrace_regs, each followed by a #define of the same
 * name.
 */
#ifndef ftrace_regs
/* What ftrace_regs_caller saves: all registers. */
struct ftrace_regs {
    struct pt_regs regs;
};
#define arch_ftrace_get_regs(fregs) (&(fregs)->regs)

/* Sets where the function continues; for ops with FTRACE_OPS_FL_IPMODIFY. */
static inline void ftrace_regs_set_instruction_pointer(struct ftrace_regs *fregs, unsigned long ip)
{
    fregs->regs.epc = ip;
}
#endif

/* All registers at the call, or NULL if the trampoline saves fewer. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
    return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

struct ftrace_hash;
struct ftrace_ops;
/* ip: the site; parent_ip: return address of its function; fregs may be NULL. */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                              struct ftrace_regs *fregs);

/* Changed under ftrace_lock; read by any hart with interrupts off. */
struct ftrace_ops_hash {
    struct ftrace_hash *notrace_hash; /* functions not to trace; NULL or empty: none */
    struct ftrace_hash *filter_hash;  /* functions to trace; NULL or empty: all */
};

/* A function that sites call. The user sets func, flags and private. */
struct ftrace_ops {
    ftrace_func_t func;       /* what is called: saved_func, or ftrace_pid_func, which calls it */
    struct ftrace_ops *next;  /* in ftrace_ops_list, under ftrace_lock */
    unsigned long flags;      /* FTRACE_OPS_FL_* */
    void *private;            /* for the user */
    ftrace_func_t saved_func; /* the user's func, while registered */
    struct ftrace_ops_hash local_hash;
    struct ftrace_ops_hash *func_hash; /* local_hash, or one shared with other ops */
    struct ftrace_ops *subops;         /* ops that are called through this one; under ftrace_lock */
    struct ftrace_ops *next_subop;
};

/* Linux's values; the flags with a comment may be set by users. */
enum {
    FTRACE_OPS_FL_ENABLED = 1 << 0,
    FTRACE_OPS_FL_DYNAMIC = 1 << 1,
    FTRACE_OPS_FL_SAVE_REGS = 1 << 2,              /* requires all registers, else -EINVAL */
    FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED = 1 << 3, /* all registers if the layout saves them */
    FTRACE_OPS_FL_RECURSION = 1 << 4, /* func may call what it traces: add a recursion guard */
    FTRACE_OPS_FL_STUB = 1 << 5,      /* is not called from the list */
    FTRACE_OPS_FL_INITIALIZED = 1 << 6,
    FTRACE_OPS_FL_IPMODIFY = 1 << 12, /* func may change the pc */
    FTRACE_OPS_FL_PID = 1 << 13,      /* only for tasks in set_ftrace_pid */
};

/* Initialiser for ops that are read before they are registered. */
#define INIT_OPS_HASH(opsname) .func_hash = &(opsname).local_hash

/* Commands of ftrace_modify_all_code(). */
enum {
    FTRACE_UPDATE_CALLS = 1 << 0,
    FTRACE_DISABLE_CALLS = 1 << 1,
    FTRACE_UPDATE_TRACE_FUNC = 1 << 2,
    FTRACE_START_FUNC_RET = 1 << 3,
    FTRACE_STOP_FUNC_RET = 1 << 4,
};

extern ftrace_func_t ftrace_trace_function;
/* The registered ops; the list ends with ftrace_list_end. */
extern struct ftrace_ops *ftrace_ops_list;
extern struct ftrace_ops ftrace_list_end;
/* The ops of the tracers, whose filter is set_ftrace_filter. */
extern struct ftrace_ops global_ops;
/* The ops that ftrace_caller passes to its function, if that serves a single ops. */
extern struct ftrace_ops *function_trace_op;

/* Returns 0, -EBUSY, -EINVAL, -ENODEV (after ftrace_kill()) or -ENOMEM. */
int register_ftrace_function(struct ftrace_ops *ops);
/* Returns the same errors. On return no hart is in the ops' function any more. */
int unregister_ftrace_function(struct ftrace_ops *ops);
/* Called after an error: no code is changed any more and no function called. */
void ftrace_kill(void);
bool ftrace_is_dead(void);
void ftrace_ops_init(struct ftrace_ops *ops);
/* Register and unregister, with an additional command: FTRACE_{START,STOP}_FUNC_RET. */
int ftrace_startup(struct ftrace_ops *ops, int command);
int ftrace_shutdown(struct ftrace_ops *ops, int command);
/* Add subops to ops, or remove it; ops is registered while it has any. */
int ftrace_startup_subops(struct ftrace_ops *ops, struct ftrace_ops *subops, int command);
int ftrace_shutdown_subops(struct ftrace_ops *ops, struct ftrace_ops *subops, int command);
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                 struct ftrace_regs *fregs);

#ifdef CONFIG_DYNAMIC_FTRACE

#define FTRACE_ADDR ((unsigned long)ftrace_caller)
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_REGS
#define FTRACE_REGS_ADDR ((unsigned long)ftrace_regs_caller)
#else
#define FTRACE_REGS_ADDR FTRACE_ADDR
#endif

/* The record of a call site. */
struct dyn_ftrace {
    unsigned long ip;
    unsigned long flags; /* FTRACE_FL_*, and the number of ops in the low bits; under ftrace_lock */
    struct dyn_arch_ftrace arch; /* data of the layout */
};

/* What the ops want of a site, and (_EN) what its code does. Linux's values. */
#define FTRACE_FL_ENABLED  (1UL << 31) /* the site is on */
#define FTRACE_FL_REGS     (1UL << 30) /* an ops wants all registers */
#define FTRACE_FL_REGS_EN  (1UL << 29)
#define FTRACE_FL_IPMODIFY (1UL << 26) /* an ops may change the pc; at most one */
#define FTRACE_FL_DISABLED \
    (1UL << 25) /* of a module that is being loaded or unloaded: not changed */
#define FTRACE_FL_CALL_OPS    (1UL << 22) /* a single ops, which the site can name */
#define FTRACE_FL_CALL_OPS_EN (1UL << 21)
#define FTRACE_REF_MAX        ((1UL << 19) - 1)

static inline unsigned long ftrace_rec_count(const struct dyn_ftrace *rec)
{
    return rec->flags & FTRACE_REF_MAX;
}

void ftrace_init(void);
/* Returns whether ops traces this site. */
bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip);

/*
 * Modules: turn the sites of a new one into nops; turn on what filters ask for; forget the
 * sites.
 */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);

/*
 * Access to records. ftrace_rec() takes a position among all; NULL after the last. Under
 * ftrace_lock.
 */
void ftrace_rec_lock(void);
void ftrace_rec_unlock(void);
struct dyn_ftrace *ftrace_rec(unsigned long index);
const char *ftrace_rec_name(const struct dyn_ftrace *rec);
/* The site at ip, or of the function that starts there; 0: none. */
unsigned long ftrace_location(unsigned long ip);

/* Sets of sites. */
struct ftrace_hash *alloc_ftrace_hash(void);
struct ftrace_hash *copy_ftrace_hash(const struct ftrace_hash *from); /* from may be NULL */
void free_ftrace_hash(struct ftrace_hash *hash);
unsigned long ftrace_hash_count(const struct ftrace_hash *hash);
bool ftrace_hash_empty(const struct ftrace_hash *hash); /* hash may be NULL */
bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip);
/*
 * Adds the sites that match a word of set_ftrace_filter: `glob`, `glob:mod:glob` or a position
 * in available_filter_functions, from 1; with `!` in front removes them. -EINVAL: nothing
 * matches.
 */
int ftrace_match_records(struct ftrace_hash *hash, const char *word);
/*
 * The same for a file, where *set is the set in use: a word `glob:mod:module` that matches
 * nothing is kept until that module is loaded.
 */
int ftrace_process_word(struct ftrace_hash **set, struct ftrace_hash *hash, const char *word);
/* Commands `functions:command[:count]`, such as traceon; with `!` in front they are removed. */
bool ftrace_is_command(const char *word);
int ftrace_process_command(struct trace_array *tr, const char *word);
void ftrace_show_probes(struct seq_file *m, const struct trace_array *tr);
void ftrace_clear_mods(struct ftrace_hash **set);
void ftrace_show_mods(struct seq_file *m, struct ftrace_hash **set);
/*
 * Replaces *orig, a set of some ops, by hash, which is taken over, and patches the sites of
 * registered ops that change. 0 or a negative error.
 */
int ftrace_hash_move_and_update_ops(struct ftrace_hash **orig, struct ftrace_hash *hash);
/* word NULL with reset: empties the set. */
int ftrace_set_filter(struct ftrace_ops *ops, const char *word, bool reset);
int ftrace_set_notrace(struct ftrace_ops *ops, const char *word, bool reset);
/* Frees the sets of an ops that is not registered. */
void ftrace_free_filter(struct ftrace_ops *ops);
/* ip as for ftrace_location(). -ENOENT: the site to remove was not in the filter. */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset);

/*
 * Architecture hooks. All return 0, -EFAULT (not kernel text), -EINVAL (unexpected code) or
 * -EPERM (write failed).
 */
/* Sites. mod: the module while it is being loaded, else NULL. */
#ifndef ftrace_init_nop
#define ftrace_init_nop(mod, rec) ftrace_make_nop(mod, rec, MCOUNT_ADDR)
#endif
int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr);
int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr);
/* Changes a site from calling old_addr to addr; both are equal if only rec->flags changed. */
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr);
/* Trampolines. */
int ftrace_update_ftrace_func(ftrace_func_t func);
int ftrace_enable_ftrace_graph_caller(void);
int ftrace_disable_ftrace_graph_caller(void);
/* Called before and after each change of code: take and release text_mutex. */
void ftrace_arch_code_modify_prepare(void);
void ftrace_arch_code_modify_post_process(void);
/*
 * Calls ftrace_modify_all_code() with the synchronisation that the layout needs; on return
 * every hart has executed fence.i.
 */
void arch_ftrace_update_code(int command);
void ftrace_modify_all_code(int command);
/* The bytes that the architecture expected at a site when it failed. */
extern const void *ftrace_expected;
void ftrace_bug(int failed, const struct dyn_ftrace *rec);
/* The only ops that traces a record with FTRACE_FL_CALL_OPS; NULL: none any more. */
struct ftrace_ops *ftrace_find_unique_ops(const struct dyn_ftrace *rec);
/* Values for sites that name their ops: call the list; call nothing. */
extern struct ftrace_ops ftrace_list_ops;
extern struct ftrace_ops ftrace_nop_ops;

#else

/* Fixed sites: all of them call, and there are no sets. */
static inline void ftrace_init(void) {}

static inline bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip)
{
    (void)ops;
    (void)ip;
    return true;
}

static inline bool ftrace_hash_empty(const struct ftrace_hash *hash)
{
    return !hash;
}

static inline bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip)
{
    (void)hash;
    (void)ip;
    return false;
}

static inline struct ftrace_hash *alloc_ftrace_hash(void)
{
    return NULL;
}

static inline void free_ftrace_hash(struct ftrace_hash *hash)
{
    (void)hash;
}

static inline int ftrace_match_records(struct ftrace_hash *hash, const char *word)
{
    (void)hash;
    (void)word;
    return -ENODEV;
}

static inline int ftrace_set_filter(struct ftrace_ops *ops, const char *word, bool reset)
{
    (void)ops;
    (void)word;
    (void)reset;
    return -ENODEV;
}

static inline int ftrace_set_notrace(struct ftrace_ops *ops, const char *word, bool reset)
{
    return ftrace_set_filter(ops, word, reset);
}

#endif

/* Function graph. */
struct ftrace_graph_ent {
    unsigned long func;
    int depth;
} __packed;

struct ftrace_graph_ret {
    unsigned long func;
    unsigned long retval; /* a0; undefined if the function returns void */
    int depth;
    unsigned int overrun;
    u64 calltime, rettime;
} __packed;

struct ftrace_ret_stack {
    unsigned long ret;
    unsigned long func;
    u64 calltime;
    unsigned long fp;
    u64 subtime;         /* time spent in its calls; used by the profiler */
    unsigned long *retp; /* where the return address was */
    unsigned long gops;  /* users that want the return: a bit for each index in fgraph_array */
};

typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace);
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace);

/* The user sets the functions, and a filter through ops. */
struct fgraph_ops {
    trace_func_graph_ent_t entryfunc; /* returns 0: do not follow this call */
    trace_func_graph_ret_t retfunc;
    struct ftrace_ops ops;
    int idx; /* index in fgraph_array, while registered */
};

enum { FTRACE_RETFUNC_DEPTH = 50 };

/* Called by function_graph_enter() and ftrace_return_to_handler(). */
extern trace_func_graph_ret_t ftrace_graph_return;
extern trace_func_graph_ent_t ftrace_graph_entry;
extern int ftrace_graph_active; /* number of registered users */

/* Returns 0 or a negative error; -EBUSY: already registered, or no index is free. */
int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);
int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace);
bool ftrace_graph_is_dead(void);
int function_graph_enter(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                         unsigned long *retp);
unsigned long ftrace_return_to_handler(unsigned long frame_pointer, unsigned long retval);
/* Option sleep-time: whether a function's time includes the time that its task slept. */
void ftrace_graph_sleep_time_control(bool enable);

/* Hooks in other kernel code. */
void ftrace_graph_stop(void);
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
/* Called by the scheduler with interrupts off. */
void ftrace_graph_sched_switch(struct task_struct *prev, struct task_struct *next);
/*
 * Returns the original return address if ret is return_to_handler; *idx starts at 0 for each
 * walk.
 */
unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx, unsigned long ret);
void ftrace_pid_fork(const struct task_struct *parent, const struct task_struct *child);
void ftrace_pid_exit(const struct task_struct *task);

/* The name of a task has changed: traces must save it again. */
void tracing_task_renamed(const struct task_struct *task);

/* Tracers and their files. */
void tracer_init(void);
void trace_init_selftests(void);
void tracing_start_boot_tracer(void);

#else

static inline void ftrace_init(void) {}

static inline void tracer_init(void) {}

static inline void trace_init_selftests(void) {}

static inline void tracing_start_boot_tracer(void) {}

static inline void ftrace_graph_stop(void) {}

static inline void tracing_task_renamed(const struct task_struct *task)
{
    (void)task;
}

static inline void ftrace_graph_init_task(struct task_struct *t)
{
    (void)t;
}

static inline void ftrace_graph_exit_task(struct task_struct *t)
{
    (void)t;
}

static inline void ftrace_graph_sched_switch(struct task_struct *prev, struct task_struct *next)
{
    (void)prev;
    (void)next;
}

static inline void ftrace_pid_fork(const struct task_struct *parent,
                                   const struct task_struct *child)
{
    (void)parent;
    (void)child;
}

static inline void ftrace_pid_exit(const struct task_struct *task)
{
    (void)task;
}

static inline unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx,
                                                  unsigned long ret)
{
    (void)t;
    (void)idx;
    return ret;
}

#endif

/* The section with the call sites in a module's file. */
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
#define FTRACE_CALLSITE_SECTION "__patchable_function_entries"
#else
#define FTRACE_CALLSITE_SECTION "__mcount_loc"
#endif

#ifndef CONFIG_DYNAMIC_FTRACE

static inline void ftrace_module_init(struct module *mod)
{
    (void)mod;
}

static inline void ftrace_module_enable(struct module *mod)
{
    (void)mod;
}

static inline void ftrace_release_mod(struct module *mod)
{
    (void)mod;
}

#endif
#endif
