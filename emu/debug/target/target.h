/*
 * target.h - the machine as a debugger sees it: harts, registers, memory,
 * breakpoints, watchpoints, and running until one of them stops the machine.
 *
 * Nothing here prints or reads input, so that both the text debugger
 * (debugger.h) and a gdb server can use it. Harts are given by number. Errors
 * are values (enum target_error), and so is the reason of a stop (struct
 * target_stop).
 *
 * Stops change nothing in what the guest does: a run with stops, steps and
 * points executes the same instructions in the same cycles as one without.
 * The exceptions write to the machine (target_set_register, target_write) or
 * step one hart while the others are stopped (target_step_alone).
 */
#ifndef DEBUG_TARGET_H
#define DEBUG_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/hart.h"
#include "cpu/observer.h"
#include "machine/machine.h"
#include "mem/ram.h"

struct ftrace_event;
struct target;
struct watch;

enum { TARGET_ANY_HART = UINT32_MAX };

enum target_error {
    TARGET_OK,
    TARGET_NO_HART,     /* no hart has this number */
    TARGET_NO_REGISTER, /* no register of this number on these harts */
    TARGET_READ_ONLY,   /* x0, priv, and CSRs that are read-only by their number */
    TARGET_NOT_MAPPED,  /* no translation, or it leads to an address that is not RAM */
    TARGET_ODD_ADDRESS, /* a breakpoint at an odd address */
    TARGET_BAD_SIZE,    /* a watchpoint of 0 bytes or of more than TARGET_WATCH_MAX */
    TARGET_NO_ROOM,     /* PROBES_AT_ONE_PLACE probes are at this address (cpu/cluster.h) */
    TARGET_TOO_MANY,    /* TARGET_POINTS_MAX points are set */
    TARGET_NO_POINT,    /* no point has this number */
};

struct target_config {
    struct machine *machine;
    const struct watch *ftrace;     /* sites and findings; NULL: none. Must be attached already */
    uint64_t max_insns, max_cycles; /* totals at which the machine stops; UINT64_MAX: none */
    uint64_t history_max; /* bytes of host memory for going back; 0: there is no going back */
};

/*
 * The machine must outlive the target, and so must ftrace. A target stays attached to
 * the machine's cluster as a listener: after target_free the machine may be inspected
 * and freed, but not run.
 */
struct target *target_new(const struct target_config *config);
void target_free(struct target *t);

/* ---- harts ---- */

struct target_hart {
    bool started; /* false: firmware starts the hart later; pc means nothing */
    enum privilege mode;
    enum hart_wait waits;
    uint64_t pc, insns, cycles, idle_cycles;
};

unsigned target_hart_count(const struct target *t);
struct target_hart target_hart(const struct target *t, unsigned hart);
unsigned target_current_hart(const struct target *t); /* the one that the schedule runs next */

/* ---- registers ---- */

/* Register numbers are gdb's for RISC-V. */
enum {
    TARGET_REG_X0 = 0, /* x0 to x31 */
    TARGET_REG_PC = 32,
    TARGET_REG_F0 = 33,  /* f0 to f31 */
    TARGET_REG_CSR = 65, /* plus the CSR's number, 0 to 4095 */
    TARGET_REG_PRIV = 65 + 4096,
    TARGET_REG_ELP,   /* 1: a landing pad is expected; with Zicfilp only */
    TARGET_REGISTERS, /* all numbers are smaller; not every smaller number is a register */
    /* v0 to v31, which are longer than the others and have functions of their own. */
    TARGET_REG_V0 = TARGET_REGISTERS,
    TARGET_REGISTERS_ALL = TARGET_REG_V0 + 32,
};

enum target_register_group { TARGET_GENERAL, TARGET_FLOAT, TARGET_CSR, TARGET_VIRTUAL };

/* The type of a register, for a front end that prints it or describes it to gdb. */
enum target_register_type { TARGET_INT, TARGET_CODE_POINTER, TARGET_DATA_POINTER, TARGET_DOUBLE };

struct target_register {
    const char *name; /* ABI name: "ra", "fs0", "mstatus" */
    unsigned bits;
    enum target_register_group group;
    enum target_register_type type;
    bool writable;
};

/*
 * False: these harts have no register of this number. Numbers in ascending order are gdb's order.
 */
