/*
 * mmiotrace.h - records the accesses of drivers to the registers that ioremap() has mapped.
 *
 * arch/riscv/mm/mmio-mod.c makes the pages not present and carries out each access in the page
 * fault; kernel/trace/trace_mmiotrace.c writes what it was to the trace.
 */
#ifndef LINUX_MMIOTRACE_H
#define LINUX_MMIOTRACE_H

#include <linux/types.h>

struct pt_regs;

enum mm_io_opcode {
    MMIO_READ = 1,
    MMIO_WRITE = 2,
    MMIO_PROBE = 3,      /* a mapping */
    MMIO_UNPROBE = 4,    /* it is gone */
    MMIO_UNKNOWN_OP = 5, /* an instruction that is not known; value: its first bytes */
};

struct mmiotrace_rw {
    u64 phys;
    unsigned long value;
    unsigned long pc;
    int map_id;
    unsigned char opcode; /* MMIO_READ, MMIO_WRITE or MMIO_UNKNOWN_OP */
    unsigned char width;  /* bytes */
};

struct mmiotrace_map {
    u64 phys;
    unsigned long virt;
    unsigned long len;
    int map_id;
    unsigned char opcode; /* MMIO_PROBE or MMIO_UNPROBE */
};

#ifdef CONFIG_MMIOTRACE
/* By ioremap() and iounmap(), in process context. 0 or -ENOMEM. */
int mmiotrace_ioremap(unsigned long phys, size_t size, void *addr);
void mmiotrace_iounmap(volatile void *addr);
/*
 * A page fault of the kernel; interrupts are off. True: it was an access to a traced mapping, which
 * has been carried out.
 */
bool kmmio_handler(struct pt_regs *regs);
#else
static inline int mmiotrace_ioremap(unsigned long phys, size_t size, void *addr)
{
    (void)phys;
    (void)size;
    (void)addr;
    return 0;
}

static inline void mmiotrace_iounmap(volatile void *addr)
{
    (void)addr;
}

static inline bool kmmio_handler(struct pt_regs *regs)
{
    (void)regs;
    return false;
}
#endif

/* All mappings, those of before too. 0 or -ENOMEM; under trace_types_lock, as disable_mmiotrace().
 */
int enable_mmiotrace(void);
void disable_mmiotrace(void);

/* trace_mmiotrace.c: while it is enabled, with interrupts or preemption off. */
void mmio_trace_rw(const struct mmiotrace_rw *rw);
void mmio_trace_mapping(const struct mmiotrace_map *map);

/* ---- arch/riscv/mm/pf_in.c: loads and stores, and what they do ---- */

struct mmio_insn {
    bool is_store;
    bool is_signed;       /* a load that extends the sign */
    unsigned char width;  /* bytes: 1, 2, 4 or 8 */
    unsigned char reg;    /* x0 to x31: loaded, or stored */
    unsigned char length; /* of the instruction: 2 or 4 */
};

/* False: it is no load or store of an integer register. */
bool mmio_decode(u32 opcode, struct mmio_insn *insn);
/* Carries it out at addr, with the registers in regs. Returns what was loaded or stored. */
unsigned long mmio_emulate(const struct mmio_insn *insn, volatile void *addr, struct pt_regs *regs);

#endif
