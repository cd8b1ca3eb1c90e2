/*
 * hart.h - the interface of a hart to the rest of the emulator.
 */
#ifndef CPU_HART_H
#define CPU_HART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "mem/ram.h"

struct cluster;
struct hart;

enum privilege { PRIV_U = 0, PRIV_S = 1, PRIV_M = 3 };

/* Bits of mip/mie, by cause number (ISA vol. II, 3.1.9). */
enum interrupt {
    IRQ_SSI = 1,
    IRQ_MSI = 3,
    IRQ_STI = 5,
    IRQ_MTI = 7,
    IRQ_SEI = 9,
    IRQ_MEI = 11,
    IRQ_LCOFI = 13, /* a counter has overflowed */
};

enum exception {
    EXC_FETCH_MISALIGNED = 0,
    EXC_FETCH_ACCESS = 1,
    EXC_ILLEGAL = 2,
    EXC_BREAKPOINT = 3,
    EXC_LOAD_MISALIGNED = 4,
    EXC_LOAD_ACCESS = 5,
    EXC_STORE_MISALIGNED = 6,
    EXC_STORE_ACCESS = 7,
    EXC_ECALL_U = 8,
    EXC_ECALL_S = 9,
    EXC_ECALL_M = 11,
    EXC_FETCH_PAGE = 12,
    EXC_LOAD_PAGE = 13,
    EXC_STORE_PAGE = 15,
    EXC_SOFTWARE_CHECK = 18, /* its value is one of the next */
};

enum software_check {
    CHECK_LANDING_PAD = 2,
    CHECK_SHADOW_STACK = 3,
};

/* Why hart_run has returned. */
enum hart_stop {
    HART_BUDGET,  /* the limit of instructions or of cycles is reached */
    HART_WAITING, /* the hart waits in wfi or wrs */
    HART_PAUSED,  /* a pause was executed and another hart's clock is lower (hart_yield_from) */
    HART_PROBE,   /* a probe said stop; pc is at its instruction */
    HART_ASKED,   /* hart_ask_stop was called by a callback or a device */
    HART_STUCK,   /* an endless trap loop: the trap handler faults in itself (trap.c) */
};

struct hart_exception {
    uint64_t pc, cause, tval;
    enum privilege mode; /* the mode in which it was raised */
    uint64_t insns;      /* instructions that the hart had retired by then */
};

/* What an instruction waits for; an interrupt ends the waiting for a store, too. */
enum hart_wait { HART_WAITS_NOT, HART_WAITS_INTERRUPT, HART_WAITS_STORE };

/*
 * Executes up to `insns` instructions, while the hart's cycle counter is below `until_cycle`
 * (UINT64_MAX: no limit). HART_BUDGET: one of the two limits is reached; the instructions are
 * then exactly that many, or the counter is that of the first instruction boundary at or after
 * `until_cycle`.
 */
MUST_USE enum hart_stop hart_run(struct hart *h, uint64_t insns, uint64_t until_cycle);

/* The last exception, or the first of a sequence with no instruction between them (HART_STUCK). */
struct hart_exception hart_first_exception(const struct hart *h);

/* For HART_STUCK: the exception whose handler traps, and the exception that repeats. */
struct hart_exception hart_unhandled_exception(const struct hart *h);
struct hart_exception hart_looping_exception(const struct hart *h);

/* Makes a pause at this cycle or later end hart_run; UINT64_MAX, as at first: none does. */
void hart_yield_from(struct hart *h, uint64_t cycle);

/*
 * Ends the current hart_run at the next instruction boundary. From a probe's `hit`, which is
 * called before its instruction, that is the one after this instruction.
 */
void hart_ask_stop(struct hart *h);

/*
 * Power-on state, at pc in the given mode: registers zero, address translation
 * off, nothing in the instruction cache. The cycle counter is not reset.
 */
void hart_reset(struct hart *h, uint64_t pc, enum privilege mode);

/*
 * The same for a hart that firmware starts, or starts again: its instruction cache stays as it was,
 * as neither the ISA nor the SBI promises that a start empties it. What was written since its last
 * fence.i, or since the machine was switched on, is stale for it until its next one.
 */
void hart_start(struct hart *h, uint64_t pc, enum privilege mode);

unsigned hart_id(const struct hart *h);
struct cluster *hart_cluster(const struct hart *h);
uint64_t hart_pc(const struct hart *h);
void hart_set_pc(struct hart *h, uint64_t pc); /* here and above bit 0 is dropped, as by mret */
void hart_set_reg(struct hart *h, unsigned reg, uint64_t value);
void hart_set_freg(struct hart *h, unsigned reg, uint64_t value);
enum privilege hart_mode(const struct hart *h);
bool hart_expects_landing(const struct hart *h); /* ELP: only a landing pad may be next */

