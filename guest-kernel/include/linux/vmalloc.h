/*
 * vmalloc.h - memory whose pages are together in virtual space only.
 *
 * One area above the image, where calls reach it from there and back: modules
 * are the reason for it.
 */
#ifndef LINUX_VMALLOC_H
#define LINUX_VMALLOC_H

#include <linux/types.h>

/* Readable and writable; a page behind it is not mapped. NULL: no memory. */
void *vmalloc(size_t size);
void vfree(const void *addr);
bool is_vmalloc_addr(const void *addr);

#endif
