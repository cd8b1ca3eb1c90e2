/*
 * virt.h - shared by the bare-metal programs: addresses of the board, a console, CSR access.
 *
 * Each program shows one feature of the machine and runs in M-mode on the bare virt board, of
 * rvftrace or of QEMU (-machine virt -bios none -kernel NAME.elf).
 */
#ifndef GUEST_VIRT_H
#define GUEST_VIRT_H

#include <stdint.h>

#define UART  0x10000000UL
#define CLINT 0x2000000UL
#define PLIC  0xc000000UL

#define REG8(address)  (*(volatile uint8_t *)(address))
#define REG32(address) (*(volatile uint32_t *)(address))
#define REG64(address) (*(volatile uint64_t *)(address))

#define MSIP(hart)     REG32(CLINT + 4 * (hart))
#define MTIMECMP(hart) REG64(CLINT + 0x4000 + 8 * (hart))
#define MTIME          REG64(CLINT + 0xbff8)

enum { MIE_MSIE = 1 << 3, MIE_MTIE = 1 << 7, MIE_MEIE = 1 << 11, MSTATUS_MIE = 1 << 3 };

#define csr_read(name)                                      \
    ({                                                      \
        unsigned long value_;                               \
        __asm__ volatile("csrr %0, " #name : "=r"(value_)); \
        value_;                                             \
    })
#define csr_write(name, value) \
    __asm__ volatile("csrw " #name ", %0" : : "r"((unsigned long)(value)) : "memory")
#define csr_set(name, bits) \
    __asm__ volatile("csrs " #name ", %0" : : "r"((unsigned long)(bits)) : "memory")
#define csr_clear(name, bits) \
    __asm__ volatile("csrc " #name ", %0" : : "r"((unsigned long)(bits)) : "memory")

static inline void fence_i(void)
{
    __asm__ volatile("fence.i" ::: "memory");
}

static inline void wait_for_interrupt(void)
{
    __asm__ volatile("wfi" ::: "memory");
}

/* A function for mtvec: saves the registers that it uses, ends with mret. */
#define TRAP_HANDLER __attribute__((interrupt("machine"), aligned(4)))

void put_char(char c);
void put_text(const char *text);
void put_number(const char *what, unsigned long n); /* "what n\n" */

int main(void);    /* runs on hart 0; its result is the exit status */
void second(void); /* runs on hart 1, if the program has one */
__attribute__((noreturn)) void finish(long status);

#endif
