/*
 * modules.h - which of the guest's modules an address belongs to, as the kernel's memory tells.
 *
 * The kernel's list `modules` links struct module (include/linux/module.h), of which the beginning
 * is the same in all versions of Linux: a state, the list, and the name. Behind that, at an offset
 * that depends on version and configuration, are the module's areas: an address and, within the
 * next three words, its size in bytes (struct module_layout until 6.3, struct module_memory since).
 */
#ifndef FTRACE_MODULES_H
#define FTRACE_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct hart;
struct symbols;

enum {
    MODULE_FUNCTION_MAX = 128,
    MODULE_NAME_MAX = 56
}; /* with the NUL: MODULE_NAME_LEN of 64-bit Linux */

/*
 * Finds the module that has the virtual address in one of its areas, in the memory that `h` has
 * mapped. False: none has, the kernel has no such list, or it is damaged.
 */
bool module_name_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                    uint64_t va, char name[MODULE_NAME_MAX]);

struct module_function {
    char module[MODULE_NAME_MAX], name[MODULE_FUNCTION_MAX];
    uint64_t va, end; /* of its first instruction; the next symbol, or a page behind `va` */
};

/* Finds the function that has the address, by the module's table of symbols. False: as above. */
bool module_function_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                        uint64_t va, struct module_function *out);

#endif
