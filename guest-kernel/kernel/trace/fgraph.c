/*
 * fgraph.c - taking return addresses, and giving them back.
 *
 * On entry of a traced function its return address is pushed on the task's own
 * stack of them and replaced by return_to_handler; there it is popped again.
 * Tasks never share such a stack, and interrupts nest on it in order, so it
 * needs no lock, only an order of stores that an interrupt may cut anywhere.
 *
 * Not instrumented.
 */
#include <asm/barrier.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>

static int ftrace_graph_entry_stub(struct ftrace_graph_ent *trace)
{
    (void)trace;
    return 0;
}

static void ftrace_graph_return_stub(struct ftrace_graph_ret *trace)
{
    (void)trace;
}

/* Changed under graph_lock, read by any hart at any time. */
trace_func_graph_ret_t ftrace_graph_return = ftrace_graph_return_stub;
trace_func_graph_ent_t ftrace_graph_entry = ftrace_graph_entry_stub;
static trace_func_graph_ent_t __ftrace_graph_entry = ftrace_graph_entry_stub;
bool ftrace_graph_active;
static DEFINE_MUTEX(graph_lock);

static bool kill_ftrace_graph; /* trouble: hook nothing any more; never cleared */

/* Its filter is the function tracer's. */
static struct ftrace_ops graph_ops = {
#ifdef ftrace_graph_func
    .func = ftrace_graph_func,
#else
    .func = ftrace_stub,
    .flags = FTRACE_OPS_FL_STUB,
#endif
    .func_hash = &global_ops.local_hash,
};

bool ftrace_graph_is_dead(void)
{
    return READ_ONCE(kill_ftrace_graph);
}

void ftrace_graph_stop(void)
{
    WRITE_ONCE(kill_ftrace_graph, true);
}

/* When other ops enable sites too, what arrives must be checked against our filter. */
static int ftrace_graph_entry_test(struct ftrace_graph_ent *trace)
{
    if (!ftrace_ops_test(&graph_ops, trace->func))
        return 0;
    return __ftrace_graph_entry(trace);
}

void update_function_graph_func(void)
{
    bool alone = ftrace_ops_list == &ftrace_list_end ||
                 (ftrace_ops_list == &graph_ops && graph_ops.next == &ftrace_list_end);

    if (!ftrace_graph_active)
        return;
    WRITE_ONCE(ftrace_graph_entry, alone ? __ftrace_graph_entry : ftrace_graph_entry_test);
}

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
    barrier(); /* an interrupt from here on uses the entries above ours */
    current->ret_stack[index] = (struct ftrace_ret_stack){.ret = ret,
                                                          .func = func,
                                                          .calltime = trace_clock_local(),
                                                          .fp = frame_pointer,
                                                          .retp = retp};
    return 0;
}

int function_graph_enter(unsigned long ret, unsigned long func, unsigned long frame_pointer,
                         unsigned long *retp)
{
    struct ftrace_graph_ent trace = {.func = func, .depth = ++current->curr_ret_depth};

    if (ftrace_push_return_trace(ret, func, frame_pointer, retp))
        goto out;
    if (!READ_ONCE(ftrace_graph_entry)(&trace))
        goto out_ret;
    return 0;
out_ret:
    current->curr_ret_stack--;
out:
    current->curr_ret_depth--;
    return -EBUSY;
}

static unsigned long pop_failed(const char *why, unsigned long frame_pointer)
{
    ftrace_graph_stop();
    WARN(true, "  %s: frame pointer %lx, index %d\n", why, frame_pointer, current->curr_ret_stack);
    return (unsigned long)panic;
}

/*
 * The frame pointer test: the function came back with the frame pointer its
 * caller had when it was called, or somebody has broken the chain of frames.
 */
static unsigned long ftrace_pop_return_trace(struct ftrace_graph_ret *trace,
                                             unsigned long frame_pointer)
{
    int index = current->curr_ret_stack;
    const struct ftrace_ret_stack *frame;

    if (unlikely(index < 0 || index >= FTRACE_RETFUNC_DEPTH))
        return pop_failed("Bad function graph return stack", frame_pointer);
    frame = &current->ret_stack[index];
    if (unlikely(frame->fp != frame_pointer))
        return pop_failed("Bad frame pointer", frame_pointer);
    *trace = (struct ftrace_graph_ret){.func = frame->func,
                                       .depth = current->curr_ret_depth--,
                                       .overrun = atomic_read(&current->trace_overrun),
                                       .calltime = frame->calltime};
    return frame->ret;
}

unsigned long ftrace_return_to_handler(unsigned long frame_pointer)
{
    struct ftrace_graph_ret trace;
    unsigned long ret = ftrace_pop_return_trace(&trace, frame_pointer);

    if (unlikely(ret == (unsigned long)panic))
        panic("function graph: the return address is lost");
    trace.rettime = trace_clock_local();
    READ_ONCE(ftrace_graph_return)(&trace);
    barrier(); /* until here an interrupt must not take our entry for free */
    current->curr_ret_stack--;
    return ret;
}

/* Task stacks are walked from the top: each hooked return address is the next one below. */
unsigned long ftrace_graph_ret_addr(struct task_struct *t, int *idx, unsigned long ret)
{
    int index = t->curr_ret_stack - *idx;

    if (ret != (unsigned long)return_to_handler || index < 0 || !t->ret_stack)
        return ret;
    ++*idx;
    return t->ret_stack[index].ret;
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
    atomic_set(&t->trace_overrun, 0);
    t->curr_ret_stack = t->curr_ret_depth = -1;
    smp_wmb(); /* a task that sees its stack sees it empty */
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

/* Idle tasks are in the list, too. */
static int alloc_retstack_tasklist(void)
{
    struct task_struct *t;
    unsigned long flags;
    int ret = 0;

    spin_lock_irqsave(&tasklist_lock, flags);
    list_for_each_entry(t, &task_list, tasks) if (!ret) ret = alloc_ret_stack(t);
    spin_unlock_irqrestore(&tasklist_lock, flags);
    return ret;
}

static void set_graph_functions(trace_func_graph_ent_t entry, trace_func_graph_ret_t ret)
{
    __ftrace_graph_entry = entry;
    WRITE_ONCE(ftrace_graph_return, ret);
    WRITE_ONCE(ftrace_graph_entry, entry);
}

/* Active first: a task made while the list is walked gets its stack from fork. */
int register_ftrace_graph(const struct fgraph_ops *gops)
{
    int ret = -EBUSY;

    mutex_lock(&graph_lock);
    if (!ftrace_graph_active) {
        ftrace_graph_active = true;
        ret = alloc_retstack_tasklist();
        if (!ret) {
            set_graph_functions(gops->entryfunc, gops->retfunc);
            ret = ftrace_startup(&graph_ops, FTRACE_START_FUNC_RET);
        }
        if (ret) {
            set_graph_functions(ftrace_graph_entry_stub, ftrace_graph_return_stub);
            ftrace_graph_active = false;
        }
    }
    mutex_unlock(&graph_lock);
    return ret;
}

/* Functions that are hooked now still come back through return_to_handler, unheard. */
void unregister_ftrace_graph(const struct fgraph_ops *gops)
{
    mutex_lock(&graph_lock);
    if (ftrace_graph_active && __ftrace_graph_entry == gops->entryfunc) {
        ftrace_graph_active = false;
        set_graph_functions(ftrace_graph_entry_stub, ftrace_graph_return_stub);
        ftrace_shutdown(&graph_ops, FTRACE_STOP_FUNC_RET);
    }
    mutex_unlock(&graph_lock);
}
