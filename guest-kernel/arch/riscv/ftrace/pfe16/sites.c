/*
 * sites.c - layout `pfe16`: four instructions at the entry of each function, or four nops.
 *
 * Not instrumented: runs while sites change.
 */
#include "../code.h"
#include <asm/ptrace.h>
#include <linux/ftrace.h>

#define SD_RA_BELOW_SP 0xfe113c23u
#define LD_RA_BELOW_SP 0xff813083u

struct site {
    u32 save;
    struct insn_pair call;
    u32 restore;
};

static const struct site off = {NOP4, {{NOP4, NOP4}}, NOP4};
static const u16 compiled[] = {CNOP2, CNOP2, CNOP2, CNOP2, CNOP2, CNOP2, CNOP2, CNOP2};

/*
 * A trap in the middle of a site stores its struct pt_regs over the word below sp. The kernel's
 * trap entry does not write the member that overlaps it.
 */
_Static_assert(__builtin_offsetof(struct pt_regs, reserved) == sizeof(struct pt_regs) - 8,
               "a trap would overwrite ra, which the site keeps below sp");

static int make_site(unsigned long ip, unsigned long addr, struct site *site)
{
    site->save = SD_RA_BELOW_SP;
    site->restore = LD_RA_BELOW_SP;
    return make_call_pair(ip + __builtin_offsetof(struct site, call), addr, LINK_RA, &site->call);
}

/* Only while no hart can run the code: at boot, or before a module runs. */
int ftrace_init_nop(struct module *mod, struct dyn_ftrace *rec)
{
    (void)mod;
    return replace_code(rec->ip, compiled, &off, sizeof(off));
}

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct site on;
    int ret = make_site(rec->ip, addr, &on);

    return ret ? ret : replace_code(rec->ip, &off, &on, sizeof(on));
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct site on;
    int ret = make_site(rec->ip, addr, &on);

    (void)mod;
    return ret ? ret : replace_code(rec->ip, &on, &off, sizeof(off));
}

int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    struct site old, new;
    int ret = make_site(rec->ip, old_addr, &old);

    if (!ret)
        ret = make_site(rec->ip, addr, &new);
    return ret ? ret : replace_code(rec->ip, &old, &new, sizeof(new));
}

/* Offset of pc in a site; 0 if pc is in no site or at its start. */
static unsigned long offset_in_site(unsigned long pc)
{
    unsigned long offset;

    for (offset = sizeof(u32); offset < MCOUNT_INSN_SIZE; offset += sizeof(u32))
        if (ftrace_location(pc - offset) == pc - offset)
            return offset;
    return 0;
}

static bool is_on(unsigned long ip)
{
    return *(const u32 *)ip == SD_RA_BELOW_SP;
}

/*
 * Moves epc out of a site. Before the call: to the start of the site, with ra as it was before
 * the auipc. After the call: to the end of the site, because ftrace_caller has restored ra. The
 * load is not needed then, and if the site has been turned on in the meantime, the word below
 * sp is not valid.
 */
void ftrace_rewind_site(struct pt_regs *regs)
{
    unsigned long offset = offset_in_site(regs->epc), ip = regs->epc - offset;

    if (!offset)
        return;
    if (offset == FENTRY_RA_OFFSET) {
        regs->epc = ip + MCOUNT_INSN_SIZE;
        return;
    }
    if (offset == __builtin_offsetof(struct site, call.insn[1]) && is_on(ip))
        regs->ra = ((const unsigned long *)regs->sp)[-1];
    regs->epc = ip;
}
