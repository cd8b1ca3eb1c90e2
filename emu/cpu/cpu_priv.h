/*
 * cpu_priv.h - the inside of the cpu room: harts, blocks, the code map.
 *
 * Three owners. A `cluster` owns the harts and the code map. A `hart` owns its
 * registers, its translation caches and its blocks; its blocks are its
 * instruction cache as the ISA sees it. The code map owns what is known of each
 * page of code: which parcels were written when, and whose blocks lie in it.
 */
#ifndef CPU_PRIV_H
#define CPU_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "cpu/observer.h"
#include "mem/ram.h"

/* Small in a stress build, so that full caches and short slices are the common case. */
#ifdef STRESS
enum { TLB_ENTRIES = 2, JUMP_ENTRIES = 4, BLOCK_INSNS_MAX = 3, BLOCKS_MAX = 16 };
#define BARE_SPAN (UINT64_C(4) << PAGE_SHIFT)
#else
enum { TLB_ENTRIES = 4096, JUMP_ENTRIES = 2048, BLOCK_INSNS_MAX = 64, BLOCKS_MAX = 1 << 17 };
#define BARE_SPAN (UINT64_C(1) << 40) /* bytes, a power of two; all of memory */
#endif

enum {
    PARCELS_PER_PAGE = PAGE_BYTES / 2,
    LINE_BYTES = CACHE_BLOCK_BYTES,
    LINES_PER_PAGE = PAGE_BYTES / LINE_BYTES
};

static inline bool same_page(uint64_t a, uint64_t b)
{
    return a >> PAGE_SHIFT == b >> PAGE_SHIFT;
}

/* ---- operations ---- */

