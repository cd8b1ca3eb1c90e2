/*
 * patch_log.c - see patch_log.h.
 */
#include "ftrace/patch_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "ftrace/sites.h"

/*
 * Memory that once held code and now holds data (a freed init section, a page
 * of a process that is gone) is stored to without end; the first so many are kept.
 */
enum { STRAYS_KEPT = 4096 };

/*
 * Of the fences behind the newest store to code so many are kept by hart, and the last: a program
 * that does little else would fill the host's memory. Whoever asks for the first fence behind a
 * store that no log has is then told of a later one.
 */
enum { FENCES_KEPT = 1024 };

struct fence_list {
    VEC_OF(struct patch_fence) all; /* stamps ascend */
};

struct patch_log {
    const struct site_table *sites;
    struct fence_list *fences; /* by hart */
    unsigned harts;
    size_t strays;   /* patches outside of sites, kept or not */
    uint64_t newest; /* stamp of the last store */
    VEC_OF(struct patch) patches;
    struct map last; /* site -> index of its last patch */
};

struct patch_log *patch_log_new(const struct site_table *sites, unsigned harts)
{
    struct patch_log *l = xcalloc(1, sizeof *l);

    l->sites = sites;
    l->harts = harts;
    l->fences = xcalloc(harts, sizeof *l->fences);
    return l;
}

void patch_log_free(struct patch_log *l)
{
    if (!l)
        return;
    for (unsigned i = 0; i < l->harts; i++)
        VEC_FREE(&l->fences[i].all);
    VEC_FREE(&l->patches);
    map_free(&l->last);
    free(l->fences);
    free(l);
}

/* The patch that this store continues, or NULL. */
static struct patch *open_patch(struct patch_log *l, uint32_t site, const struct code_write *w)
{
    struct patch *p;
    const struct patch_fence *fence;
    uint64_t index;

    if (!map_get(&l->last, site, &index))
        return NULL;
    p = &l->patches.at[index];
    fence = patch_log_last_fence(l, p->who.hart);
    if (p->who.kind != w->who.kind || p->who.hart != w->who.hart ||
        (fence && fence->stamp >= p->stamp))
        return NULL;
    return p;
}

static void lay(uint8_t *at, const struct code_write *w, uint64_t pa, const uint8_t *bytes)
{
    for (unsigned i = 0; i < w->size; i++) {
        uint64_t offset = w->pa + i - pa;

        if (offset < PATCH_BYTES)
            at[offset] = bytes[i];
    }
}

/*
 * A site's old bytes are pieced together from the stores: what a later store
 * of the same patch replaces was there before the first one too, unless the
 * first one wrote it. Bytes that no store touched are the last patch's.
 */
static void continue_patch(struct patch *p, const struct code_write *w)
{
    p->stamp = w->stamp;
    p->one_word = false;
    if (p->stores < UINT16_MAX)
        p->stores++;
    lay(p->new_bytes, w, p->pa, w->new_bytes);
}

static void begin_patch(struct patch_log *l, uint32_t site, const struct code_write *w,
                        const uint8_t *memory)
{
    struct patch p = {.stamp = w->stamp,
                      .who = w->who,
                      .pa = w->pa,
                      .site = site,
                      .ops_of = NO_SITE,
                      .stores = 1};

    p.one_word = w->size == 4 && w->pa % 4 == 0;
    p.size = (uint16_t)w->size;
    if (site == NO_SITE)
        p.ops_of = site_find_literal(l->sites, w->pa, w->size);
    if (site != NO_SITE) {
        p.pa = site_get(l->sites, site)->pa;
        p.size = (uint16_t)site_get(l->sites, site)->size;
        memcpy(p.old_bytes, memory, p.size);
        memcpy(p.new_bytes, memory, p.size);
        map_put(&l->last, site, l->patches.len);
    }
    lay(p.old_bytes, w, p.pa, w->old_bytes);
    lay(p.new_bytes, w, p.pa, w->new_bytes);
    VEC_PUSH(&l->patches, p);
}

void patch_log_write(struct patch_log *l, const struct code_write *w, const uint8_t *memory)
{
    uint32_t site = site_find(l->sites, w->pa, w->size);
    struct patch *open = site == NO_SITE ? NULL : open_patch(l, site, w);

    l->newest = w->stamp;
    if (open) {
        continue_patch(open, w);
        return;
    }
    if (site == NO_SITE && site_find_literal(l->sites, w->pa, w->size) == NO_SITE &&
        l->strays++ >= STRAYS_KEPT)
        return;
    begin_patch(l, site, w, memory);
}

static bool is_full(const struct fence_list *list, uint64_t newest)
{
    size_t len = list->all.len;

    return len > FENCES_KEPT && list->all.at[len - 1 - FENCES_KEPT].stamp >= newest;
}

static void add_fence(struct fence_list *list, struct patch_fence fence, uint64_t newest)
{
    if (is_full(list, newest))
        list->all.at[list->all.len - 1] = fence;
    else
        VEC_PUSH(&list->all, fence);
}

void patch_log_fence(struct patch_log *l, unsigned hart, const struct fence_event *f)
{
    struct patch_fence fence = {f->origin, f->requester, f->stamp, f->cycle, f->pc};

    if (hart < l->harts)
        add_fence(&l->fences[hart], fence, l->newest);
}

size_t patch_log_count(const struct patch_log *l)
{
    return l->patches.len;
}

const struct patch *patch_log_get(const struct patch_log *l, size_t i)
{
    return &l->patches.at[i];
}

size_t patch_log_lost(const struct patch_log *l)
{
    return l->strays > STRAYS_KEPT ? l->strays - STRAYS_KEPT : 0;
}

uint64_t patch_log_newest(const struct patch_log *l)
{
    return l->newest;
}

const struct patch *patch_log_last(const struct patch_log *l, uint32_t site)
{
    uint64_t index;

    return map_get(&l->last, site, &index) ? &l->patches.at[index] : NULL;
}

const struct patch_fence *patch_log_fenced(const struct patch_log *l, const struct patch *p,
                                           unsigned hart)
{
    const struct fence_list *list = &l->fences[hart];
    size_t low = 0, high = list->all.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->all.at[middle].stamp < p->stamp)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->all.len ? &list->all.at[low] : NULL;
}

const struct patch_fence *patch_log_last_fence(const struct patch_log *l, unsigned hart)
{
    if (hart >= l->harts || !l->fences[hart].all.len)
        return NULL;
    return &l->fences[hart].all.at[l->fences[hart].all.len - 1];
}
