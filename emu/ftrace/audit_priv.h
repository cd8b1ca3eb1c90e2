/*
 * audit_priv.h - the part of the auditor that the functions of the rules use.
 */
#ifndef FTRACE_AUDIT_PRIV_H
#define FTRACE_AUDIT_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "ftrace/audit.h"
#include "ftrace/swaps.h"

/* A fetch in the window of an update: a breach if the hart has not fenced when the update ends. */
struct window {
    enum rule rule; /* the rule that it breaks then */
    uint32_t hart;
    struct stale_fetch fetch; /* its hart is NULL */
};

/* What the auditor remembers of a hart. */
struct audited_hart {
    uint32_t depth;   /* traps taken minus trap returns, modulo 2^32 */
    bool left_m_mode; /* it has left M-mode at least once: its firmware has started a kernel */
    bool fenced;      /* has executed a fence.i since then, or since power-on if it never left */
};

struct audit {
    VEC_OF(enum rule) untold; /* of findings of which the listener will be told */
    struct audit_config config;
    uint32_t rules_kinds; /* of events that some rule needs */
    VEC_OF(struct finding) findings;
    struct map index; /* cause -> its finding */
    uint64_t left_out[SEVERITIES];
    struct swaps *swaps;
    struct audited_hart *harts;
    VEC_OF(struct window) windows; /* private to fetch_rules.c */
    uint64_t windows_left_out;
    /* The last breach; the next event may be the other half of it. */
    struct {
        uint32_t hart, site;
        uint64_t pc, cycle;
        size_t finding;
    } last;
};

/* Reports that the fetch breaks the rule. */
void audit_breach(struct audit *a, enum rule rule, const struct stale_fetch *s);

/* The functions of rules.def. */
#define RULE(name, text, severity, events, sentence, remedy) \
    void rule_##name(struct audit *a, const struct event *e);
#include "ftrace/rules.def"
#undef RULE

#endif
