/*
 * ftrace.h - function tracing: records of call sites, and the ops that are called from them.
 *
 * In a kernel built without it, the few hooks in other code are empty.
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

#ifdef CONFIG_FUNCTION_TRACER

/*
 * What a layout's <asm/ftrace.h> says beside MCOUNT_ADDR and MCOUNT_INSN_SIZE:
 * ftrace_call_adjust(), struct dyn_arch_ftrace, and, if it has them,
 * ftrace_init_nop(), ftrace_graph_func() and a struct ftrace_regs of its own,
 * each followed by a #define of the same name.
 */
#ifndef ftrace_regs
/* What ftrace_regs_caller saves: everything. */
struct ftrace_regs {
    struct pt_regs regs;
};
#define arch_ftrace_get_regs(fregs) (&(fregs)->regs)

/* Where the function goes on; for an ops with FTRACE_OPS_FL_IPMODIFY. */
static inline void ftrace_regs_set_instruction_pointer(struct ftrace_regs *fregs, unsigned long ip)
{
    fregs->regs.epc = ip;
}
#endif

/* All registers at the call; NULL if the trampoline saved fewer. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
    return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

struct ftrace_hash;
struct ftrace_ops;
/* ip: the site; parent_ip: where its function will return to; fregs may be NULL. */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                              struct ftrace_regs *fregs);

/* Changed under ftrace_lock; looked at by any hart with interrupts off. */
struct ftrace_ops_hash {
    struct ftrace_hash *notrace_hash; /* these not; NULL or empty: none */
    struct ftrace_hash *filter_hash;  /* these; NULL or empty: all */
};

/* A function to be called from sites. The user fills in func, flags and private. */
struct ftrace_ops {
    ftrace_func_t func;       /* what is called: saved_func, or ftrace_pid_func before it */
    struct ftrace_ops *next;  /* in ftrace_ops_list, under ftrace_lock */
    unsigned long flags;      /* FTRACE_OPS_FL_* */
    void *private;            /* the user's */
    ftrace_func_t saved_func; /* what the user gave, while registered */
    struct ftrace_ops_hash local_hash;
    struct ftrace_ops_hash *func_hash; /* local_hash, or one shared with other ops */
    struct ftrace_ops *subops;         /* those it stands for in the list; under ftrace_lock */
    struct ftrace_ops *next_subop;
};

/* Linux's bits; those that a user may set are explained. */
enum {
    FTRACE_OPS_FL_ENABLED = 1 << 0,
    FTRACE_OPS_FL_DYNAMIC = 1 << 1,
    FTRACE_OPS_FL_SAVE_REGS = 1 << 2,              /* hand over all registers, or do not register */
    FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED = 1 << 3, /* hand them over where that can be done */
    FTRACE_OPS_FL_RECURSION = 1 << 4,              /* func may run into what it traces: guard it */
    FTRACE_OPS_FL_STUB = 1 << 5,                   /* has no function to be called from the list */
    FTRACE_OPS_FL_INITIALIZED = 1 << 6,
    FTRACE_OPS_FL_IPMODIFY = 1 << 12, /* func may say where to go on */
    FTRACE_OPS_FL_PID = 1 << 13,      /* only for the tasks of set_ftrace_pid */
};

/* For an ops that is looked at before it is registered. */
#define INIT_OPS_HASH(opsname) .func_hash = &(opsname).local_hash

/* What ftrace_modify_all_code() is to do. */
enum {
    FTRACE_UPDATE_CALLS = 1 << 0,
    FTRACE_DISABLE_CALLS = 1 << 1,
    FTRACE_UPDATE_TRACE_FUNC = 1 << 2,
    FTRACE_START_FUNC_RET = 1 << 3,
    FTRACE_STOP_FUNC_RET = 1 << 4,
};

extern ftrace_func_t ftrace_trace_function;
/* The list that several ops are called through; ends with ftrace_list_end. */
extern struct ftrace_ops *ftrace_ops_list;
extern struct ftrace_ops ftrace_list_end;
/* The ops of the tracers: its filter is set_ftrace_filter. */
extern struct ftrace_ops global_ops;
/* The ops ftrace_caller hands to its function, when that serves one ops alone. */
extern struct ftrace_ops *function_trace_op;

