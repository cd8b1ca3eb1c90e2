/* fixmap.h - virtual pages with fixed addresses that are mapped to varying page frames. */
#ifndef ASM_FIXMAP_H
#define ASM_FIXMAP_H

#include <asm/page.h>

enum fixed_addresses {
    FIX_UART,
    FIX_FINISHER,
    FIX_TEXT_POKE1, /* for text patching; two, since a site may cross a page boundary */
    FIX_TEXT_POKE0,
    FIX_ENTRIES,
};

#define FIXADDR_START 0xffffffc6fee00000
#define DTB_EARLY_BASE \
    (FIXADDR_START + 0x200000) /* two pages of 2 MiB that contain the device tree */

static inline unsigned long fix_to_virt(enum fixed_addresses idx)
{
    return FIXADDR_START + idx * (unsigned long)PAGE_SIZE;
}

void *set_fixmap_offset(enum fixed_addresses idx, unsigned long phys);
void set_fixmap(enum fixed_addresses idx, unsigned long phys);
void clear_fixmap(enum fixed_addresses idx);

#endif
