/*
 * cluster.h - harts that share a memory, its code map, the probes, the listeners
 * and the fetch mode.
 */
#ifndef CPU_CLUSTER_H
#define CPU_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "cpu/choice.h"
#include "cpu/observer.h"
#include "cpu/store_order.h"

struct bus;
struct cluster;
struct core;
struct decoder;
struct hart;
struct feed_base;
struct feed;
struct state_io;
struct version;

/* The block of cbo.* instructions, and the reservation set of LR. */
enum { CACHE_BLOCK_BYTES = 64 };

/* What a fetch returns for bytes written after the hart's last fence.i (docs/machine.md). */
enum fetch_mode {
    FETCH_STALE,    /* what the hart has fetched of them before */
    FETCH_COHERENT, /* those of memory */
    FETCH_RANDOM,   /* one of these */
    FETCH_ANY,      /* those of any moment since that fence.i, for each instruction */
    FETCH_ORDERED,  /* the same, but of no earlier moment than those of the hart's last fetch */
    FETCH_APART,    /* those of memory; and neither fetches nor fence.i order data */
};

/* Whether the seed, or the chooser (choice.h), says what is fetched. */
static inline bool fetch_has_choices(enum fetch_mode mode)
{
    return mode == FETCH_RANDOM || mode == FETCH_ANY || mode == FETCH_ORDERED;
}

/* Whether each instruction is fetched anew, each time that it is executed. */
static inline bool fetch_is_late(enum fetch_mode mode)
{
    return mode == FETCH_ANY || mode == FETCH_ORDERED;
}

/*
 * The translation of an address whose page table was changed after the hart's last sfence.vma for
 * it. TRANSLATE_INVALID: the old one, also that there was none.
 */
enum translate_mode { TRANSLATE_COHERENT, TRANSLATE_STALE, TRANSLATE_RANDOM, TRANSLATE_INVALID };

enum { PMP_ENTRIES = 16 }; /* as QEMU's harts have them */

/* TIMING_CORE: by the core model cluster_config.core. */
enum timing_model { TIMING_UNIT, TIMING_INORDER, TIMING_CORE };

/*
 * How harts run: ENGINE_AUTO translates blocks that are entered often, where that is possible;
 * ENGINE_TRANSLATED all blocks, before they are entered.
 */
enum engine_choice { ENGINE_AUTO, ENGINE_INTERPRETER, ENGINE_TRANSLATED };

/* Callbacks to the machine. */
struct hart_env {
    void *ctx;
    uint64_t (*ticks)(void *ctx, struct hart *h); /* the time CSR */
    /*
     * The time of this cycle for observers, without the effects of a hart's read. NULL: `ticks' is
     * called.
     */
    uint64_t (*look_at_ticks)(void *ctx, uint64_t cycles);
    /*
     * Sets time_floor and time_offset, by which the feed computes the time; NULL: it is
     * clocks_ticks of the cycle.
     */
    void (*time_base)(void *ctx, struct feed_base *base);
    /*
     * Sstc: called when stimecmp changes. The machine must call hart_set_timer(true) when
     * mtime reaches `tick`; UINT64_MAX: the comparison is off.
     */
    void (*set_timer)(void *ctx, struct hart *h, uint64_t tick);
    /* An ecall from S-mode, with pc after it already; NULL: it traps as the ISA says. */
    void (*firmware_call)(void *ctx, struct hart *h);
    /* Called when a wait of the hart (hart_waits_for) has ended. */
    void (*woken)(void *ctx, struct hart *h);
};

/* The defaults of the configuration; macros, because the option rows need their text. */
#define CODE_WRITES_DEFAULT 65536 /* 4 MiB */
#define OLD_CODE_DEFAULT    3
#define USED_DEFAULT        4096

/* What vector instructions do to elements about which vtype says "agnostic". */
enum agnostic_mode {
    AGNOSTIC_STAYS,  /* nothing */
    AGNOSTIC_ONES,   /* all their bits become 1 */
    AGNOSTIC_RANDOM, /* the one or the other, by the seed */
};

