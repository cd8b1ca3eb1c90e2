/* internal.h - between the parts of the module loader. */
#ifndef KERNEL_MODULE_INTERNAL_H
#define KERNEL_MODULE_INTERNAL_H

#include <linux/elf.h>
#include <linux/module.h>
#include <linux/mutex.h>

/* The file under way. Its section headers' sh_addr say where each section came to lie. */
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

/* arch: section relsec's relocations, all symbols having their addresses. */
int apply_relocate_add(const struct load_info *info, unsigned int relsec, const char *modname);

#endif
