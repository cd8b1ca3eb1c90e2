/* extable.c - looks up the exception table; it is short. */
#include <asm/extable.h>
#include <asm/ptrace.h>

extern const struct exception_table_entry __start___ex_table[], __stop___ex_table[];

static unsigned long absolute(const s32 *field)
{
    return (unsigned long)field + *field;
}

bool fixup_exception(struct pt_regs *regs)
{
    const struct exception_table_entry *e;

    for (e = __start___ex_table; e < __stop___ex_table; e++) {
        if (absolute(&e->insn) != regs->epc)
            continue;
        regs->epc = absolute(&e->fixup);
        return true;
    }
    return false;
}
