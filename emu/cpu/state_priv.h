/*
 * state_priv.h - the state of a hart without anything that can be computed
 * from it. A snapshot of a hart is this struct; all else that a hart has is a
 * cache (hart_priv.h) and may be dropped at any instruction boundary.
 */
#ifndef CPU_STATE_PRIV_H
#define CPU_STATE_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/hpm_priv.h"

struct hart_order;
struct model;
struct used_set;

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

/* The members for CSRs that are plain storage are generated from csr.def. */
struct csrs {
#define FIELD(ext, name, number, mask) uint64_t name;
#define FN(ext, name, number)
#define CONST(ext, name, number, value)
#define RANGE(ext, name, from, to, first, value)
#define BANK(ext, name, from, to, first)
#include "cpu/isa/csr.def"
#undef FIELD
#undef FN
#undef CONST
#undef RANGE
#undef BANK
    uint64_t mstatus, satp, mie, menvcfg, senvcfg, mtvec, stvec, stimecmp, ssp, mcountinhibit,
        mideleg, medeleg, mseccfg, mstateen[4];
};

/* The vector unit (vector_priv.h). */
enum { VLENB_MAX = 1024 / 8 };

struct vector_state {
    uint64_t vtype;      /* bit 63 is vill */
    uint16_t vl, vstart; /* elements */
    uint8_t vlenb;       /* bytes of a register; 0: the hart has none. It never changes. */
    uint8_t vxrm, vxsat;
    uint64_t executed, stores; /* vector instructions, and those of them that store: hart_vectors */
    _Alignas(16) uint8_t v[32 * VLENB_MAX]; /* register n begins at byte n * vlenb */
};

enum { NESTED_PLACES = 4 };

/* Nested exceptions: each raised by the handler of the one before, in the same mode (trap.c). */
struct nested_traps {
    struct hart_exception first; /* the exception whose handler raised the first nested one */
    struct hart_exception last;
    uint64_t insns;         /* instructions retired before the last one */
    enum privilege handler; /* the mode that it was taken to */
    bool open;              /* no trap return and no interrupt since */
    unsigned places;
    uint64_t pc[NESTED_PLACES]; /* the different pcs at which they are raised */
    unsigned count;             /* number of them in sequence at these pcs */
    /*
     * after ENDLESS_NESTED of them: the registers at one pc, which are compared at the next one
     * there
     */
    unsigned same; /* number of matches in sequence */
    uint64_t sample_pc, sample_tval, sample_x[32];
};

/* Why the engine must leave the blocks at the next instruction boundary. */
enum exit_request {
    EXIT_INTERRUPT = 1, /* an interrupt may have to be taken */
    EXIT_STOP = 2,      /* hart_ask_stop */
    EXIT_STUCK = 4,     /* see HART_STUCK */
    EXIT_CODE = 8,      /* the code of the running block was overwritten */
    EXIT_BLOCKS = 16,   /* all blocks must be decoded again, for example after a PMP change */
    EXIT_LANDING = 64,  /* a jump must end at a landing pad: see next_block */
    EXIT_STACK = 32,    /* the instruction may switch the stack; never at the end of hart_run */
};

/*
 * Where the last hart_run ended inside of a block. The hart continues with the rest of that block
 * and fetches nothing again, so a run in pieces is the same as a run in one piece, whatever is
 * overwritten meanwhile. If the block was dropped, it is decoded again from its start.
 */
struct cut {
    bool valid;
    uint16_t size;   /* of the block, bytes */
    unsigned insn;   /* index in the block of the next instruction */
    uint64_t pc, pa; /* virtual and physical address of the block's start */
};

/* The register that a block's operations have for a rd of x0. */
enum { REG_SINK = 32 };

struct hart_state {
    /* hot: touched by every block */
    uint64_t x[33]; /* writes to x0 go to x[REG_SINK] */
    uint64_t f[32]; /* numbers narrower than 64 bits are NaN-boxed */
    uint64_t cycles;
    uint32_t exit_requests; /* enum exit_request */
    uint8_t fflags, frm;
    uint64_t pc;          /* valid while the engine is not inside of a block */
    int64_t insns_left;   /* of this hart_run; no budget has them yet */
    int64_t insns_budget; /* of this hart_run */
    int64_t until;        /* this hart_run ends at the first boundary at or after this cycle */
    uint64_t insns;       /* retired before this hart_run */

    /* warm */
    struct vector_state vector;
    enum privilege mode;
    struct csrs csr;
    uint32_t irq_lines, irq_soft; /* mip = lines | soft | timer_due's STIP */
    bool timer_due;               /* time has reached stimecmp (Sstc) */
    bool landing_expected;        /* ELP: only a landing pad may be next (Zicfilp) */
    bool reserved;                /* holds an LR reservation of reserved_line (physical) */
    uint64_t reserved_line;
    bool unordered;      /* awaits a data fence (hart_await_order) */
    uint64_t yield_from; /* cycle from which on a pause ends hart_run */
    bool paused;         /* a pause has ended hart_run */
    enum hart_wait waiting;
    bool off;             /* it fetches nothing before hart_reset */
    uint64_t wait_limit;  /* cycle at which HART_WAITS_STORE ends in any case */
    uint64_t cause, tval; /* of the exception that is being raised */
    uint64_t idle_cycles;
    uint64_t insn_offset, cycle_offset; /* minstret, mcycle as written by the guest; while
                                           inhibited, their values */
    struct hpm hpm;
    uint64_t last_trap_pc, last_trap_insns;
    unsigned trap_repeats;
    struct hart_exception first_exception; /* the first one since the last retired instruction */
    struct nested_traps nested;
    struct pmp pmp;

    struct model
        *model; /* the core model: caches, predictors, pipeline (timing/model.h); NULL: none */
    struct hart_order *order; /* stores that wait, views (store_order_priv.h); NULL: prompt mode */

    /* fetch */
    uint64_t sync_stamp;            /* fetches see every write up to this one */
    uint64_t fetch_floor;           /* no fetch returns what was overwritten before this write */
    struct map views;               /* page number -> struct fetch_view (fetch_view_priv.h) */
    struct map reported;            /* page number -> bitmap of the stale instructions reported */
    VEC_OF(uint64_t) changed_views; /* pages whose views the next fence.i clears */
    struct cut cut;

    struct used_set
        *used; /* translations (used_translations_priv.h); NULL: those of memory are used */
};

#endif
