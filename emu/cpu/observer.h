/*
 * observer.h - the machine's stream of events, and probes.
 *
 * Events are emitted in the order in which things happen, most of them by
 * handlers that are slow anyway. A listener names the kinds that it needs; a
 * kind that no listener needs costs one test in such a handler. Data fences, calls,
 * returns, switches of the stack, marks and single instructions have no slow handler: they are
 * compiled into blocks, as probes are, only if some listener needs their kinds. A probe is compiled
 * only into the blocks that contain its address (docs/architecture.md).
 *
 * Callbacks may read and write registers and memory; they may not run harts.
 */
#ifndef CPU_OBSERVER_H
#define CPU_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/hart.h"
#include "mem/ram.h"

/*
 * EVENT_CODE_WRITE. A store to code: at most eight bytes within one page, after it was made.
 * EVENT_CODE_SAME: one that has changed nothing; it has no stamp of its own, but that of the last.
 */
struct code_write {
    uint64_t stamp; /* of the write clock (mem/ram.h) */
    struct writer who;
    uint64_t pa;
    unsigned size;
    uint8_t old_bytes[8], new_bytes[8];
};

/*
 * EVENT_ACCESS: an access to memory watched by cluster_watch_memory, after it was made: a write, or
 * a load by a hart; atomic operations do both. Of accesses to other bytes of the same page some are
 * reported, too. The bytes are valid during the call. Fetches, reads by devices and walks of page
 * tables are not reported; the update of a page table entry is, as a write by its hart.
 */
struct access_event {
    struct writer who;
    uint64_t pa;
    unsigned size; /* never across a page */
    bool reads, writes;
    const uint8_t *old_bytes, *new_bytes; /* the same without a write */
};

/* By an instruction of the hart itself, or by firmware for a call of another hart. */
enum fence_origin { FENCE_LOCAL, FENCE_REMOTE };

/* EVENT_FENCE_I: a hart's fetches are up to date. EVENT_SFENCE_VMA: its translations are. */
struct fence_event {
    enum fence_origin origin;
    struct hart *hart;  /* the hart whose fetches or translations are up to date */
    uint32_t requester; /* hart id; the hart itself unless FENCE_REMOTE */
    uint64_t pc;        /* of the requester's instruction */
    uint64_t cycle;     /* of the requester */
    uint64_t step;      /* cluster_steps */
    uint64_t stamp;     /* of the newest write that the hart's fetches must see */
    bool one_address;   /* sfence.vma by its own instruction, of this address only */
    bool one_asid;      /* sfence.vma of this address space only, and not of global translations */
    uint16_t asid;
    uint64_t va;
    uint64_t
        size; /* sfence.vma requested of others: of these bytes from va on; 0: not of a range */
};

/*
 * A fence of one address need not cover pointers to tables, and harts go on with them. A request to
 * firmware for a range of this size or more covers those in it, too: firmware fences everything
 * then.
 */
enum { POINTER_FENCE_BYTES = 2 << 20 };

/*
 * EVENT_STALE_TRANSLATION: a hart uses an entry that is not that of the page tables any more, and
 * this makes a difference: another page, or a fault. Emitted before the access, once for each
 * change of the entry and kind of access (of a pointer also for each page). Where a pointer or satp
 * was changed, and the entry is a leaf, new_pte is at another place.
 */
struct stale_translation {
    struct hart *hart;
    enum access access;
    enum privilege mode; /* of the access (MPRV applied) */
    uint64_t pc, cycle;  /* of the instruction */
    uint64_t va;
    uint64_t pte_pa; /* the entry that the hart has used */
    unsigned shift;  /* log2 of the bytes that it maps */
    bool pointer;    /* it is a pointer to the table below */
    bool user;       /* the page is one of user mode */
    bool reused; /* of a pointer: the table has got other entries, or data, since it was changed */
    struct writer reuser;      /* the first store of these */
    uint64_t old_pte, new_pte; /* V clear: not mapped */
    uint64_t old_pa, new_pa;   /* unless it faults */
    bool old_faults, new_faults;
    bool chose_old;
    bool global;
    uint16_t asid;
    uint64_t first_cycle; /* of the hart, when it began to use the entry */
    bool other_root;      /* satp was given other tables for the same number */
    bool writer_known;    /* false: it was satp, or the change is too long ago */
    struct writer who;    /* the newest change */
};

/* Which version of a stale parcel the hart has fetched. */
enum fetch_choice { FETCHED_OLD, FETCHED_NEW };

/* What is known of the write that makes a fetch stale. */
enum stale_evidence {
    STALE_PARCEL,    /* these bytes were written and differ from those that the hart may have */
    STALE_PAGE_ONLY, /* bytes in the page were written; it is not known whether these */
};

/*
 * EVENT_STALE_FETCH: a hart fetched an instruction with a parcel that was written after its last
 * fence.i. Reported once for each block and write, not for each fetch.
 */
