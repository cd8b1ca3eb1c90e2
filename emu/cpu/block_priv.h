/*
 * block_priv.h - operations and blocks: straight-line runs of code, decoded once.
 */
#ifndef CPU_BLOCK_PRIV_H
#define CPU_BLOCK_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/isa/isa.h"

struct hart;

enum { JUMP_ENTRIES = 2048, BLOCK_INSNS_MAX = 64 };

/* ---- operations ---- */

/* Operations that are not instructions. */
enum {
    UOP_END = OP_COUNT,
    UOP_PROBE,
    UOP_FEED,
    UOP_FEED_RA,
    UOP_FEED_TP,
    UOP_FEED_NOP, /* UOP_FEED_RA fused with the nop after it; and with the nops before and after */
    UOP_NOP_FEED_NOP,
    UOP_FLOAT,
    UOP_SUSPECT,
    UOP_ILLEGAL,
    UOP_CUT,
    UOP_COUNTER,
    UOP_CHARGE,
    UOP_TAKEN,
    UOP_WARM,   /* in place of the first label of a block that is not translated yet */
    UOP_NATIVE, /* ... and of one that is (native_priv.h) */
    UOP_ORDER,  /* in front of each instruction where data are seen late (store_order_priv.h) */
    OP_nop,     /* addi to x0 */
    /* jal and jalr, where the registers say that they call or return (vol. I, 2.5.1) */
    OP_call,
    OP_call_indirect,
    OP_ret,
    /* CSR instructions within a block (hart_csr_in_block) */
    OP_read_csr,
    OP_read_sstatus,
    OP_write_csr,
    OP_write_csr_even,
    OP_write_stvec,
    OP_write_sstatus,
    OP_set_sstatus,
    OP_clear_sstatus,
#define UOP_PAIR(link, first, second) UOP_##first##_##link##_##second
#define UOP_TRIPLE(link, next, first, second, third) \
    UOP_##first##_##link##_##second##_##next##_##third
#define P(link, first, second)              UOP_PAIR(link, first, second),
#define T(link, next, first, second, third) UOP_TRIPLE(link, next, first, second, third),
#define L(sources, name)
#include "cpu/pair.def"
#undef L
#undef T
#undef P
    UOP_COUNT
};
/* Whether it is one of the CSR instructions within a block. */
static inline bool is_csr_operation(unsigned kind)
{
    return kind >= OP_read_csr && kind <= OP_clear_sstatus;
}

/* The most operations that one label fuses. */
enum { TOGETHER_MAX = 3 };

/* Which source of an operation is the previous result: none known, the first, the second. */
enum uop_sources { SOURCES_fresh, SOURCES_last1, SOURCES_last2, SOURCES };

typedef const void *const engine_labels[UOP_COUNT][SOURCES];

/* One operation: sixteen bytes, ready to run. Writes to x0 go to register 32. */
struct uop {
    const void *go; /* label in the engine */
    uint8_t rd, rs1, rs2;
    uint8_t at; /* parcels from the start of the block */
    int32_t imm;
};

/* Rarely used data of an operation: what to give back when the block is left here. */
struct uop_note {
    uint16_t cycles_before; /* of the block, before this operation */
    uint8_t insns_before;
    uint8_t size;  /* bytes of the instruction; 0 for a probe's call */
    uint16_t kind; /* the operation itself, not fused: one of isa.h, or UOP_... */
};

/* An operation costs at most three times the maximum of one field of struct op_cost. */
_Static_assert(BLOCK_INSNS_MAX * 3 * UINT8_MAX <= UINT16_MAX, "uop_note.cycles_before");
_Static_assert(BLOCK_INSNS_MAX <= UINT8_MAX, "uop_note.insns_before");
_Static_assert(BLOCK_INSNS_MAX * 2 <= UINT8_MAX, "uop.at, in parcels");
_Static_assert(UOP_COUNT <= UINT16_MAX, "uop_note.kind");

/* ---- blocks ---- */

/* A direct jump from one block to another; threaded into the target's list so that it can be
 * dropped.
 */
struct block_link {
    struct block *to; /* NOWHERE: none */
    struct block *from;
    struct block_link *next;
    struct block_link **pprev;
};

enum { LINK_NEXT, LINK_TAKEN };

/* The part of a block in one page; listed in the line in which it begins. */
struct block_part {
    struct block *block;
    struct block_part *next, **pprev; /* pprev NULL: in no list */
    uint16_t from, to;                /* its bytes in the page */
};

/* The cycles of a stretch of a block by the table of classes. */
struct charge_cost {
    uint16_t issue, data, branch;
};

/* A stretch of a block whose cycles are counted (charge_priv.h). */
struct block_charge {
    uint64_t *tally;
    uint16_t bytes;          /* bytes of code from the charge on */
    uint16_t at, end;        /* operations: the UOP_CHARGE, and the first one after the stretch */
    struct charge_cost cost; /* 0 with a core model */
};

