/* set_memory.h - permissions of the kernel's own pages, after boot. */
#ifndef ASM_SET_MEMORY_H
#define ASM_SET_MEMORY_H

#include <asm/pgtable.h>

/* Maps a page at a kernel address above the image. 0 or -ENOMEM. */
int map_kernel_page(unsigned long va, unsigned long phys, unsigned long prot);
void unmap_kernel_page(unsigned long va);
/* Of any kernel address; 0 if nothing is mapped there. Not instrumented. */
unsigned long kernel_virt_to_phys(unsigned long va);

/*
 * Of pages from vmalloc(); on every hart before they return.  A page that is
 * read-only is so in the linear map as well.  0 or -ENOMEM.
 */
int set_memory_ro(unsigned long addr, int numpages);
int set_memory_rw(unsigned long addr, int numpages);
int set_memory_x(unsigned long addr, int numpages);
int set_memory_nx(unsigned long addr, int numpages);

#endif
