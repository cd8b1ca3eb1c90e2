/*
 * hart_priv.h - a hart: its state and its caches, which are separate.
 *
 * Dropping every cache at any instruction boundary changes no result, no cycle and no finding.
 */
#ifndef CPU_HART_PRIV_H
#define CPU_HART_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/rng.h"
#include "base/vec.h"
#include "cpu/block_priv.h"
#include "cpu/cluster_priv.h"
#include "cpu/hart.h"
#include "cpu/isa/extension.h"
#include "cpu/native_priv.h"
#include "cpu/observer.h"
#include "cpu/state_priv.h"
#include "cpu/timed_priv.h"
#include "cpu/translate_priv.h"

struct state_io;

struct hart_cache {
    /* hot: touched by every block */
    struct tlb *tlb;              /* of the current data context */
    struct span *loads;           /* the same */
    struct jump_entry *jump;      /* of the current mode */
    struct return_entry *returns; /* of the current mode */
    const engine_labels *labels;
    enum hart_stop (*run)(struct hart *h); /* the engine */
    struct block *block;                   /* the block that the engine is in */
    struct block *cut;     /* ... of state.cut, while its links still hold; NULL: to be looked up */
    const struct uop *uop; /* its position in it; NULL: in no block, and the state's pc is valid */

    struct native_state native;
    struct leaf leaf;
    bool unsure; /* the last walk chose between two translations (walk_priv.h) */
    struct noted_table noted_tables[LEVELS_MAX];
    struct known_walk *known_walks; /* known_walks.c; NULL: the hart keeps no translations */
    uint64_t store_epoch; /* value of ram->epoch when store translations were last dropped */

    /* the members of a core model (timed_priv.h); NULL: the costs are static */
    struct timed *timed;
    struct path *path;    /* the path that the engine is in */
    uint64_t token;       /* what fetches depend on, above PIPE_ID_BITS */
    uint64_t stalled;     /* in paths, since it was added to the model's parts: as path.stalled */
    uint32_t pipe;        /* number of the pipeline's state after the path */
    unsigned fetched_ops; /* operations of a dispatched block that can be fetched */
    unsigned issue_shift; /* 2 to that power instructions issue in a cycle */

    uint64_t newest_view; /* the page from which the hart fetched last for the first time */
    struct map blocks;    /* pa -> struct block, first of its list */
    size_t block_count;
    struct hpm_cache hpm;
    struct part part;
    struct {
        uint64_t pc, sp; /* before the instruction that EXIT_STACK is about */
    } stack;
    VEC_OF(struct block *) suspects;
    /* for builds that drop caches (limits.h) */
    struct rng drops;
    uint64_t drop_chances;
    uint64_t
        uncounted[PROBE_TALLY]; /* counter for probes that are gone, in a block that still runs */

    struct jump_entry jumps[3][JUMP_ENTRIES]; /* by mode: U, S, M */
    struct return_entry return_stacks[3][RETURN_STACK_SIZE];
    struct tlb tlbs[TLB_CONTEXTS];
    struct store_walks store_walks[TLB_CONTEXTS];
    unsigned store_walks_filled; /* the contexts in which some may be, a bit each */
    struct span load_spans[TLB_CONTEXTS];
    struct beside beside;
    struct fills jump_fills, store_fills, other_fills; /* other: loads and fetches */
};

_Static_assert(3 * JUMP_ENTRIES <= UINT16_MAX + 1, "an entry's number must fit into struct fills");

struct hart {
    struct hart_state s;
    struct hart_cache cache;
    struct cluster *cluster;
    unsigned id;
};

_Static_assert(offsetof(struct hart, s.x) == offsetof(struct hart_registers, x) &&
                   offsetof(struct hart, s.f) == offsetof(struct hart_registers, f),
               "a hart begins with its registers (hart.h)");

static inline bool hart_has(const struct hart *h, enum extension e)
{
    return h->cluster->config.extensions >> e & 1;
}

/* Cycles of the block that the hart is in or about to enter, and those before an operation. */
static inline uint32_t hart_block_cycles(const struct hart *h, const struct block *b)
{
    return UNLIKELY(h->cache.path) ? path_cycles(h->cache.path) : block_cycles(b);
}

static inline uint32_t hart_cycles_before(const struct hart *h, const struct block *b, unsigned at)
{
    return UNLIKELY(h->cache.path) ? h->cache.path->before[at] : b->notes[at].cycles_before;
}

