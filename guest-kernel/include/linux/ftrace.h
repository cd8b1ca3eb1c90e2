/*
 * ftrace.h - function tracing: records of call sites, and who wants to hear of them.
 *
 * In a kernel built without it, the few hooks in other code are empty.
 */
#ifndef LINUX_FTRACE_H
#define LINUX_FTRACE_H

#include <asm/ftrace.h>
#include <asm/ptrace.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct module;
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
#endif

/* All registers at the call; NULL if the trampoline saved fewer. */
static __always_inline struct pt_regs *ftrace_get_regs(struct ftrace_regs *fregs)
{
    return fregs ? arch_ftrace_get_regs(fregs) : NULL;
}

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

/* What is wanted of a site, and (_EN) what its code does. Linux's bits. */
#define FTRACE_FL_ENABLED     (1UL << 31) /* calls */
#define FTRACE_FL_REGS        (1UL << 30) /* somebody wants all registers */
#define FTRACE_FL_REGS_EN     (1UL << 29)
#define FTRACE_FL_IPMODIFY    (1UL << 26) /* somebody moves the pc: only one may */
#define FTRACE_FL_DISABLED    (1UL << 25) /* of a module that is coming or going: leave it */
#define FTRACE_FL_CALL_OPS    (1UL << 22) /* one ops alone, to be found from the site */
#define FTRACE_FL_CALL_OPS_EN (1UL << 21)
#define FTRACE_REF_MAX        ((1UL << 19) - 1)

static inline unsigned long ftrace_rec_count(const struct dyn_ftrace *rec)
{
    return rec->flags & FTRACE_REF_MAX;
}

/* A set of records, one bit each by index.  Empty means: all functions. */
struct ftrace_hash {
    unsigned long count;
    unsigned long bits[];
};

struct ftrace_ops;
/* ip: the site; parent_ip: where its function will return to; fregs may be NULL. */
typedef void (*ftrace_func_t)(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                              struct ftrace_regs *fregs);

struct ftrace_ops_hash {
    struct ftrace_hash *filter_hash; /* NULL: all functions; under ftrace_lock */
};

struct ftrace_ops {
    ftrace_func_t func;
    struct ftrace_ops *next; /* in ftrace_ops_list, under ftrace_lock */
    unsigned long flags;     /* FTRACE_OPS_FL_* */
    struct ftrace_ops_hash local_hash;
    struct ftrace_ops_hash *func_hash; /* NULL: local_hash; else shared with other ops */
};

/* Linux's bits; those that a user may set are explained. */
enum {
    FTRACE_OPS_FL_ENABLED = 1 << 0,
    FTRACE_OPS_FL_DYNAMIC = 1 << 1,
    FTRACE_OPS_FL_SAVE_REGS = 1 << 2, /* hand over all registers, or do not register */
    FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED =
        1 << 3,                       /* hand over all registers where that is possible */
    FTRACE_OPS_FL_RECURSION = 1 << 4, /* func may run into traced functions: guard it */
    FTRACE_OPS_FL_STUB = 1 << 5,      /* has no function to call from the list */
    FTRACE_OPS_FL_INITIALIZED = 1 << 6,
    FTRACE_OPS_FL_IPMODIFY = 1 << 12, /* func may set the pc to go on from */
    FTRACE_OPS_FL_PID = 1 << 13,      /* call func for the tasks of set_ftrace_pid only */
};

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

void ftrace_init(void);
int register_ftrace_function(struct ftrace_ops *ops);
int unregister_ftrace_function(struct ftrace_ops *ops);
void ftrace_kill(void);

/* Records by index and by address. NULL behind the last; 0 where there is none. */
struct dyn_ftrace *ftrace_rec(unsigned long index);
unsigned long ftrace_location(unsigned long ip);
const char *ftrace_rec_name(const struct dyn_ftrace *rec);