MUST_USE bool target_register(const struct target *t, unsigned number, struct target_register *r);
/* By ABI name, x0 to x31, f0 to f31, fp, pc, priv, elp or a CSR's name; -1: no such register. */
int target_find_register(const struct target *t, const char *name);

/* Reading has no side effects: a CSR is read as M-mode would read it. */
MUST_USE enum target_error target_get_register(const struct target *t, unsigned hart,
                                               unsigned number, uint64_t *value);
MUST_USE enum target_error target_set_register(struct target *t, unsigned hart, unsigned number,
                                               uint64_t value);

/* A vector register's index by its name, "v0" to "v31"; -1: it is none, or the harts have none. */
int target_find_vector(const struct target *t, const char *name);
/*
 * The bytes of a vector register (reg < 32) as they are in memory, *bytes of them; NULL: the harts
 * have none, or there is no such hart. The other one writes as many.
 */
const uint8_t *target_vector(const struct target *t, unsigned hart, unsigned reg, unsigned *bytes);
MUST_USE enum target_error target_set_vector(struct target *t, unsigned hart, unsigned reg,
                                             const uint8_t *from);

/* ---- memory ---- */

enum target_space {
    TARGET_BY_HART,     /* virtual, as the hart translates it at present */
    TARGET_BY_PHYSICAL, /* physical */
    /*
     * Virtual, by the hart's translation; if it has none, by another hart's; then by where the
     * image was loaded (before the kernel has enabled translation); then physical.
     */
    TARGET_BY_ANY,
};

/* Translates to a physical address; TARGET_NOT_MAPPED also if that is not RAM. */
MUST_USE enum target_error target_locate(const struct target *t, unsigned hart,
                                         enum target_space space, uint64_t address, uint64_t *pa);

/* Whether the hart, as it is at present, could execute an instruction at the virtual address. */
bool target_can_fetch(const struct target *t, unsigned hart, uint64_t address);

/* RAM only: reading a device could change it. All bytes or an error. */
MUST_USE enum target_error target_read(const struct target *t, unsigned hart,
                                       enum target_space space, uint64_t address, void *to,
                                       size_t len);

/* Reads the two or four bytes of an instruction, as TARGET_BY_ANY. False: they cannot be read. */
MUST_USE bool target_read_insn(const struct target *t, unsigned hart, uint64_t address,
                               uint32_t *word);

/*
 * The same for writing, whatever the page's permissions. It is a write like any
 * other (ram_write): patches of code are seen, reservations are broken; but no
 * watchpoint reports it. All bytes or none. With autofence, as at first, all harts fetch
 * the new bytes, as if each had executed a fence.i for them; the history begins after that.
 */
MUST_USE enum target_error target_write(struct target *t, unsigned hart, enum target_space space,
                                        uint64_t address, const void *from, size_t len);

void target_set_autofence(struct target *t, bool on);
bool target_autofence(const struct target *t);

/* ---- points ---- */

enum target_point_kind {
    TARGET_BREAK,        /* stops before the instruction at the address; the guest cannot see it */
    TARGET_WATCH_WRITE,  /* stops after an instruction that has written to the bytes */
    TARGET_WATCH_READ,   /* stops after an instruction that has loaded from them */
    TARGET_WATCH_ACCESS, /* stops after an instruction that has done either */
    TARGET_CATCH,        /* stops after an instruction that has caused an event */
};

enum { TARGET_WATCH_MAX = 4096 }; /* bytes of one watchpoint */
/*
 * Bounds the host's memory, which is below 1 MiB for all points together, and the time of each
 * change.
 */
enum { TARGET_POINTS_MAX = 1024 };

/*
 * A condition is evaluated with the machine in the state in which the point
 * would stop it. It may read registers and memory. `release` frees ctx when the
 * point is deleted.
 */
struct target_condition {
    bool (*holds)(void *ctx, unsigned hart); /* NULL: no condition */
    void (*release)(void *ctx);              /* may be NULL */
    void *ctx;
};

/* What a catchpoint waits for. `release` frees ctx when the point is deleted. */
struct target_catch {
    uint32_t kinds;        /* EVENT_BIT of each (cpu/observer.h) */
    uint32_t ftrace_kinds; /* FTRACE_BIT of each (ftrace/events/events.h) */
    /* Called during the run, when the event is emitted. NULL: all of these kinds. */
    bool (*wants)(void *ctx, const struct event *e);
    bool (*wants_ftrace)(void *ctx, const struct ftrace_event *e);
    void (*release)(void *ctx); /* may be NULL */
    void *ctx;
};