/* Operations that are no instructions. */
enum {
    UOP_END = OP_COUNT,
    UOP_PROBE,
    UOP_FLOAT,
    UOP_SUSPECT,
    UOP_ILLEGAL,
    UOP_CUT,
    UOP_COUNTER,
    OP_nop, /* addi to x0 */
    /* jal and jalr, where the registers say that they call or return (vol. I, 2.5.1) */
    OP_call,
    OP_call_indirect,
    OP_ret,
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
/* So many operations have one label at most. */
enum { TOGETHER_MAX = 3 };

/* Which source of an operation is what was written last before it, for sure. */
enum uop_sources { SOURCES_fresh, SOURCES_last1, SOURCES_last2, SOURCES };

typedef const void *const engine_labels[UOP_COUNT][SOURCES];

/* ---- blocks ---- */

/* One operation: sixteen bytes, ready to run. Writes to x0 go to register 32. */
struct uop {
    const void *go; /* label in the engine */
    uint8_t rd, rs1, rs2;
    uint8_t at; /* parcels from the start of the block */
    int32_t imm;
};

/* The cold side of an operation: what to undo when the block is left here. */
struct uop_note {
    uint16_t cycles_before; /* of the block, before this operation */
    uint8_t insns_before;
    uint8_t size;  /* bytes of the instruction; 0 for a probe's call */
    uint16_t kind; /* as which it runs by itself: an operation of isa.h, or UOP_... */
};

/* A direct jump from one block to another; threaded into the target's list so that it can be cut.
 */
struct block_link {
    struct block *to; /* NOWHERE: none */
    struct block_link *next;
    struct block_link **pprev;
};

enum { LINK_NEXT, LINK_TAKEN };

/* What of a block lies in one page: in the list of the line that it begins in. */
struct block_part {
    struct block *block;
    struct block_part *next, **pprev; /* pprev NULL: in no list */
};

struct block {
    /* hot */
    uint64_t pc;    /* virtual */
    uint64_t price; /* insns << 32 | cycles: see engine.c */
    struct block_link link[2];
    uint64_t **counters; /* of UOP_COUNTER */
    uint16_t size;       /* bytes */
    /* cold */
    struct hart *hart;
    uint64_t pa;
    uint64_t pa_second;   /* page of the second half of a page-crossing instruction, or 0 */
    const void *first_go; /* ops[0].go as decoded */
    struct block_link *incoming;
    struct block *same_pa;     /* next of this hart's blocks at the same physical address */
    struct block_part part[2]; /* the second one lies in pa_second's page */
    struct uop_note *notes;
    uint8_t *bytes;  /* as decoded */
    uint32_t listed; /* its place in hart->suspects, from 1 on; 0: not in there */
    uint16_t uop_count, counter_count;
    bool suspect; /* its bytes may have changed: decode again on entry */
    bool guarded; /* its page is not all alike to PMP: fetch is checked at each entry */
    struct uop ops[];
};

/* What a link without a target leads to. Nobody can pay its price, so nobody enters it. */
extern const struct block block_nowhere;
#define NOWHERE ((struct block *)(uintptr_t)&block_nowhere)

static inline uint32_t block_insns(const struct block *b)
{
    return (uint32_t)(b->price >> 32);
}

static inline uint32_t block_cycles(const struct block *b)
{
    return (uint32_t)b->price;
}

/* ---- the code map ---- */

struct parcel_write {
    uint64_t stamp; /* 0: not written since the page became code */
    struct writer who;
    uint16_t old_bytes, new_bytes;
};

struct code_line {
    struct parcel_write parcel[LINE_BYTES / 2];
};

struct code_page {
    uint64_t pa;
    uint64_t base_stamp;                      /* of the page when it became code */
    struct writer base_writer;                /* who had opened it then */
    bool declared;                            /* some of it: it stays code */
    unsigned word;                            /* of eight bytes: not zero when last looked at */
    uint64_t known[PARCELS_PER_PAGE / 64];    /* fetched by some hart, or declared code */
    struct code_line *lines[LINES_PER_PAGE];  /* NULL: nothing written there */
    struct block_part *parts[LINES_PER_PAGE]; /* of the blocks of all harts, by their first line */
};

struct probe {
    uint64_t pa;
    const struct probe_owner *owner; /* NULL: uprooted */
    uint32_t id;
    uint32_t next; /* at the same address; NO_PROBE ends */
};

enum { NO_PROBE = UINT32_MAX };
enum { LISTENERS_MAX = 4 };

struct cluster {
    struct cluster_config config;
    struct ram *ram;
    struct decoder *decoder;
    VEC_OF(struct hart *) harts;
    struct map code_pages; /* page number -> struct code_page */
    VEC_OF(struct probe) probes;
    struct map probes_at; /* pa -> index of the first probe */
    struct listener listeners[LISTENERS_MAX];
    unsigned listener_count;
    uint32_t wanted; /* kinds of events that some listener needs */
    struct op_cost cost[OP_COUNT];
};

static inline bool is_wanted(const struct cluster *c, enum event_kind kind)
{
    return UNLIKELY(c->wanted & EVENT_BIT(kind));
}

struct code_page *codemap_page(struct cluster *c, uint64_t pa); /* NULL: not code (yet) */
struct code_page *codemap_make_page(struct cluster *c, uint64_t pa);
void codemap_free(struct cluster *c);

/* What the newest write to the parcel at pa was, as far as known; stamp 0: none. */
struct parcel_write codemap_last_write(const struct cluster *c, const struct code_page *page,
                                       uint64_t pa);
void codemap_mark_known(struct code_page *page, uint64_t pa, unsigned size);
void codemap_add_block(struct cluster *c, struct block *b);
void codemap_remove_block(struct block *b);

/*
 * The probes at pa have changed: blocks that hold it are decoded anew. `forget`:
 * and their counters are never touched again.
 */
void codemap_replan(struct cluster *c, uint64_t pa, bool forget);

/* The bus's code hook: stores, stamps, marks blocks, tells the listeners. */
void codemap_store(void *cluster, uint64_t pa, const uint8_t *bytes, unsigned size,
                   const struct writer *who);

/* ---- harts ---- */

/*
 * Translation cache. What an address is above the page's answers with one compare if that is
 * cached, permitted and holds all of the access, and is then the way from the page's first byte.
 */
struct translations {
    uint64_t page[TLB_ENTRIES]; /* no_page(slot): none */
    uint8_t *host[TLB_ENTRIES]; /* where its bytes are */
};

/* A page whose translation would be in another slot. */
static inline uint64_t no_page(unsigned slot)
{
    return (uint64_t)(slot ^ 1) << PAGE_SHIFT;
}

/* Where the translation of va would be. */
static inline unsigned tlb_slot(uint64_t va)
{
    return (unsigned)(va >> PAGE_SHIFT) & (TLB_ENTRIES - 1);
}

struct tlb {
    struct translations load, store, fetch;
};

enum { LOAD_MAX = 8 }; /* bytes */

/*
 * Addresses that lead to the host's memory in a row, and from which loads are permitted: one is
 * only compared with the ends. All of memory where nothing is translated; else a superpage, and
 * those beside it in the page table that go on like it; what memory protection divides, in part.
 */
struct span {
    uint64_t from;
    uint64_t starts;                   /* so many of its bytes can a load begin at; 0: none */
    uint8_t *host;                     /* where `from` is */
    uint64_t mapped_from, mapped_size; /* all that the same leaves map */
};

/* Translations live apart for each of these, so changing mode flushes nothing. */
enum tlb_context { TLB_MACHINE, TLB_BARE, TLB_USER, TLB_SUPER, TLB_SUPER_SUM, TLB_CONTEXTS };

/*
 * Which entries of a cache were filled since it was emptied: emptying it costs what
 * filling it did. Beyond the end they are not kept, and all of it is emptied.
 */
enum { FILLS_MAX = 4096, FILLS_LOST = FILLS_MAX + 1 };

struct fills {
    uint16_t at[FILLS_MAX];
    unsigned len; /* FILLS_LOST: there were more */
};

static inline void fills_add(struct fills *f, ptrdiff_t entry)
{
    if (f->len < FILLS_MAX)
        f->at[f->len] = (uint16_t)entry;
    f->len += f->len < FILLS_LOST;
}

/* What the last walk ended at: of whose address, only the caller knows. */
struct leaf {
    uint64_t pte, pte_pa; /* the entry as it is once A is set */
    unsigned shift;       /* log2 of the bytes that it maps */
};

/* A mapping larger than a page that some cached translation came from. */
struct superpage {
    uint64_t base;
    unsigned shift;
};

enum { SUPERPAGES_MAX = 16 };

#define NO_PC UINT64_MAX

struct jump_entry {
    uint64_t pc; /* NO_PC: none */
    struct block *block;
};

/* Where the block at pc would be, in the cache of one mode. */
static inline struct jump_entry *jump_slot(struct jump_entry *jumps, uint64_t pc)
{
    return &jumps[(pc >> 1) & (JUMP_ENTRIES - 1)];
}

/*
 * The calls that have not returned yet, innermost on top, going round. A return finds the block
 * behind the call through the call's own block, not through its register: the host's processor can
 * fetch there before it knows the address. What is forgotten or wrong costs time only.
 */
enum { CALLS_KEPT = 16 };

struct kept_call {
    uint64_t pc; /* behind the call; NO_PC: none */
    struct block *from;
};

/* Physical memory protection, entry by entry (pmp.c). */
enum { PMP_ENTRIES_MAX = 64 };

struct pmp_range {
    uint64_t from, to; /* physical bytes, end exclusive */
};

struct pmp {
    uint8_t cfg[PMP_ENTRIES_MAX];
    uint64_t addr[PMP_ENTRIES_MAX];
    struct pmp_range range[PMP_ENTRIES_MAX];
    unsigned used; /* entries from here on are off */
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

/* The part of a block that a budget pays for, while the hart is inside of it (hart_enter_part). */
struct part {
    struct block *block;
    unsigned end;   /* its first operation that is not part */
    unsigned count; /* of labels set aside: of that operation, and of those before it */
    const void *go[TOGETHER_MAX];
};

enum attention {
    ATTEND_IRQ = 1,     /* an interrupt may have to be taken */
    ATTEND_STOP = 2,    /* hart_ask_stop */
    ATTEND_STUCK = 4,   /* see HART_STUCK */
    ATTEND_CODE = 8,    /* the running block's own code changed */
    ATTEND_BLOCKS = 16, /* what blocks were decoded under has changed: decode all again */
};

struct hart {
    /* hot: touched by every block */
    uint64_t x[33]; /* x[32] takes what is written to x0 */
    uint64_t f[32]; /* a narrower number in a NaN box */
    uint64_t cycles;
    struct tlb *tlb;         /* of the current data context */
    struct span *loads;      /* the same */
    struct jump_entry *jump; /* of the current mode */
    struct kept_call *calls; /* of the current mode */
    const engine_labels *labels;
    uint32_t attention;
    uint8_t fflags, frm;

