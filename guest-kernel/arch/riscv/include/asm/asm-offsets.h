/*
 * asm-offsets.h - offsets of the fields of C structures, for assembly.
 *
 * arch/riscv/kernel/asm-offsets.c asserts each of them against the structure, so a field that
 * moves stops the build.
 */
#ifndef ASM_OFFSETS_H
#define ASM_OFFSETS_H

#define TASK_TI_KERNEL_SP 16
#define TASK_TI_USER_SP   24
#define TASK_THREAD_RA    32
#define TASK_THREAD_SP    40
#define TASK_THREAD_S0    48

#define FSTATE_F0   0
#define FSTATE_FCSR 256

#define VSTATE_VSTART 0
#define VSTATE_VL     8
#define VSTATE_VTYPE  16
#define VSTATE_VCSR   24
#define VSTATE_VLENB  32

#define PT_EPC     0
#define PT_RA      8
#define PT_SP      16
#define PT_GP      24
#define PT_TP      32
#define PT_T0      40
#define PT_S0      64
#define PT_A0      80
#define PT_S2      144
#define PT_T3      224
#define PT_STATUS  256
#define PT_BADADDR 264
#define PT_CAUSE   272
#define PT_SIZE    288

#endif
