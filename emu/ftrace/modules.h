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
struct module_symbols;
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

/*
 * The symbols of the module that has the address, for many questions while the guest stands still.
 * NULL: no module has it, as above. A module without a table has no symbols.
 */
struct module_symbols *module_symbols_new(const struct cluster *c, struct hart *h,
                                          const struct symbols *symbols, uint64_t va);
void module_symbols_free(struct module_symbols *m);                /* NULL is allowed */
const char *module_symbols_module(const struct module_symbols *m); /* its name */

/* Finds the function that has the address. False: none has. */
bool module_symbols_at(const struct module_symbols *m, uint64_t va, struct module_function *out);

/* The same for a single question. False: no module has the address, or none of its functions. */
bool module_function_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                        uint64_t va, struct module_function *out);

#endif
