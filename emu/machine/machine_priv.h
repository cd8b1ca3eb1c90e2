/*
 * machine_priv.h - internal to the machine: machine.c builds the board,
 * boot.c fills its memory, schedule.c runs it.
 */
#ifndef MACHINE_PRIV_H
#define MACHINE_PRIV_H

#include <stddef.h>

#include "base/rng.h"
#include "base/vec.h"
#include "machine/input.h"
#include "machine/machine.h"
#include "machine/snapshot.h"

struct aclint;
struct bus;
struct plic;
struct ram;
struct feed_base;
struct rtc;
struct sbi;
struct state_io;
struct uart;
struct virtio;
struct virtio_console;
struct drive;
struct port;

/* Drives take the slots from the first on, ports the place of the sixth drive, the console the last
 * but one, the entropy device the last. */
enum { VIRTIO_SLOTS = 8, VIRTIO_SLOT_PORTS = 5, VIRTIO_SLOT_CONSOLE = 6, VIRTIO_SLOT_RNG = 7 };

/* The memory map of the board, as on QEMU's virt machine. */
enum {
    FINISHER_BASE = 0x100000,
    RTC_BASE = 0x101000,
    ACLINT_BASE = 0x2000000,
    SSWI_BASE = 0x2f00000,
    PLIC_BASE = 0xc000000,
    UART_BASE = 0x10000000,
    VIRTIO_BASE = 0x10001000, /* eight slots of a page each */
};
#define RAM_BASE UINT64_C(0x80000000)

enum {
    UART_IRQ = 10,
    RTC_IRQ = 11,
    PLIC_SOURCES = 96,
    VIRTIO_IRQ = 1, /* of the first slot */
    KERNEL_OFFSET = 0x200000,
};

struct hart_slot {
    struct hart *hart;
    bool stopped;     /* by SBI HSM: not scheduled, not woken by interrupts */
    uint64_t timer;   /* time at which firmware raises STI; UINT64_MAX: never */
    uint64_t compare; /* stimecmp (Sstc); UINT64_MAX: off, or past */
};

/* The harts that can run. Computed again after a hart has run, woken, started or stopped. */
struct ready {
    bool known;
    unsigned count;
    unsigned hart; /* the one with the lowest clock */
    uint64_t next; /* the lowest clock of the others; UINT64_MAX: there is no other */
};

struct machine {
    struct machine_config config;
    enum firmware_kind firmware;
    const struct diag *diag;

    struct bus *bus;
    struct ram *ram;
    struct cluster *cluster;
    struct aclint *aclint;
    struct plic *plic;
    struct uart *uart;
    struct rtc *rtc;
    struct virtio *virtio[VIRTIO_SLOTS];
    struct virtio_console *virtio_console; /* NULL: none */
    struct drive *drives[MACHINE_DRIVES_MAX];
    struct port *ports[MACHINE_PORTS_MAX];
    struct sbi *sbi; /* FIRMWARE_BUILTIN */

    struct image *image, *firmware_image;
    uint8_t *dtb;
    size_t dtb_size;
    uint64_t tohost; /* physical; 0: the image has no HTIF */

    /* schedule.c */
    struct rng rng;
    struct hart_slot slots[HARTS_MAX];
    unsigned current;
    bool in_slice;        /* the current hart has a slice, which is not over */
    bool slice_over;      /* the slice ends at the next instruction boundary */
    uint64_t slice_end;   /* cycle of the current hart */
    uint64_t slice_insns; /* left of the slice; UINT64_MAX: no limit */
    uint64_t portion_end; /* cycle at which the portion ends; 0: begin a new one */
    uint64_t due;         /* the next deadline of devices and waiting harts, if due_known */
    bool due_known;       /* false: it may have moved */
    uint64_t waking_at;   /* cycle of the deadline that is being handled; UINT64_MAX: none is */
    bool stops_before;    /* machine_run_before */
    struct ready ready;
    uint64_t clocks[HARTS_MAX]; /* of the harts that can run; UINT64_MAX of the others */
    uint64_t clocks_known;      /* a bit for each hart whose entry in clocks is up to date */
    uint64_t now;               /* cycles; never goes back */
    uint64_t ticks_read;        /* the latest time that any hart has read */
    uint64_t polled_at;         /* cycle of the last call of the console while harts run */
    uint64_t stalled;           /* with a plan: the harts that are stalled, a bit each */
    uint64_t planned;           /* the plan's steps at earlier instructions have been followed */
    uint64_t asked_at;          /* instructions at which the plan was asked last (plan_answer) */
    unsigned questions;         /* at that instruction so far */
    bool ended;
    struct stop end;
    volatile bool asked;

    /* snapshot.c */
    struct input_log input;
    uint64_t console_bytes; /* number of bytes that the guest has written */
    uint64_t muted_until;   /* bytes with a smaller number are not shown */
    VEC_OF(struct state_part) parts;
    struct snapshot *snapshots; /* all of them, newest first */
    size_t state_bytes;         /* of the newest one, without memory */
};

/* machine.c */

/* Ends the run for the guest, after the current instruction: STOP_EXIT or STOP_RESET. */
void machine_end(struct machine *m, enum stop_reason reason, enum stop_origin origin,
                 unsigned code);

/* boot.c */
MUST_USE enum exit_status boot_open_images(struct machine *m);
MUST_USE enum exit_status boot_load(struct machine *m);
void boot_start(struct machine *m); /* registers of the harts that start */

/* ready.c */
bool ready_can_run(const struct machine *m, unsigned hart); /* it is started and does not wait */
const struct ready *ready_harts(struct machine *m);
/* The hart has run, or its clock or whether it is started has changed. */
void ready_forget(struct machine *m, unsigned hart);
void ready_forget_all(struct machine *m);
void ready_state_io(struct state_io *io, struct machine *m);

/* schedule.c */
uint64_t schedule_ticks(void *machine);                      /* the devices' clock */
uint64_t schedule_hart_ticks(void *machine, struct hart *h); /* the time CSR */
uint64_t schedule_look_at_ticks(void *machine, uint64_t cycles);
void schedule_time_base(void *machine, struct feed_base *base);
void schedule_woken(struct machine *m,
                    unsigned hart);           /* a hart that waited or was stopped can run */
void schedule_end_slice(struct machine *m);   /* a deadline has moved: the slice ends */
int schedule_read_console(struct machine *m); /* a byte for the guest; -1: there is none */
/* A chooser (cpu/choice.h): the plan's answers. */
unsigned schedule_answer(void *machine, enum choice_kind kind, unsigned hart, unsigned count);
void schedule_state_io(struct state_io *io, struct machine *m);

/* snapshot.c */
/* The guest's output; what is muted goes to console.repeat. */
void machine_console_put(struct machine *m, const uint8_t *bytes, size_t len);
void snapshots_end(struct machine *m); /* frees them all */
/* Saves or restores everything but memory, code map and disks. */
void machine_state_io(struct state_io *io, struct machine *m);

#endif
