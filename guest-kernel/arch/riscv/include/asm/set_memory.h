/* set_memory.h - mappings and permissions of kernel pages after boot. */
#ifndef ASM_SET_MEMORY_H
#define ASM_SET_MEMORY_H

#include <asm/pgtable.h>

/* Maps a page at a kernel address above the image. Returns 0 or -ENOMEM. */
int map_kernel_page(unsigned long va, unsigned long phys, unsigned long prot);
void unmap_kernel_page(unsigned long va);
/* The physical address of any kernel address; 0 if it is not mapped. Not instrumented. */
unsigned long kernel_virt_to_phys(unsigned long va);

/*
 * Change permissions of pages from vmalloc(), on every hart before they return. set_memory_ro()
 * and set_memory_rw() change the linear map as well. Return 0 or -ENOMEM.
 */
int set_memory_ro(unsigned long addr, int numpages);
int set_memory_rw(unsigned long addr, int numpages);
int set_memory_x(unsigned long addr, int numpages);
int set_memory_nx(unsigned long addr, int numpages);
/* Not present, and present again: only of mapped registers. */
int set_memory_np(unsigned long addr, int numpages);
int set_memory_p(unsigned long addr, int numpages);

#endif