int register_ftrace_function(struct ftrace_ops *ops);
/* When it returns, no hart is in the ops' function any more. */
int unregister_ftrace_function(struct ftrace_ops *ops);
/* Something went wrong: no code is changed any more, no function called. */
void ftrace_kill(void);
bool ftrace_is_dead(void);
void ftrace_ops_init(struct ftrace_ops *ops);
/* As register and unregister, with more to do in the same go: FTRACE_{START,STOP}_FUNC_RET. */
int ftrace_startup(struct ftrace_ops *ops, int command);
int ftrace_shutdown(struct ftrace_ops *ops, int command);
/* subops is served by ops, which is in the list as long as it serves any. */
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

/* One call site. */
struct dyn_ftrace {
    unsigned long ip;
    unsigned long flags; /* FTRACE_FL_*, below them how many ops want it; under ftrace_lock */
    struct dyn_arch_ftrace arch; /* whatever the layout keeps for each */
};

/* What is wanted of a site, and (_EN) what its code does.  Linux's bits. */
#define FTRACE_FL_ENABLED     (1UL << 31) /* calls */
#define FTRACE_FL_REGS        (1UL << 30) /* some ops wants all registers */
#define FTRACE_FL_REGS_EN     (1UL << 29)
#define FTRACE_FL_IPMODIFY    (1UL << 26) /* some ops may move the pc: only one can */
#define FTRACE_FL_DISABLED    (1UL << 25) /* of a module that is coming or going: leave it */
#define FTRACE_FL_CALL_OPS    (1UL << 22) /* one ops alone, to be found from the site */
#define FTRACE_FL_CALL_OPS_EN (1UL << 21)
#define FTRACE_REF_MAX        ((1UL << 19) - 1)

static inline unsigned long ftrace_rec_count(const struct dyn_ftrace *rec)
{
    return rec->flags & FTRACE_REF_MAX;
}

void ftrace_init(void);
/* Does ops ask for calls from this site? */
bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip);

/* Modules: sites of a new one become nops; are turned on if wanted; are forgotten. */
void ftrace_module_init(struct module *mod);
void ftrace_module_enable(struct module *mod);
void ftrace_release_mod(struct module *mod);

/* Records. ftrace_rec(): by place among all; NULL behind the last. Under ftrace_lock. */
void ftrace_rec_lock(void);
void ftrace_rec_unlock(void);
struct dyn_ftrace *ftrace_rec(unsigned long index);
const char *ftrace_rec_name(const struct dyn_ftrace *rec);
/* The site at ip, or of the function that begins there; 0 if there is none. */
unsigned long ftrace_location(unsigned long ip);

/* Sets of sites. */
struct ftrace_hash *alloc_ftrace_hash(void);
struct ftrace_hash *copy_ftrace_hash(const struct ftrace_hash *from); /* from may be NULL */
void free_ftrace_hash(struct ftrace_hash *hash);
bool ftrace_hash_empty(const struct ftrace_hash *hash); /* hash may be NULL */
bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip);
/*
 * One word of set_ftrace_filter: `glob`, `glob:mod:glob` or the place in
 * available_filter_functions, from 1; with `!` in front it takes away.  -EINVAL
 * if nothing matches.
 */
int ftrace_match_records(struct ftrace_hash *hash, const char *word);
/*
 * The same for a file, where *set is the set in use: a word `glob:mod:module` that
 * matches nothing waits until that module is loaded.
 */
int ftrace_process_word(struct ftrace_hash **set, struct ftrace_hash *hash, const char *word);
/* `functions:command[:count]`, in front of it `!` to take that back: traceon, traceoff. */
bool ftrace_is_command(const char *word);
int ftrace_process_command(const char *word);
void ftrace_show_probes(struct seq_file *m);
void ftrace_clear_mods(struct ftrace_hash **set);
void ftrace_show_mods(struct seq_file *m, struct ftrace_hash **set);
/*
 * Puts hash (taken over) in the place of *orig, a set of some ops, and patches what
 * that changes for those who are registered.
 */
