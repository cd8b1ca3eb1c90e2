/* of_fdt.h - what the flattened device tree tells at boot. */
#ifndef LINUX_OF_FDT_H
#define LINUX_OF_FDT_H

#include <linux/cpumask.h>
#include <linux/types.h>

struct fdt_info {
    unsigned long memory_start, memory_end; /* the first bank */
    unsigned long timebase;
    unsigned long hartids[NR_CPUS];
    unsigned int nr_harts;
    unsigned long initrd_start, initrd_end; /* physical, end exclusive; equal: there is none */
    unsigned long uart_phys, finisher_phys; /* 0: there is none */
};

/* 0, or -EINVAL for something that is no device tree. Fills boot_command_line. */
int early_init_dt_scan(const void *blob, struct fdt_info *info);

#endif
