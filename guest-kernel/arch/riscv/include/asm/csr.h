/*
 * csr.h - supervisor control and status registers, and access to them.
 *
 * Field values are those of the privileged specification. Usable from assembly.
 */
#ifndef ASM_CSR_H
#define ASM_CSR_H

#define SR_SIE  0x00000002 /* interrupts enabled */
#define SR_SPIE 0x00000020 /* SIE before the trap */
#define SR_SPP  0x00000100 /* the trap came from S-mode */
#define SR_VS   0x00000600 /* state of the vector unit */
#define SR_FS   0x00006000 /* state of the floating-point unit */
#define SR_SUM  0x00040000 /* S-mode may access user pages */

#define SR_VS_INITIAL 0x00000200
#define SR_VS_CLEAN   0x00000400
#define SR_VS_DIRTY   0x00000600

#define SR_FS_INITIAL 0x00002000
#define SR_FS_CLEAN   0x00004000
#define SR_FS_DIRTY   0x00006000

#define IRQ_S_SOFT  1
#define IRQ_S_TIMER 5
#define IRQ_S_EXT   9
#define IRQ_PMU_OVF 13
#define IE_SIE      (1 << IRQ_S_SOFT)
#define IE_TIE      (1 << IRQ_S_TIMER)
#define IE_EIE      (1 << IRQ_S_EXT)
#define IE_LCOFIE   (1 << IRQ_PMU_OVF)

#define SCOUNTEREN_CY 0x1
#define SCOUNTEREN_TM 0x2
#define SCOUNTEREN_IR 0x4

#define CAUSE_IRQ_FLAG (1UL << 63)

#define SATP_MODE_39 (8UL << 60)

#define EXC_BREAKPOINT 3

#ifndef __ASSEMBLY__

enum {
    EXC_INST_MISALIGNED = 0,
    EXC_INST_ILLEGAL = 2,
    EXC_SYSCALL = 8,
    EXC_INST_PAGE_FAULT = 12,
    EXC_LOAD_PAGE_FAULT = 13,
    EXC_STORE_PAGE_FAULT = 15,
};

#define csr_read(csr)                                                        \
    ({                                                                       \
        unsigned long csr_value_;                                            \
        __asm__ __volatile__("csrr %0, " #csr : "=r"(csr_value_)::"memory"); \
        csr_value_;                                                          \
    })
#define csr_write(csr, val) \
    __asm__ __volatile__("csrw " #csr ", %0" ::"rK"((unsigned long)(val)) : "memory")
#define csr_set(csr, val) \
    __asm__ __volatile__("csrs " #csr ", %0" ::"rK"((unsigned long)(val)) : "memory")
#define csr_clear(csr, val) \
    __asm__ __volatile__("csrc " #csr ", %0" ::"rK"((unsigned long)(val)) : "memory")
#define csr_read_clear(csr, val)                          \
    ({                                                    \
        unsigned long csr_value_;                         \
        __asm__ __volatile__("csrrc %0, " #csr ", %1"     \
                             : "=r"(csr_value_)           \
                             : "rK"((unsigned long)(val)) \
                             : "memory");                 \
        csr_value_;                                       \
    })

#endif
#endif
