/*
 * main.c - loads and unloads modules (relocatable ELF files).
 *
 * Sections with SHF_ALLOC are copied into one area: text first, then read-only data, then data.
 * Undefined symbols are looked up among the exports of the kernel and of live modules.
 * Relocations are applied while the whole area is data. Then each part gets its permissions: no
 * page is writable and executable at any time, by any of its addresses.
 */
#include "internal.h"
#include <asm/cacheflush.h>
#include <asm/set_memory.h>
#include <linux/bpf_trace.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#define CREATE_TRACE_POINTS
#include <trace/events/module.h>
#undef CREATE_TRACE_POINTS

/* One module uses another's symbols. */
struct module_use {
    struct list_head source_list;
    struct module *source;
};

enum { MODULE_REF_BASE = 1 };

DEFINE_MUTEX(module_mutex);
LIST_HEAD(modules);
static BLOCKING_NOTIFIER_HEAD(module_notify_list);

extern const struct kernel_symbol __start___ksymtab[], __stop___ksymtab[];

/* ---- references ---- */

bool try_module_get(struct module *mod)
{
    int old;

    if (!mod)
        return true;
    old = atomic_read(&mod->refcnt);
    while (old && !__atomic_compare_exchange_n(&mod->refcnt.counter, &old, old + 1, false,
                                               __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    if (old)
        trace_module_get(mod, _RET_IP_);
    return old;
}
EXPORT_SYMBOL(try_module_get);

void module_put(struct module *mod)
{
    if (!mod)
        return;
    WARN_ON(atomic_add_return(-1, &mod->refcnt) < 0);
    trace_module_put(mod, _RET_IP_);
}
EXPORT_SYMBOL(module_put);

int module_refcount(const struct module *mod)
{
    return atomic_read(&mod->refcnt) - MODULE_REF_BASE;
}

/*
 * Drops the base reference if it is the only one; try_module_get() fails from then on. Returns
 * false if the module is in use.
 */
static bool try_release_module_ref(struct module *mod)
{
    int unused = MODULE_REF_BASE;

    return __atomic_compare_exchange_n(&mod->refcnt.counter, &unused, 0, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_RELAXED);
}

static struct module *find_module(const char *name)
{
    struct module *mod;

    list_for_each_entry(mod, &modules, list)
        if (!strcmp(mod->name, name))
            return mod;
    return NULL;
}

bool module_is_loaded(const char *name)
{
    bool loaded;

    mutex_lock(&module_mutex);
    loaded = find_module(name);
    mutex_unlock(&module_mutex);
    return loaded;
}

/* ---- symbols ---- */

static const struct kernel_symbol *find_in(const struct kernel_symbol *syms, unsigned int n,
                                           const char *name)
{
    for (; n; n--, syms++)
        if (!strcmp(syms->name, name))
            return syms;
    return NULL;
}

static const struct kernel_symbol *find_symbol(const char *name, struct module **owner)
{
    const struct kernel_symbol *sym =
        find_in(__start___ksymtab, __stop___ksymtab - __start___ksymtab, name);
    struct module *mod;

    *owner = NULL;
    if (sym)
        return sym;
    list_for_each_entry(mod, &modules, list) {
        if (mod->state != MODULE_STATE_LIVE)
            continue;
        sym = find_in(mod->syms, mod->num_syms, name);
        if (sym) {
            *owner = mod;
            return sym;
        }
    }
    return NULL;
}

bool module_uses(const struct module *user, const struct module *source)
{
    const struct module_use *use;

    list_for_each_entry(use, &user->source_list, source_list)
        if (use->source == source)
            return true;
    return false;
}

/* Takes a reference to source, once for each pair of modules. */
static int ref_module(struct module *mod, struct module *source)
{
    struct module_use *use;

    if (!source || module_uses(mod, source))
        return 0;
    use = kmalloc(sizeof(*use));
    if (!use)
        return -ENOMEM;
    if (!try_module_get(source)) {
        kfree(use);
        return -ENOENT;
    }
    use->source = source;
    list_add_tail(&use->source_list, &mod->source_list);
    return 0;
}

static void unref_modules(struct module *mod)
{
    struct module_use *use, *next;

    list_for_each_entry_safe(use, next, &mod->source_list, source_list) {
        list_del_init(&use->source_list);
        module_put(use->source);
        kfree(use);
    }
}

static int resolve_symbol(struct module *mod, Elf64_Sym *sym, const char *name)
{
    const struct kernel_symbol *found;
    struct module *owner;
    int err;

    found = find_symbol(name, &owner);
    if (!found && ELF64_ST_BIND(sym->st_info) == STB_WEAK) {
        sym->st_value = 0;
        return 0;
    }
    err = found ? ref_module(mod, owner) : -ENOENT;
    if (err)
        printk("%s: Unknown symbol %s (err %d)\n", mod->name, name, err);
    else
        sym->st_value = found->value;
    return err;
}

/* Sets each symbol's value to its address. */
static int simplify_symbols(struct module *mod, const struct load_info *info)
{
    unsigned int i;
    int err = 0;

    mutex_lock(&module_mutex);
    for (i = 1; i < info->num_syms; i++) {
        Elf64_Sym *sym = &info->symtab[i];
        int failed = 0;

        if (sym->st_shndx == SHN_UNDEF)
            failed = resolve_symbol(mod, sym, info->strtab + sym->st_name);
        else if (sym->st_shndx < info->num_sections)
            sym->st_value += info->sechdrs[sym->st_shndx].sh_addr;
        else if (sym->st_shndx != SHN_ABS)
            failed = -ENOEXEC; /* common symbols: modules are compiled with -fno-common */
        err = err ? err : failed;
    }
    mutex_unlock(&module_mutex);
    return err;
}

/* ---- the file ---- */

unsigned int find_sec(const struct load_info *info, const char *name)
{
    unsigned int i;

    for (i = 1; i < info->num_sections; i++)
        if (!strcmp(info->secstrings + info->sechdrs[i].sh_name, name))
            return i;
    return 0;
}

static bool in_file(const struct load_info *info, u64 offset, u64 size)
{
    return offset <= info->len && size <= info->len - offset;
}

/* A string table ends with a 0, so any offset into it is a string. */
static bool is_strtab(const struct load_info *info, unsigned int i)
{
    const Elf64_Shdr *s = &info->sechdrs[i];

    return i && i < info->num_sections && s->sh_type == SHT_STRTAB && s->sh_size &&
           !info->image[s->sh_offset + s->sh_size - 1];
}

static bool header_is_ours(const struct load_info *info)
{
    const Elf64_Ehdr *hdr = (const Elf64_Ehdr *)info->image;

    return info->len >= sizeof(*hdr) && !memcmp(hdr->e_ident, ELFMAG, SELFMAG) &&
           hdr->e_ident[EI_CLASS] == ELFCLASS64 && hdr->e_ident[EI_DATA] == ELFDATA2LSB &&
           hdr->e_type == ET_REL && hdr->e_machine == EM_RISCV &&
           hdr->e_shentsize == sizeof(Elf64_Shdr) &&
           in_file(info, hdr->e_shoff, hdr->e_shnum * sizeof(Elf64_Shdr));
}

static bool section_is_sane(const struct load_info *info, const Elf64_Shdr *s)
{
    const Elf64_Shdr *names = &info->sechdrs[((const Elf64_Ehdr *)info->image)->e_shstrndx];

    if (s->sh_type != SHT_NOBITS && !in_file(info, s->sh_offset, s->sh_size))
        return false;
    if (s->sh_addralign > PAGE_SIZE || (s->sh_addralign & (s->sh_addralign - 1)))
        return false;
    return s->sh_name < names->sh_size && s->sh_size <= VMALLOC_END - VMALLOC_START;
}

static bool symbols_are_sane(const struct load_info *info)
{
    const Elf64_Shdr *strings = &info->sechdrs[info->sechdrs[info->sym].sh_link];
    unsigned int i;

    for (i = 1; i < info->num_syms; i++)
        if (info->symtab[i].st_name >= strings->sh_size)
            return false;
    return true;
}

/* The symbol table is changed while loading, so it is copied: the caller's file stays as it is. */
static int copy_symtab(struct load_info *info)
{
    const Elf64_Shdr *s;
    unsigned int i;

    for (i = 1; i < info->num_sections && info->sechdrs[i].sh_type != SHT_SYMTAB; i++)
        ;
    if (i == info->num_sections || !is_strtab(info, info->sechdrs[i].sh_link))
        return -ENOEXEC;
    s = &info->sechdrs[i];
    info->sym = i;
    info->num_syms = s->sh_size / sizeof(Elf64_Sym);
    info->strtab = info->image + info->sechdrs[s->sh_link].sh_offset;
    info->symtab = kmalloc(s->sh_size + 1);
    if (!info->symtab)
        return -ENOMEM;
    memcpy(info->symtab, info->image + s->sh_offset, s->sh_size);
    return symbols_are_sane(info) ? 0 : -ENOEXEC;
}

static int setup_load_info(struct load_info *info)
{
    const Elf64_Ehdr *hdr = (const Elf64_Ehdr *)info->image;
    unsigned int i;

    if (!header_is_ours(info))
        return -ENOEXEC;
    info->num_sections = hdr->e_shnum;
    info->sechdrs = kmalloc(hdr->e_shnum * sizeof(Elf64_Shdr) + 1);
    if (!info->sechdrs)
        return -ENOMEM;
    memcpy(info->sechdrs, info->image + hdr->e_shoff, hdr->e_shnum * sizeof(Elf64_Shdr));
    if (hdr->e_shstrndx >= info->num_sections)
        return -ENOEXEC;
    for (i = 1; i < info->num_sections; i++)
        if (!section_is_sane(info, &info->sechdrs[i]))
            return -ENOEXEC;
    if (!is_strtab(info, hdr->e_shstrndx))
        return -ENOEXEC;
    info->secstrings = info->image + info->sechdrs[hdr->e_shstrndx].sh_offset;
    info->mod = find_sec(info, ".gnu.linkonce.this_module");
    if (!info->mod || info->sechdrs[info->mod].sh_size != sizeof(struct module))
        return -ENOEXEC;
    return copy_symtab(info);
}

/* ---- memory ---- */

/* Text, read-only data, data: the sections whose flags under the mask are these. */
static const struct {
    u64 mask, flags;
} parts[] = {
    {SHF_ALLOC | SHF_EXECINSTR, SHF_ALLOC | SHF_EXECINSTR},
    {SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE, SHF_ALLOC},
    {SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE, SHF_ALLOC | SHF_WRITE},
};

/*
 * Sets sh_addr of each section in a part to its offset. Returns the end of the part,
 * page-aligned.
 */
static unsigned long layout_part(struct load_info *info, unsigned int part, unsigned long size)
{
    unsigned int i;

    for (i = 1; i < info->num_sections; i++) {
        Elf64_Shdr *s = &info->sechdrs[i];

        if ((s->sh_flags & parts[part].mask) != parts[part].flags)
            continue;
        size = ALIGN(size, max(s->sh_addralign, (u64)1));
        s->sh_addr = size;
        size += s->sh_size;
    }
    return ALIGN(size, (unsigned long)PAGE_SIZE);
}

static void copy_sections(struct load_info *info, char *base)
{
    unsigned int i;

    for (i = 1; i < info->num_sections; i++) {
        Elf64_Shdr *s = &info->sechdrs[i];

        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        s->sh_addr += (unsigned long)base;
        if (s->sh_type != SHT_NOBITS)
            memcpy((void *)s->sh_addr, info->image + s->sh_offset, s->sh_size);
    }
}

/* The struct module is itself part of the file, in .gnu.linkonce.this_module. */
static struct module *layout_and_allocate(struct load_info *info)
{
    unsigned long text = layout_part(info, 0, 0), ro = layout_part(info, 1, text),
                  size = layout_part(info, 2, ro);
    struct module *mod;
    char *base = vmalloc(size);

    if (!base)
        return ERR_PTR(-ENOMEM);
    memset(base, 0, size);
    copy_sections(info, base);
    mod = (struct module *)info->sechdrs[info->mod].sh_addr;
    mod->core_base = base;
    mod->core_size = size;
    mod->text_size = text;
    mod->ro_size = ro;
    mod->state = MODULE_STATE_UNFORMED;
    atomic_set(&mod->refcnt, MODULE_REF_BASE);
    INIT_LIST_HEAD(&mod->source_list);
    return mod;
}

static void module_deallocate(struct module *mod)
{
    unsigned long base = (unsigned long)mod->core_base;

    kfree(mod->kallsyms);
    kfree(mod->strtab);
    kfree(mod->args);
    if (mod->text_size)
        set_memory_nx(base, mod->text_size >> PAGE_SHIFT);
    if (mod->ro_size)
        set_memory_rw(base, mod->ro_size >> PAGE_SHIFT);
    vfree((void *)base);
}

static void *section_objs(const struct load_info *info, const char *name, size_t object_size,
                          unsigned int *num)
{
    unsigned int i = find_sec(info, name);

    *num = i ? info->sechdrs[i].sh_size / object_size : 0;
    return i ? (void *)info->sechdrs[i].sh_addr : NULL;
}

static void find_module_sections(struct module *mod, const struct load_info *info)
{
    mod->syms = section_objs(info, "___ksymtab", sizeof(*mod->syms), &mod->num_syms);
    mod->kp = section_objs(info, "__param", sizeof(*mod->kp), &mod->num_kp);
    mod->ftrace_callsites = section_objs(
        info, FTRACE_CALLSITE_SECTION, sizeof(*mod->ftrace_callsites), &mod->num_ftrace_callsites);
    mod->trace_events =
        section_objs(info, "_ftrace_events", sizeof(*mod->trace_events), &mod->num_trace_events);
    mod->trace_evals =
        section_objs(info, "_ftrace_eval_map", sizeof(*mod->trace_evals), &mod->num_trace_evals);
    mod->trace_bprintk_fmt_start =
        section_objs(info, "__trace_printk_fmt", sizeof(*mod->trace_bprintk_fmt_start),
                     &mod->num_trace_bprintk_fmt);
    mod->bpf_raw_events =
        section_objs(info, "_bpf_raw_tp", sizeof(*mod->bpf_raw_events), &mod->num_bpf_raw_events);
    mod->jump_entries =
        section_objs(info, "__jump_table", sizeof(*mod->jump_entries), &mod->num_jump_entries);
}

static int apply_relocations(const struct module *mod, const struct load_info *info)
{
    unsigned int i;
    int err = 0;

    for (i = 1; i < info->num_sections && !err; i++) {
        const Elf64_Shdr *s = &info->sechdrs[i];

        if (s->sh_type != SHT_RELA || s->sh_info >= info->num_sections ||
            !(info->sechdrs[s->sh_info].sh_flags & SHF_ALLOC))
            continue;
        err = apply_relocate_add(info, i, mod->name);
    }
    return err;
}

/* ---- states ---- */

static int add_unformed_module(struct module *mod)
{
    int err = 0;

    mutex_lock(&module_mutex);
    if (find_module(mod->name))
        err = -EEXIST;
    else
        list_add_tail_rcu(&mod->list, &modules);
    mutex_unlock(&module_mutex);
    return err;
}

int register_module_notifier(struct notifier_block *nb)
{
    return blocking_notifier_chain_register(&module_notify_list, nb);
}
EXPORT_SYMBOL(register_module_notifier);

int unregister_module_notifier(struct notifier_block *nb)
{
    return blocking_notifier_chain_unregister(&module_notify_list, nb);
}
EXPORT_SYMBOL(unregister_module_notifier);

/* Tells others of the state that the module has. */
static void notify(struct module *mod)
{
    blocking_notifier_call_chain(&module_notify_list, mod->state, mod);
}

static void set_state(struct module *mod, enum module_state state)
{
    mutex_lock(&module_mutex);
    mod->state = state;
    mutex_unlock(&module_mutex);
}

/* The text was written as data: every hart executes fence.i before any can enter it. */
static int complete_formation(struct module *mod)
{
    unsigned long base = (unsigned long)mod->core_base;
    int err = 0;

    if (mod->ro_size)
        err = set_memory_ro(base, mod->ro_size >> PAGE_SHIFT);
    if (!err && mod->text_size)
        err = set_memory_x(base, mod->text_size >> PAGE_SHIFT);
    flush_icache_all();
    if (!err)
        set_state(mod, MODULE_STATE_COMING);
    return err;
}

/*
 * Makes the module unreachable, and frees it when no hart can be inside: after tasks in its
 * text (synchronize_rcu_tasks()) and readers of the list (synchronize_rcu()).
 */
static void free_module(struct module *mod)
{
    trace_module_free(mod);
    kprobes_module_going(mod);
    set_state(mod, MODULE_STATE_UNFORMED);
    ftrace_release_mod(mod);
    synchronize_rcu_tasks();
    mutex_lock(&module_mutex);
    list_del_rcu(&mod->list);
    unref_modules(mod);
    mutex_unlock(&module_mutex);
    synchronize_rcu();
    module_deallocate(mod);
}

void for_each_module(void (*fn)(const struct module *mod, void *data), void *data)
{
    const struct module *mod;

    mutex_lock(&module_mutex);
    list_for_each_entry(mod, &modules, list) {
        if (mod->state != MODULE_STATE_UNFORMED)
            fn(mod, data);
    }
    mutex_unlock(&module_mutex);
}

/* Not inlined: an emulator knows a module by this function's argument. */
static noinline int do_init_module(struct module *mod)
{
    int err = mod->init ? mod->init() : 0;

    if (err > 0)
        printk("%s: '%s'->init suspiciously returned %d, it should follow 0/-E convention\n",
               __func__, mod->name, err);
    if (err < 0) {
        set_state(mod, MODULE_STATE_GOING);
        notify(mod);
        return err;
    }
    set_state(mod, MODULE_STATE_LIVE);
    notify(mod);
    return 0;
}

/* mod is on the list as MODULE_STATE_UNFORMED; its memory is still writable. */
static int form_module(struct module *mod, struct load_info *info, const char *args)
{
    int err = simplify_symbols(mod, info);

    if (!err)
        err = apply_relocations(mod, info);
    if (err)
        return err;
    find_module_sections(mod, info);
    mod->args = kstrdup(args);
    if (!mod->args)
        return -ENOMEM;
    err = add_kallsyms(mod, info);
    if (err)
        return err;
    ftrace_module_init(mod); /* sorts the table of sites, which becomes read-only below */
    err = complete_formation(mod);
    if (err)
        return err;
    jump_label_add_module(mod);
    ftrace_module_enable(mod);
    notify(mod);
    err = parse_module_args(mod->name, mod->args, mod->kp, mod->num_kp);
    if (!err) {
        trace_module_load(mod);
        return do_init_module(mod);
    }
    set_state(mod, MODULE_STATE_GOING);
    notify(mod);
    return err;
}

static int load_from(struct load_info *info, const char *args)
{
    int err = setup_load_info(info);
    struct module *mod;

    if (err)
        return err;
    mod = layout_and_allocate(info);
    if (IS_ERR(mod))
        return PTR_ERR(mod);
    err = strnlen(mod->name, MODULE_NAME_LEN) == MODULE_NAME_LEN ? -ENOEXEC
                                                                 : add_unformed_module(mod);
    if (err) {
        module_deallocate(mod);
        return err;
    }
    err = form_module(mod, info, args);
    if (err)
        free_module(mod);
    return err;
}

int load_module(const void *image, size_t len, const char *args)
{
    struct load_info info = {.image = image, .len = len};
    int err = load_from(&info, args ? args : "");

    kfree(info.sechdrs);
    kfree(info.symtab);
    return err;
}

int delete_module(const char *name)
{
    struct module *mod;
    int err = 0;

    mutex_lock(&module_mutex);
    mod = find_module(name);
    if (!mod)
        err = -ENOENT;
    else if (mod->state != MODULE_STATE_LIVE || (mod->init && !mod->exit))
        err = -EBUSY;
    else if (!try_release_module_ref(mod))
        err = -EWOULDBLOCK;
    else
        mod->state = MODULE_STATE_GOING;
    mutex_unlock(&module_mutex);
    if (err)
        return err;
    if (mod->exit)
        mod->exit();
    notify(mod);
    free_module(mod);
    return 0;
}
