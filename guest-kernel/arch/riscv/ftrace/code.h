/*
 * code.h - auipc/jalr pairs, and replacing code; shared by the layouts.
 *
 * Return values are those of <linux/ftrace.h>: 0, -EFAULT, -EINVAL or -EPERM.
 */
#ifndef ARCH_FTRACE_CODE_H
#define ARCH_FTRACE_CODE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define NOP4  0x00000013u
#define CNOP2 0x0001u /* what the compiler emits for sites */

enum link_register { LINK_RA = 1, LINK_T0 = 5 };

struct insn_pair {
    u32 insn[2];
};

extern const struct insn_pair nop_pair;

/* Computes the call of target by a pair at pc; -EINVAL if it is out of range. */
int make_call_pair(unsigned long pc, unsigned long target, enum link_register link,
                   struct insn_pair *call);

/* Checks that the code at pc is what is expected, which is kept for ftrace_bug(). */
int check_code(unsigned long pc, const void *expected, size_t len);
/*
 * Checks the old code and stores the new. Executes fence.i on this hart only, each time, since
 * this hart may run the new code next; the caller has to make the other harts do it.
 */
int replace_code(unsigned long pc, const void *old, const void *new, size_t len);
int replace_pair(unsigned long pc, const struct insn_pair *old, const struct insn_pair *new);

#endif
