/* extable.h - the exception table: instructions that may fault, and where to continue then. */
#ifndef ASM_EXTABLE_H
#define ASM_EXTABLE_H

#include <linux/types.h>

struct pt_regs;

/* Both are relative to their own address; the linker collects the entries. */
struct exception_table_entry {
    s32 insn, fixup;
};

/* If epc is in the table, moves it to the fixup and returns true. */
bool fixup_exception(struct pt_regs *regs);

#endif
