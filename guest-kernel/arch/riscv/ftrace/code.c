/*
 * code.c - auipc/jalr pairs, and replacing code; see code.h.
 *
 * Not instrumented: runs while sites change.
 */
#include "code.h"
#include <asm/patch.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/string.h>

#define AUIPC             0x00000017u
#define JALR              0x00000067u
#define RD(reg)           ((u32)(reg) << 7)
#define RS1(reg)          ((u32)(reg) << 15)
#define AUIPC_OFFSET_MASK 0xfffff000u
#define JALR_OFFSET_MASK  0x00000fffu
#define JALR_SIGN_MASK    0x00000800u
#define AUIPC_PAD         0x00001000u

enum { CODE_MAX = 16 };

const struct insn_pair nop_pair = {{NOP4, NOP4}};

/* For ftrace_bug(); under text_mutex. */
const void *ftrace_expected;
static u8 expected_code[CODE_MAX];

void ftrace_arch_code_modify_prepare(void)
{
    mutex_lock(&text_mutex);
}

void ftrace_arch_code_modify_post_process(void)
{
    mutex_unlock(&text_mutex);
}

/*
 * The offset is relative to the auipc. jalr sign-extends its twelve bits: if their top bit is
 * set, the upper part is one higher.
 */
int make_call_pair(unsigned long pc, unsigned long target, enum link_register link,
                   struct insn_pair *call)
{
    long offset = target - pc;
    u32 low = (u32)offset;

    if (offset + JALR_SIGN_MASK != (s32)(offset + JALR_SIGN_MASK))
        return -EINVAL;
    low += low & JALR_SIGN_MASK ? AUIPC_PAD : 0;
    call->insn[0] = AUIPC | RD(link) | (low & AUIPC_OFFSET_MASK);
    call->insn[1] = JALR | RD(link) | RS1(link) | (low & JALR_OFFSET_MASK) << 20;
    return 0;
}

int check_code(unsigned long pc, const void *expected, size_t len)
{
    memcpy(expected_code, expected, len);
    ftrace_expected = expected_code;
    if (!kernel_text_address(pc) || !kernel_text_address(pc + len - 1))
        return -EFAULT;
    return memcmp((void *)pc, expected, len) ? -EINVAL : 0;
}

int replace_code(unsigned long pc, const void *old, const void *new, size_t len)
{
    int ret = check_code(pc, old, len);

    if (ret)
        return ret;
    return patch_text_nosync((void *)pc, new, len) ? -EPERM : 0;
}

int replace_pair(unsigned long pc, const struct insn_pair *old, const struct insn_pair *new)
{
    return replace_code(pc, old, new, sizeof(*new));
}