struct block {
    /* hot */
    uint64_t pc;        /* virtual */
    uint64_t cost;      /* cycles << 32 | insns: see engine.c */
    const void *native; /* native code (native_priv.h), or what stands in for it */
    struct block_link link[2];
    uint64_t **counters; /* of UOP_COUNTER */
    uint16_t size;       /* bytes */
    /* cold */
    struct hart *hart;
    uint64_t pa;
    uint64_t pa_second;     /* page of the second half of a page-crossing instruction, or 0 */
    const void *first_go;   /* the label at which a dispatch begins */
    const void *decoded_go; /* ops[0].go as decoded */
    struct block_link *incoming;
    struct block *same_pa;     /* next of this hart's blocks at the same physical address */
    struct block_part part[2]; /* the second one lies in pa_second's page */
    struct uop_note *notes;
    uint8_t *bytes;  /* as decoded */
    uint32_t listed; /* its position in the hart's list of suspects, from 1 on; 0: not in it */
    struct block_charge *charges;
    uint16_t uop_count, counter_count, charge_count;
    uint16_t warmth;     /* entries until it is translated */
    uint16_t native_ops; /* operations that are native code, from the first one on */
    uint8_t unguarded;   /* how often that was for another configuration of the vector unit */
    bool has_guard;      /* vector_guarded_left may give back something */
    uint8_t native_last; /* label_last() of the operation after those that are native code */
    bool suspect;        /* its bytes may have changed: decode again on entry */
    bool calls;          /* ends with a call: a return-address stack may have it */
    bool guarded; /* PMP permissions differ within its page: fetch is checked at each entry */
    struct uop ops[];
};

/* The target of a link without one. Its cost exceeds any budget, so it is never entered. */
extern const struct block block_nowhere;
#define NOWHERE ((struct block *)(uintptr_t)&block_nowhere)

static inline uint32_t block_insns(const struct block *b)
{
    return (uint32_t)b->cost;
}

static inline uint32_t block_cycles(const struct block *b)
{
    return (uint32_t)(b->cost >> 32);
}

/* ---- jump cache and return-address stack ---- */

#define NO_PC UINT64_MAX

struct jump_entry {
    uint64_t pc;         /* NO_PC: none */
    struct block *block; /* or the one that was the last here; NULL: it is gone */
};

/* The entry for the block at pc, in the cache of one mode. */
static inline struct jump_entry *jump_slot(struct jump_entry *jumps, uint64_t pc)
{
    return &jumps[(pc >> 1) & (JUMP_ENTRIES - 1)];
}

/*
 * Return-address stack: the calls that have not returned yet, innermost on top, wrapping around.
 * A return finds the block after the call by the call's own block, not by its register, so the
 * host's processor can continue there before it knows the address. A lost or wrong entry costs
 * only time.
 */
enum { RETURN_STACK_SIZE = 16 };

struct return_entry {
    uint64_t pc; /* after the call; NO_PC: none */
    struct block *from;
};

/* The part of a block that a budget pays for, while the hart is inside of it (hart_enter_part). */
struct part {
    struct block *block;
    unsigned end;   /* the first operation after the part */
    unsigned count; /* of labels set aside: of that operation, and of those before it */
    const void *go[TOGETHER_MAX];
};

/* build.c: decodes a block; `insns`: retired by the hart before it. NULL: fetch exception raised.
 */
struct block *block_build(struct hart *h, uint64_t pc, uint64_t pa, uint64_t insns, bool *stale);

/* block.c */
struct block *hart_find_block(struct hart *h); /* at the hart's pc; NULL: fetch exception raised */
void block_link(struct block *from, unsigned slot, struct block *to);
void block_drop_links(struct block *b); /* drops the links that lead out of it */
void block_suspect(struct block *b);
void hart_discard_block(struct block *b);
void hart_discard_blocks(struct hart *h);
void hart_discard_suspects(struct hart *h);
void hart_discard_paths(struct hart *h); /* drops the paths of all its blocks (timed_priv.h) */
/* A budget ends in b before operation `at`: the hart will continue there (struct cut). */
void hart_keep_cut(struct hart *h, struct block *b, unsigned at);
/* The block of the cut; *first: the next operation. Requires h->s.cut.valid. */
struct block *hart_resume_cut(struct hart *h, unsigned *first);
/* Makes the hart continue by a look-up of its pc, not in the block in which the last budget ended.
 */
void hart_forget_cut(struct hart *h);
void hart_forget_cut_in(struct hart *h, uint64_t pa,
                        uint64_t size); /* if it overlaps these bytes */

/* partial.c */
/*
 * Pays for the block from operation `first` on: for at most `insns` instructions, and for none that
 * would begin `cycles` cycles later or more; both are above 0. Returns the label to begin with.
 * hart_leave_block gives back what was not used.
 */
const void *hart_enter_part(struct hart *h, struct block *b, unsigned first, uint64_t insns,
                            uint64_t cycles);
/* The engine leaves the block after the instruction to which the current operation, a probe,
 * belongs. */
void hart_leave_after_insn(struct hart *h);
/* The clock has moved on inside of the block: it is left where the limits of this hart_run are. */
void hart_shorten_part(struct hart *h);
/* Leaves the block at the current operation: gives back budget, cycles and counts of what was not
 * executed. */
void hart_leave_block(struct hart *h, bool after_this);

/* label.c */
unsigned label_kind(const struct insn *i); /* the operation for an instruction: OP_... */
/* Sets the label of each operation, alone or fused with the next ones; `notes` has their kinds. */
void label_ops(const struct hart *h, struct uop *ops, const struct uop_note *notes, unsigned count);

/* The register that was written last before operation `at`; 32: not known. */
unsigned label_last(const struct block *b, unsigned at);

#endif
