/* setup.h - the architecture's start. */
#ifndef ASM_SETUP_H
#define ASM_SETUP_H

#include <linux/of_fdt.h>

extern struct fdt_info machine_info;

void setup_arch(unsigned long boot_hartid);
/* The device tree, where setup_vm() mapped it. */
const void *early_dtb(void);

#endif