/* A further place of a breakpoint: the same line may have code in several. */
struct target_place {
    uint64_t address, pa;
};

struct target_point {
    enum target_point_kind kind;
    enum target_space space; /* how `address` was meant when the point was set */
    uint64_t address;
    uint64_t size;   /* bytes of a watchpoint */
    uint32_t hart;   /* only on this hart, or TARGET_ANY_HART */
    bool temporary;  /* deleted by its first stop */
    bool disabled;   /* does not stop, and counts no hits */
    bool on_change;  /* of writes to a watchpoint, only those that change it */
    uint64_t ignore; /* number of further hits that do not stop */
    struct target_condition condition;
    struct target_catch catch; /* of a catchpoint */
    /* Filled in by the target: */
    unsigned number;             /* counts from 1; never used again */
    uint64_t pa;                 /* of the first byte, when it was set */
    uint64_t hits;               /* with the condition true; ignored ones too */
    struct target_place *places; /* of a breakpoint, besides `address' */
    size_t place_count;
};

/*
 * A breakpoint belongs to physical memory: `address` is translated once, with the
 * translation of `from_hart`, and the point then stops every hart that comes
 * there by any address.
 *
 * A watchpoint belongs to its address: to the memory to which the page tables of
 * the harts map it, all of them, also after a change of the mapping (a write of
 * satp, an sfence.vma); TARGET_BY_PHYSICAL: to that memory. It sees accesses to
 * that memory by all harts and any address, and writes by devices and firmware.
 * While it is mapped nowhere, it sees nothing.
 *
 * On an error condition and catch are not released.
 */
MUST_USE enum target_error target_add_point(struct target *t, unsigned from_hart,
                                            const struct target_point *p, unsigned *number);
/* Adds a place to a breakpoint. */
MUST_USE enum target_error target_add_place(struct target *t, unsigned from_hart, unsigned number,
                                            uint64_t address);
MUST_USE enum target_error target_enable_point(struct target *t, unsigned number, bool enabled);
MUST_USE enum target_error target_delete_point(struct target *t, unsigned number);
MUST_USE enum target_error target_ignore(struct target *t, unsigned number, uint64_t hits);
/* Takes over `c`; the former condition is released. */
MUST_USE enum target_error target_set_condition(struct target *t, unsigned number,
                                                struct target_condition c);

/* In the order of their numbers. The pointer is valid until points are added or deleted. */
size_t target_point_count(const struct target *t);
const struct target_point *target_point_at(const struct target *t, size_t i);
const struct target_point *target_find_point(const struct target *t, unsigned number);
bool target_has_breakpoint(const struct target *t, uint64_t pa);

/*
 * Calls `changed` whenever a hart may translate an address differently than before: at a resume,
 * after going back, and in the run after a write of satp, an sfence.vma and a return from a trap.
 * It may add and delete breakpoints. NULL ends this. Not to be called in a run.
 */
void target_follow(struct target *t, void (*changed)(void *ctx), void *ctx);

/*
 * Stops after each store to an ftrace site for which `wanted` returns true. It
 * is called during the run, after the store. NULL ends this. `site` is an index
 * of the site table (ftrace/sites/sites.h).
 */
void target_catch_patches(struct target *t, bool (*wanted)(void *ctx, uint32_t site), void *ctx);

/* ---- running ---- */

enum target_stop_reason {
    TARGET_STOP_DONE,        /* the steps are done, or the goal is reached */
    TARGET_STOP_BREAKPOINT,  /* `point` */
    TARGET_STOP_WATCHPOINT,  /* `point`, the first of `accesses` */
    TARGET_STOP_CATCH,       /* `point`, by `event` or `ftrace_event` */
    TARGET_STOP_PATCH,       /* `site`, stored to by `writer` */
    TARGET_STOP_FINDING,     /* the auditor asked for the stop */
    TARGET_STOP_INTERRUPTED, /* the user asked for the stop */
    TARGET_STOP_PROBE,       /* a probe of another owner */
    TARGET_STOP_LIMIT,       /* max_insns or max_cycles of target_config */
    TARGET_STOP_EXIT,        /* the guest ended the run with status `code` */
    TARGET_STOP_RESET,       /* the guest asked for a reboot */
    TARGET_STOP_STUCK,       /* `hart` is in an endless trap loop */
    TARGET_STOP_WAITING,     /* target_step_alone: `hart` waits, or has not been started */
    TARGET_STOP_HISTORY,     /* going back: the start of the history */
    TARGET_STOP_ASLEEP,      /* all harts wait for an interrupt that nothing can raise */
};