/*
 * What a hart begins with: its registers, which probes read so often that these functions are no
 * calls. Floating-point numbers are boxed.
 */
struct hart_registers {
    uint64_t x[33]; /* the last one is no register */
    uint64_t f[32];
};
static inline const struct hart_registers *hart_registers(const struct hart *h)
{
    return (const void *)h;
}

/* All integer and all floating-point registers, 32 each; valid while the hart exists. */
static inline const uint64_t *hart_regs(const struct hart *h)
{
    return hart_registers(h)->x;
}
static inline const uint64_t *hart_fregs(const struct hart *h)
{
    return hart_registers(h)->f;
}
static inline uint64_t hart_reg(const struct hart *h, unsigned reg) /* reg < 32 */
{
    return hart_regs(h)[reg];
}
static inline uint64_t hart_freg(const struct hart *h, unsigned reg) /* reg < 32 */
{
    return hart_fregs(h)[reg];
}
/*
 * A vector register (reg < 32), in memory order, as bytes; *bytes: how many. NULL: the hart has no
 * vector unit. The other one writes as many bytes there.
 */
const uint8_t *hart_vector(const struct hart *h, unsigned reg, unsigned *bytes);
void hart_set_vector(struct hart *h, unsigned reg, const uint8_t *from);

/*
 * Of the vector unit, if the hart has one: its CSRs; whether it is on; how many vector
 * instructions the hart has executed, where each change of a register counts, so that it is
 * never 0; and how many of these were stores of vector registers.
 */
struct hart_vectors {
    uint64_t vl, vtype, vstart, vcsr, executed, stores;
    bool on, dirty; /* mstatus.VS */
};
struct hart_vectors hart_vectors(const struct hart *h);
bool hart_float_is_on(const struct hart *h); /* mstatus.FS is not Off */

/* The state in which a hart executes S-mode, without what the hardware derives from it. */
#define SSTATUS_SIE  (UINT64_C(1) << 1)
#define SSTATUS_SPIE (UINT64_C(1) << 5)
#define SSTATUS_SPP  (UINT64_C(1) << 8)
#define SSTATUS_FS   (UINT64_C(3) << 13)
#define SSTATUS_SUM  (UINT64_C(1) << 18)
#define SSTATUS_MXR  (UINT64_C(1) << 19)
struct hart_status {
    uint64_t sstatus; /* the fields above */
    uint64_t satp;
    uint64_t vectors; /* changes with mstatus.VS and hart_vectors.executed */
    uint32_t fcsr;
};
struct hart_status hart_status(const struct hart *h);
/* Whether no timer of S-mode can interrupt the hart where it is. */
bool hart_is_masked(const struct hart *h);

/*
 * The cycle counter. It is exact also during a callback: the instruction at hart_pc is not counted
 * yet.
 */
uint64_t hart_cycles(const struct hart *h);
uint64_t hart_insns(const struct hart *h);
/* Instructions executed as native code by this process, whatever was before a snapshot. */
uint64_t hart_native_insns(const struct hart *h);

/* Gives hart_cycles, hart_insns and hart_time at once, which is faster. */
void hart_clocks(struct hart *h, uint64_t *cycles, uint64_t *insns, uint64_t *time);

/* The value of the time CSR for observers, without the effects of a hart's read. */
uint64_t hart_time(struct hart *h);

/* Makes the hart wait as by wfi, unless an enabled interrupt is pending already. */
void hart_wait(struct hart *h);

/* Lets time pass without instructions (waiting); the cycle counter follows. */
void hart_advance(struct hart *h, uint64_t to_cycle);
uint64_t hart_idle_cycles(const struct hart *h);

/*
 * What the hart's cycles were spent on, with a core model and while the hart does not run: the
 * parts add up to the cycles without the idle ones. False: the costs are static and not split.
 */
struct hart_parts {
    uint64_t issue, fetch, data, branch;
};
MUST_USE bool hart_parts(const struct hart *h, struct hart_parts *parts);

/* Sets the level of an interrupt input. IRQ_SSI can also be set and cleared by software. */
void hart_set_irq(struct hart *h, enum interrupt irq, bool level);
/* Sstc: sets whether time has reached stimecmp; this is STIP while menvcfg.STCE is set. */
void hart_set_timer(struct hart *h, bool due);
void hart_time_set(struct hart *h);          /* compares stimecmp again after time has jumped */
bool hart_irq_pending(const struct hart *h); /* a pending interrupt would end a wfi */

