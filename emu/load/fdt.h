/*
 * fdt.h - the device tree of the virt board, in the form that QEMU passes to
 * Linux, OpenSBI and U-Boot. Pure: the same board gives the same bytes.
 */
#ifndef LOAD_FDT_H
#define LOAD_FDT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A device with its registers; size 0: the board does not have it. */
struct board_device {
    uint64_t base, size;
    unsigned irq; /* PLIC source number; 0: none */
};

/* An event of SBI, and the number by which mhpmevent selects it. */
struct board_event {
    uint32_t sbi, selector;
};

struct board {
    uint64_t ram_base, ram_size;
    unsigned hart_count;
    const char *isa;      /* "rv64imac_zicsr_zifencei": lower case, multi-letter ones after '_' */
    const char *promises; /* more names for riscv,isa-extensions, each after a '_'; NULL: none */
    const char *mmu_type; /* "riscv,sv39"; NULL: "riscv,none" */
    uint32_t timebase_hz;
    uint32_t cbom_block, cboz_block;   /* bytes; 0: Zicbom, Zicboz not implemented */
    const char *bootargs;              /* NULL: none */
    uint64_t initrd_start, initrd_end; /* physical, end exclusive; equal: no initrd */
    const uint8_t *rng_seed;
    size_t rng_seed_size; /* 0: none */
    uint64_t kaslr_seed;  /* 0: none */
    struct board_device aclint, sswi, plic, uart, finisher, rtc;
    unsigned plic_sources;
    uint32_t uart_clock_hz;
    const struct board_device *virtio;
    unsigned virtio_count;
    const struct board_event *events; /* that counters can count; NULL: no such counters */
    unsigned event_count;
    uint32_t event_counters; /* a bit for each: 1 << 3 for hpmcounter3 */
    uint64_t raw_events;     /* the bits of a selector */
};

/*
 * Unused bytes at the end of the tree, part of its total size. A boot loader adds
 * its own properties to the tree in place (U-Boot's booti with $fdtcontroladdr:
 * boot arguments, initrd, serial number, all of them well under 4 KiB). Without
 * room it would overwrite the memory after the tree.
 */
enum { FDT_SLACK = 8 << 10 };

/*
 * Returns the flattened tree, from malloc, never NULL; *size in bytes. A device
 * with an irq needs a PLIC on the board; with a finisher the tree has power-off
 * and reboot nodes.
 */
uint8_t *fdt_build(const struct board *board, size_t *size);

#endif
