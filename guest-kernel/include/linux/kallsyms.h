/*
 * kallsyms.h - names of kernel functions.
 *
 * The build generates the table from the linked image and links it in. Not instrumented:
 * tracers' output uses it.
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

/*
 * Finds the function that contains addr. If it is not the kernel's own, interrupts or preemption
 * are off until the caller has used the name, which may be freed with its module or program of BPF.
 */
bool kallsyms_find(unsigned long addr, struct ksym *sym);
/* The same without the name; size and offset (from the function's start) may be NULL. */
bool kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size, unsigned long *offset);
/* The kernel's functions, by number; false: there is none. */
u32 kallsyms_count(void);
bool kallsyms_symbol(u32 i, struct ksym *sym);
void kallsyms_init(void); /* /proc/kallsyms */
/*
 * The address of the function with that name; `module:name`: in that module only. 0: none. A module
 * may be freed once the caller sleeps.
 */
unsigned long kallsyms_lookup_name(const char *name);
/* core_kernel_text(): text of the kernel itself; kernel_text_address(): also of modules. */
bool core_kernel_text(unsigned long addr);
bool kernel_text_address(unsigned long addr);
/* Returns whether addr is in the kernel's data, which is never freed. */
bool core_kernel_data(unsigned long addr);

#endif
