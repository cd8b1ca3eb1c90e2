/*
 * text_priv.h - the parts of the family `text': text_rules.c collects the stores of a change, and
 * text_judge.c judges what it has left.
 */
#ifndef FTRACE_TEXT_PRIV_H
#define FTRACE_TEXT_PRIV_H

#include "base/vec.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/kernel/text_map.h"

/*
 * Limits: the bytes of one change, those of a hart that are not complete, and those that wait for
 * the end of booting.
 */
enum { CHANGE_BYTES_MAX = 1 << 16, CHANGES_MAX = 8, EARLY_MAX = 1 << 14 };

/* A change of text that is not complete yet. */
struct open_change {
    bool debugged; /* it replaces what a debugger wrote */
    bool beside;   /* another one of the hart touches it */
    enum text_kind kind;
    uint64_t va, cycle;
    uint32_t depth; /* traps that the hart was in, at the last store */
    struct writer who;
    VEC_OF(uint8_t) old; /* the bytes before; as many as were written */
};

/* A hart's, the oldest first. */
struct open_changes {
    struct open_change at[CHANGES_MAX];
    unsigned count;
};

/* A change from the time before the kernel was settled. */
struct early_change {
    uint64_t va, size;
    struct writer who;
};

struct text_rules {
    struct audit *audit;
    struct open_changes *harts;
    VEC_OF(struct early_change) early;
    uint64_t left_out;
};

/* Judges a change that is complete, and keeps and forgets breakpoints. */
void text_judge_complete(struct text_rules *r, const struct open_change *c);

/* Whether all that the change has made is a breakpoint. */
bool text_judge_is_breakpoint(const struct text_rules *r, const struct open_change *c);

/* Whether there are whole instructions where the change is, as it is now. */
bool text_judge_is_whole(const struct text_rules *r, const struct open_change *c);

/*
 * Whether a fence may end the change while its update goes on: there are whole instructions, or it
 * is all in a site, whose rules know when it is complete. Most changes are in sites.
 */
bool text_judge_may_end(const struct text_rules *r, const struct open_change *c);

/* The kernel is settled: judges where the text leads to that was changed before. */
void text_judge_early(struct text_rules *r, struct hart *h);

/* live_probes.c: the breakpoints that a module's text has when it is complete are known. */
void audit_keep_probes(struct audit *a, const struct text_event *text);

#endif
