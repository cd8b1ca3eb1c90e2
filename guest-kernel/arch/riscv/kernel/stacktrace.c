/*
 * stacktrace.c - prints and saves stack traces and registers.
 *
 * With frame pointers, the saved ra and s0 are just below the address in s0. A build without
 * them lists every word of the stack that looks like a return address, marked with a question
 * mark since it may be stale.
 */
#include <asm/page.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/stacktrace.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

enum { MAX_FRAMES = 24 };

#ifdef CONFIG_FRAME_POINTER
#define FRAME_FMT " [<%016lx>] %pB\n"
#else
#define FRAME_FMT " [<%016lx>] ? %pB\n"
#endif

typedef bool (*stack_trace_consume_fn)(void *cookie, unsigned long ra);

static bool on_stack(unsigned long addr)
{
    unsigned long base = (unsigned long)current->stack;

    return addr >= base && addr < base + THREAD_SIZE && !(addr & 7);
}

#ifdef CONFIG_FRAME_POINTER

/* Calls fn for each return address, newest first, until it returns false. */
static void walk_stackframe(unsigned long sp, unsigned long fp, stack_trace_consume_fn fn,
                            void *cookie)
{
    struct rethook_node *hook = NULL;
    int graph_index = 0;

    (void)sp;
    while (on_stack(fp - 16) && on_stack(fp - 8)) {
        unsigned long ra = ((unsigned long *)fp)[-1];

        ra = ftrace_graph_ret_addr(current, &graph_index, ra);
        ra = rethook_find_ret_addr(current, &hook, ra);
        if (!kernel_text_address(ra) || !fn(cookie, ra))
            return;
        if (((unsigned long *)fp)[-2] <= fp)
            return;
        fp = ((unsigned long *)fp)[-2];
    }
}

#else

static void walk_stackframe(unsigned long sp, unsigned long fp, stack_trace_consume_fn fn,
                            void *cookie)
{
    (void)fp;
    for (; on_stack(sp); sp += 8) {
        unsigned long ra = *(unsigned long *)sp;

        if (kernel_text_address(ra) && !fn(cookie, ra))
            return;
    }
}

#endif

static bool print_frame(void *cookie, unsigned long ra)
{
    int *left = cookie;

    printk(FRAME_FMT, ra, (void *)ra);
    return --*left;
}

static void walk(unsigned long sp, unsigned long fp)
{
    int left = MAX_FRAMES;

    walk_stackframe(sp, fp, print_frame, &left);
}

struct stacktrace {
    unsigned long *store;
    unsigned int size, skip, len;
};

static bool store_frame(void *cookie, unsigned long ra)
{
    struct stacktrace *trace = cookie;

    if (trace->skip)
        trace->skip--;
    else if (trace->len < trace->size)
        trace->store[trace->len++] = ra;
    return trace->len < trace->size;
}

unsigned int stack_trace_save(unsigned long *store, unsigned int size, unsigned int skip)
{
    struct stacktrace trace = {store, size, skip, 0};
    unsigned long frame = (unsigned long)__builtin_frame_address(0);

    walk_stackframe(frame, frame, store_frame, &trace);
    return trace.len;
}

/*
 * A function that calls none may store only its caller's fp, where others store ra. Then the walk
 * begins at the caller, to which ra returns. Returns whether there is more to walk.
 */
static bool leave_leaf(const struct pt_regs *regs, unsigned long *fp, struct stacktrace *trace)
{
    unsigned long saved;

    *fp = regs->s0;
    if (!on_stack(*fp - 8))
        return true;
    saved = ((const unsigned long *)*fp)[-1];
    if (saved <= *fp || !on_stack(saved - 8))
        return true;
    *fp = saved;
    return kernel_text_address(regs->ra) && store_frame(trace, regs->ra);
}

unsigned int stack_trace_save_regs(const struct pt_regs *regs, unsigned long *store,
                                   unsigned int size)
{
    struct stacktrace trace = {store, size, 0, 0};
    unsigned long fp;

    if (store_frame(&trace, regs->epc) && leave_leaf(regs, &fp, &trace))
        walk_stackframe(regs->sp, fp, store_frame, &trace);
    return trace.len;
}

#ifdef CONFIG_TRACE_IRQFLAGS
/* Without the checks of a walk: this is called each time that interrupts are turned off or on. */
unsigned long return_address(unsigned int level)
{
    unsigned long fp = (unsigned long)__builtin_frame_address(0), ra;
    int graph_index = 0;

    do {
        fp = ((unsigned long *)fp)[-2];
        if (!on_stack(fp - 16) || !on_stack(fp - 8))
            return 0;
        ra = ftrace_graph_ret_addr(current, &graph_index, ((unsigned long *)fp)[-1]);
    } while (level--);
    return ra;
}
#endif

/*
 * Follows the frame pointers of the program, as far as their pages are present. GCC stores ra
 * and s0 below the address in s0; a program built without frame pointers yields only its pc.
 */
unsigned int stack_trace_save_user(unsigned long *store, unsigned int size)
{
    const struct pt_regs *regs = task_pt_regs(current);
    unsigned long fp, frame[2];
    unsigned int n = 0;

    if (!current->mm || !size)
        return 0;
    store[n++] = regs->epc;
    preempt_disable_notrace(); /* a page fault then fails instead of sleeping */
    for (fp = regs->s0; n < size && !(fp & 7) && fp >= sizeof(frame); fp = frame[0]) {
        if (copy_from_user(frame, (const void __user *)(fp - sizeof(frame)), sizeof(frame)))
            break;
        if (!frame[1])
            break;
        store[n++] = frame[1];
        if (frame[0] <= fp)
            break;
    }
    preempt_enable_notrace();
    return n;
}

void dump_backtrace(const struct pt_regs *regs)
{
    printk("Call Trace:\n");
    if (regs) {
        printk(" [<%016lx>] %pS\n", regs->epc, (void *)regs->epc);
        walk(regs->sp, regs->s0);
    } else {
        walk((unsigned long)__builtin_frame_address(0), (unsigned long)__builtin_frame_address(0));
    }
}

void show_regs(const struct pt_regs *regs)
{
    static const char *const names[] = {
        "epc", "ra", "sp",  "gp",  "tp", "t0", "t1", "t2", "s0",     "s1",      "a0",    "a1",
        "a2",  "a3", "a4",  "a5",  "a6", "a7", "s2", "s3", "s4",     "s5",      "s6",    "s7",
        "s8",  "s9", "s10", "s11", "t3", "t4", "t5", "t6", "status", "badaddr", "cause",
    };
    const unsigned long *reg = (const unsigned long *)regs;
    unsigned int i;

    printk("CPU: %d PID: %d Comm: %s\n", current->cpu, current->pid, current->comm);
    for (i = 0; i + 1 < ARRAY_SIZE(names); i += 2)
        printk("%8s: %016lx  %8s: %016lx\n", names[i], reg[i], names[i + 1], reg[i + 1]);
    printk("%8s: %016lx\n", names[i], reg[i]);
}
