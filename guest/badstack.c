/*
 * badstack.c - a trap handler whose stack is not memory: it faults at its third instruction,
 * each time with a lower stack pointer.
 */
#include "virt.h"

__attribute__((naked, aligned(4))) static void handler(void)
{
    __asm__ volatile("addi sp, sp, -256\n"
                     "csrr t0, mcause\n"
                     "sd ra, 0(sp)\n"
                     "sd gp, 8(sp)\n"
                     "addi sp, sp, 256\n"
                     "mret");
}

int main(void)
{
    csr_write(mtvec, (unsigned long)handler);
    __asm__ volatile("li sp, 0x40000000\n"
                     "ecall");
    return 0;
}
