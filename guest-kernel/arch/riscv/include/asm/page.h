/*
 * page.h - page size, and where the image and memory are mapped.
 *
 * The image is at KERNEL_LINK_ADDR; all memory is mapped once more, as data, in the linear map
 * at PAGE_OFFSET. Usable from assembly.
 */
#ifndef ASM_PAGE_H
#define ASM_PAGE_H

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096
#define PAGE_MASK  (~(PAGE_SIZE - 1UL))

#define KERNEL_LINK_ADDR 0xffffffff80000000
#define PAGE_OFFSET      0xffffffd800000000
#define PHYS_RAM_BASE    0x80000000

/* The range of vmalloc(), above the image: auipc and jalr reach all of both. */
#define VMALLOC_START (KERNEL_LINK_ADDR + 0x1000000)
#define VMALLOC_END   (VMALLOC_START + 0x4000000)

#define THREAD_SIZE_ORDER 2
#define THREAD_SIZE       (PAGE_SIZE << THREAD_SIZE_ORDER)

#ifndef __ASSEMBLY__
#include <linux/types.h>

/* Virtual minus physical address of the image; set once by setup_vm(). */
extern unsigned long va_kernel_pa_offset;

static inline unsigned long __pa(const volatile void *virt)
{
    unsigned long addr = (unsigned long)virt;

    if (addr >= KERNEL_LINK_ADDR)
        return addr - va_kernel_pa_offset;
    return addr - PAGE_OFFSET + PHYS_RAM_BASE;
}

static inline void *__va(unsigned long phys)
{
    return (void *)(phys - PHYS_RAM_BASE + PAGE_OFFSET);
}

#endif
#endif
