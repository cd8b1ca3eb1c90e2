/* of_fdt.h - what the kernel reads from the flattened device tree. */
#ifndef LINUX_OF_FDT_H
#define LINUX_OF_FDT_H

#include <linux/cpumask.h>
#include <linux/types.h>

struct fdt_info {
    unsigned long memory_start, memory_end; /* the first bank */
    unsigned long timebase;
    unsigned long hartids[NR_CPUS];
    unsigned int nr_harts;
    unsigned long initrd_start, initrd_end; /* physical, end exclusive; equal: none */
    unsigned long uart_phys, finisher_phys; /* 0: none */
};

/*
 * Reads the device tree into info and boot_command_line. Returns 0, or -EINVAL if this is no
 * device tree.
 */
int early_init_dt_scan(const void *blob, struct fdt_info *info);

#endif
