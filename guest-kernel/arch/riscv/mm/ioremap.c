/* ioremap.c - maps the registers of devices. */
#include <asm/io.h>
#include <asm/page.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/mmiotrace.h>
#include <linux/vmalloc.h>

void *ioremap(unsigned long phys, size_t size)
{
    unsigned long offset = phys & ~PAGE_MASK, pages;
    char *area;

    if (!size || phys + size < phys)
        return NULL;
    pages = ALIGN(offset + size, (unsigned long)PAGE_SIZE) >> PAGE_SHIFT;
    area = vmap_io(phys - offset, pages);
    if (!area || !mmiotrace_ioremap(phys, size, area + offset))
        return area ? area + offset : NULL;
    vfree(area);
    return NULL;
}
EXPORT_SYMBOL(ioremap);

void iounmap(volatile void *addr)
{
    mmiotrace_iounmap(addr);
    vfree((void *)((unsigned long)addr & PAGE_MASK));
}
EXPORT_SYMBOL(iounmap);