struct cluster_config {
    struct bus *bus;
    uint64_t extensions; /* implemented by the harts (cpu/isa/extension.h); 0: all */
    enum fetch_mode fetch;
    uint64_t fetch_seed; /* FETCH_RANDOM, FETCH_ANY and FETCH_ORDERED */
    enum translate_mode translate;
    uint64_t translate_seed; /* TRANSLATE_RANDOM */
    uint32_t used_max;       /* translations that a hart keeps; 0: USED_DEFAULT */
    struct chooser chooser;  /* answers in place of the seeds of the random modes */
    enum store_mode stores;  /* STORES_PROMPT with a core model */
    uint64_t stores_seed;    /* STORES_RANDOM */
    bool late_registers;     /* the same: loads, AMOs and sc wait, too (hart_late_registers) */
    enum agnostic_mode agnostic;
    uint64_t agnostic_seed; /* AGNOSTIC_RANDOM */
    uint64_t entropy_seed;  /* of the register `seed` (Zkr) */
    enum timing_model timing;
    const struct core *core; /* TIMING_CORE (timing/core.h); must outlive the cluster */
    enum engine_choice engine;
    unsigned pmp_entries;   /* 16 or 64; 0: PMP_ENTRIES */
    size_t code_writes_max; /* stores to code that are kept; 0: CODE_WRITES_DEFAULT */
    size_t
        old_code_max; /* old bytes kept of a parcel that harts have fetched; 0: OLD_CODE_DEFAULT */
    struct hart_env env;
};

struct cluster *cluster_new(const struct cluster_config *config);
void cluster_free(struct cluster *c); /* its harts too */

/*
 * Why blocks that are entered often do not become native code (cpu/native_priv.h), although
 * ENGINE_TRANSLATED asks for it; NULL: they do.
 */
const char *cluster_not_translated(const struct cluster *c);

struct hart *cluster_add_hart(struct cluster *c); /* ids count from 0 */
unsigned cluster_hart_count(const struct cluster *c);
struct hart *cluster_hart(const struct cluster *c, unsigned id);
struct bus *cluster_bus(const struct cluster *c);
enum translate_mode cluster_translate_mode(const struct cluster *c);

/*
 * The steps of the cluster: the instructions that its harts have executed so far, all together,
 * before the one that a hart is executing. It grows over all harts, so it says which of two moments
 * was before the other.
 */
uint64_t cluster_steps(const struct cluster *c);
/* Those of a machine for which none are named: core models have no vector unit. */
uint64_t cluster_default_extensions(const struct cluster_config *config);
uint64_t cluster_extensions(const struct cluster *c); /* the extensions that its harts implement */
/* Of these extensions; making another one takes long. */
const struct decoder *cluster_decoder(const struct cluster *c);

/* At most four listeners; called in the order of attachment. */
void cluster_listen(struct cluster *c, const struct listener *l);

/* Changes the kinds of the listener with that ctx. No hart may be within a run. */
void cluster_listen_to(struct cluster *c, const void *ctx, uint32_t kinds);

/*
 * Begins or ends the events of all instructions (EVENT_INSN), which cost nothing until then. The
 * run stays the same. No hart may be within a run.
 */
void cluster_record_insns(struct cluster *c, bool on);
bool cluster_records_insns(const struct cluster *c);

/* The same for a trace of instructions, beside which they need not be recorded. */
void cluster_trace_insns(struct cluster *c, bool on);
bool cluster_traces_insns(const struct cluster *c);

/* Whether some listener needs events of the kind. If not, they need not be emitted. */
bool cluster_wants(const struct cluster *c, enum event_kind kind);

/* Calls the listeners that need the event. */
void cluster_emit(const struct cluster *c, const struct event *e);

/*
 * Declares [pa, pa+size) to be code before any hart has fetched it, so that
 * stores to it are reported one by one from the start.
 */
void cluster_declare_code(struct cluster *c, uint64_t pa, uint64_t size);

/*
 * Plants a probe at a physical code address (2-byte aligned, in RAM). Blocks
 * with this address are decoded again. Up to PROBES_AT_ONE_PLACE probes may share
 * an address; CLUSTER_NO_PROBE: there are as many already, and none was planted.
 * The owner must stay valid while the probe is planted.
 */
