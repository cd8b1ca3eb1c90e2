/*
 * fgraph.c - function graph: replaces return addresses of traced functions, and restores them.
 *
 * At entry of a traced function its return address is pushed on the task's return stack and
 * replaced by return_to_handler, which pops it again. Tasks do not share return stacks and
 * interrupts nest properly on them, so they need no lock, only an order of stores that allows
 * an interrupt at any point.
 *
 * Not instrumented.
 */
#include "ftrace_internal.h"
#include "trace_recursion.h"
#include <asm/barrier.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>

int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace)
{
    (void)trace;
    return 0;
}

static void fgraph_return_stub(struct ftrace_graph_ret *trace)
{
    (void)trace;
}

/*
 * A placeholder in the array for users that are not registered; a hart may still be about to
 * call it.
 */
static struct fgraph_ops fgraph_stub = {
    .entryfunc = ftrace_graph_entry_stub,
    .retfunc = fgraph_return_stub,
    .ops = {INIT_OPS_HASH(fgraph_stub.ops)},
};

enum { FGRAPH_ARRAY_SIZE = 16 };

/* ftrace_stub, with which assembly compares, as a return function; it ignores its arguments. */
#define ftrace_graph_return_stub ((trace_func_graph_ret_t)(void (*)(void))ftrace_stub)

/* Changed under graph_lock, the functions also under ftrace_lock; read by any hart at any time. */
trace_func_graph_ret_t ftrace_graph_return = ftrace_graph_return_stub;
trace_func_graph_ent_t ftrace_graph_entry = ftrace_graph_entry_stub;
int ftrace_graph_active;
static struct fgraph_ops *fgraph_array[FGRAPH_ARRAY_SIZE] = {
    [0 ... FGRAPH_ARRAY_SIZE - 1] = &fgraph_stub,
};
static DEFINE_MUTEX(graph_lock);

/*
 * The user that is called directly, if it is the only one. It changes only while the two
 * functions above are the stubs or those for several users. So a function that was read between
 * two reads of the same value belongs to that user.
 */
static struct fgraph_ops *fgraph_direct_gops = &fgraph_stub;

static bool
    kill_ftrace_graph; /* an error was found: replace no return address any more; never cleared */
static bool fgraph_sleep_time = true;

/* The ops in the list that stands for all graph users; each user has its own filter. */
static struct ftrace_ops graph_ops = {
#ifdef ftrace_graph_func
    .func = ftrace_graph_func,
#else
    .func = ftrace_stub,
    .flags = FTRACE_OPS_FL_STUB,
#endif
    INIT_OPS_HASH(graph_ops),
};

bool ftrace_graph_is_dead(void)
{
    return READ_ONCE(kill_ftrace_graph);
}

void ftrace_graph_stop(void)
{
    WRITE_ONCE(kill_ftrace_graph, true);
}

/* ---- calling the users ---- */

/* If other ops have turned on sites, too, the filter must be checked here. */
static int ftrace_graph_entry_test(struct ftrace_graph_ent *trace)
{
    struct fgraph_ops *gops = READ_ONCE(fgraph_direct_gops);

    return ftrace_ops_test(&gops->ops, trace->func) ? gops->entryfunc(trace) : 0;
}

static struct ftrace_ret_stack *top_of_stack(void)
{
    return &current->ret_stack[current->curr_ret_stack];
}

static int fgraph_entry_several(struct ftrace_graph_ent *trace)
{
    unsigned long follow = 0;
    int i;

    for (i = 0; i < FGRAPH_ARRAY_SIZE; i++) {
        struct fgraph_ops *gops = READ_ONCE(fgraph_array[i]);

        if (gops != &fgraph_stub && ftrace_ops_test(&gops->ops, trace->func) &&
            gops->entryfunc(trace))
            follow |= 1UL << i;
    }
    top_of_stack()->gops = follow;
    return follow != 0;
}

static void fgraph_return_several(struct ftrace_graph_ret *trace)
{
    unsigned long follow = top_of_stack()->gops;

    for (; follow; follow &= follow - 1)
        READ_ONCE(fgraph_array[__ffs(follow)])->retfunc(trace);
}

