/*
 * hpm.h - the programmable counters of a hart: how many, and what they can count (Zihpm,
 * Sscofpmf).
 */
#ifndef CPU_HPM_H
#define CPU_HPM_H

#include <stdbool.h>
#include <stdint.h>

struct cluster;

/* mhpmcounter3 and the next ones. */
enum { HPM_COUNTERS = 8, HPM_FIRST = 3 };

enum hpm_event {
    HPM_none,
#define E(number, name, model, most, text) HPM_##name = (number),
#include "cpu/hpm.def"
#undef E
    HPM_EVENTS
};

#define HPM_RAW_EVENTS UINT64_C(0x1f) /* the bits of an event's number */

/* mhpmevent, above the number of the event. */
#define HPM_OF    (UINT64_C(1) << 63)
#define HPM_MINH  (UINT64_C(1) << 62)
#define HPM_SINH  (UINT64_C(1) << 61)
#define HPM_UINH  (UINT64_C(1) << 60)
#define HPM_FLAGS (UINT64_C(0xff) << 56) /* these, and what is reserved beside them */

/* Whether the harts of the cluster can count the event. */
bool hpm_has_event(const struct cluster *c, uint64_t event);

#endif
