/*
 * cluster_priv.h - what the harts of a machine share: memory, decoder, code map, probes, listeners.
 */
#ifndef CPU_CLUSTER_PRIV_H
#define CPU_CLUSTER_PRIV_H

#include <stdint.h>

#include "base/compiler.h"
#include "base/map.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/isa.h"
#include "cpu/observer.h"
#include "mem/ram.h"

struct probe {
    uint64_t pa;
    const struct probe_owner *owner; /* NULL: uprooted */
    uint32_t id;
    uint32_t next; /* at the same address; NO_PROBE ends */
};

enum { NO_PROBE = UINT32_MAX };
enum { LISTENERS_MAX = 4 };

struct versions;

struct cluster {
    struct cluster_config config;
    struct ram *ram;
    struct decoder *decoder;
    VEC_OF(struct hart *) harts;
    struct map code_pages;          /* page number -> struct code_page */
    struct versions *code_versions; /* NULL: none was ever taken */
    uint32_t code_generation;       /* of the versions; 0: as long as there are none */
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

#endif
