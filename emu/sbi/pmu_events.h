/*
 * pmu_events.h - which of the harts' events (cpu/hpm.h) each hardware event of SBI is. The device
 * tree has the same table for OpenSBI.
 */
#ifndef SBI_PMU_EVENTS_H
#define SBI_PMU_EVENTS_H

#include <stdint.h>

struct cluster;

struct pmu_mapping {
    uint32_t sbi;     /* type << 16 | code */
    uint8_t selector; /* enum hpm_event */
};

/* The number of pmu_mappings. */
enum {
#define P(sbi, name) PMU_MAPPING_##sbi,
#include "sbi/pmu_event.def"
#undef P
    PMU_MAPPINGS
};
extern const struct pmu_mapping pmu_mappings[PMU_MAPPINGS];

/* The event that the harts of this cluster count for it; 0: none. */
unsigned pmu_selector(const struct cluster *c, uint64_t sbi);

#endif
