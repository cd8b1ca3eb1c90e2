/*
 * io.h - access to the registers of devices.
 *
 * readX() and writeX() are ordered with each other and with accesses to memory, as drivers
 * expect. Each is one load or store, so that mmiotrace can decode it.
 */
#ifndef ASM_IO_H
#define ASM_IO_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Maps registers by physical address. NULL: no memory. */
void *ioremap(unsigned long phys, size_t size);
void iounmap(volatile void *addr);

#define IO_ACCESS(suffix, type, load, store)                                             \
    static __always_inline type read##suffix(const volatile void *addr)                  \
    {                                                                                    \
        type value;                                                                      \
                                                                                         \
        __asm__ __volatile__(load " %0, 0(%1)\n\tfence i, ir"                            \
                             : "=r"(value)                                               \
                             : "r"(addr)                                                 \
                             : "memory");                                                \
        return value;                                                                    \
    }                                                                                    \
    static __always_inline void write##suffix(type value, volatile void *addr)           \
    {                                                                                    \
        __asm__ __volatile__("fence w, o\n\t" store " %0, 0(%1)" ::"r"(value), "r"(addr) \
                             : "memory");                                                \
    }

IO_ACCESS(b, u8, "lbu", "sb")
IO_ACCESS(w, u16, "lhu", "sh")
IO_ACCESS(l, u32, "lw", "sw")
IO_ACCESS(q, u64, "ld", "sd")

#endif