struct stale_fetch {
    struct hart *hart;
    uint64_t insns;       /* that the hart has executed before the parcel's instruction */
    uint64_t pc, pa;      /* of that instruction; virtual and physical */
    unsigned size;        /* of that instruction, bytes, in the version executed */
    uint8_t old_bytes[4]; /* the bytes that the hart had (or could have had) */
    uint8_t new_bytes[4]; /* the bytes in memory */
    bool old_known;       /* false: the code was never fetched before, only its page is known */
    bool fetched_before;  /* the hart had decoded these bytes already */
    enum fetch_choice chosen;
    struct writer who; /* the newest write */
    bool writer_known; /* all of `who` is known: the hart's instruction, or another writer */
    bool agent_known;  /* at least the kind of writer and the hart; the rest of `who` is 0 */
    /*
     * If the write was not seen by itself: the first store to its page since the page was closed
     * (mem/ram.h). pc 0: not known.
     */
    struct writer opener;
    enum stale_evidence evidence;
    uint64_t stamp;
};

/* EVENT_TRAP, before the hart's state changes. */
struct trap_event {
    struct hart *hart;
    bool interrupt;
    uint64_t cause; /* without the interrupt bit */
    uint64_t epc, tval;
    unsigned from, to; /* privilege: 0 U, 1 S, 3 M */
};

/* EVENT_TRAP_RETURN, after it. */
struct trap_return_event {
    struct hart *hart;
    uint64_t pc; /* where the hart continues */
    unsigned from, to;
};

/*
 * EVENT_IPI_SENT: an interrupt line of `hart` for interrupts between harts was raised;
 * EVENT_IPI_TAKEN: the hart takes that interrupt (its EVENT_TRAP follows).
 */
struct ipi_event {
    struct hart *hart;
    struct hart *sender; /* SENT: the hart that was running */
    unsigned interrupt;  /* IRQ_SSI or IRQ_MSI */
};

/* EVENT_SBI_CALL: a call of the built-in firmware, before it is handled. */
struct sbi_event {
    struct hart *hart;
    uint64_t extension, function;
};

/*
 * EVENT_HART_STARTED, EVENT_HART_STOPPED, by firmware. EVENT_SATP: it has another page table.
 * EVENT_HART_WAITS: it waits in wfi or wrs; EVENT_HART_WOKEN: the wait has ended, and its cycles
 * are those after it.
 */
struct hart_event {
    struct hart *hart;
};

/* EVENT_CSR_WRITE: an instruction has written a CSR. */
struct csr_write_event {
    struct hart *hart;
    unsigned number;
    uint64_t old_value, new_value; /* as the hart reads them */
};

/* A set of accesses that a data fence orders. */
enum { FENCE_SET_W = 1, FENCE_SET_R = 2, FENCE_SET_O = 4, FENCE_SET_I = 8 };

/* EVENT_DATA_FENCE: a `fence` is about to be executed. `pause`, which is encoded as one, is none.
 */
struct data_fence_event {
    struct hart *hart;
    uint64_t pc;
    uint8_t pred, succ; /* FENCE_SET_ bits */
    bool tso;           /* fence.tso: of its RW,RW it leaves out the order of stores before loads */
};

/*
 * EVENT_CALL, EVENT_RETURN: before a jump that is a call or return by its registers (vol. I,
 * 2.5.1): a call writes ra or t0, a return jumps to one of them, and a jalr from one to the other
 * is both, first a return. A tail call or return by another register is neither. Not emitted if
 * the jump itself traps.
 */
struct transfer_event {
    struct hart *hart;
    uint64_t pc, target;
    uint64_t next_pc; /* of the instruction after the jump: a call's return address */
};

/*
 * EVENT_STACK_SWITCH: an instruction, in any mode, has given sp a new value that was not computed
 * from the old one by addi, add, sub, andi or and, by which frames are made and given back. The
 * hart's pc is after it already.
 *
 * That is all that a machine can see; it does not know where stacks begin and end. So there are
 * also events that stay on one stack: a frame given back by the frame pointer, and a trap
 * handler that loads the interrupted sp. For a switch to another stack `to` is the new one's sp,
 * with two exceptions: an address that is built by two instructions has an event after the first
 * (lui or auipc), with `to` up to 2 KiB off; and what a debugger or firmware writes to sp has none.
 * A trap changes no sp: that its handler does, by the csrrw or the load that is reported.
 */
struct stack_switch_event {
    struct hart *hart;
    uint64_t pc; /* of the instruction */
    uint64_t from, to;
};

/*
 * EVENT_INSN: an instruction is about to be executed; only between cluster_record_insns(c, true)
 * and (c, false), or cluster_trace_insns. It may still trap.
 */
struct insn_event {
    struct hart *hart;
    uint64_t pc;
    uint32_t word; /* as fetched; a compressed one in the low half */
};

/*
 * EVENT_MARK: `slti x0, rs1, number' is about to be executed, one of the hints that are designated
 * for custom use (vol. I, 2.9): a mark by which the guest, in any mode, tells the machine
 * something.
 */
