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

/* Name of the function that holds addr, or NULL; start and offset may be NULL. */
const char *kallsyms_lookup(unsigned long addr, unsigned long *start, unsigned long *offset);
bool kernel_text_address(unsigned long addr);
/* A variable of the kernel itself: it never goes away. */
bool core_kernel_data(unsigned long addr);

#endif
