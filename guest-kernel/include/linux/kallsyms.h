/*
 * kallsyms.h - names of the addresses in kernel text.
 *
 * The table is made by the build from the linked image and is in it.
 * Not instrumented: the tracer's output uses it.
 */
#ifndef LINUX_KALLSYMS_H
#define LINUX_KALLSYMS_H

#include <linux/types.h>

#define KSYM_NAME_LEN 128

/* A function. */
struct ksym {
    const char *name;
    unsigned long start, size;
    const char *modname; /* NULL: the kernel itself */
};

/* The function that holds addr. A module's may go away as soon as interrupts are on. */
bool kallsyms_find(unsigned long addr, struct ksym *sym);
/* Its name, or NULL; start and offset may be NULL. */
const char *kallsyms_lookup(unsigned long addr, unsigned long *start, unsigned long *offset);
/* The kernel's own text, or a module's as well. */
bool core_kernel_text(unsigned long addr);
bool kernel_text_address(unsigned long addr);
/* A variable of the kernel itself: it never goes away. */
bool core_kernel_data(unsigned long addr);

#endif