struct mark_event {
    struct hart *hart;
    uint64_t pc;
    int32_t number;
    uint64_t value; /* of rs1 */
};

enum event_kind {
    EVENT_CODE_WRITE,
    EVENT_CODE_SAME,
    EVENT_ACCESS,
    EVENT_STALE_FETCH,
    EVENT_STALE_TRANSLATION,
    EVENT_FENCE_I,
    EVENT_SFENCE_VMA,
    EVENT_SATP,
    EVENT_TRAP,
    EVENT_TRAP_RETURN,
    EVENT_IPI_SENT,
    EVENT_IPI_TAKEN,
    EVENT_SBI_CALL,
    EVENT_HART_STARTED,
    EVENT_HART_STOPPED,
    EVENT_DATA_FENCE,
    EVENT_CALL,
    EVENT_RETURN,
    EVENT_STACK_SWITCH,
    EVENT_CSR_WRITE,
    EVENT_HART_WAITS,
    EVENT_HART_WOKEN,
    EVENT_INSN,
    EVENT_MARK,
    EVENT_KINDS,
};

struct event {
    enum event_kind kind;
    union {
        struct code_write code_write; /* CODE_WRITE, CODE_SAME */
        struct access_event access;
        struct stale_fetch stale_fetch;
        const struct stale_translation *stale_translation; /* valid during the call */
        struct fence_event fence;                          /* FENCE_I, SFENCE_VMA */
        struct trap_event trap;
        struct trap_return_event trap_return;
        struct ipi_event ipi; /* IPI_SENT, IPI_TAKEN */
        struct sbi_event sbi;
        struct hart_event started; /* HART_STARTED, HART_STOPPED, HART_WAITS, HART_WOKEN */
        struct hart_event satp;
        struct data_fence_event data_fence;
        struct transfer_event transfer; /* CALL, RETURN */
        struct stack_switch_event stack_switch;
        struct csr_write_event csr_write;
        struct insn_event insn;
        struct mark_event mark;
    };
};

/* A set of kinds. */
#define EVENT_BIT(kind) (UINT32_C(1) << (kind))

/* A callback for the events of the kinds in `kinds`. */
struct listener {
    void *ctx;
    uint32_t kinds; /* EVENT_BIT of each */
    void (*on_event)(void *ctx, const struct event *e);
};

/* ---- probes ---- */

/* What a probe counts: times executed; cycles, by what they were spent on. */
enum { TALLY_ENTRIES, TALLY_ISSUE, TALLY_FETCH, TALLY_DATA, TALLY_BRANCH, PROBE_TALLY };

/* The code at a probe, in the block that is being decoded. */
struct probe_code {
    struct hart *hart;
    uint64_t pc, pa;
    bool starts_block;
    uint64_t block_pc;    /* where the block begins: code before it is not fetched now */
    const uint8_t *bytes; /* as this hart fetches them, from the probe on */
    unsigned size;        /* of the rest of the block's bytes, at least one instruction */
};

enum probe_action {
    PROBE_IGNORE, /* not in this block */
    PROBE_COUNT,  /* add one to *counter whenever the probed instruction is executed; cheap */
    PROBE_CALL,   /* call `hit` before it is executed */
    PROBE_FEED,   /* put it into the cluster's feed (cpu/feed.h), which must be there */
    PROBE_CHARGE, /* only charge cycles to *counter, as below */
};

struct probe_plan {
    enum probe_action action;
    uint64_t *counter; /* PROBE_COUNT: stays valid while the probe is planted */
    /*
     * Above 0: the counter is the first of PROBE_TALLY counters, and the others get the cycles of
     * this many bytes of code from the probe on, within the block. With PROBE_CALL, too, the first
     * one is then counted.
     */
    uint16_t charged_bytes;
    bool needs_ra;  /* PROBE_FEED: the hit has the value of ra */
    uint8_t cookie; /* PROBE_CALL: passed to `hit`; PROBE_FEED: that, or recorded */
};

/*
 * A charge for code that blocks begin within, after the probe at its start: at a call's return, in
 * another page, after a trap.
 */
struct charge {
    uint64_t *tally; /* PROBE_TALLY counters; the first is not changed; NULL: nothing is charged */
    unsigned bytes;  /* from the block's start on */
};

/* Is asked for a charge at the first instruction of each block that is decoded. */
struct charge_owner {
    void *ctx;
    bool (*covers)(void *ctx, uint64_t pa); /* some of its code may be at this address */
    struct charge (*plan)(void *ctx, const struct probe_code *code);
};

enum probe_verdict { PROBE_GO_ON, PROBE_STOP };

/* The owner of probes; `id` is its own number for each probe. */
struct probe_owner {
    void *ctx;
    /* NULL: each of them is PROBE_CALL. */
    struct probe_plan (*plan)(void *ctx, uint32_t id, const struct probe_code *code);
    enum probe_verdict (*hit)(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc);
};

#endif
