/*
 * calls.c - the patched calls in ftrace_caller and ftrace_regs_caller.
 *
 * For the layouts that change code under stop_machine(). ftrace_call and ftrace_regs_call call
 * the tracer; ftrace_graph_call and ftrace_graph_regs_call call prepare_ftrace_return() while a
 * graph tracer is registered. As assembled, all call ftrace_stub. The graph calls do so until
 * the first graph tracer is registered; without one they are nops after that.
 *
 * Not instrumented: runs while sites change.
 */
#include "code.h"
#include <asm/cacheflush.h>
#include <asm/ptrace.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/stop_machine.h>

void ftrace_call(void);
void ftrace_regs_call(void);
void ftrace_graph_call(void);
void ftrace_graph_regs_call(void);

/* The same call in both trampolines. */
struct patched_calls {
    void (*const at[2])(void);
    unsigned long dest; /* 0: nops; under text_mutex */
};

static struct patched_calls trace_calls = {{ftrace_call, ftrace_regs_call},
                                           (unsigned long)ftrace_stub};
static struct patched_calls graph_calls = {{ftrace_graph_call, ftrace_graph_regs_call},
                                           (unsigned long)ftrace_stub};

/* Changes one call from `from` to `to`; 0 means nops. */
static int redirect(void (*call)(void), unsigned long from, unsigned long to)
{
    unsigned long pc = (unsigned long)call;
    struct insn_pair old = nop_pair, new = nop_pair;
    int ret = from ? make_call_pair(pc, from, LINK_RA, &old) : 0;

    if (!ret && to)
        ret = make_call_pair(pc, to, LINK_RA, &new);
    return ret ? ret : replace_pair(pc, &old, &new);
}

static int redirect_both(struct patched_calls *calls, unsigned long to)
{
    unsigned int i;
    int ret = 0;

    if (to == calls->dest)
        return 0;
    for (i = 0; i < ARRAY_SIZE(calls->at) && !ret; i++)
        ret = redirect(calls->at[i], calls->dest, to);
    if (!ret)
        calls->dest = to;
    return ret;
}

int ftrace_update_ftrace_func(ftrace_func_t func)
{
    return redirect_both(&trace_calls, (unsigned long)func);
}

int ftrace_enable_ftrace_graph_caller(void)
{
    return redirect_both(&graph_calls, (unsigned long)prepare_ftrace_return);
}

int ftrace_disable_ftrace_graph_caller(void)
{
    return redirect_both(&graph_calls, 0);
}

/*
 * The other harts wait in code that is never patched: one fence.i before they continue is
 * enough.
 */
static int modify_all_code(void *command)
{
    ftrace_modify_all_code(*(int *)command);
    flush_icache_all();
    return 0;
}

void arch_ftrace_update_code(int command)
{
    stop_machine(modify_all_code, &command);
}

static bool is_patched_call(unsigned long pc)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(trace_calls.at); i++)
        if (pc == (unsigned long)trace_calls.at[i] || pc == (unsigned long)graph_calls.at[i])
            return true;
    return false;
}

/*
 * A task preempted between the two instructions of a pair would continue with the new second
 * one after the old first one: a jalr through whatever ra holds. Starting the pair again is
 * safe: the first instruction, auipc or nop, reads no register and writes at most ra, which the
 * call would overwrite anyway and the trampoline has saved.
 */
void ftrace_rewind_pair(struct pt_regs *regs)
{
    unsigned long start = regs->epc - sizeof(u32);

    if (is_patched_call(start))
        regs->epc = start;
    else
        ftrace_rewind_site(regs);
}