/* An access to the bytes of a watchpoint, or to some of them. */
struct target_access {
    unsigned point; /* the watchpoint's number */
    bool read, write, changed;
    uint64_t offset;               /* of the first accessed byte, from the watchpoint's first */
    uint64_t pa;                   /* of that byte */
    unsigned size;                 /* watched bytes that were accessed */
    uint64_t old_value, new_value; /* of these, eight at most; the same for a load */
    struct writer who;             /* hart, pc and cycle; or a device, or firmware */
};

struct target_stop {
    enum target_stop_reason reason;
    unsigned hart;  /* the hart that the reason concerns; else the one that was running */
    bool of_hart;   /* the reason concerns that hart */
    unsigned point; /* BREAKPOINT, WATCHPOINT, CATCH */
    /* CATCH: one of these two, the other is NULL; valid until the next resume */
    const struct event *event;
    const struct ftrace_event *ftrace_event;
    unsigned code;        /* EXIT */
    uint32_t site;        /* PATCH */
    struct writer writer; /* PATCH */
    bool patched;         /* a store to `site` was caught, also if the reason is another one */
    const struct target_access *accesses; /* valid until the next resume */
    size_t access_count;
    size_t findings;     /* of the auditor since the last resume, whatever the reason */
    struct stop machine; /* what machine_run returned */
};

/* Where a run is to end, besides the points. */
struct target_goal {
    enum target_space space;
    uint64_t address;
    uint32_t hart; /* only on this hart, or TARGET_ANY_HART */
    bool on_stack; /* only with stack pointer `sp`: not in recursion or another thread */
    uint64_t sp;
    /* Asked there, with the machine before the instruction; NULL: always. */
    bool (*accepts)(void *ctx, unsigned hart);
    void *ctx;
};

/*
 * Runs the machine's own schedule until something stops it. `from_hart` passes
 * the breakpoint at its present pc, if there is one (TARGET_ANY_HART: no hart
 * does, except one that has just been stopped there). `goal` may be NULL. A goal
 * that cannot be located is ignored.
 */
struct target_stop target_run(struct target *t, unsigned from_hart, const struct target_goal *goal);

/* The same to the first of several goals. */
struct target_stop target_run_to(struct target *t, unsigned from_hart,
                                 const struct target_goal *goals, size_t count);

/*
 * Runs until this hart has executed `count` instructions; the other harts run as
 * the schedule has them. Ends before the first instruction of a trap handler.
 */
struct target_stop target_step(struct target *t, unsigned hart, uint64_t count);

/*
 * The same, counting a call up to its return as one instruction. It may end on another hart, to
 * which the thread has moved.
 */
struct target_stop target_next(struct target *t, unsigned hart, uint64_t count);

/*
 * What a step by lines asks of its caller, who knows lines. The step goes on while pc is in
 * [low, high), and through traps, which are not seen.
 */
struct target_lines {
    uint64_t low, high;
    /*
     * Whether it ends before the instruction at `pc`, outside of [low, high); false: it goes on,
     * now in [*low, *high).
     */
    bool (*ends)(void *ctx, unsigned hart, uint64_t pc, uint64_t *low, uint64_t *high);
    /*
     * A function that is called and begins at `pc`: where in it the step ends; 0: it is stepped
     * over. NULL: all calls are.
     */
    uint64_t (*enters)(void *ctx, unsigned hart, uint64_t pc);
    void *ctx;
};

/* A call is over when it has returned with the stack pointer that it began with, on any hart. */
struct target_stop target_step_lines(struct target *t, unsigned hart,
                                     const struct target_lines *lines);

/*
 * Runs `count` instructions of this hart while all others are stopped and no timer or device acts.
 * Interrupts that are pending are taken. The schedule would not have done this: from here on the
 * run differs from one without the command. TARGET_STOP_WAITING: the hart cannot run.
 */
