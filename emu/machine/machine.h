/*
 * machine.h - the virt board: RAM, harts, devices, clock and scheduler.
 *
 * There is no global state; a process can have several machines. A run is a
 * function of the configuration and the input: all harts are interleaved on one
 * host thread by a scheduler whose random choices depend only on the seed.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clocks.h"
#include "base/compiler.h"
#include "base/diag.h"
#include "base/harts.h"
#include "base/selection.h"
#include "cpu/cluster.h"
#include "load/drive.h"

struct hart;
struct image;
struct machine;
struct plan;

/* The board's clocks: mtime with the frequency of QEMU's; a core clock of 1 GHz, so 1 cycle is 1
 * ns. */
enum { TIMEBASE_HZ = 10000000 }; /* and CYCLES_PER_TICK */

enum firmware_kind {
    FIRMWARE_AUTO,    /* none for an ELF that covers the start of RAM, else built in */
    FIRMWARE_NONE,    /* the image starts in M-mode, on every hart */
    FIRMWARE_BUILTIN, /* the built-in SBI; the image starts in S-mode, on hart 0 */
    FIRMWARE_FILE,    /* a file that starts in M-mode and is told where the image is */
};

/* Why the machine calls the console. */
enum poll_reason {
    POLL_CLOCK, /* periodically while harts run */
    POLL_IDLE,  /* every hart waits */
    POLL_GUEST, /* the guest has called the built-in firmware for input */
};

/*
 * The time of a call of the console. The console's answers are the only thing in a run that
 * comes from the host: the same answers at the same moments make the same run (recording/replay.h).
 */
struct moment {
    enum poll_reason reason;
    uint64_t insns, cycles; /* the machine's, since power-on */
    bool wants_input;       /* the guest listens to its console, and would get a byte now */
};

/* Input and output, the host's time, and its request to stop. Any callback may be NULL. */
struct console {
    void (*put)(void *ctx, const uint8_t *bytes, size_t len);
    int (*get)(void *ctx, const struct moment *at); /* next byte, or -1: none at the moment */
    /*
     * Every hart waits, until cycle `until` at most (UINT64_MAX: no timer is set). Returns
     * the cycle at which the machine continues: `until`, or an earlier one if there may be
     * input or the machine must stop. UINT64_MAX: there will never be input.
     */
    uint64_t (*wait)(void *ctx, const struct moment *at, uint64_t until);
    bool (*interrupted)(void *ctx, const struct moment *at); /* true: machine_run must stop */
    /*
     * While it is true, interrupted() is called after little work of the host, at any moment; else
     * at moments of the machine only, which may be far apart when the guest's code is slow. May be
     * NULL.
     */
    const atomic_bool *urgent;
    void *ctx;
    /* gets what is muted because it is output of a repeated run (snapshot.h); may be NULL */
    void (*repeat)(void *ctx, const uint8_t *bytes, size_t len);
};

enum { MACHINE_PATH_MAX = 4096 };

/* A file of the host as a virtio block device. */
struct machine_drive {
    char path[MACHINE_PATH_MAX];
    enum drive_mode mode;
};

enum { MACHINE_DRIVES_MAX = 6 };

/* A port of a virtio console device, and the file or unix socket to which it leads. */
struct machine_port {
    char name[64];
    char path[MACHINE_PATH_MAX];
};

enum { MACHINE_PORTS_MAX = 4 };

/* A choice of the scheduler: a hart that can run next. */
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
 * The answer of a scheduler: the hart to run, for `cycles` cycles or `insns` instructions,
 * whichever ends first (both at least 1; UINT64_MAX: no limit). The slice ends earlier when the
 * hart waits, stops or wakes another hart, when a deadline is moved, and at a `pause` if the hart
 * had the lowest clock and has overtaken another one.
 */
struct slice {
    unsigned hart; /* one of the options */
    uint64_t cycles, insns;
};

/*
 * Chooses the next hart and its slice where more than one hart can run. choose NULL: the built-in
 * scheduler, which depends on the seed.
 */
struct scheduler {
    struct slice (*choose)(void *ctx, const struct schedule_point *point);
    void *ctx;
};

/* An access of a hart to a device's registers. */
struct machine_access {
    const char *device;
    uint64_t pa;
    unsigned size; /* bytes */
    bool write;
    uint64_t value; /* that was read or written */
    unsigned hart;
    uint64_t pc, cycles; /* the instruction, and the hart's clock before it */
};

