/*
 * guest_evidence.h - a finding of the rule guest-noticed, and what all of these have among their
 * evidence: where the hart is, what was patched last, and what is open.
 */
#ifndef FTRACE_GUEST_EVIDENCE_H
#define FTRACE_GUEST_EVIDENCE_H

#include <stdint.h>

struct audit;
struct finding;
struct hart;
struct text_store;

/* An exception that a hart has taken; cycle 0: none yet. */
struct taken {
    uint64_t pc, cause, value, cycle, step;
};

/* Adds a breach of the rule. NULL: the finding has its evidence already. */
struct finding *guest_evidence_begin(struct audit *a, const struct hart *h, uint64_t pc,
                                     uint64_t cause);

void guest_evidence_exception(struct finding *f, const struct hart *h, const struct taken *e);

/* What was patched last, the updates that are open, the return addresses that are replaced. */
void guest_evidence_state(const struct audit *a, struct finding *f, struct hart *h);

/* The same after the call stack and the task of the hart. Must be called last. */
void guest_evidence_end(const struct audit *a, struct finding *f, struct hart *h);

/* The last store to text, of all harts, and its hart; NULL: there was none. */
const struct text_store *guest_evidence_last_patch(const struct audit *a, uint32_t *hart);

#endif