/* hart.c */
struct hart *hart_new(struct cluster *c, unsigned id);
void hart_free(struct hart *h);
enum privilege hart_data_mode(const struct hart *h); /* the mode of loads and stores (MPRV) */
void hart_update_context(struct hart *h);            /* after a change of mode, mstatus or satp */
void hart_update_interrupts(struct hart *h); /* after a change of anything interrupts depend on */
static inline uint64_t hart_mip(const struct hart *h)
{
    return h->s.irq_lines | h->s.irq_soft | (uint64_t)h->s.timer_due << IRQ_STI;
}
void hart_fence_i(struct hart *h, enum fence_origin origin, const struct writer *by);
/* Emits EVENT_HART_WAITS or EVENT_HART_WOKEN. */
void hart_emit_wait(struct hart *h, enum event_kind kind);
/* Emits the event of a fence of the hart, requested by `by`. */
void hart_emit_fence(struct hart *h, enum event_kind kind, enum fence_origin origin,
                     const struct writer *by);
/* The same for the hart's own sfence.vma, for this address and ASID; NULL: for all. */
void hart_emit_flush(struct hart *h, const uint64_t *va, const uint64_t *asid);
struct writer hart_writer(const struct hart *h);
/* Writes up to this stamp are visible to the fetches of all harts. */
uint64_t hart_oldest_sync_stamp(const struct cluster *c);
void hart_drop_all_caches(struct hart *h);
/* Begins or ends with a buffer of stores and views of its own, and the engine for them. */
void hart_keep_order(struct hart *h, bool on);
/* At an instruction boundary. While restoring, all caches are dropped. */
void hart_state_io(struct state_io *io, struct hart *h);

/* In a build that drops caches: true at random, once in `once_in` calls; else always false. */
static inline bool hart_drops_caches(struct hart *h, unsigned once_in)
{
    return limits.drops && rng_next(&h->cache.drops) % once_in == 0;
}
/* In such a build drops some caches at random; to be called where the engine is in no block. */
void hart_drop_some_caches(struct hart *h);
static inline void hart_drop_caches(struct hart *h)
{
    if (limits.drops)
        hart_drop_some_caches(h);
}

/* trap.c */
void hart_raise(struct hart *h, uint64_t cause, uint64_t tval); /* the engine takes it later */
void hart_take_exception(struct hart *h);
bool hart_take_interrupt(struct hart *h);           /* false: none is due */
uint64_t hart_due_interrupts(const struct hart *h); /* those that would be taken now */
MUST_USE bool hart_return_from_trap(struct hart *h, enum privilege from);

/* csr.c; false: illegal, and nothing has changed */
enum csr_write { CSR_WRITE, CSR_SET, CSR_CLEAR, CSR_READ_ONLY };
MUST_USE bool hart_csr_access(struct hart *h, unsigned number, enum csr_write kind,
                              uint64_t operand, uint64_t *old);
bool hart_sstatus_access(struct hart *h, enum csr_write kind, uint64_t operand, uint64_t *old);
/* A CSR instruction as an operation within a block. */
struct csr_operation {
    unsigned kind;
    uint8_t rs1;
    int32_t imm;
};
/*
 * Whether the CSR instruction may be within a block: its register is one of S-mode whose value does
 * not depend on how far the hart is, a write changes nothing else, or what it changes is looked at
 * by the operation, and no listener needs to know of writes. Then sets the operation for it.
 */
bool hart_csr_in_block(struct hart *h, const struct insn *i, struct csr_operation *o);

/* pmp.c */
void pmp_reset(struct hart *h);
bool pmp_permits(const struct hart *h, uint64_t pa, unsigned size, enum access access,
                 enum privilege mode);
bool pmp_page_is_uniform(const struct hart *h, uint64_t pa); /* one answer for all its bytes */
/* Reduces [*from, *to) to the part around pa in which no PMP entry begins or ends. */
void pmp_keep_uniform(const struct hart *h, uint64_t pa, uint64_t *from, uint64_t *to);
bool pmp_has_cfg(const struct hart *h, unsigned n);
bool pmp_has_addr(const struct hart *h, unsigned n);
uint64_t pmp_read_cfg(const struct hart *h, unsigned n);
void pmp_write_cfg(struct hart *h, unsigned n, uint64_t value);
uint64_t pmp_read_addr(const struct hart *h, unsigned n);
void pmp_write_addr(struct hart *h, unsigned n, uint64_t value);
void pmp_state_io(struct state_io *io, struct hart *h);