/* Calls the entry function; the frame on the return stack notes which users want the return. */
static int fgraph_call_entry(struct ftrace_graph_ent *trace)
{
    trace_func_graph_ent_t entry;
    struct fgraph_ops *gops;

    do {
        gops = READ_ONCE(fgraph_direct_gops);
        smp_rmb();
        entry = READ_ONCE(ftrace_graph_entry);
        smp_rmb();
    } while (gops != READ_ONCE(fgraph_direct_gops));
    top_of_stack()->gops = 1UL << gops->idx;
    return entry(trace);
}

static void fgraph_call_return(struct ftrace_graph_ret *trace)
{
    trace_func_graph_ret_t ret;
    struct fgraph_ops *gops;

    do {
        gops = READ_ONCE(fgraph_direct_gops);
        smp_rmb();
        ret = READ_ONCE(ftrace_graph_return);
        smp_rmb();
    } while (gops != READ_ONCE(fgraph_direct_gops));
    if (ret == fgraph_return_several || top_of_stack()->gops >> gops->idx & 1)
        ret(trace);
}

/* Returns whether sites may be on that gops did not ask for, so that its filter must be checked. */
static bool must_test(const struct fgraph_ops *gops)
{
    const struct ftrace_ops *op;

    for_each_ftrace_op(op)
        if (op != &graph_ops && op->func_hash != gops->ops.func_hash)
            return true;
    return false;
}

/* Chooses the entry function after the list of ops has changed. ftrace_lock is held. */
void update_function_graph_func(void)
{
    struct fgraph_ops *gops = fgraph_direct_gops;

    if (ftrace_graph_active != 1)
        return;
    WRITE_ONCE(ftrace_graph_entry, must_test(gops) ? ftrace_graph_entry_test : gops->entryfunc);
}

/* ---- entry and return of a function ---- */

static int ftrace_push_return_trace(unsigned long ret, unsigned long func,
                                    unsigned long frame_pointer, unsigned long *retp)
{
    int index;

    if (!current->ret_stack)
        return -EBUSY;
    if (current->curr_ret_stack == FTRACE_RETFUNC_DEPTH - 1) {
        atomic_inc(&current->trace_overrun);
        return -EBUSY;
    }
    index = ++current->curr_ret_stack;
    barrier(); /* from here on an interrupt uses the entries above this one */
    current->ret_stack[index] = (struct ftrace_ret_stack){.ret = ret,
                                                          .func = func,
                                                          .calltime = trace_clock_local(),
                                                          .fp = frame_pointer,
                                                          .retp = retp};
    return 0;
}

static int hook_call(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                     unsigned long *retp)
{
    struct ftrace_graph_ent trace = {.func = func, .depth = ++current->curr_ret_depth};

    if (ftrace_push_return_trace(ret, func, frame_pointer, retp))
        goto out;
    if (!fgraph_call_entry(&trace))
        goto out_ret;
    return 0;
out_ret:
    current->curr_ret_stack--;
out:
    current->curr_ret_depth--;
    return -EBUSY;
}

/* The recursion lock keeps functions called by entry functions from being traced. */
int function_graph_enter(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                         unsigned long *retp)
{
    int bit = ftrace_test_recursion_trylock(), err;

    if (bit < 0)
        return -EBUSY;
    err = hook_call(ret, func, frame_pointer, retp);
    ftrace_test_recursion_unlock(bit);
    return err;
}

static unsigned long bad_index(int index)
{
    ftrace_graph_stop();
    WARN(true, "Bad function graph return stack: index %d\n", index);
    return (unsigned long)panic;
}

/*
 * The frame pointer test: the function must return with the frame pointer that its caller had
 * at the call, else the return stack is out of step.
 */
static bool frame_pointer_is(const struct ftrace_ret_stack *frame, unsigned long frame_pointer)
{
#ifdef HAVE_FUNCTION_GRAPH_FP_TEST
    if (likely(frame->fp == frame_pointer))
        return true;
    ftrace_graph_stop();
    if (WARN(true, "Bad frame pointer: expected %lx, received %lx\n", frame->fp, frame_pointer))
        printk("  from func %ps return to %lx\n", (void *)frame->func, frame->ret);
    return false;
#else
    (void)frame;
    (void)frame_pointer;
    return true;
#endif
}