struct machine_config {
    unsigned harts;  /* 1 to HARTS_MAX */
    uint64_t memory; /* bytes, whole pages */
    enum firmware_kind firmware;
    const char *firmware_path; /* FIRMWARE_FILE */
    const char *image;
    const char *initrd;   /* NULL: none */
    const char *dtb;      /* a device tree, compared with the machine; NULL: its own */
    const char *bootargs; /* NULL: none */
    uint64_t seed;
    struct scheduler scheduler;
    const struct plan *plan; /* NULL: none; must outlive the machine (plan.h) */
    bool follow_data;        /* instructions are events, as while a plan follows data */
    /*
     * In that time instructions are traced (cluster_trace_insns), and also for a while before and
     * after it. The run stays the same.
     */
    bool trace_insns;
    struct span trace_cycles, trace_steps;
    struct cluster_config cluster; /* of the harts; the machine sets its bus and env */
    size_t page_copies_max;        /* copies of written pages (mem/ram.h); 0: COPIES_DEFAULT */
    struct machine_drive drives[MACHINE_DRIVES_MAX];
    unsigned drive_count;
    struct machine_port ports[MACHINE_PORTS_MAX];
    unsigned port_count; /* if not 0, there are at most MACHINE_DRIVES_MAX - 1 drives */
    bool virtio_console; /* add one, which gets the input instead of the UART */
    bool kaslr;          /* the device tree asks the kernel to move to a random address */
    /* Called for each access of a hart to a device; NULL: devices are mapped as they are. */
    void (*accessed)(void *ctx, const struct machine_access *access);
    void *accessed_ctx;
    struct console console;
};

/* Builds the board and loads the images; on failure *out is NULL and a message was given. */
MUST_USE enum exit_status machine_new(const struct machine_config *config, const struct diag *d,
                                      struct machine **out);
void machine_free(struct machine *m);

struct cluster *machine_cluster(const struct machine *m);
const struct image *machine_image(const struct machine *m);
void machine_link_image(struct machine *m, uint64_t va);      /* see image_link_at */
void machine_forget_names(struct machine *m, bool keep_hash); /* see image_forget_names */
/* Whether a file or process of --port did not get all that the guest has sent. */
bool machine_port_has_lost(const struct machine *m);
enum firmware_kind machine_firmware(const struct machine *m); /* never AUTO */
const uint8_t *machine_dtb(const struct machine *m, size_t *size);

/* Instructions executed by all harts together; cycles of the machine's clock since power-on. */
uint64_t machine_insns(const struct machine *m);
uint64_t machine_cycles(const struct machine *m);

/* The hart that runs, or will run next. */
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

/* How the guest ended the run, for STOP_EXIT and STOP_RESET. */
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
    struct hart *hart; /* PROBE and STUCK: the hart concerned; else the one that was running */
};

/*
 * Runs until something stops the machine. Limits are totals since power-on;
 * UINT64_MAX: none. The instruction limit is exact; the cycle limit stops the machine
 * at the first instruction boundary at which a hart's clock has reached it. Limits do
 * not affect the schedule: a run in many pieces is the same as a run in one.
 */
struct stop machine_run(struct machine *m, uint64_t max_insns, uint64_t max_cycles);

/*
 * The same, but stops at the instruction limit before anything is decided there, so that a plan can
 * still have a step at that very instruction.
 */
struct stop machine_run_before(struct machine *m, uint64_t max_insns);

/* From here on the machine follows another plan, instead of that of the configuration. */
void machine_follow(struct machine *m, const struct plan *plan);

/*
 * The machine's plan was changed, from the present instruction on, between two calls of
 * machine_run.
 */
void machine_plan_changed(struct machine *m);

/*
 * For debuggers: `hart` executes up to `insns` instructions while the others are stopped and no
 * deadline is handled. The schedule would not do this, so from here on the run differs from one
 * without the call. STOP_INSNS: they are done; STOP_ASLEEP: the hart waits or is not started.
 */
struct stop machine_run_alone(struct machine *m, unsigned hart, uint64_t insns);

enum { MACHINE_STUCK_TEXT = 640 };

/* Describes STOP_STUCK in one line: where `h` traps, the first exception, and a hint. */
void machine_describe_stuck(const struct machine *m, const struct hart *h,
                            char text[MACHINE_STUCK_TEXT]);

/* "load page fault"; "exception" if the cause has no name. */
const char *machine_exception_name(uint64_t cause);

/*
 * Describes the last exception that `h` has taken, "load page fault on 0x8", with its pc and mode
 * and the number of instructions that `h` has retired since. False: it has taken none. Of
 * exceptions in a row, each at the first instruction of the handler, it is the first.
 */
MUST_USE bool machine_describe_exception(const struct hart *h, char text[MACHINE_STUCK_TEXT],
                                         uint64_t *pc, const char **mode, uint64_t *since);

/*
 * Makes machine_run return at the next instruction boundary. May be called from a callback, a probe
 * or a signal handler.
 */
void machine_ask_stop(struct machine *m);

uint64_t machine_ticks(struct machine *m);               /* mtime, as the current hart reads it */
void machine_send_ipi(struct machine *m, unsigned hart); /* raises SSI, as firmware does */

#endif
