/*
 * vmalloc.h - memory that is contiguous in virtual addresses only.
 *
 * The range is above the image, within the reach of auipc and jalr, because modules are loaded
 * there.
 */
#ifndef LINUX_VMALLOC_H
#define LINUX_VMALLOC_H

#include <linux/types.h>

/* Readable and writable, followed by an unmapped page. NULL: no memory. */
void *vmalloc(size_t size);
void vfree(const void *addr);
/* Maps registers of a device, by physical address; vfree() undoes it. NULL: no memory. */
void *vmap_io(unsigned long phys, unsigned int nr_pages);
bool is_vmalloc_addr(const void *addr);

#endif