    /* where execution stands: uop set while inside a block, else pc */
    uint64_t pc;
    struct block *block;
    const struct uop *uop;
    int64_t left;   /* budget of this hart_run not yet given to blocks */
    int64_t budget; /* of this hart_run */
    uint64_t insns; /* retired before this hart_run */

    /* warm */
    struct cluster *cluster;
    unsigned id;
    enum privilege mode;
    struct csrs csr;
    uint32_t irq_lines, irq_soft; /* mip = lines | soft | timer_due's STIP */
    bool timer_due;               /* time has come to stimecmp (Sstc) */
    bool reserved;                /* by LR: the physical line below */
    uint64_t yield_from;          /* cycle from which on a pause ends hart_run */
    bool paused;                  /* one has */
    enum hart_wait waiting;
    uint64_t wait_limit;  /* cycle at which HART_WAITS_STORE ends in any case */
    uint64_t cause, tval; /* of the exception being raised */
    uint64_t idle_cycles;
    uint64_t insn_offset, cycle_offset; /* minstret, mcycle as written by the guest; what they
                                           stand at while inhibited */
    uint64_t last_trap_pc, last_trap_insns;
    unsigned trap_repeats;
    struct hart_exception first_exception; /* of those since the last instruction */

    uint64_t reserved_line;

