/*
 * calls.c - the calls that ftrace_caller and ftrace_regs_caller make, as pairs that are patched.
 *
 * For the layouts that change code while all other harts stand in
 * stop_machine().  ftrace_call and ftrace_regs_call call the tracer;
 * ftrace_graph_call and ftrace_graph_regs_call call prepare_ftrace_return, or
 * are nops.
 *
 * Not instrumented: it is at work while sites change.
 */
#include "code.h"
#include <asm/ptrace.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>

void ftrace_call(void);
void ftrace_regs_call(void);
void ftrace_graph_call(void);
void ftrace_graph_regs_call(void);

static void (*const trace_calls[])(void) = {ftrace_call, ftrace_regs_call};
static void (*const graph_calls[])(void) = {ftrace_graph_call, ftrace_graph_regs_call};

/* What trace_calls call now; under text_mutex. */
static unsigned long ftrace_call_dest = (unsigned long)ftrace_stub;

/* From calling `from` to calling `to`; 0 for nops. */
static int redirect(void (*call)(void), unsigned long from, unsigned long to)
{
    unsigned long pc = (unsigned long)call;
    struct insn_pair old = nop_pair, new = nop_pair;
    int ret = from ? make_call_pair(pc, from, LINK_RA, &old) : 0;

    if (!ret && to)
        ret = make_call_pair(pc, to, LINK_RA, &new);
    return ret ? ret : replace_pair(pc, &old, &new);
}

int ftrace_update_ftrace_func(ftrace_func_t func)
{
    unsigned int i;
    int ret = 0;

    if ((unsigned long)func == ftrace_call_dest)
        return 0;
    for (i = 0; i < ARRAY_SIZE(trace_calls) && !ret; i++)
        ret = redirect(trace_calls[i], ftrace_call_dest, (unsigned long)func);
    if (!ret)
        ftrace_call_dest = (unsigned long)func;
    return ret;
}

static int redirect_graph_calls(unsigned long from, unsigned long to)
{
    unsigned int i;
    int ret = 0;

    for (i = 0; i < ARRAY_SIZE(graph_calls) && !ret; i++)
        ret = redirect(graph_calls[i], from, to);
    return ret;
}

int ftrace_enable_ftrace_graph_caller(void)
{
    return redirect_graph_calls(0, (unsigned long)prepare_ftrace_return);
}

int ftrace_disable_ftrace_graph_caller(void)
{
    return redirect_graph_calls((unsigned long)prepare_ftrace_return, 0);
}

/* As assembled, they call ftrace_stub. */
int ftrace_dyn_arch_init(void)
{
    return redirect_graph_calls((unsigned long)ftrace_stub, 0);
}

static bool is_patched_call(unsigned long pc)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(trace_calls); i++)
        if (pc == (unsigned long)trace_calls[i] || pc == (unsigned long)graph_calls[i])
            return true;
    return false;
}

/*
 * Parked in the middle of a pair, a task would go on with the second
 * instruction of the new one behind the first of the old: a jalr through
 * whatever ra holds.  Back at its start all is well: the first instruction,
 * auipc or nop, reads no register and writes at most ra, which the call would
 * overwrite anyway and the trampoline has saved.
 */
void ftrace_rewind_pair(struct pt_regs *regs)
{
    unsigned long start = regs->epc - sizeof(u32);

    if (is_patched_call(start))
        regs->epc = start;
    else
        ftrace_rewind_site(regs);
}
