/*
 * observer.h - what a listener may learn of the harts, and at what price.
 *
 * Everything here is paid for where it is rare (docs/architecture.md): a probe is
 * compiled into the blocks that hold its address and nowhere else; stores to
 * code, fences, stale fetches and traps are reported from handlers that are
 * slow anyway. Whoever does not listen pays nothing.
 *
 * Call-backs may read and write registers and memory; they may not run harts.
 */
#ifndef CPU_OBSERVER_H
#define CPU_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/ram.h"

struct hart;

/* A store to code: at most eight bytes within one page, in the order they became visible. */
struct code_write {
    uint64_t stamp; /* of the write clock (mem/ram.h) */
    struct writer who;
    uint64_t pa;
    unsigned size;
    uint8_t old_bytes[8], new_bytes[8];
};

enum fence_kind { FENCE_LOCAL, FENCE_REMOTE, FENCE_ADDRESS_SPACE };

/* A hart's fetches were brought up to date (or, ADDRESS_SPACE, its translations only). */
struct fence_event {
    enum fence_kind kind;
    struct hart *hart;  /* whose */
    uint32_t requester; /* hart id; the hart itself unless FENCE_REMOTE */
    uint64_t pc;        /* of the requester's instruction */
    uint64_t cycle;     /* of the requester */
    uint64_t stamp;     /* all writes up to this one are now visible */
};

/* What became of a parcel that was newer in memory than the hart had to know. */
enum fetch_choice { FETCHED_OLD, FETCHED_NEW };

/* What is known of the write that makes a fetch stale. */
enum stale_evidence {
    STALE_PARCEL,    /* these bytes were written and differ from what the hart had or could have */
    STALE_PAGE_ONLY, /* something in the page was written; whether these bytes is not known */
};

/*
 * A hart fetched an instruction of which some parcel was written after its
 * last fence.i. Reported once for each block and write, not for each fetch.
 */
struct stale_fetch {
    struct hart *hart;
    uint64_t pc, pa;      /* of the parcel's instruction; virtual and physical */
    unsigned size;        /* of that instruction, bytes, in the version executed */
    uint8_t old_bytes[4]; /* what the hart had (or would have had) */
    uint8_t new_bytes[4]; /* what is in memory */
    bool old_known;       /* false: the code was never fetched before, only its page is known */
    bool fetched_before;  /* the hart had decoded these bytes already */
    enum fetch_choice chosen;
    struct writer who; /* the newest write */
    bool writer_known; /* false: who names the hart and pc of some store to the page, or nothing */
    enum stale_evidence evidence;
    uint64_t stamp;
};

struct trap_event {
    struct hart *hart;
    bool interrupt;
    uint64_t cause; /* without the interrupt bit */
    uint64_t epc, tval;
    unsigned from, to; /* privilege: 0 U, 1 S, 3 M */
};

struct trap_return_event {
    struct hart *hart;
    uint64_t pc; /* where it goes on */
    unsigned from, to;
};

/* Any of these may be NULL. */
struct observer {
    void *ctx;
    void (*code_write)(void *ctx, const struct code_write *w);
    void (*fence)(void *ctx, const struct fence_event *f);
    void (*stale_fetch)(void *ctx, const struct stale_fetch *s);
    void (*trap)(void *ctx, const struct trap_event *t);
    void (*trap_return)(void *ctx, const struct trap_return_event *t);
};

/* ---- probes ---- */

/* Where a probe stands in the block that is being decoded. */
struct probe_view {
    struct hart *hart;
    uint64_t pc, pa;
    bool starts_block;
    uint64_t block_pc;    /* where the block begins: what lies before it is not being fetched now */
    const uint8_t *bytes; /* as this hart fetches them, from the probe on */
    unsigned size;        /* of the rest of the block's bytes, at least one instruction */
};

enum probe_action {
    PROBE_IGNORE, /* not in this block */
    PROBE_COUNT,  /* add one to *counter whenever the probed instruction is executed; cheap */
    PROBE_CALL,   /* call `hit` before it is executed */
};

struct probe_plan {
    enum probe_action action;
    uint64_t *counter; /* PROBE_COUNT: stays valid while the probe is planted */
    uint8_t cookie;    /* PROBE_CALL: handed to `hit` */
};

enum probe_verdict { PROBE_GO_ON, PROBE_STOP };

/* Who plants probes; `id` is the planter's own. */
struct probe_owner {
    void *ctx;
    struct probe_plan (*plan)(void *ctx, uint32_t id, const struct probe_view *view);
    enum probe_verdict (*hit)(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc);
};

#endif
