/* setup.h - architecture-dependent boot code. */
#ifndef ASM_SETUP_H
#define ASM_SETUP_H

#include <linux/of_fdt.h>

extern struct fdt_info machine_info;

void setup_arch(unsigned long boot_hartid);
/* AT_HWCAP. */
unsigned long elf_hwcap(void);
/* The device tree, at the address where setup_vm() mapped it. */
const void *early_dtb(void);

#endif
