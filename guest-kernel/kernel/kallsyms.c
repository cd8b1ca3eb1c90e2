/*
 * kallsyms.c - finds the function that contains an address.
 *
 * scripts/kallsyms.awk generates the arrays at build time: offsets from _text in ascending
 * order, and for each the offset of its name in kallsyms_names. Not instrumented: tracers call
 * it.
 */
#include <asm/irqflags.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/filter.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

extern const u32 kallsyms_num_syms;
extern const u32 kallsyms_offsets[];
extern const u32 kallsyms_name_offsets[];
extern const char kallsyms_names[];

extern const char _text[], _etext[], __data_start[], __bss_stop[];

bool core_kernel_text(unsigned long addr)
{
    return addr >= (unsigned long)_text && addr < (unsigned long)_etext;
}

bool kernel_text_address(unsigned long addr)
{
    return core_kernel_text(addr) || is_module_text_address(addr) || is_kprobe_insn_slot(addr) ||
           is_bpf_text_address(addr);
}

bool core_kernel_data(unsigned long addr)
{
    return addr >= (unsigned long)__data_start && addr < (unsigned long)__bss_stop;
}

/* Index of the last symbol at or below the offset; -1 if there is none. */
static long find_symbol(u32 offset)
{
    long low = 0, high = kallsyms_num_syms;

    while (low < high) {
        long mid = (low + high) / 2;

        if (kallsyms_offsets[mid] <= offset)
            low = mid + 1;
        else
            high = mid;
    }
    return low - 1;
}

u32 kallsyms_count(void)
{
    return kallsyms_num_syms;
}

bool kallsyms_symbol(u32 i, struct ksym *sym)
{
    unsigned long next;

    if (i >= kallsyms_num_syms)
        return false;
    next = i + 1 < kallsyms_num_syms ? (unsigned long)_text + kallsyms_offsets[i + 1]
                                     : (unsigned long)_etext;
    *sym = (struct ksym){.name = kallsyms_names + kallsyms_name_offsets[i],
                         .start = (unsigned long)_text + kallsyms_offsets[i]};
    sym->size = next - sym->start;
    return true;
}

static bool find_in_kernel(unsigned long addr, struct ksym *sym)
{
    long i = find_symbol(addr - (unsigned long)_text);

    return i >= 0 && kallsyms_symbol(i, sym);
}

/* Also in programs of BPF. */
static bool find_in_modules(unsigned long addr, struct ksym *sym)
{
    WARN_ON(!irqs_disabled() && !preempt_count());
    sym->name = module_address_lookup(addr, &sym->start, &sym->size, &sym->modname);
    return sym->name || bpf_address_lookup(addr, sym);
}

bool kallsyms_find(unsigned long addr, struct ksym *sym)
{
    return core_kernel_text(addr) ? find_in_kernel(addr, sym) : find_in_modules(addr, sym);
}

bool kallsyms_lookup_size_offset(unsigned long addr, unsigned long *size, unsigned long *offset)
{
    unsigned long flags;
    struct ksym sym;
    bool found;

    raw_local_irq_save(flags);
    found = kallsyms_find(addr, &sym);
    raw_local_irq_restore(flags);
    if (!found)
        return false;
    if (size)
        *size = sym.size;
    if (offset)
        *offset = addr - sym.start;
    return true;
}

unsigned long kallsyms_lookup_name(const char *name)
{
    u32 i;

    if (!strcmp(name, "_text"))
        return (unsigned long)_text;
    for (i = 0; i < kallsyms_num_syms; i++)
        if (!strcmp(kallsyms_names + kallsyms_name_offsets[i], name))
            return (unsigned long)_text + kallsyms_offsets[i];
    return module_kallsyms_lookup_name(name);
}
