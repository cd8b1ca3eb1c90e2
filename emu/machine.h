/*
 * machine.h - the virt board: RAM, harts, devices, clock and scheduler.
 *
 * Nothing is global; two machines can live in one process. A run is a function
 * of the configuration and the input: all harts are interleaved on one host
 * thread by a scheduler whose only source of chance is the seed.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cpu/cluster.h"
#include "load/drive.h"

struct hart;
struct image;
struct machine;

/* The board's clocks: mtime as on QEMU, and a core clock that it divides. A cycle is 1 ns. */
enum { TIMEBASE_HZ = 10000000, CYCLES_PER_TICK = 100 };

enum { MACHINE_HARTS_MAX = 64 };

enum firmware_kind {
    FIRMWARE_AUTO,    /* none for an ELF that covers the start of RAM, else built in */
    FIRMWARE_NONE,    /* the image starts in M-mode, on every hart */
    FIRMWARE_BUILTIN, /* our SBI; the image starts in S-mode, on hart 0 */
    FIRMWARE_FILE,    /* that file starts in M-mode and is handed the image */
};

/* Why the machine calls the console. */
enum poll_reason {
    POLL_CLOCK, /* harts run, and the time between two looks for input is over */
    POLL_IDLE,  /* every hart waits */
    POLL_GUEST, /* a call of the built-in firmware */
};

/*
 * When the machine calls the console. Its answers at these moments are the only thing in
 * a run that comes from the host: the same answers make the same run (cli/replay.h).
 */
struct moment {
    enum poll_reason reason;
    uint64_t insns, cycles; /* the machine's, since power-on */
};

/* Input and output, the host's time, and its request to stop. Any call-back may be NULL. */
struct console {
    void (*put)(void *ctx, const uint8_t *bytes, size_t len);
    int (*get)(void *ctx, const struct moment *at); /* next byte, or -1: none at the moment */
    /*
     * Every hart waits, until cycle `until` at most (UINT64_MAX: no timer is set). Returns
     * the cycle at which to go on: `until`, or an earlier one if there may be input or the
     * machine is to stop. UINT64_MAX: there will never be input.
     */
    uint64_t (*wait)(void *ctx, const struct moment *at, uint64_t until);
    bool (*interrupted)(void *ctx, const struct moment *at); /* true: machine_run is to stop */
    void *ctx;
};

enum { MACHINE_PATH_MAX = 4096 };

/* A file of the host as a virtio block device. */
struct machine_drive {
    char path[MACHINE_PATH_MAX];
    enum drive_mode mode;
};

enum { MACHINE_DRIVES_MAX = 6 };

/* A hart that can run next. */
struct schedule_option {
    unsigned hart;
    uint64_t cycles; /* its clock */
};

/* A point of a run where more than one hart can run next. */
struct schedule_point {
    const struct schedule_option *options; /* by hart */
    unsigned count;                        /* 2 or more */
    uint64_t insns;                        /* the machine's, since power-on */
};

/*
 * What a scheduler answers: the hart that runs, until its clock has moved on by `cycles` or it
 * has executed `insns` instructions (both at least 1; UINT64_MAX: no limit). The slice ends
 * earlier when the hart waits, stops, or wakes another hart, when a deadline is moved, and at a
 * pause of the hart whose clock was lowest once it has overtaken another's.
 */
struct slice {
    unsigned hart; /* one of the options */
    uint64_t cycles, insns;
};

/* Who chooses between harts; choose NULL: the seed does. A hart that alone can run just runs. */
struct scheduler {
    struct slice (*choose)(void *ctx, const struct schedule_point *point);
    void *ctx;
};

struct machine_config {
    unsigned harts;  /* 1 to MACHINE_HARTS_MAX */
    uint64_t memory; /* bytes, whole pages */
    enum firmware_kind firmware;
    const char *firmware_path; /* FIRMWARE_FILE */
    const char *image;
    const char *initrd;   /* NULL: none */
    const char *bootargs; /* NULL: none */
    uint64_t seed;
    struct scheduler scheduler;
    enum fetch_mode fetch;
    uint64_t fetch_seed;
    enum timing_model timing;
    uint64_t extensions;                     /* of the harts (cpu/extension.h); 0: all */
    size_t code_writes_max, page_copies_max; /* kept for findings (cpu/cluster.h); 0: the default */
    struct machine_drive drives[MACHINE_DRIVES_MAX];
    unsigned drive_count;
    bool virtio_console; /* there is one, and input goes to it, not to the UART */
    struct console console;
};

