/*
 * trace_functions.c - the tracer `function`: one line for each call, callee <-caller.
 *
 * Not instrumented.
 */
#include "trace_recursion.h"
#include "trace_selftest.h"
#include <asm/irqflags.h>
#include <asm/stacktrace.h>
#include <linux/smp.h>
#include <linux/string.h>

enum { TRACE_FUNC_OPT_STACK = 1, TRACE_FUNC_OPT_NO_REPEATS = 2 };

/* func[0] is the function itself, func[1] where it was called. */
enum { FTRACE_STACK_ENTRIES = 32 };

static const struct tracer_opt func_opts[] = {
    {"func_stack_trace", TRACE_FUNC_OPT_STACK},
    {"func-no-repeats", TRACE_FUNC_OPT_NO_REPEATS},
    {NULL, 0},
};
static struct tracer_flags func_flags = {.opts = func_opts};

/*
 * Layouts differ in whether the traced function has a frame yet and whether the
 * trampoline has one: what the walk finds before the caller is left out, and
 * where the caller has no frame the entries begin after the trampoline's.
 */
noinline void trace_function_stack(unsigned long ip, unsigned long parent_ip,
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

/* What the hart recorded last, with the option func-no-repeats. Only its own hart looks. */
enum { REPEATS_MAX = 0xffff }; /* fits the entry's field */
static struct func_repeats {
    unsigned long ip, parent_ip;
    unsigned int count; /* calls since that were not recorded */
    u64 last_call;      /* when the latest of them was, by the trace clock */
} func_repeats[NR_CPUS];

/* Does the call repeat the hart's last one? Then it is only counted. */
static bool is_repeat(struct trace_array *tr, unsigned long ip, unsigned long parent_ip)
{
    struct func_repeats *r = &func_repeats[smp_processor_id()];

    if (r->ip != ip || r->parent_ip != parent_ip || r->count == REPEATS_MAX)
        return false;
    r->last_call = trace_clock_now(tr);
    r->count++;
    return true;
}

/* Before a call that is recorded: how often the one before it was repeated. */
static void end_repeats(struct trace_array *tr, unsigned long ip, unsigned long parent_ip,
                        unsigned int trace_ctx)
{
    struct func_repeats *r = &func_repeats[smp_processor_id()];

    if (r->count)
        trace_func_repeats(tr, r->ip, r->parent_ip, r->count, r->last_call, trace_ctx);
    *r = (struct func_repeats){.ip = ip, .parent_ip = parent_ip};
}

static void function_trace_call(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                                struct ftrace_regs *fregs)
{
    int bit = ftrace_test_recursion_trylock();
    unsigned int trace_ctx;
    u32 options = READ_ONCE(func_flags.val);
    unsigned long flags;

    (void)op;
    (void)fregs;
    if (bit < 0)
        return;
    local_irq_save(flags);
    if (unlikely(options & TRACE_FUNC_OPT_NO_REPEATS) && is_repeat(&global_trace, ip, parent_ip))
        goto out;
    trace_ctx = tracing_gen_ctx_flags(flags);
    if (unlikely(options & TRACE_FUNC_OPT_NO_REPEATS))
        end_repeats(&global_trace, ip, parent_ip, trace_ctx);
    trace_function(&global_trace, ip, parent_ip, trace_ctx);
    if (unlikely(options & TRACE_FUNC_OPT_STACK))
        trace_function_stack(ip, parent_ip, trace_ctx);
out:
    local_irq_restore(flags);
    ftrace_test_recursion_unlock(bit);
}

/* A call that was recorded before the option was set repeats nothing. */
static int function_set_flag(struct trace_array *tr, u32 old_flags, u32 bit, bool set)
{
    (void)tr;
    (void)old_flags;
    if (bit == TRACE_FUNC_OPT_NO_REPEATS && set)
        memset(func_repeats, 0, sizeof(func_repeats));
    return 0;
}

static int function_trace_init(struct trace_array *tr)
{
    (void)tr;
    memset(func_repeats, 0, sizeof(func_repeats));
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
    .set_flag = function_set_flag,
    .flags = &func_flags,
    .selftest = trace_selftest_startup_function,
};

int init_function_trace(void)
{
    return register_tracer(&function_trace);
}
