/*
 * export.h - symbols that the kernel exports to modules, and modules to each other.
 *
 * The linker collects the entries. A module that needs a symbol that is not exported is not
 * loaded.
 */
#ifndef LINUX_EXPORT_H
#define LINUX_EXPORT_H

#include <linux/compiler.h>

struct kernel_symbol {
    unsigned long value;
    const char *name;
};

#ifdef __DISABLE_EXPORTS /* a kernel file that is built into a program */
#define EXPORT_SYMBOL(sym) struct kernel_symbol
#else
#define EXPORT_SYMBOL(sym)                                                           \
    static const struct kernel_symbol __ksymtab_##sym __used __section("___ksymtab") \
        __aligned(8) = {(unsigned long)&(sym), #sym}
#endif
#define EXPORT_SYMBOL_GPL(sym) EXPORT_SYMBOL(sym)

#endif