struct target_stop target_step_alone(struct target *t, unsigned hart, uint64_t count);

/* ---- going back ---- */

/*
 * While the machine runs, snapshots of it are taken within history_max bytes; the oldest is kept,
 * the others lie the further apart the longer they are ago. Going back restores one and runs from
 * there to the exact instruction, with the same input and without showing output again. What the
 * machine does afterwards is what it did before.
 *
 * The history begins where the machine first ran for this target, and anew after what changes the
 * run: target_set_register, target_write and target_step_alone.
 */
bool target_keeps_history(const struct target *t);
uint64_t target_history_start(struct target *t); /* instructions of all harts; there is a history */

/*
 * To where all harts together have executed `insns` instructions, back (no further than the start
 * of the history) or forwards; points do not stop it.
 */
struct target_stop target_goto(struct target *t, uint64_t insns);

/* The same by cycles: to the first instruction boundary at which the machine's clock has them. */
struct target_stop target_goto_cycle(struct target *t, uint64_t cycles);

/* Back to before the last `count` instructions that this hart has executed. */
struct target_stop target_reverse_step(struct target *t, unsigned hart, uint64_t count);

/*
 * Back to the last stop before the present instruction: at a point, a caught patch or a finding
 * that stops. Counts to ignore do not apply, and no hits are counted.
 */
struct target_stop target_reverse_run(struct target *t);

/* An instruction that a hart has executed. */
struct target_executed {
    uint64_t insns;  /* of all harts together, before it */
    uint64_t pc, sp; /* of the hart, before it */
};

/*
 * The last instructions that the hart has executed before the present one, the oldest first; at
 * most `max`, and fewer where the harts did not take turns evenly. Returns how many. The machine
 * is where it was. There must be a history.
 */
size_t target_trail(struct target *t, unsigned hart, struct target_executed *list, size_t max);

/*
 * Back to the last time before the present instruction that a hart came to the goal
 * (TARGET_STOP_DONE), or to a later stop, as target_reverse_run.
 */
struct target_stop target_reverse_to(struct target *t, unsigned hart, const struct target_goal *g);

/*
 * The last write to some of these bytes before the present instruction, and the number of
 * instructions after it; UINT64_MAX: the history has none. The machine is where it was. There must
 * be a history.
 */
MUST_USE enum target_error target_last_write(struct target *t, unsigned hart,
                                             enum target_space space, uint64_t address,
                                             uint64_t size, struct target_access *access,
                                             uint64_t *insns);

/* A place in the run to return to, kept until it is deleted. Its number counts from 1. */
struct target_checkpoint {
    unsigned number;
    uint64_t insns, cycles; /* the machine's */
    unsigned hart;          /* the one that was to run next */
    uint64_t pc;            /* of that hart */
};

unsigned target_checkpoint(struct target *t);
size_t target_checkpoint_count(const struct target *t);
struct target_checkpoint target_checkpoint_at(const struct target *t, size_t i);
/* False: no checkpoint has this number. Points stay as they are. */
MUST_USE bool target_restart(struct target *t, unsigned number, struct target_stop *stop);
MUST_USE bool target_delete_checkpoint(struct target *t, unsigned number);

/* The machine was restored from a file: another run begins here, with a history of its own. */
struct target_stop target_replaced(struct target *t);

/* Host memory of all snapshots and checkpoints; the number of snapshots. */
size_t target_history_bytes(const struct target *t, size_t *snapshots);

/* ---- the present state ---- */

bool target_ended(const struct target *t);      /* the guest has ended: running does nothing */
size_t target_findings(const struct target *t); /* of the auditor so far */

/* Instructions executed by all harts together; cycles of the machine's clock since power-on. */
uint64_t target_insns(const struct target *t);
uint64_t target_cycles(const struct target *t);

/* The image's virtual address for what it loads at `pa`. False: it loads nothing there. */
MUST_USE bool target_image_address(const struct target *t, uint64_t pa, uint64_t *va);

/* Describes TARGET_STOP_STUCK in one line: where the hart traps, and its first exception. */
void target_describe_stuck(const struct target *t, unsigned hart, char text[MACHINE_STUCK_TEXT]);

#endif
