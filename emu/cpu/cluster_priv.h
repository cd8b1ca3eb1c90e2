/*
 * cluster_priv.h - what the harts of a machine share: memory, decoder, code map, probes, listeners.
 */
#ifndef CPU_CLUSTER_PRIV_H
#define CPU_CLUSTER_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/isa/isa.h"
#include "cpu/observer.h"
#include "mem/ram.h"

struct native_code;
struct write_record;
struct fetch_view;
struct old_bytes;

/* What a cluster has if it has a core model. */
struct cluster_timing {
    struct shared_model *shared;
    uint8_t class[OP_COUNT]; /* enum core_class */
};

struct probe {
    uint64_t pa;
    uint64_t age; /* the number of probes and fields that there were before it, and it */
    const struct probe_owner *owner; /* NULL: uprooted */
    uint32_t id;
    uint32_t next; /* at the same address, or of the free ones; NO_PROBE ends */
};

enum { NO_PROBE = CLUSTER_NO_PROBE };

struct sown_field {
    const struct probe_field *field;
    uint64_t age; /* of all its probes */
};
enum { LISTENERS_MAX = 6 };

/* Versions keep the stores to code by chunks. */
enum { WRITE_CHUNK = 64 };

struct versions;

/* The views that harts have of one page, for the time of a change to them (fetch_view.c). */
struct page_views {
    VEC_OF(struct fetch_view *) views;
    struct old_bytes *old; /* the first version; NULL: nothing differs in any */
};

/* A page whose accesses are reported (memwatch.c). */
struct watched_page {
    uint64_t pa;
    unsigned from, end;     /* the bytes of it that include all that is watched */
    unsigned writes, reads; /* how many times each is watched */
};

/* A store to a pointer of a page table. */
struct pointer_write {
    uint64_t pte_pa;
    uint64_t clock; /* cluster.table_clock then */
    struct writer who;
};

enum { POINTER_WRITES = 64 };

struct cluster {
    struct cluster_config config;
    struct ram *ram;
    struct decoder *decoder;
    VEC_OF(struct hart *) harts;
    struct map code_pages; /* page number -> struct code_page */
    /* the newest stores to code; a ring that begins at `oldest_write` once it is full */
    VEC_OF(struct write_record) writes;
    size_t oldest_write;
    uint64_t
        writes_left_out; /* records dropped for newer ones while some hart could still need them */
    struct page_views page_views;
    uint64_t old_code_left_out;     /* words whose old bytes a hart has lost */
    struct versions *code_versions; /* of code_pages and writes; NULL: none was ever taken */
    uint32_t code_generation;       /* of the versions; 0: there are none yet */
    uint32_t *writes_kept;          /* generation in which each part of the ring was kept */
    VEC_OF(struct probe) probes;
    uint32_t free_probe;  /* first of the slots to use again */
    struct map probes_at; /* pa -> index of the first probe */
    uint64_t probe_age;   /* of the newest probe or field */
    struct sown_field fields[PROBE_FIELDS_MAX];
    unsigned field_count;
    const struct sown_field *sown; /* the field that plants now; NULL: none does */
    struct map sown_pages;         /* numbers of the pages in which all fields have planted */
    const struct charge_owner *charge_owners[CHARGE_OWNERS_MAX];
    unsigned charge_owner_count;
    struct listener listeners[LISTENERS_MAX];
    unsigned listener_count;
    bool records_insns, traces_insns;
    struct feed *feed;       /* NULL: nothing is recorded */
    uint32_t wanted;         /* kinds of events that some listener needs */
    struct map table_ranges; /* walk.c: page number of a page table -> what it translates */
    uint64_t table_stamp;    /* differs after each change of what walks depend on; 0: never */
    /* where harts keep the translations that they use (used_translations_priv.h) */
    uint64_t table_clock; /* number of changes of page table entries that were seen */
    struct pointer_write pointer_writes[POINTER_WRITES]; /* the newest ones; a ring */
    uint64_t pointer_write_count;
    VEC_OF(struct watched_page) watched;
    bool store_reads;            /* the present store belongs to an atomic operation */
    struct hart *running;        /* NULL: none */
    uint64_t insns, insns_other; /* of all harts, until the last run; of the harts but `running' */
    struct op_cost cost[OP_COUNT];
    struct cluster_timing *timing; /* NULL: there is no core model: `cost` is all */
    struct store_order *order;     /* NULL: stores are seen at once */
    struct native_code *native;    /* NULL: all blocks are interpreted; the reason: */
    const char *not_native;
};

void cluster_discard_blocks(const struct cluster *c); /* of all harts */

/* probes.c: lets the fields plant in this page, if they have not; and the end of all probes. */
void probes_sow(struct cluster *c, uint64_t page);
void probes_free(struct cluster *c);

/* memwatch.c: ram_hooks.accessed */
void memwatch_accessed(void *cluster, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                       const struct writer *by);
/* Whether a store to these bytes, all in one page, must be reported. */
bool memwatch_has(const struct cluster *c, uint64_t pa, unsigned size);
/* The bytes of a watched page from the first to after the last one that is watched. */
void memwatch_range(const struct cluster *c, uint64_t page, uint64_t *from, uint64_t *end);

/* walk.c: ram_hooks.table_written */
void walk_table_written(void *cluster, uint64_t pa, const uint8_t *old_bytes, unsigned size,
                        const struct writer *by);

static inline bool is_wanted(const struct cluster *c, enum event_kind kind)
{
    return UNLIKELY(c->wanted & EVENT_BIT(kind));
}

#endif
