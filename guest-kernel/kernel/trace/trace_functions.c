/* trace_functions.c - the tracer `function`: one line for each call, callee <-caller. */
#include "trace_recursion.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>

static void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                struct ftrace_regs *fregs)
{
    int bit = ftrace_test_recursion_trylock();
    unsigned long flags;

    (void)op;
    (void)fregs;
    if (bit < 0)
        return;
    local_irq_save(flags);
    trace_function(&global_trace, ip, parent_ip, flags);
    local_irq_restore(flags);
    ftrace_test_recursion_unlock(bit);
}

static int function_trace_init(struct trace_array *tr)
{
    global_ops.func = function_trace_call;
    tracing_reset_online_cpus(tr);
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
    .selftest = trace_selftest_startup_function,
};

int init_function_trace(void)
{
    return register_tracer(&function_trace);
}
