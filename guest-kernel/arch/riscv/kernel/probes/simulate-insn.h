/* simulate-insn.h - instructions that use their own address: each sets the registers and epc. */
#ifndef PROBES_SIMULATE_INSN_H
#define PROBES_SIMULATE_INSN_H

#include <asm/ptrace.h>

void simulate_auipc(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_jal(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_jalr(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_branch(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_c_j(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_c_jr(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_c_jalr(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_c_beqz(u32 opcode, unsigned long addr, struct pt_regs *regs);
void simulate_c_bnez(u32 opcode, unsigned long addr, struct pt_regs *regs);

#endif
