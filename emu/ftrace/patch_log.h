/*
 * patch_log.h - what was written over what in the kernel's code, by whom, and
 * which hart fenced when.
 *
 * Stores of one hart to one site, with no fence of that hart in between, are
 * one patch. Fences are kept by hart, no more of them than are worth it, so that
 * "has hart 2 fenced since?" is a look-up and costs nothing when the fence happens.
 */
#ifndef FTRACE_PATCH_LOG_H
#define FTRACE_PATCH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/observer.h"

struct patch_log;
struct site_table;

enum { PATCH_BYTES = 16 };

struct patch {
    uint64_t stamp;    /* of its last store */
    struct writer who; /* of its first store */
    uint64_t pa;       /* of the site, or of the store where there is none */
    uint32_t site;     /* NO_SITE: a store to text outside of every site */
    uint32_t ops_of;   /* the site whose ops it names; NO_SITE: of none */
    uint16_t size;     /* bytes of old and new that count */
    uint16_t stores;
    bool one_word; /* one store, of one aligned word */
    uint8_t old_bytes[PATCH_BYTES], new_bytes[PATCH_BYTES];
};

struct patch_fence {
    enum fence_origin origin;
    uint32_t requester;
    uint64_t stamp, cycle, pc;
};

struct patch_log *patch_log_new(const struct site_table *sites, unsigned harts);
void patch_log_free(struct patch_log *l);

/* From EVENT_CODE_WRITE; `memory`: the bytes now at the site that the store hits, if it hits one.
 */
void patch_log_write(struct patch_log *l, const struct code_write *w, const uint8_t *memory);
void patch_log_fence(struct patch_log *l, unsigned hart, const struct fence_event *f);

size_t patch_log_count(const struct patch_log *l);
const struct patch *patch_log_get(const struct patch_log *l, size_t i); /* oldest first */

/* Patches outside of sites that there were besides, too many to be kept. */
size_t patch_log_lost(const struct patch_log *l);

/* Stamp of the newest store to code. */
uint64_t patch_log_newest(const struct patch_log *l);

/* The last patch of a site, or NULL. */
const struct patch *patch_log_last(const struct patch_log *l, uint32_t site);

/* The first fence of the hart that covers the patch, or NULL. */
const struct patch_fence *patch_log_fenced(const struct patch_log *l, const struct patch *p,
                                           unsigned hart);

/* The hart's last fence, or NULL. */
const struct patch_fence *patch_log_last_fence(const struct patch_log *l, unsigned hart);

#endif
