/*
 * sites.c - layouts `atomic` and `callops`: the word after an auipc is a nop or a jalr.
 *
 * Not instrumented, although that would work: harts may run sites while they change.
 */
#include "../code.h"
#include <asm/cacheflush.h>
#include <asm/irqflags.h>
#include <asm/patch.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <site_ops.h>

#define SAME(name, member) \
    _Static_assert((name) == __builtin_offsetof(struct ftrace_regs, member), #name)

SAME(FREGS_EPC, epc);
SAME(FREGS_RA, ra);
SAME(FREGS_SP, sp);
SAME(FREGS_S0, s0);
SAME(FREGS_T1, t1);
SAME(FREGS_A0, a0);
_Static_assert(FREGS_SIZE == sizeof(struct ftrace_regs), "FREGS_SIZE");

/* What the compiler emits; what a site is while it is off. */
static const u16 compiled[] = {CNOP2, CNOP2, CNOP2, CNOP2};
static const u32 off = NOP4;

/* Computes both words of a site that is on. */
static int make_site(const struct dyn_ftrace *rec, struct insn_pair *site)
{
    return make_call_pair(rec->ip - MCOUNT_AUIPC_SIZE, FTRACE_ADDR, LINK_T0, site);
}

/*
 * Turns the compiler's nops into an auipc and a nop. Replaces two instructions, so no hart may
 * be in them: only at boot, or before a module runs.
 */
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
    struct insn_pair site;
    int ret = make_site(rec, &site);

    (void)mod;
    if (!ret && rec->ip % MCOUNT_INSN_SIZE)
        ret = -EINVAL;
    site.insn[1] = off;
    if (!ret)
        ret = replace_code(rec->ip - MCOUNT_AUIPC_SIZE, compiled, &site, sizeof(site));
    return ret ? ret : ftrace_rec_init_ops(rec);
}

/*
 * Replaces one instruction. Interrupts are off until this hart's fence.i; the other harts fence
 * at the end of the update.
 */
static int replace_insn(unsigned long pc, u32 old, u32 new)
{
    unsigned long flags;
    int ret = check_code(pc, &old, sizeof(old));

    if (ret)
        return ret;
    raw_local_irq_save(flags);
    ret = patch_text_nosync((void *)pc, &new, sizeof(new)) ? -EPERM : 0;
    raw_local_irq_restore(flags);
    return ret;
}

/*
 * The auipc leads to ftrace_caller and the jalr reaches only 2 KiB around that, so a site can
 * call nothing else.
 */
int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair site;
    int ret = addr == FTRACE_ADDR ? make_site(rec, &site) : -EINVAL;

    if (!ret)
        ret = ftrace_rec_update_ops(rec);
    return ret ? ret : replace_insn(rec->ip, off, site.insn[1]);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair site;
    int ret = addr == FTRACE_ADDR ? make_site(rec, &site) : -EINVAL;

    (void)mod;
    if (!ret)
        ret = replace_insn(rec->ip, site.insn[1], off);
    return ret ? ret : ftrace_rec_set_nop_ops(rec);
}

/* The call stays the same; only the ops can change. */
int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    return old_addr == addr ? ftrace_rec_update_ops(rec) : -EINVAL;
}

/* Without stop_machine(): until the flush a hart may run either form of a site. */
void arch_ftrace_update_code(int command)
{
    ftrace_modify_all_code(command);
    flush_icache_all();
}

/* The graph tracer is an ftrace_ops like others: there is nothing to patch. */
int ftrace_enable_ftrace_graph_caller(void)
{
    return 0;
}

int ftrace_disable_ftrace_graph_caller(void)
{
    return 0;
}

void ftrace_graph_func(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
                       struct ftrace_regs *fregs)
{
    (void)parent_ip;
    (void)op;
    prepare_ftrace_return(&fregs->ra, ip, fregs->s0);
}
