/*
 * audit.h - the auditor: turns what the machine saw into findings.
 */
#ifndef FTRACE_AUDIT_H
#define FTRACE_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/observer.h"
#include "ftrace/rules.h"

struct audit;
struct patch_log;
struct site_table;

/*
 * One breach; the same rule, place and pair of harts again only counts up. A
 * site is one place: its bytes are pieced together from the parcels fetched.
 */
struct finding {
    enum rule rule;
    uint64_t count;
    uint32_t site;    /* NO_SITE: elsewhere in the code */
    uint32_t fetcher; /* hart id */
    uint64_t pc;      /* of the instruction, first time */
    uint64_t va, pa;  /* of the bytes below: the site's, or the instruction's */
    uint64_t cycle;   /* of the fetcher, first time */
    unsigned size;    /* bytes of old and new that count */
    uint8_t old_bytes[16], new_bytes[16];
    bool old_known;
    bool executed_old;
    struct writer who;
    bool fenced_before;          /* the fetcher had fenced at least once */
    uint64_t last_fence_cycle;   /* of the fetcher */
    uint64_t writer_fence_cycle; /* the writer's own fence after the store; 0: none */
};

/* Told of each new finding (not of its repetitions); `tell` may be NULL. */
struct finding_listener {
    void (*tell)(void *ctx, const struct finding *f);
    void *ctx;
};

struct audit *audit_new(const struct site_table *sites, const struct patch_log *log,
                        struct finding_listener listener);
void audit_free(struct audit *a);

void audit_stale_fetch(struct audit *a, const struct stale_fetch *s);

/*
 * The kernel is through with an update of its code: from here on every hart
 * has fenced, or should have. A kernel that is never heard to say so is taken
 * to be in its update still.
 */
void audit_update_ended(struct audit *a);

size_t audit_count(const struct audit *a);
const struct finding *audit_get(const struct audit *a, size_t i); /* in order of first occurrence */
size_t audit_count_at_least(const struct audit *a, enum severity severity);

#endif