    struct pmp pmp;

    struct leaf leaf;
    struct superpage superpages[SUPERPAGES_MAX];
    unsigned superpage_count;
    bool superpages_lost; /* there are more */

    /* fetch */
    uint64_t sync_stamp;  /* fetches see every write up to this one */
    uint64_t store_epoch; /* of ram->epoch, when store translations were last dropped */
    struct map view;      /* parcel pa -> bytes this hart still has, overwritten since */
    struct map reported;  /* insn pa -> newest stamp reported */
    struct map blocks;    /* pa -> struct block, first of its list */
    size_t block_count;
    struct part part;
    struct block *cut; /* in which the last budget ended, to go on there; NULL: none */
    unsigned cut_at;   /* the operation that comes next */
    VEC_OF(struct block *) suspects;
    uint64_t uncounted; /* where a running block counts what nobody asks for any more */

    struct jump_entry jumps[3][JUMP_ENTRIES]; /* by mode: U, S, M */
    struct kept_call kept_calls[3][CALLS_KEPT];
    struct tlb tlbs[TLB_CONTEXTS];
    struct span load_spans[TLB_CONTEXTS];
    struct fills jump_fills, store_fills, other_fills; /* other: loads and fetches */
};

static inline bool hart_has(const struct hart *h, enum extension e)
{
    return h->cluster->config.extensions >> e & 1;
}

/* hart.c */
struct hart *hart_new(struct cluster *c, unsigned id);
void hart_free(struct hart *h);
enum privilege hart_data_mode(const struct hart *h); /* as which loads and stores are made (MPRV) */
void hart_update_context(struct hart *h);            /* after a change of mode, mstatus or satp */
void hart_update_attention(struct hart *h); /* after a change of anything interrupts depend on */
uint64_t hart_mip(const struct hart *h);
void hart_fence_i(struct hart *h, enum fence_origin origin, const struct writer *by);
/* Emits the event of a fence of the hart, requested by `by`. */
void hart_tell_fence(struct hart *h, enum event_kind kind, enum fence_origin origin,
                     const struct writer *by);
struct writer hart_writer(const struct hart *h);

/* trap.c */
void hart_raise(struct hart *h, uint64_t cause, uint64_t tval); /* remembers it for the engine */
void hart_take_exception(struct hart *h);
bool hart_take_interrupt(struct hart *h);           /* false: none is due */
uint64_t hart_due_interrupts(const struct hart *h); /* those that would be taken now */
MUST_USE bool hart_return_from_trap(struct hart *h, enum privilege from);

/* csr.c; false: illegal, already raised */
enum csr_write { CSR_WRITE, CSR_SET, CSR_CLEAR, CSR_READ_ONLY };
MUST_USE bool hart_csr_access(struct hart *h, unsigned number, enum csr_write kind,
                              uint64_t operand, uint64_t *old, uint32_t word);

/* pmp.c */
void pmp_reset(struct hart *h);
bool pmp_permits(const struct hart *h, uint64_t pa, unsigned size, enum access access,
                 enum privilege mode);
bool pmp_page_is_uniform(const struct hart *h, uint64_t pa); /* one answer for all its bytes */
/* Of [*from, *to), leaves the part around pa in which no entry begins or ends. */
void pmp_keep_uniform(const struct hart *h, uint64_t pa, uint64_t *from, uint64_t *to);
bool pmp_has_cfg(const struct hart *h, unsigned n);
bool pmp_has_addr(const struct hart *h, unsigned n);
uint64_t pmp_read_cfg(const struct hart *h, unsigned n);
void pmp_write_cfg(struct hart *h, unsigned n, uint64_t value);
uint64_t pmp_read_addr(const struct hart *h, unsigned n);
void pmp_write_addr(struct hart *h, unsigned n, uint64_t value);

/* mmu.c; false: the exception is raised */
MUST_USE bool hart_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
MUST_USE bool hart_store(struct hart *h, uint64_t va, unsigned size, uint64_t value);
MUST_USE bool hart_fetch_address(struct hart *h, uint64_t va, uint64_t *pa);
/* Aligned RAM only: reservations and atomic operations are not for devices. */
MUST_USE bool hart_load_reserved(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
MUST_USE bool hart_atomic_address(struct hart *h, uint64_t va, unsigned size, uint64_t *pa);
void hart_atomic_store(struct hart *h, uint64_t pa, unsigned size, uint64_t value);
/* cbo: the block around va, under the permissions of a load or store; of a store, and zeroed. */
MUST_USE bool hart_manage_block(struct hart *h, uint64_t va);
MUST_USE bool hart_zero_block(struct hart *h, uint64_t va);
void hart_flush_tlb(struct hart *h);
void hart_flush_tlb_page(struct hart *h, uint64_t va);
void hart_flush_stores(struct hart *h);
void hart_flush_jumps(struct hart *h);
void hart_forget_calls(struct hart *h, const struct block *from); /* NULL: all */

/* block.c */
struct block *hart_find_block(struct hart *h); /* at h->pc; NULL: a fetch exception is raised */
/*
 * Pays for what is left of the block from operation `first` on, of which so many instructions
 * at most are run; returns the label to begin with. hart_leave_block gives back the rest.
 * The next budget goes on with the same block: memory is not looked at again, so a run in
 * pieces is the same run, whatever is overwritten meanwhile.
 */
const void *hart_enter_part(struct hart *h, struct block *b, unsigned first, uint64_t insns);
void block_link(struct block *from, unsigned slot, struct block *to);
void block_suspect(struct block *b);
void hart_discard_block(struct block *b);
void hart_discard_blocks(struct hart *h);
void hart_discard_suspects(struct hart *h);
/* What comes next is found by its address, not in the block in which a budget has ended. */
static inline void hart_forget_cut(struct hart *h)
{
    h->cut = NULL;
}
/* Leaves the block at h->uop: gives back budget, cycles and counts of what was not executed. */
void hart_leave_block(struct hart *h, bool after_this);

/* label.c */
unsigned label_kind(const struct insn *i); /* as which operation the engine runs it */
/* Each operation's label, alone or with those that follow; the notes say what they are. */
void label_ops(const struct hart *h, struct uop *ops, const struct uop_note *notes, unsigned count);

/* Before operation `at`: the register that surely holds what was written last, or 32. */
unsigned label_last(const struct block *b, unsigned at);

/* engine.c */
enum hart_stop engine_run(struct hart *h);
const engine_labels *engine_table(void);

/* Where an operation begins; in the general way, where it has no other for these sources. */
static inline const void *engine_label(const struct hart *h, unsigned uop, enum uop_sources sources)
{
    const void *special = (*h->labels)[uop][sources];

    return special ? special : (*h->labels)[uop][SOURCES_fresh];
}

#endif
