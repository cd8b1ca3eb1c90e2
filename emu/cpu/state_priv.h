/*
 * state_priv.h - the architectural state of a hart, and nothing that could be
 * computed again from it. A snapshot of a hart is this struct; everything else
 * that a hart has is a cache (hart_priv.h) and may be dropped at any moment.
 */
#ifndef CPU_STATE_PRIV_H
#define CPU_STATE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"

struct fetch_view;

/* Physical memory protection, entry by entry (pmp.c). */
enum { PMP_ENTRIES_MAX = 64 };

struct pmp_range {
    uint64_t from, to; /* physical bytes, end exclusive */
};

struct pmp {
    uint8_t cfg[PMP_ENTRIES_MAX];
    uint64_t addr[PMP_ENTRIES_MAX];
    struct pmp_range range[PMP_ENTRIES_MAX]; /* computed from the two above */
    unsigned used;                           /* entries from here on are off */
};

/* CSRs that are plain storage have their fields made from csr.def. */
struct csrs {
#define FIELD(ext, name, number, mask) uint64_t name;
#define FN(ext, name, number)
#define CONST(ext, name, number, value)
#define RANGE(ext, name, from, to, first, value)
#define BANK(ext, name, from, to, first)
#include "cpu/csr.def"
#undef FIELD
#undef FN
#undef CONST
#undef RANGE
#undef BANK
    uint64_t mstatus, satp, mie, menvcfg, senvcfg, mepc, sepc, mtvec, stvec, stimecmp,
        mcountinhibit;
};

enum { NESTED_PLACES = 4 };

/* Exceptions that came one after another from trap handlers in their own mode (trap.c). */
struct nested_traps {
    struct hart_exception first; /* the one before them, whose handler it is */
    struct hart_exception last;
    uint64_t insns;         /* retired when the last one came */
    enum privilege handler; /* the mode that it was taken to */
    bool open;              /* no trap return and no interrupt since */
    unsigned places;
    uint64_t pc[NESTED_PLACES]; /* where they come */
    unsigned count;             /* in a row at these places */
    /* the registers at one of them, once there were many */
    unsigned same; /* so often they were the same */
    uint64_t sample_pc, sample_tval, sample_x[32];
};

/* Why the engine must leave the blocks at the next instruction boundary. */
enum exit_request {
    EXIT_INTERRUPT = 1, /* an interrupt may have to be taken */
    EXIT_STOP = 2,      /* hart_ask_stop */
    EXIT_STUCK = 4,     /* see HART_STUCK */
    EXIT_CODE = 8,      /* the running block's own code changed */
    EXIT_BLOCKS = 16,   /* the conditions that all blocks were decoded under have changed */
    EXIT_STACK = 32,    /* the instruction may switch the stack; never at the end of hart_run */
};

/*
 * The last budget ended inside of a block, before one of its instructions. The hart goes on in the
 * same block: memory is not looked at again, so a run in pieces is the same run, whatever is
 * overwritten meanwhile. Where the block was dropped it is decoded from its start again.
 */
struct cut {
    bool valid;
    uint16_t size;   /* of the block, bytes */
    unsigned insn;   /* comes next; its number in the block */
    uint64_t pc, pa; /* of the block's start */
};

struct hart_state {
    /* hot: touched by every block */
    uint64_t x[33]; /* x[32] takes what is written to x0 */
    uint64_t f[32]; /* a narrower number in a NaN box */
    uint64_t cycles;
    uint32_t exit_requests; /* enum exit_request */
    uint8_t fflags, frm;
    uint64_t pc;          /* valid while the engine is not inside of a block */
    int64_t insns_left;   /* of this hart_run, not yet given to blocks */
    int64_t insns_budget; /* of this hart_run */
    int64_t until;        /* this hart_run ends at the first boundary at or after this cycle */
    uint64_t insns;       /* retired before this hart_run */

    /* warm */
    enum privilege mode;
    struct csrs csr;
    uint32_t irq_lines, irq_soft; /* mip = lines | soft | timer_due's STIP */
    bool timer_due;               /* time has come to stimecmp (Sstc) */
    bool reserved;                /* by LR: the physical line below */
    uint64_t reserved_line;
    uint64_t yield_from; /* cycle from which on a pause ends hart_run */
    bool paused;         /* one has */
    enum hart_wait waiting;
    uint64_t wait_limit;  /* cycle at which HART_WAITS_STORE ends in any case */
    uint64_t cause, tval; /* of the exception being raised */
    uint64_t idle_cycles;
    uint64_t insn_offset, cycle_offset; /* minstret, mcycle as written by the guest; while
                                           inhibited, their values */
    uint64_t last_trap_pc, last_trap_insns;
    unsigned trap_repeats;
    struct hart_exception first_exception; /* of those since the last instruction */
    struct nested_traps nested;
    struct pmp pmp;

    /* fetch */
    uint64_t sync_stamp;                       /* fetches see every write up to this one */
    struct map views;                          /* page number -> struct fetch_view (fetch_priv.h) */
    VEC_OF(struct fetch_view *) changed_views; /* those that the next fence.i clears */
    struct cut cut;
};

#endif
