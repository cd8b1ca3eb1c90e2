/*
 * fetch_priv.h - what the rules about stale fetches ask of each other: the family `fetch' and its
 * evidence, and the families `fence' and `start'.
 */
#ifndef FTRACE_FETCH_PRIV_H
#define FTRACE_FETCH_PRIV_H

#include "ftrace/audit/audit_priv.h"

/* A flush of a hart's translations, of addresses that include code. */
struct text_flush {
    uint32_t requester;
    uint64_t stamp, pc, cycle, step;
};

/* A call of the firmware by a hart, that asks other harts for a fence.i (SBI, RFENCE). */
struct fence_call {
    uint64_t stamp, pc, cycle, step; /* stamp 0: there was none */
    uint64_t mask, base;
};

/* The hart's last such call; its stamp is 0 if there was none. */
const struct fence_call *fence_rules_call(const struct audit *a, uint32_t hart);

/* The flush of translations that the hart has executed instead of a fence.i; or NULL. */
const struct text_flush *fence_rules_flush_instead(const struct audit *a,
                                                   const struct stale_fetch *s);

/*
 * Takes the fetch if it breaks unfenced-start and no other rule: the code was changed before the
 * hart was started, and the hart has executed no fence.i since.
 */
bool start_rules_take(struct audit *a, const struct stale_fetch *s);

/* ---- stale_evidence.c, a part of the family `fetch' ---- */

/* The last stale fetch that was reported: the next one may be the other half of it. */
struct last_stale {
    uint32_t hart, site;
    uint64_t pc, cycle, cause;
};

/* Reports that the fetch breaks the rule. */
void stale_evidence_report(struct audit *a, struct last_stale *last, enum rule rule,
                           const struct stale_fetch *s);
void stale_evidence_state_io(struct state_io *io, struct last_stale *last);

/* Saves or restores all of it but its hart. */
void stale_fetch_state_io(struct state_io *io, struct stale_fetch *s);

#endif
