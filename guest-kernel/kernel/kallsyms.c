/*
 * kallsyms.c - which function holds an address.
 *
 * The build writes the arrays (scripts/kallsyms.awk): offsets from _text in
 * ascending order, and for each the place of its name.  Not instrumented.
 */
#include <linux/compiler.h>
#include <linux/kallsyms.h>

extern const u32 kallsyms_num_syms;
extern const u32 kallsyms_offsets[];
extern const u32 kallsyms_name_offsets[];
extern const char kallsyms_names[];

extern const char _text[], _etext[], __data_start[], __bss_stop[];

bool kernel_text_address(unsigned long addr)
{
    return addr >= (unsigned long)_text && addr < (unsigned long)_etext;
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

const char *kallsyms_lookup(unsigned long addr, unsigned long *start, unsigned long *offset)
{
    long i;

    if (!kernel_text_address(addr))
        return NULL;
    i = find_symbol(addr - (unsigned long)_text);
    if (i < 0)
        return NULL;
    if (start)
        *start = (unsigned long)_text + kallsyms_offsets[i];
    if (offset)
        *offset = addr - (unsigned long)_text - kallsyms_offsets[i];
    return kallsyms_names + kallsyms_name_offsets[i];
}
