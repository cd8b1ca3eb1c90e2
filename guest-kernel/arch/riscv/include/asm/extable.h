/* extable.h - instructions that may fault, and where to go on when they do. */
#ifndef ASM_EXTABLE_H
#define ASM_EXTABLE_H

#include <linux/types.h>

struct pt_regs;

/* Both relative to where they stand; the linker gathers them. */
struct exception_table_entry {
    s32 insn, fixup;
};

/* True if epc is such an instruction: then it has been moved. */
bool fixup_exception(struct pt_regs *regs);

#endif