enum { PROBES_AT_ONE_PLACE = 64 };
#define CLUSTER_NO_PROBE UINT32_MAX
uint32_t cluster_plant(struct cluster *c, uint64_t pa, const struct probe_owner *owner,
                       uint32_t id);
void cluster_uproot(struct cluster *c, uint32_t probe); /* CLUSTER_NO_PROBE: does nothing */

/*
 * A field of probes, for owners with places in all code: plant() is called when the first code of a
 * page is decoded, and plants the probes of this page with cluster_plant. So code that is never
 * decoded takes no memory and no time. The probes are as old as the field. The owner must stay
 * valid until the field is removed; the probes that it planted stay, and it uproots them.
 */
struct probe_field {
    void *ctx;
    void (*plant)(void *ctx, uint64_t page_pa);
};
enum { PROBE_FIELDS_MAX = 8 };
void cluster_add_field(struct cluster *c, const struct probe_field *field);
void cluster_remove_field(struct cluster *c, const struct probe_field *field);

/*
 * Asks the owner at the start of each block that is decoded from now on, until cluster_uncharge; it
 * must stay valid until then. No hart may be within a run. The blocks of all harts are decoded
 * again.
 */
enum { CHARGE_OWNERS_MAX = 4 };
void cluster_charge(struct cluster *c, const struct charge_owner *owner);
void cluster_uncharge(struct cluster *c, const struct charge_owner *owner);

/*
 * Reports accesses to [pa, pa+size), all of it RAM: all writes, and with `reads` also loads by
 * harts (EVENT_ACCESS, also for some accesses to the rest of these pages). Each call needs one of
 * cluster_unwatch_memory with the same arguments; pages may be watched several times. The cycles of
 * the run do not change. Costs nothing where no page is watched; loads from all of memory are
 * slower while some page is watched for loads. Allowed also in a callback.
 */
void cluster_watch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads);
void cluster_unwatch_memory(struct cluster *c, uint64_t pa, uint64_t size, bool reads);

/*
 * The number of records that were dropped, although a hart had not fenced since: less is known of
 * stale fetches because of these writes (struct stale_fetch).
 */
struct cluster_left_out {
    uint64_t code_writes; /* stores to code, with writer and old bytes (code_writes_max) */
    uint64_t page_copies; /* copies of pages, by which overwritten bytes are found
                             (ram_reserve_copies) */
    uint64_t old_code; /* words whose old bytes a hart has lost: it keeps those of old_code_max */
};
struct cluster_left_out cluster_left_out(const struct cluster *c);

struct feed *cluster_feed(const struct cluster *c); /* NULL: there is none */

/* Executes a fence.i for `target`, requested by `requester` by a call of firmware. */
void cluster_remote_fence(struct cluster *c, struct hart *target, struct hart *requester);

/* The same for sfence.vma, of [from, from + size); size UINT64_MAX: of all addresses. */
struct remote_flush {
    uint64_t from, size;
    bool one_asid; /* false: of all */
    uint16_t asid;
};
void cluster_remote_sfence_vma(struct cluster *c, struct hart *target, struct hart *requester,
                               const struct remote_flush *flush);

/*
 * Saves or restores the harts, at an instruction boundary. A restore drops all caches and expects
 * memory and code map to be restored already. Probes and listeners stay as they are.
 */
void cluster_state_io(struct state_io *io, struct cluster *c);

/* The code map: all of it, or as a version (base/versions.h), which costs what changes later. */
void cluster_code_state_io(struct state_io *io, struct cluster *c);
struct version *cluster_take_code_version(struct cluster *c);
void cluster_restore_code_version(struct cluster *c, const struct version *v);
void cluster_free_code_version(struct cluster *c, struct version *v);
size_t cluster_code_versions_bytes(const struct cluster *c); /* host memory of all of them */

/* Cost of one operation class under the cluster's model, in cycles. */
struct op_cost {
    uint8_t issue, data, branch;
};
/* Whether a core model says what a cycle is; the costs of classes are all 0 then. */
bool cluster_has_core(const struct cluster *c);

struct op_cost cluster_op_cost(const struct cluster *c, unsigned op);
unsigned op_cost_sum(struct op_cost cost);

#endif