/* Builds the board and loads the images; on failure *out is NULL and a message was given. */
MUST_USE enum exit_status machine_new(const struct machine_config *config, const struct diag *d,
                                      struct machine **out);
void machine_free(struct machine *m);

struct cluster *machine_cluster(const struct machine *m);
const struct image *machine_image(const struct machine *m);
void machine_link_image(struct machine *m, uint64_t va);      /* see image_link_at */
enum firmware_kind machine_firmware(const struct machine *m); /* never AUTO */
const uint8_t *machine_dtb(const struct machine *m, size_t *size);

/* Executed by all harts together; cycles of the machine's clock since power-on. */
uint64_t machine_insns(const struct machine *m);
uint64_t machine_cycles(const struct machine *m);

/* The hart whose turn it is. */
struct hart *machine_current(const struct machine *m);

enum stop_reason {
    STOP_EXIT,   /* the guest ended the run; `code` is its status */
    STOP_RESET,  /* the guest asked for a reboot */
    STOP_INSNS,  /* max_insns reached */
    STOP_CYCLES, /* max_cycles reached */
    STOP_PROBE,  /* a probe stopped `hart` */
    STOP_ASKED,  /* machine_ask_stop */
    STOP_STUCK,  /* `hart` is in an endless trap loop */
    STOP_ASLEEP, /* every hart waits for an interrupt that nothing can raise */
};

/* Through which of its ways the guest ended the run: STOP_EXIT and STOP_RESET. */
enum stop_origin {
    ORIGIN_NONE,       /* the guest did not end it */
    ORIGIN_FINISHER,   /* a store to the test finisher */
    ORIGIN_HTIF,       /* a store to `tohost` */
    ORIGIN_SBI_RESET,  /* SBI: system reset (SRST), of the built-in firmware */
    ORIGIN_SBI_LEGACY, /* SBI: the legacy call sbi_shutdown, of the built-in firmware */
};

struct stop {
    enum stop_reason reason;
    enum stop_origin origin;
    unsigned code;
    struct hart *hart; /* PROBE and STUCK; else the hart whose turn it was */
};

/*
 * Runs until something stops the machine. Limits are totals since power-on;
 * UINT64_MAX is none. The instruction limit is exact; the limit of cycles stops the
 * machine at the first instruction boundary at which some hart's clock has come to
 * it. Reaching one does not disturb the schedule: a run in many pieces is the same run.
 */
struct stop machine_run(struct machine *m, uint64_t max_insns, uint64_t max_cycles);

/*
 * For debuggers: `hart` executes up to `insns` instructions while the others are stopped and no
 * deadline is met. That is not what the schedule would have done, so from here on the run is
 * another one. STOP_INSNS when they are done; STOP_ASLEEP, at once or later, if the hart waits or
 * has not been started.
 */
struct stop machine_run_alone(struct machine *m, unsigned hart, uint64_t insns);

enum { MACHINE_STUCK_TEXT = 640 };

/* STOP_STUCK in words: where `h` traps, which exception came first, what may help. One line. */
void machine_describe_stuck(const struct machine *m, const struct hart *h,
                            char text[MACHINE_STUCK_TEXT]);

/*
 * The last exception that `h` has taken, "load page fault on 0x8", and where. False: it has taken
 * none. (Of exceptions in a row, each at the first instruction of the handler, it is the first.)
 */
MUST_USE bool machine_describe_exception(const struct hart *h, char text[MACHINE_STUCK_TEXT],
                                         uint64_t *pc, const char **mode);

/* From a call-back, a probe or a signal handler: machine_run returns at the next instruction
 * boundary. */
void machine_ask_stop(struct machine *m);

/* ---- for firmware (emu/sbi) ---- */

uint64_t machine_ticks(struct machine *m); /* mtime, as the current hart reads it */
void machine_set_timer(struct machine *m, unsigned hart, uint64_t mtime); /* raises STI then */
void machine_send_ipi(struct machine *m, unsigned hart);                  /* raises SSI */
void machine_start_hart(struct machine *m, unsigned hart, uint64_t pc, uint64_t a1);
void machine_stop_hart(struct machine *m, unsigned hart);
/* The guest has ended the run: STOP_EXIT or STOP_RESET. Takes effect after the current instruction.
 */
void machine_end(struct machine *m, enum stop_reason reason, enum stop_origin origin,
                 unsigned code);
void machine_console_put(struct machine *m, const uint8_t *bytes, size_t len);
int machine_console_get(struct machine *m); /* -1: nothing there */

#endif
