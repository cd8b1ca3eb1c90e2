/*
 * patch_log.h - records stores to the kernel's code (old and new bytes, writer) and
 * the fences of each hart.
 *
 * Stores of one hart to one site, with no fence of that hart in between, are one
 * patch. The number of patches and fences that are kept is limited, and the others
 * are only counted; the last patch of each site is always kept. A store to a site
 * that is gone (sites.h) counts as one to other code.
 */
#ifndef FTRACE_PATCH_LOG_H
#define FTRACE_PATCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/observer.h"

struct patch_log;
struct site_table;
struct state_io;

enum { PATCH_BYTES = 16, PATCH_NOT_KEPT = UINT32_MAX };

struct patch {
    uint64_t stamp;    /* of its last store */
    struct writer who; /* of its first store */
    uint64_t pa;       /* of the site; for NO_SITE of the store */
    uint32_t site;     /* NO_SITE: a store to code outside of all sites */
    uint32_t ops_of;   /* callops: the site whose ftrace_ops pointer was stored; else NO_SITE */
    uint32_t kept;     /* its index among the kept patches, or PATCH_NOT_KEPT */
    uint16_t size;     /* number of valid bytes in old_bytes and new_bytes */
    uint16_t stores;
    uint8_t old_bytes[PATCH_BYTES], new_bytes[PATCH_BYTES];
};

struct patch_fence {
    enum fence_origin origin;
    uint32_t requester;
    uint64_t stamp, cycle, step, pc;
};

/* A log that keeps at most `max` patches. */
struct patch_log *patch_log_new(const struct site_table *sites, unsigned harts, size_t max);
void patch_log_free(struct patch_log *l);

/*
 * Adds a store (EVENT_CODE_WRITE). `site`: the first one that it hits, or NO_SITE; `memory`: the
 * present bytes of that site. True: the store begins a patch of the site.
 */
bool patch_log_write(struct patch_log *l, const struct code_write *w, uint32_t site,
                     const uint8_t *memory);
void patch_log_fence(struct patch_log *l, unsigned hart, const struct fence_event *f);

size_t patch_log_count(const struct patch_log *l);                      /* kept patches */
const struct patch *patch_log_get(const struct patch_log *l, size_t i); /* oldest first */

/* The number of patches of sites, and of other stores to memory that is or was code; kept or not.
 */
struct patch_counts {
    uint64_t sites, others;
};
struct patch_counts patch_log_counts(const struct patch_log *l);

/* Saves or restores the log. */
void patch_log_state_io(struct state_io *io, struct patch_log *l);

/* The last patch of a site, or NULL. */
const struct patch *patch_log_last(const struct patch_log *l, uint32_t site);

/* The hart's first fence after the patch. NULL: there is none, or it is not kept any more. */
const struct patch_fence *patch_log_fenced(const struct patch_log *l, const struct patch *p,
                                           unsigned hart);

/*
 * Whether the hart has fenced after the patch, even if that fence is not kept; or fetches the new
 * bytes without one (WRITER_DEBUGGER_FENCED).
 */
bool patch_log_has_fenced(const struct patch_log *l, const struct patch *p, unsigned hart);

/* The hart's last fence, or NULL. */
const struct patch_fence *patch_log_last_fence(const struct patch_log *l, unsigned hart);

#endif
