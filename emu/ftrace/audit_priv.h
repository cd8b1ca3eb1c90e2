/*
 * audit_priv.h - what the rules' functions may use of the auditor.
 */
#ifndef FTRACE_AUDIT_PRIV_H
#define FTRACE_AUDIT_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "ftrace/audit.h"
#include "ftrace/swaps.h"

/* A fetch in the window of an update: an error if the hart has not fenced when it ends. */
struct window {
    enum rule rule; /* that it breaks then */
    uint32_t hart;
    struct stale_fetch fetch; /* its hart is NULL */
};

/* What the auditor remembers of a hart. */
struct audited_hart {
    uint32_t depth;   /* of traps taken and not returned from; below 0 it wraps */
    bool left_m_mode; /* once at least: it runs what its firmware has started */
    bool fenced;      /* has executed a fence.i since then, or since power-on if it never left */
};

struct audit {
    struct audit_config config;
    VEC_OF(struct finding) findings;
    struct map index; /* cause -> its finding */
    uint64_t left_out[SEVERITIES];
    struct swaps *swaps;
    struct audited_hart *harts;
    VEC_OF(struct window) windows; /* the private state of the rules of fences */
    uint64_t windows_left_out;
    /* The last breach, of which the next event may be the other half. */
    struct {
        uint32_t hart, site;
        uint64_t pc, cycle;
        size_t finding;
    } last;
};

/* A breach of the rule by the fetch. */
void audit_breach(struct audit *a, enum rule rule, const struct stale_fetch *s);

/* The functions of rules.def. */
#define RULE(name, text, severity, events, sentence, remedy) \
    void rule_##name(struct audit *a, const struct event *e);
#include "ftrace/rules.def"
#undef RULE

#endif