/* Reads a CSR as M-mode does, without side effects. False: no CSR has this number. */
MUST_USE bool hart_csr(struct hart *h, unsigned number, uint64_t *value);
MUST_USE bool hart_set_csr(struct hart *h, unsigned number, uint64_t value);

enum access { ACCESS_LOAD, ACCESS_STORE, ACCESS_FETCH };

/* Translates va for this hart, without raising a fault or setting A and D. */
MUST_USE bool hart_translate(struct hart *h, uint64_t va, enum access access, uint64_t *pa);
/*
 * Translates va by the hart's page table, whatever the entry permits and whatever mode the hart is
 * in. False: it is not mapped, or satp's mode is Bare.
 */
MUST_USE bool hart_maps(struct hart *h, uint64_t va, uint64_t *pa);

/*
 * Reads memory as the hart's loads see it, also across pages. False: some byte is not mapped RAM.
 */
MUST_USE bool hart_peek(struct hart *h, uint64_t va, void *to, unsigned len);

/* The same for the two or four bytes of an instruction. */
MUST_USE bool hart_peek_insn(struct hart *h, uint64_t va, uint32_t *word);

/*
 * The same without a copy, where the bytes are in one page; valid until memory is written. NULL:
 * they are not, or not mapped RAM, or some of the hart's own stores may not be there yet.
 */
const uint8_t *hart_peek_at(struct hart *h, uint64_t va, unsigned len);

/*
 * Whether the hart still has a translation of va that it has read from the entry at pte_pa. And:
 * lets EVENT_STALE_TRANSLATION be emitted again for its next use.
 */
MUST_USE bool hart_uses_translation(struct hart *h, uint64_t pte_pa, uint64_t va);
void hart_tell_translation_again(struct hart *h, uint64_t pte_pa, uint64_t va);

/* Drops cached translations (satp or page tables changed by firmware). */
void hart_flush_translations(struct hart *h);

/*
 * Turns off a hart that firmware has stopped or not started yet: it does not run before a
 * hart_reset or hart_start.
 */
void hart_turn_off(struct hart *h);

/* What the hart waits for; HART_WAITS_NOT: it can run. */
enum hart_wait hart_waits_for(const struct hart *h);
/* Whether the hart is still in its wait: also when hart_waits_for already says that it can run. */
bool hart_is_in_wait(const struct hart *h);

/* Ends the wait of the hart, if it waits: it continues after the instruction. */
void hart_wake(struct hart *h);

/* The cycle at which the wait ends in any case (wrs.sto); UINT64_MAX: none. */
uint64_t hart_wait_limit(const struct hart *h);

/* Breaks the LR reservation, if there is one; the next sc fails, and a wrs ends. */
void hart_drop_reservation(struct hart *h);

/*
 * For observers: whether the hart has executed, since hart_await_order, an instruction that orders
 * its earlier stores before its later stores or outputs: a data fence, or an atomic operation with
 * aq and rl.
 */
void hart_await_order(struct hart *h);
bool hart_awaits_order(const struct hart *h);

/* How a hart sees two bytes of code at an even address. */
struct hart_parcel {
    uint16_t memory;
    uint16_t fetched;  /* what it would fetch now, by the fetch mode */
    uint16_t former;   /* before the newest write after its last fence.i; else those of memory */
    bool stale;        /* written after its last fence.i, and not known to be the same */
    bool old_known;    /* the hart has fetched the former bytes */
    bool writer_known; /* `who' is the newest write */
    struct writer who;
    uint64_t stamp; /* of that write */
};

/* Describes the parcel at pa without a fetch. False: it is not RAM. */
MUST_USE bool hart_look_at(const struct hart *h, uint64_t pa, struct hart_parcel *p);

/* The same for an instruction that the hart fetches after it has executed `insns` others. */
MUST_USE bool hart_look_ahead(const struct hart *h, uint64_t pa, uint64_t insns,
                              struct hart_parcel *p);

/*
 * Whether the hart has fetched the instruction at pa since the last write to it. It was stale then,
 * and EVENT_STALE_FETCH was emitted.
 */
bool hart_has_fetched_stale(const struct hart *h, uint64_t pa);

/* The write stamp up to which this hart's fetches are up to date; UINT64_MAX: it is turned off. */
uint64_t hart_sync_stamp(const struct hart *h);

/*
 * Calls fn for each parcel (two bytes of code) whose old bytes the hart has fetched and may still
 * run, although memory holds others now. The order is not defined.
 */
void hart_each_old(const struct hart *h, void (*fn)(void *ctx, uint64_t pa), void *ctx);

#endif
