/* internal.h - shared by the files of the module loader. */
#ifndef KERNEL_MODULE_INTERNAL_H
#define KERNEL_MODULE_INTERNAL_H

#include <linux/elf.h>
#include <linux/module.h>
#include <linux/mutex.h>

/*
 * The file that is being loaded. After the layout, sh_addr of a section header is the address
 * of the section.
 */
struct load_info {
    const char *image;
    size_t len;
    Elf64_Shdr *sechdrs; /* a copy */
    unsigned int num_sections;
    const char *secstrings, *strtab;
    Elf64_Sym *symtab;               /* a copy; st_value becomes the address */
    unsigned int sym, mod, num_syms; /* sym, mod: section numbers */
};

extern struct mutex module_mutex;
extern struct list_head modules; /* changed under module_mutex */

bool module_uses(const struct module *user, const struct module *source);
unsigned int find_sec(const struct load_info *info, const char *name); /* 0: none */
int add_kallsyms(struct module *mod, const struct load_info *info);

/*
 * Architecture hook: applies the relocations of section relsec. Every symbol's st_value is its
 * address by then. Returns 0 or a negative error, after a message.
 */
int apply_relocate_add(const struct load_info *info, unsigned int relsec, const char *modname);

#endif
