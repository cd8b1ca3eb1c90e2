/*
 * fdt.h - the device tree of the virt board, as QEMU describes its own to
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
    unsigned irq; /* source number at the PLIC; 0: none */
};

struct board {
    uint64_t ram_base, ram_size;
    unsigned hart_count;
    const char *isa;      /* "rv64imac_zicsr_zifencei": lower case, multi-letter ones after '_' */
    const char *mmu_type; /* "riscv,sv39"; NULL: "riscv,none" */
    uint32_t timebase_hz;
    uint32_t cbom_block, cboz_block;   /* bytes; 0: no such instructions */
    const char *bootargs;              /* NULL: none */
    uint64_t initrd_start, initrd_end; /* physical, end exclusive; equal: no initrd */
    const uint8_t *rng_seed;
    size_t rng_seed_size; /* 0: none */
    struct board_device aclint, sswi, plic, uart, finisher, rtc;
    unsigned plic_sources;
    uint32_t uart_clock_hz;
    const struct board_device *virtio;
    unsigned virtio_count;
};

/*
 * Unused bytes at the end of the tree, part of its total size. A boot loader adds
 * its own properties to the tree in place (U-Boot's booti with $fdtcontroladdr:
 * boot arguments, initrd, serial number, all of them well under 4 KiB), and
 * writes over what comes next in memory when there is no room.
 */
enum { FDT_SLACK = 8 << 10 };

/*
 * The flattened tree, from malloc; *size in bytes. Never NULL. A device with
 * an irq needs a PLIC on the board, a finisher gives power-off and reboot.
 */
uint8_t *fdt_build(const struct board *board, size_t *size);

#endif
