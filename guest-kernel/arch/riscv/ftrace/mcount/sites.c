/*
 * sites.c - layout `mcount`: calls of _mcount become nops, and nops become calls of
 * ftrace_caller.
 *
 * Not instrumented: runs while sites change.
 */
#include "../code.h"
#include <asm/ptrace.h>
#include <linux/ftrace.h>

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, LINK_RA, &call);

    return ret ? ret : replace_pair(rec->ip, &nop_pair, &call);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, LINK_RA, &call);

    (void)mod;
    return ret ? ret : replace_pair(rec->ip, &call, &nop_pair);
}

int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    struct insn_pair old, new;
    int ret = make_call_pair(rec->ip, old_addr, LINK_RA, &old);

    if (!ret)
        ret = make_call_pair(rec->ip, addr, LINK_RA, &new);
    return ret ? ret : replace_pair(rec->ip, &old, &new);
}

/* Starting the pair again is safe: the function has saved ra, which auipc may have overwritten. */
void ftrace_rewind_site(struct pt_regs *regs)
{
    unsigned long start = regs->epc - sizeof(u32);

    if (ftrace_location(start) == start)
        regs->epc = start;
}
