/*
 * patch_log.h - what was written over what in the kernel's code, by which hart, and
 * which hart fenced when.
 *
 * Stores of one hart to one site, with no fence of that hart in between, are
 * one patch. Of patches and of fences only so many are kept, whatever the guest
 * does, and the rest is counted; the last patch of each site is always kept.
 * A store to a site that is gone (sites.h) is one to other code.
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
    uint64_t pa;       /* of the site, or of the store where there is none */
    uint32_t site;     /* NO_SITE: a store to text outside of every site */
    uint32_t ops_of;   /* the site whose ops it names; NO_SITE: of none */
    uint32_t kept;     /* its place among the patches kept, or PATCH_NOT_KEPT */
    uint16_t size;     /* bytes of old and new that count */
    uint16_t stores;
    uint8_t old_bytes[PATCH_BYTES], new_bytes[PATCH_BYTES];
};

struct patch_fence {
    enum fence_origin origin;
    uint32_t requester;
    uint64_t stamp, cycle, pc;
};

/* Keeps at most so many patches. */
struct patch_log *patch_log_new(const struct site_table *sites, unsigned harts, size_t max);
void patch_log_free(struct patch_log *l);

/*
 * From EVENT_CODE_WRITE; `site`: the first one that the store hits, or NO_SITE; `memory`: the bytes
 * that it has now. True: the store begins a patch of the site.
 */
bool patch_log_write(struct patch_log *l, const struct code_write *w, uint32_t site,
                     const uint8_t *memory);
void patch_log_fence(struct patch_log *l, unsigned hart, const struct fence_event *f);

size_t patch_log_count(const struct patch_log *l);                      /* of patches kept */
const struct patch *patch_log_get(const struct patch_log *l, size_t i); /* oldest first */

/* How many there were, kept or not: patches of sites; other stores to what is or was code. */
struct patch_counts {
    uint64_t sites, others;
};
struct patch_counts patch_log_counts(const struct patch_log *l);

/* Saves or restores all that was logged. */
void patch_log_state_io(struct state_io *io, struct patch_log *l);

/* The last patch of a site, or NULL. */
const struct patch *patch_log_last(const struct patch_log *l, uint32_t site);

/* The first fence of the hart that covers the patch, or NULL. */
const struct patch_fence *patch_log_fenced(const struct patch_log *l, const struct patch *p,
                                           unsigned hart);

/* The hart's last fence, or NULL. */
const struct patch_fence *patch_log_last_fence(const struct patch_log *l, unsigned hart);

#endif