static unsigned long ftrace_pop_return_trace(struct ftrace_graph_ret *trace,
                                             unsigned long frame_pointer)
{
    int index = current->curr_ret_stack;
    const struct ftrace_ret_stack *frame;

    if (unlikely(index < 0 || index >= FTRACE_RETFUNC_DEPTH))
        return bad_index(index);
    frame = &current->ret_stack[index];
    if (!frame_pointer_is(frame, frame_pointer))
        return (unsigned long)panic;
    *trace = (struct ftrace_graph_ret){.func = frame->func,
                                       .depth = current->curr_ret_depth--,
                                       .overrun = atomic_read(&current->trace_overrun),
                                       .calltime = frame->calltime};
    return frame->ret;
}

static void tell_return(struct ftrace_graph_ret *trace)
{
    int bit = ftrace_test_recursion_trylock();

    if (bit < 0)
        return;
    fgraph_call_return(trace);
    ftrace_test_recursion_unlock(bit);
}

unsigned long ftrace_return_to_handler(unsigned long frame_pointer, unsigned long retval)
{
    struct ftrace_graph_ret trace;
    unsigned long ret = ftrace_pop_return_trace(&trace, frame_pointer);

    if (unlikely(ret == (unsigned long)panic))
        panic("function graph: the return address is lost");
    trace.rettime = trace_clock_local();
    trace.retval = retval;
    tell_return(&trace);
    barrier(); /* until here an interrupt must not use this entry */
    current->curr_ret_stack--;
    return ret;
}

/* ---- tasks ---- */

/*
 * Stacks are walked from the innermost frame: each replaced return address is the next one
 * below on the return stack.
 */
unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx, unsigned long ret)
{
    int index = t->curr_ret_stack - *idx;

    if (ret != (unsigned long)return_to_handler || index < 0 || !t->ret_stack)
        return ret;
    ++*idx;
    return t->ret_stack[index].ret;
}

void ftrace_graph_sleep_time_control(bool enable)
{
    WRITE_ONCE(fgraph_sleep_time, enable);
}

/* Without option sleep-time, the time that next was switched out is not counted in its calls. */
void ftrace_graph_sched_switch(struct task_struct *prev, struct task_struct *next)
{
    u64 now;
    int i;

    if (!READ_ONCE(ftrace_graph_active))
        return;
    now = trace_clock_local();
    prev->ftrace_timestamp = now;
    if (READ_ONCE(fgraph_sleep_time) || !next->ftrace_timestamp || !next->ret_stack)
        return;
    for (i = next->curr_ret_stack; i >= 0; i--)
        next->ret_stack[i].calltime += now - next->ftrace_timestamp;
}

static int alloc_ret_stack(struct task_struct *t)
{
    struct ftrace_ret_stack *stack;

    if (t->ret_stack)
        return 0;
    stack = kmalloc(FTRACE_RETFUNC_DEPTH * sizeof(*stack));
    if (!stack)
        return -ENOMEM;
    atomic_set(&t->tracing_graph_pause, 0);
    t->ftrace_timestamp = 0;
    atomic_set(&t->trace_overrun, 0);
    t->curr_ret_stack = t->curr_ret_depth = -1;
    smp_wmb(); /* a task that sees the stack sees it empty */
    WRITE_ONCE(t->ret_stack, stack);
    return 0;
}

void ftrace_graph_init_task(struct task_struct *t)
{
    if (ftrace_graph_active && alloc_ret_stack(t))
        printk("function graph: no return stack for %s\n", t->comm);
}

void ftrace_graph_exit_task(struct task_struct *t)
{
    kfree(t->ret_stack);
    t->ret_stack = NULL;
}

/* The list has the idle tasks, too, but for the boot hart's. */
static int alloc_retstack_tasklist(void)
{
    struct task_struct *t;
    unsigned long flags;
    int ret;

    spin_lock_irqsave(&tasklist_lock, flags);
    ret = alloc_ret_stack(&init_task);
    for_each_process(t)
        if (!ret)
            ret = alloc_ret_stack(t);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return ret;
}

/* ---- registered users ---- */

