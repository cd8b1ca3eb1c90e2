/*
 * kallsyms.c - finds the module and the function that contain an address.
 *
 * Not instrumented, like kernel/kallsyms.c. Callers walk the list of modules with interrupts
 * off; free_module() waits for them with synchronize_rcu().
 */
#include "internal.h"
#include <asm/irqflags.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

struct module *__module_address(unsigned long addr)
{
    struct module *mod;

    list_for_each_entry_rcu(mod, &modules, list) {
        if (addr - (unsigned long)mod->core_base < mod->core_size)
            return mod;
    }
    return NULL;
}

struct module *__module_text_address(unsigned long addr)
{
    struct module *mod = __module_address(addr);

    return mod && addr - (unsigned long)mod->core_base < mod->text_size ? mod : NULL;
}

bool is_module_text_address(unsigned long addr)
{
    unsigned long flags;
    bool found;

    raw_local_irq_save(flags);
    found = __module_text_address(addr);
    raw_local_irq_restore(flags);
    return found;
}

const char *module_address_lookup(unsigned long addr, unsigned long *start, unsigned long *size,
                                  const char **modname)
{
    struct module *mod = __module_text_address(addr);
    unsigned int low = 0, high;

    if (!mod)
        return NULL;
    high = mod->num_kallsyms;
    while (low < high) {
        unsigned int mid = (low + high) / 2;

        if (mod->kallsyms[mid].addr <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    if (!low)
        return NULL;
    *start = mod->kallsyms[low - 1].addr;
    *size = mod->kallsyms[low - 1].size;
    *modname = mod->name;
    return mod->strtab + mod->kallsyms[low - 1].name;
}

static unsigned long find_in_module(const struct module *mod, const char *name)
{
    unsigned int i;

    for (i = 0; i < mod->num_kallsyms; i++)
        if (!strcmp(mod->strtab + mod->kallsyms[i].name, name))
            return mod->kallsyms[i].addr;
    return 0;
}

/* Whether name begins with the module's name and a colon, or has no colon. */
static bool names_module(const struct module *mod, const char *name, const char *colon)
{
    size_t len = strlen(mod->name);

    return !colon || (len == (size_t)(colon - name) && !memcmp(mod->name, name, len));
}

unsigned long module_kallsyms_lookup_name(const char *name)
{
    const char *colon = strchr(name, ':');
    unsigned long addr = 0, flags;
    const struct module *mod;

    local_irq_save(flags);
    list_for_each_entry_rcu(mod, &modules, list) {
        if (mod->state != MODULE_STATE_UNFORMED && names_module(mod, name, colon))
            addr = find_in_module(mod, colon ? colon + 1 : name);
        if (addr)
            break;
    }
    local_irq_restore(flags);
    return addr;
}

static bool is_function(const Elf64_Sym *sym, const struct load_info *info)
{
    return ELF64_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF &&
           sym->st_shndx < info->num_sections;
}

static int cmp_syms(const void *a, const void *b)
{
    const struct mod_sym *x = a, *y = b;

    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Aliases of the functions that module_init() and module_exit() name. */
static bool is_alias(const char *name)
{
    return !strcmp(name, "init_module") || !strcmp(name, "cleanup_module");
}

/* Copies the names and addresses of the functions: the file's symbol table is not kept. */
int add_kallsyms(struct module *mod, const struct load_info *info)
{
    unsigned int i, n = 0;
    size_t bytes = 0;

    for (i = 1; i < info->num_syms; i++)
        if (is_function(&info->symtab[i], info)) {
            bytes += strlen(info->strtab + info->symtab[i].st_name) + 1;
            n++;
        }
    mod->kallsyms = kmalloc(n * sizeof(*mod->kallsyms) + 1);
    mod->strtab = kmalloc(bytes + 1);
    if (!mod->kallsyms || !mod->strtab)
        return -ENOMEM;
    for (i = 1, n = 0, bytes = 0; i < info->num_syms; i++) {
        const Elf64_Sym *sym = &info->symtab[i];
        const char *name = info->strtab + sym->st_name;

        if (!is_function(sym, info) || is_alias(name))
            continue;
        mod->kallsyms[n++] = (struct mod_sym){sym->st_value, sym->st_size, bytes};
        memcpy(mod->strtab + bytes, name, strlen(name) + 1);
        bytes += strlen(name) + 1;
    }
    sort(mod->kallsyms, n, sizeof(*mod->kallsyms), cmp_syms);
    mod->num_kallsyms = n;
    return 0;
}
