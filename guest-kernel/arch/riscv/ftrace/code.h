/*
 * code.h - for the layouts: pairs of auipc and jalr, and replacing one piece of code by another.
 *
 * All answers are those of <linux/ftrace.h>: 0, -EFAULT, -EINVAL or -EPERM.
 */
#ifndef ARCH_FTRACE_CODE_H
#define ARCH_FTRACE_CODE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define NOP4  0x00000013u
#define CNOP2 0x0001u /* as the compiler pads with */

enum link_register { LINK_RA = 1, LINK_T0 = 5 };

struct insn_pair {
    u32 insn[2];
};

extern const struct insn_pair nop_pair;

/* The call of target by a pair at pc; -EINVAL if that is too far. */
int make_call_pair(unsigned long pc, unsigned long target, enum link_register link,
                   struct insn_pair *call);

/* Does the code at pc read as expected?  What was expected is kept for ftrace_bug(). */
int check_code(unsigned long pc, const void *expected, size_t len);
/* Our hart fences, each time: what it patches may be what it runs next.  The others have yet to. */
int replace_code(unsigned long pc, const void *old, const void *new, size_t len);
int replace_pair(unsigned long pc, const struct insn_pair *old, const struct insn_pair *new);

#endif
