/*
 * sites.c - layout `pfe8`: a pair through t0 at the entry of each function, or two nops.
 *
 * Not instrumented: runs while sites change.
 */
#include "../code.h"
#include <asm/ptrace.h>
#include <linux/ftrace.h>

static const u16 compiled[] = {CNOP2, CNOP2, CNOP2, CNOP2};

/*
 * Replaces four instructions by two, so no hart may be in them: only at boot, or before a
 * module runs.
 */
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
    (void)mod;
    return replace_code(rec->ip, compiled, &nop_pair, sizeof(compiled));
}

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, LINK_T0, &call);

    return ret ? ret : replace_pair(rec->ip, &nop_pair, &call);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, LINK_T0, &call);

    (void)mod;
    return ret ? ret : replace_pair(rec->ip, &call, &nop_pair);
}

int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    struct insn_pair old, new;
    int ret = make_call_pair(rec->ip, old_addr, LINK_T0, &old);

    if (!ret)
        ret = make_call_pair(rec->ip, addr, LINK_T0, &new);
    return ret ? ret : replace_pair(rec->ip, &old, &new);
}

/*
 * Starting the pair again is safe: the first instruction, auipc or nop, reads no register and
 * writes at most t0.
 */
void ftrace_rewind_site(struct pt_regs *regs)
{
    unsigned long start = regs->epc - sizeof(u32);

    if (ftrace_location(start) == start)
        regs->epc = start;
}