static void set_graph_functions(trace_func_graph_ent_t entry, trace_func_graph_ret_t ret)
{
    WRITE_ONCE(ftrace_graph_return, ret);
    WRITE_ONCE(ftrace_graph_entry, entry);
}

/*
 * Clears the direct user after the functions are changed: a hart that reads no direct user must
 * not read the functions of one.
 */
static void clear_direct(void)
{
    smp_wmb();
    WRITE_ONCE(fgraph_direct_gops, &fgraph_stub);
}

static void set_stubs(void)
{
    set_graph_functions(ftrace_graph_entry_stub, ftrace_graph_return_stub);
    clear_direct();
}

static void set_several(void)
{
    set_graph_functions(fgraph_entry_several, fgraph_return_several);
    clear_direct();
}

/*
 * Called with the stubs or the functions for several users set. Every call is checked against
 * the filter until the list of ops is updated.
 */
static void set_direct(struct fgraph_ops *gops)
{
    WRITE_ONCE(fgraph_direct_gops, gops);
    smp_wmb();
    set_graph_functions(ftrace_graph_entry_test, gops->retfunc);
}

/*
 * Places are used in turn, so that frames on return stacks which name a former user are not
 * taken for a new one's.
 */
static int take_place(struct fgraph_ops *gops)
{
    static int last; /* under graph_lock */
    int i;

    for (i = 1; i <= FGRAPH_ARRAY_SIZE; i++) {
        gops->idx = (last + i) % FGRAPH_ARRAY_SIZE;
        if (fgraph_array[gops->idx] != &fgraph_stub)
            continue;
        last = gops->idx;
        WRITE_ONCE(fgraph_array[last], gops);
        return 0;
    }
    return -EBUSY;
}

static void leave_place(struct fgraph_ops *gops)
{
    WRITE_ONCE(fgraph_array[gops->idx], &fgraph_stub);
}

static struct fgraph_ops *only_one_left(void)
{
    int i;

    for (i = 0; fgraph_array[i] == &fgraph_stub; i++)
        ;
    return fgraph_array[i];
}

/* Changes the number of users, and sets the functions accordingly. */
static void count_graph_users(int change)
{
    mutex_lock(&ftrace_lock); /* update_function_graph_func() */
    ftrace_graph_active += change;
    if (ftrace_graph_active == 0)
        set_stubs();
    else if (ftrace_graph_active == 1)
        set_direct(only_one_left());
    else
        set_several();
    mutex_unlock(&ftrace_lock);
}

/*
 * The user is counted first, so that a task created during the walk of the list gets its return
 * stack from fork.
 */
static int start_graph(struct fgraph_ops *gops)
{
    int ret;

    count_graph_users(1);
    ret = alloc_retstack_tasklist();
    if (!ret)
        ret = ftrace_startup_subops(&graph_ops, &gops->ops,
                                    ftrace_graph_active > 1 ? 0 : FTRACE_START_FUNC_RET);
    if (!ret)
        return 0;
    leave_place(gops);
    count_graph_users(-1);
    return ret;
}

bool ftrace_graph_is_active(void)
{
    return READ_ONCE(ftrace_graph_active);
}

int register_ftrace_graph(struct fgraph_ops *gops)
{
    int ret = -EBUSY;

    mutex_lock(&graph_lock);
    ftrace_ops_init(&gops->ops);
    if (!(gops->ops.flags & FTRACE_OPS_FL_ENABLED))
        ret = take_place(gops);
    if (!ret)
        ret = start_graph(gops);
    mutex_unlock(&graph_lock);
    return ret;
}

/*
 * Functions that have been entered still return through return_to_handler, without calling the
 * user. A user in a module may be freed afterwards.
 */
void unregister_ftrace_graph(struct fgraph_ops *gops)
{
    bool registered;

    mutex_lock(&graph_lock);
    registered = gops->ops.flags & FTRACE_OPS_FL_ENABLED;
    if (registered) {
        leave_place(gops);
        count_graph_users(-1);
        ftrace_shutdown_subops(&graph_ops, &gops->ops,
                               ftrace_graph_active ? 0 : FTRACE_STOP_FUNC_RET);
    }
    mutex_unlock(&graph_lock);
    if (registered && !core_kernel_data((unsigned long)gops))
        synchronize_rcu_tasks();
}