int ftrace_hash_move_and_update_ops(struct ftrace_hash **orig, struct ftrace_hash *hash);
/* word NULL with reset: an empty set. */
int ftrace_set_filter(struct ftrace_ops *ops, const char *word, bool reset);
int ftrace_set_notrace(struct ftrace_ops *ops, const char *word, bool reset);
/* ip as for ftrace_location(). -ENOENT: was not there to be removed. */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, bool remove, bool reset);

/*
 * The architecture's part.  All of it answers 0, -EFAULT (no text there),
 * -EINVAL (not the code that was expected) or -EPERM (could not write).
 */
/* Sites. mod: whose site it is while that is loaded, else NULL. */
#ifndef ftrace_init_nop
#define ftrace_init_nop(mod, rec) ftrace_make_nop(mod, rec, MCOUNT_ADDR)
#endif
int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr);
int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr);
/* A site that calls old_addr is to call addr; both may be the same, when rec->flags changed. */
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr);
/* The trampolines. */
int ftrace_update_ftrace_func(ftrace_func_t func);
int ftrace_enable_ftrace_graph_caller(void);
int ftrace_disable_ftrace_graph_caller(void);
/* Around every change of code: takes and gives back text_mutex. */
void ftrace_arch_code_modify_prepare(void);
void ftrace_arch_code_modify_post_process(void);
/* Calls ftrace_modify_all_code() under whatever that needs; every hart has fenced behind it. */
void arch_ftrace_update_code(int command);
void ftrace_modify_all_code(int command);
/* What the architecture looked for when a site was not what it should be; eight bytes. */
extern const void *ftrace_expected;
void ftrace_bug(int failed, const struct dyn_ftrace *rec);
/* Of a record with FTRACE_FL_CALL_OPS: the one ops that wants it; NULL: none any more. */
struct ftrace_ops *ftrace_find_unique_ops(const struct dyn_ftrace *rec);
/* For sites that name their ops: all that want it, through the list; none. */
extern struct ftrace_ops ftrace_list_ops;
extern struct ftrace_ops ftrace_nop_ops;

#else

/* The sites are fixed: all of them call, and there are no sets of them. */
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
    unsigned long retval; /* a0; means nothing if the function returns nothing */
    int depth;
    unsigned int overrun;
    u64 calltime, rettime;
} __packed;

struct ftrace_ret_stack {
    unsigned long ret;
    unsigned long func;
    u64 calltime;
    unsigned long fp;
    u64 subtime;         /* what it spent in functions it called; the profiler's */
    unsigned long *retp; /* the slot the return address was taken from */
    unsigned long gops;  /* who hears of the return: a bit for each place in fgraph.c's array */
};

typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace);
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace);

/* The user fills in the functions, and a filter through ops. */
struct fgraph_ops {
    trace_func_graph_ent_t entryfunc; /* 0: do not follow this call */
    trace_func_graph_ret_t retfunc;
    struct ftrace_ops ops;
    int idx; /* its place, while registered */
};

enum { FTRACE_RETFUNC_DEPTH = 50 };

/* What function_graph_enter() and ftrace_return_to_handler() call. */
extern trace_func_graph_ret_t ftrace_graph_return;
extern trace_func_graph_ent_t ftrace_graph_entry;
extern int ftrace_graph_active; /* how many are registered */

/* -EBUSY: it is already, or no place is left. */
int register_ftrace_graph(struct fgraph_ops *gops);
void unregister_ftrace_graph(struct fgraph_ops *gops);
int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace);
bool ftrace_graph_is_dead(void);
int function_graph_enter(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                         unsigned long *retp);
unsigned long ftrace_return_to_handler(unsigned long frame_pointer, unsigned long retval);
/* Does a function's time include what its task slept in it? Option sleep-time. */
void ftrace_graph_sleep_time_control(bool enable);

/* Hooks of the rest of the kernel. */
void ftrace_graph_stop(void);
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
/* Interrupts off, from the scheduler. */
void ftrace_graph_sched_switch(struct task_struct *prev, struct task_struct *next);
/* The true return address, if ret is the hook's; *idx starts at 0 for each walk. */
unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx, unsigned long ret);
void ftrace_pid_fork(const struct task_struct *parent, const struct task_struct *child);
void ftrace_pid_exit(const struct task_struct *task);

/* Its name in traces to come has to be taken anew. */
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

/* The section of a module's file that lists its call sites. */
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
