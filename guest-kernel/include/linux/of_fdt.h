/* of_fdt.h - what the kernel reads from the flattened device tree. */
#ifndef LINUX_OF_FDT_H
#define LINUX_OF_FDT_H

#include <linux/cpumask.h>
#include <linux/types.h>

enum { FDT_MAX_VIRTIO = 8 };

struct fdt_info {
    unsigned long memory_start, memory_end; /* the first bank */
    unsigned long timebase;
    unsigned long hartids[NR_CPUS];
    unsigned int nr_harts;
    char isa[256];                          /* of the last of them: they are alike */
    unsigned long initrd_start, initrd_end; /* physical, end exclusive; equal: none */
    unsigned long uart_phys, finisher_phys; /* 0: none */
    unsigned long plic_phys, plic_size;     /* 0: none */
    unsigned int plic_ndev;                 /* the largest number of an interrupt source */
    int plic_context[NR_CPUS];              /* of S-mode on hartids[i]; -1: none */
    /* The virtio slots; virtio_irq is the number of the source at the PLIC. */
    unsigned long virtio_phys[FDT_MAX_VIRTIO], virtio_size[FDT_MAX_VIRTIO];
    unsigned int virtio_irq[FDT_MAX_VIRTIO], nr_virtio;
};

/*
 * Reads the device tree into info and boot_command_line. Returns 0, or -EINVAL if this is no
 * device tree.
 */
int early_init_dt_scan(const void *blob, struct fdt_info *info);

#endif
