/*
 * modules.h - finds the guest's module that an address belongs to, in the kernel's memory.
 *
 * The kernel's list `modules` links struct module (include/linux/module.h), whose beginning is the
 * same in all versions of Linux: a state, the list, and the name. After that, at an offset that
 * depends on version and configuration, are the module's areas: an address and, within the next
 * three words, its size in bytes (struct module_layout until 6.3, struct module_memory since).
 */
#ifndef FTRACE_MODULES_H
#define FTRACE_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cluster;
struct hart;
struct module_symbols;
struct symbols;

enum {
    MODULE_FUNCTION_MAX = 128,
    MODULE_NAME_MAX = 56, /* with the NUL: MODULE_NAME_LEN of 64-bit Linux */
    MODULE_AREAS = 87     /* words after the name in which the areas are searched */
};

/*
 * Finds the module that has the virtual address in one of its areas, in the memory that `h` has
 * mapped. False: none has, the kernel has no such list, or it is damaged.
 */
bool module_name_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                    uint64_t va, char name[MODULE_NAME_MAX]);

/* The areas of a module. */
struct module_areas {
    uint64_t words[MODULE_AREAS]; /* the words after the name */
};

/*
 * Reads the areas of the struct module at an address. False: it has no valid name, or it is not
 * mapped.
 */
bool module_areas_read(const struct cluster *c, struct hart *h, uint64_t module,
                       struct module_areas *areas);
bool module_areas_have(const struct module_areas *areas, uint64_t va);

struct module_function {
    char module[MODULE_NAME_MAX], name[MODULE_FUNCTION_MAX];
    uint64_t va, end; /* the first instruction; the next symbol, or a page after `va` */
};

/*
 * The symbols of the module that has the address, for many look-ups while the guest does not run.
 * NULL: no module has it, as above. A module without a table has no symbols.
 */
struct module_symbols *module_symbols_new(const struct cluster *c, struct hart *h,
                                          const struct symbols *symbols, uint64_t va);
/* The same of the struct module at an address, which need not be in the kernel's list. */
struct module_symbols *module_symbols_of(const struct cluster *c, struct hart *h, uint64_t module);
void module_symbols_free(struct module_symbols *m); /* NULL is allowed */
/*
 * Calls fn() for the addresses of its functions in ascending order; some may come twice.
 */
void module_symbols_each(const struct module_symbols *m, void (*fn)(void *ctx, uint64_t va),
                         void *ctx);
const char *module_symbols_module(const struct module_symbols *m); /* its name */

/* Finds the function that has the address. False: no function has it. */
bool module_symbols_at(const struct module_symbols *m, uint64_t va, struct module_function *out);

/*
 * Finds the name of the variable that has the address. False: there is none, as when the kernel
 * keeps only names of functions.
 */
bool module_symbols_object_at(const struct module_symbols *m, uint64_t va,
                              char name[MODULE_FUNCTION_MAX]);

/*
 * The same as module_symbols_at for a single look-up. False: no module has the address, or none of
 * its functions.
 */
bool module_function_at(const struct cluster *c, struct hart *h, const struct symbols *symbols,
                        uint64_t va, struct module_function *out);

#endif
