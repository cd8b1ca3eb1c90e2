/*
 * pair_sites.c - layouts `mcount` and `pfe8`: a pair that calls ftrace_caller, or two nops.
 *
 * layout.h has SITE_PAIR_LINK, the register through which the pair links. The compiler emits a call
 * of _mcount in `mcount`, which ftrace_make_nop() replaces at boot, and four c.nop in `pfe8`.
 *
 * Not instrumented: runs while sites change.
 */
#include "code.h"
#include <asm/ptrace.h>
#include <linux/ftrace.h>

#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY
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
#endif

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, SITE_PAIR_LINK, &call);

    return ret ? ret : replace_pair(rec->ip, &nop_pair, &call);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, SITE_PAIR_LINK, &call);

    (void)mod;
    return ret ? ret : replace_pair(rec->ip, &call, &nop_pair);
}

int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    struct insn_pair old, new;
    int ret = make_call_pair(rec->ip, old_addr, SITE_PAIR_LINK, &old);

    if (!ret)
        ret = make_call_pair(rec->ip, addr, SITE_PAIR_LINK, &new);
    return ret ? ret : replace_pair(rec->ip, &old, &new);
}

/*
 * Starting the pair again is safe: its first instruction, auipc or nop, reads no register and
 * writes at most SITE_PAIR_LINK: t0, which is free at a function's entry, or ra, which the prologue
 * has saved.
 */
void ftrace_rewind_site(struct pt_regs *regs)
{
    unsigned long start = regs->epc - sizeof(u32);

    if (ftrace_location(start) == start)
        regs->epc = start;
}