/* Sets of records. */
struct ftrace_hash *alloc_ftrace_hash(void);
struct ftrace_hash *copy_ftrace_hash(const struct ftrace_hash *from); /* from may be NULL */
void free_ftrace_hash(struct ftrace_hash *hash);
bool ftrace_hash_test(const struct ftrace_hash *hash, unsigned long index);
bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip);
/* `glob` adds, `!glob` takes away; -EINVAL if nothing matches. */
int ftrace_match_records(struct ftrace_hash *hash, const char *glob);
/* Makes hash (taken over) the filter of ops, and patches what that changes. */
int ftrace_hash_move_and_update_ops(struct ftrace_ops *ops, struct ftrace_hash *hash);
int ftrace_set_filter(struct ftrace_ops *ops, const char *glob, bool reset);
/* The ops' filter as it stands; to look at, while nobody changes it. */
struct ftrace_hash *ftrace_ops_filter(struct ftrace_ops *ops);
bool ftrace_ops_test(struct ftrace_ops *ops, unsigned long ip);
int ftrace_startup(struct ftrace_ops *ops, int command);
int ftrace_shutdown(struct ftrace_ops *ops, int command);

/*
 * The architecture's part.  All of it answers 0, -EFAULT (no text there),
 * -EINVAL (not the code that was expected) or -EPERM (could not write).
 */
int ftrace_dyn_arch_init(void);
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
/* Calls ftrace_modify_all_code() under whatever that needs: by default, stop_machine(). */
void arch_ftrace_update_code(int command);
void ftrace_run_stop_machine(int command);
void ftrace_modify_all_code(int command);
/* What the architecture looked for when a site was not what it should be; eight bytes. */
extern const void *ftrace_expected;
void ftrace_bug(int failed, const struct dyn_ftrace *rec);
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                 struct ftrace_regs *fregs);

/* Function graph. */
struct ftrace_graph_ent {
    unsigned long func;
    int depth;
} __packed;

struct ftrace_graph_ret {
    unsigned long func;
    int depth;
    unsigned int overrun;
    u64 calltime, rettime;
} __packed;

struct ftrace_ret_stack {
    unsigned long ret;
    unsigned long func;
    u64 calltime;
    unsigned long fp;
    unsigned long *retp; /* the slot the return address was taken from */
};

typedef void (*trace_func_graph_ret_t)(struct ftrace_graph_ret *trace);
typedef int (*trace_func_graph_ent_t)(struct ftrace_graph_ent *trace);

struct fgraph_ops {
    trace_func_graph_ent_t entryfunc; /* 0: do not follow this call */
    trace_func_graph_ret_t retfunc;
};

enum { FTRACE_RETFUNC_DEPTH = 50 };

extern trace_func_graph_ret_t ftrace_graph_return;
extern trace_func_graph_ent_t ftrace_graph_entry;
extern bool ftrace_graph_active;

int register_ftrace_graph(const struct fgraph_ops *gops);
void unregister_ftrace_graph(const struct fgraph_ops *gops);
bool ftrace_graph_is_dead(void);
int function_graph_enter(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                         unsigned long *retp);
unsigned long ftrace_return_to_handler(unsigned long frame_pointer);
/* The entry function in force, given what ops there are; fgraph.c. */
void update_function_graph_func(void);

void ftrace_graph_stop(void);
void ftrace_graph_init_task(struct task_struct *t);
void ftrace_graph_exit_task(struct task_struct *t);
/* The true return address, if ret is the hook's; *idx starts at 0 for each walk. */
unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx, unsigned long ret);

/* Tracers and their files. */
void tracer_init(void);
void tracing_start_boot_tracer(void);

#else

static inline void ftrace_init(void) {}

static inline void tracer_init(void) {}

static inline void tracing_start_boot_tracer(void) {}

static inline void ftrace_graph_stop(void) {}

static inline void ftrace_graph_init_task(struct task_struct *t)
{
    (void)t;
}

static inline void ftrace_graph_exit_task(struct task_struct *t)
{
    (void)t;
}

static inline unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx,
                                                  unsigned long ret)
{
    (void)t;
    (void)idx;
    return ret;
}

#endif
#endif
