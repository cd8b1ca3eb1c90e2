/*
 * ftrace.c - the sites of layout `mcount`: their two forms, and changing one into the other.
 *
 * On:  auipc ra, hi / jalr ra, lo(ra)     to ftrace_caller (at boot: to _mcount)
 * Off: nop / nop, four bytes each
 *
 * Not instrumented: it is at work while sites change.
 */
#include <asm/ftrace.h>
#include <asm/patch.h>
#include <asm/ptrace.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>

struct insn_pair {
    u32 insn[2];
};

static const struct insn_pair nop_pair = {{NOP4, NOP4}};

/* Only one at a time may write text; held across stop_machine, whose callback does. */
static DEFINE_MUTEX(text_mutex);

/* What ftrace_call calls now; under text_mutex. */
static unsigned long ftrace_call_dest = (unsigned long)ftrace_stub;

void prepare_ftrace_return(unsigned long *parent, unsigned long self_addr,
                           unsigned long frame_pointer);

/*
 * The offset counts from the auipc.  jalr adds its twelve bits as a signed
 * number: when their top bit is set the upper part is one more.
 */
static int make_call_pair(unsigned long pc, unsigned long target, struct insn_pair *call)
{
    long offset = target - pc;
    u32 low = (u32)offset;

    if (offset + JALR_SIGN_MASK != (s32)(offset + JALR_SIGN_MASK))
        return -EINVAL;
    call->insn[0] = AUIPC_RA | ((low + (low & JALR_SIGN_MASK ? AUIPC_PAD : 0)) & AUIPC_OFFSET_MASK);
    call->insn[1] = JALR_RA | (low & JALR_OFFSET_MASK) << 20;
    return 0;
}

/* For the report; under text_mutex. */
const void *ftrace_expected;
static struct insn_pair expected_pair;

static int check_pair(unsigned long pc, const struct insn_pair *expected)
{
    expected_pair = *expected;
    ftrace_expected = &expected_pair;
    if (!kernel_text_address(pc) || !kernel_text_address(pc + sizeof(*expected) - 1))
        return -EFAULT;
    return memcmp((void *)pc, expected, sizeof(*expected)) ? -EINVAL : 0;
}

static int replace_pair(unsigned long pc, const struct insn_pair *old, const struct insn_pair *new)
{
    int ret = check_pair(pc, old);

    if (ret)
        return ret;
    return patch_text_nosync((void *)pc, new, sizeof(*new)) ? -EPERM : 0;
}

int ftrace_make_call(struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, &call);

    return ret ? ret : replace_pair(rec->ip, &nop_pair, &call);
}

int ftrace_make_nop(struct module *mod, struct dyn_ftrace *rec, unsigned long addr)
{
    struct insn_pair call;
    int ret = make_call_pair(rec->ip, addr, &call);

    (void)mod;
    return ret ? ret : replace_pair(rec->ip, &call, &nop_pair);
}

int ftrace_modify_call(struct dyn_ftrace *rec, unsigned long old_addr, unsigned long addr)
{
    struct insn_pair old, new;
    int ret = make_call_pair(rec->ip, old_addr, &old);

    if (!ret)
        ret = make_call_pair(rec->ip, addr, &new);
    return ret ? ret : replace_pair(rec->ip, &old, &new);
}

int ftrace_update_ftrace_func(ftrace_func_t func)
{
    unsigned long pc = (unsigned long)ftrace_call;
    struct insn_pair old, new;
    int ret;

    if ((unsigned long)func == ftrace_call_dest)
        return 0;
    ret = make_call_pair(pc, ftrace_call_dest, &old);
    if (!ret)
        ret = make_call_pair(pc, (unsigned long)func, &new);
    if (!ret)
        ret = replace_pair(pc, &old, &new);
    if (!ret)
        ftrace_call_dest = (unsigned long)func;
    return ret;
}

int ftrace_enable_ftrace_graph_caller(void)
{
    unsigned long pc = (unsigned long)ftrace_graph_call;
    struct insn_pair call;
    int ret = make_call_pair(pc, (unsigned long)prepare_ftrace_return, &call);

    return ret ? ret : replace_pair(pc, &nop_pair, &call);
}

int ftrace_disable_ftrace_graph_caller(void)
{
    unsigned long pc = (unsigned long)ftrace_graph_call;
    struct insn_pair call;
    int ret = make_call_pair(pc, (unsigned long)prepare_ftrace_return, &call);

    return ret ? ret : replace_pair(pc, &call, &nop_pair);
}

/* As assembled, ftrace_graph_call calls ftrace_stub; off, it is nops. */
int ftrace_dyn_arch_init(void)
{
    unsigned long pc = (unsigned long)ftrace_graph_call;
    struct insn_pair call;
    int ret = make_call_pair(pc, (unsigned long)ftrace_stub, &call);

    return ret ? ret : replace_pair(pc, &call, &nop_pair);
}

void ftrace_arch_code_modify_prepare(void)
{
    mutex_lock(&text_mutex);
}

void ftrace_arch_code_modify_post_process(void)
{
    mutex_unlock(&text_mutex);
}

static bool is_patched_pair(unsigned long pc)
{
    return pc == (unsigned long)ftrace_call || pc == (unsigned long)ftrace_graph_call ||
           ftrace_location(pc) == pc;
}

/*
 * An interrupt is about to lead to preemption, and the task will stay parked
 * at regs->epc while, perhaps, stop_machine patches that very pair.  Parked in
 * its middle it would go on with the second instruction of the new pair behind
 * the first of the old one: a jalr through whatever ra holds.
 *
 * So it is moved back to the pair's start.  That is always right: the first
 * instruction, auipc or nop, reads no register and writes at most ra, which
 * the call would overwrite anyway and the function has saved.
 */
void ftrace_rewind_pair(struct pt_regs *regs)
{
    unsigned long start = regs->epc - MCOUNT_INSN_SIZE / 2;

    if (is_patched_pair(start))
        regs->epc = start;
}

/* Called from ftrace_graph_call. The slot is hooked only when the push succeeded. */
void prepare_ftrace_return(unsigned long *parent, unsigned long self_addr,
                           unsigned long frame_pointer)
{
    unsigned long old;

    if (unlikely(ftrace_graph_is_dead()))
        return;
    if (unlikely(atomic_read(&current->tracing_graph_pause)))
        return;
    old = *parent;
    if (!function_graph_enter(old, self_addr, frame_pointer, parent))
        *parent = (unsigned long)return_to_handler;
}
