/*
 * ftrace.h - the shape of a call site in layout `mcount`.
 *
 * The compiler emits `mv a0,ra` and an auipc/jalr pair to _mcount behind each
 * prologue.  The pair is what is patched: eight bytes, on a 2-byte boundary.
 */
#ifndef ASM_FTRACE_H
#define ASM_FTRACE_H

#define MCOUNT_INSN_SIZE 8

#ifndef __ASSEMBLY__

struct pt_regs;

void _mcount(void);
void ftrace_caller(void);
void ftrace_call(void);
void ftrace_graph_call(void);
void return_to_handler(void);

#define MCOUNT_ADDR ((unsigned long)_mcount)

/* The table has the address of the pair itself, and nothing more is to be known of it. */
static inline unsigned long ftrace_call_adjust(unsigned long addr)
{
    return addr;
}

struct dyn_arch_ftrace {
};

/* The frame pointer of a function's caller is the same when it returns. */
#define HAVE_FUNCTION_GRAPH_FP_TEST

#define AUIPC_RA          0x00000097u
#define JALR_RA           0x000080e7u
#define NOP4              0x00000013u
#define AUIPC_OFFSET_MASK 0xfffff000u
#define JALR_OFFSET_MASK  0x00000fffu
#define JALR_SIGN_MASK    0x00000800u
#define AUIPC_PAD         0x00001000u

#ifdef CONFIG_FUNCTION_TRACER
void ftrace_rewind_pair(struct pt_regs *regs);
#else
static inline void ftrace_rewind_pair(struct pt_regs *regs)
{
    (void)regs;
}
#endif

#endif
#endif