/* mmu.c; false: the exception is raised */
MUST_USE bool hart_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
MUST_USE bool hart_store(struct hart *h, uint64_t va, unsigned size, uint64_t value);
/* The type that the page gives its memory (Svpbmt); as in the page table entry. */
enum memory_type { MEMORY_AS_IT_IS, MEMORY_NC, MEMORY_IO };
/*
 * Their translations alone, of an access within a page, and the type of the page; of an atomic
 * operation, as hart_atomic_address.
 */
MUST_USE bool hart_reach_load(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                              enum memory_type *type);
MUST_USE bool hart_reach_store(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                               enum memory_type *type);
MUST_USE bool hart_reach_atomic(struct hart *h, uint64_t va, unsigned size, uint64_t *pa,
                                enum memory_type *type);
/* The type of the page of a load that has just been done by hart_load or hart_load_reserved. */
enum memory_type hart_type_of_load(struct hart *h, uint64_t va, unsigned size);
MUST_USE bool hart_fetch_address(struct hart *h, uint64_t va, uint64_t *pa);
/* Aligned RAM only: reservations and atomic operations are not possible on devices. */
MUST_USE bool hart_load_reserved(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
MUST_USE bool hart_atomic_address(struct hart *h, uint64_t va, unsigned size, uint64_t *pa);
/*
 * The store of an atomic operation, which has loaded the same bytes; and of a successful sc. pa is
 * the result of hart_atomic_address. Fills the store translation.
 */
void hart_atomic_store(struct hart *h, uint64_t va, uint64_t pa, unsigned size, uint64_t value);
void hart_store_conditional(struct hart *h, uint64_t va, uint64_t pa, unsigned size,
                            uint64_t value);
/*
 * The address of a shadow stack's entry (Zicfiss): in RAM, in a page of that kind, never in M-mode.
 * A fault is that of a store. Then its load and store, which are done at once.
 */
MUST_USE bool hart_reach_shadow(struct hart *h, uint64_t va, unsigned size, enum access access,
                                uint64_t *pa);
uint64_t hart_load_shadow(struct hart *h, uint64_t pa, unsigned size);
void hart_store_shadow(struct hart *h, uint64_t pa, unsigned size, uint64_t value);
/* cbo: checks the permissions of the block around va (clean, flush, inval); zeroes the block. */
MUST_USE bool hart_manage_block(struct hart *h, uint64_t va);
MUST_USE bool hart_zero_block(struct hart *h, uint64_t va);
/* The entries of the page tables that a walk reads. */
enum { PTE_LEVELS_MAX = 5 };
struct pte_path {
    uint64_t pte_pa[PTE_LEVELS_MAX];
    unsigned count;
    unsigned shift; /* log2 of the bytes that the last one maps */
    bool global;
};
/* False: va is not mapped. Nothing is changed. */
MUST_USE bool hart_pte_path(struct hart *h, uint64_t va, enum access access, struct pte_path *path);
void hart_flush_tlb(struct hart *h);
/* Walks may read other entries than before, or fail, though no page table was written. */
static inline void hart_forget_walks(const struct hart *h)
{
    h->cluster->table_stamp++;
}
void hart_flush_tlb_page(struct hart *h, uint64_t va); /* the page must not be in a load span */
void hart_flush_stores(struct hart *h);
/* Makes the hart continue by a look-up of its pc, as translations of fetches have changed. */
void hart_flush_jumps(struct hart *h);
void hart_drop_jumps(struct hart *h); /* only empties the jump cache and the return stacks */
void hart_forget_returns(struct hart *h, const struct block *from); /* NULL: all */
/* The same for a hart that may be in a block, when its fetches are translated otherwise (walk.c).
 */
void hart_drop_successors(struct hart *h);

/* engine.c, engine_timed.c, engine_ooo.c, engine_ordered.c */
enum hart_stop engine_run(struct hart *h);
enum hart_stop engine_run_timed(struct hart *h);
enum hart_stop engine_run_ooo(struct hart *h);
enum hart_stop engine_run_ordered(struct hart *h);
const engine_labels *engine_table(void);
const engine_labels *engine_timed_table(void);
const engine_labels *engine_ooo_table(void);
const engine_labels *engine_ordered_table(void);

/* The label of an operation for these sources; the general one if it has no variant for them. */
static inline const void *engine_label(const struct hart *h, unsigned uop, enum uop_sources sources)
{
    const void *special = (*h->cache.labels)[uop][sources];

    return special ? special : (*h->cache.labels)[uop][SOURCES_fresh];
}

#endif
