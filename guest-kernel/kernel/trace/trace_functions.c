/*
 * trace_functions.c - the tracer `function`: one line for each call, callee <-caller.
 *
 * Not instrumented.
 */
#include "trace_recursion.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>

enum { TRACE_FUNC_OPT_STACK = 1 };

/* func[0] is the function itself, func[1] where it was called. */
enum { FTRACE_STACK_ENTRIES = 32 };

static const struct tracer_opt func_opts[] = {
    {"func_stack_trace", TRACE_FUNC_OPT_STACK},
    {NULL, 0},
};
static struct tracer_flags func_flags = {.opts = func_opts};

/*
 * The way here, seen from the function that is traced.  Layouts differ in
 * whether it has a frame yet and whether the trampoline has one: what the walk
 * finds before the caller is theirs, and without a frame it begins behind him.
 */
static noinline void function_stack_trace(unsigned long ip, unsigned long parent_ip,
                                          unsigned int trace_ctx)
{
    unsigned long callers[2 + FTRACE_STACK_ENTRIES];
    unsigned int i, n = 2 + stack_trace_save(callers + 2, FTRACE_STACK_ENTRIES, 1);

    for (i = 2; i < n && callers[i] != parent_ip; i++)
        ;
    if (i == n)
        i = 3; /* the first is the trampoline's */
    else
        i++;
    callers[i - 2] = ip;
    callers[i - 1] = parent_ip;
    trace_stack(&global_trace, callers + i - 2, n - i + 2, trace_ctx);
}

static void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                struct ftrace_regs *fregs)
{
    int bit = ftrace_test_recursion_trylock();
    unsigned int trace_ctx;
    unsigned long flags;

    (void)op;
    (void)fregs;
    if (bit < 0)
        return;
    local_irq_save(flags);
    trace_ctx = tracing_gen_ctx_flags(flags);
    trace_function(&global_trace, ip, parent_ip, trace_ctx);
    if (unlikely(READ_ONCE(func_flags.val) & TRACE_FUNC_OPT_STACK))
        function_stack_trace(ip, parent_ip, trace_ctx);
    local_irq_restore(flags);
    ftrace_test_recursion_unlock(bit);
}

static int function_trace_init(struct trace_array *tr)
{
    (void)tr;
    global_ops.func = function_trace_call;
    return register_ftrace_function(&global_ops);
}

static void function_trace_reset(struct trace_array *tr)
{
    (void)tr;
    unregister_ftrace_function(&global_ops);
    global_ops.func = ftrace_stub;
}

static struct tracer function_trace = {
    .name = "function",
    .init = function_trace_init,
    .reset = function_trace_reset,
    .flags = &func_flags,
    .selftest = trace_selftest_startup_function,
};

int init_function_trace(void)
{
    return register_tracer(&function_trace);
}
