/*
 * patch_log.c - see patch_log.h.
 */
#include "ftrace/patch/patch_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/search.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "ftrace/sites/sites.h"

/*
 * At most this part of the kept patches (1 / OTHERS_SHARE) may be stores outside of sites. Memory
 * that held code and now holds data (a freed init section, a page of a process that has ended) gets
 * any number of stores.
 */
enum { OTHERS_SHARE = 4 };

/* Fences kept for each hart: the newest ones that are the first after a store, and the last one. */
enum { FENCES_MAX = 4096 };

struct fence_list {
    VEC_OF(struct patch_fence) all; /* stamps ascend */
    uint64_t known_from;            /* all fences with this stamp or a newer one are kept */
};

struct patch_log {
    const struct site_table *sites;
    struct fence_list *fences; /* by hart */
    unsigned harts;
    size_t max;
    struct patch_counts counts;
    size_t others_kept;
    uint64_t newest; /* stamp of the last store */
    VEC_OF(struct patch) patches;
    VEC_OF(struct patch) last; /* of each site that was patched */
    struct map last_index;     /* site -> index in `last` */
};

struct patch_log *patch_log_new(const struct site_table *sites, unsigned harts, size_t max)
{
    struct patch_log *l = xcalloc(1, sizeof *l);

    l->sites = sites;
    l->harts = harts;
    l->max = max;
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
    VEC_FREE(&l->last);
    map_free(&l->last_index);
    free(l->fences);
    free(l);
}

static struct patch *last_of(const struct patch_log *l, uint32_t site)
{
    uint64_t index;

    return map_get(&l->last_index, site, &index) ? &l->last.at[index] : NULL;
}

/* Whether the store belongs to the last patch of its site. */
static bool continues(const struct patch_log *l, const struct patch *last,
                      const struct code_write *w)
{
    const struct patch_fence *fence;

    if (!last || last->who.kind != w->who.kind || last->who.hart != w->who.hart)
        return false;
    fence = patch_log_last_fence(l, last->who.hart);
    return !fence || fence->stamp < last->stamp;
}

static void lay(uint8_t *at, const struct code_write *w, uint64_t pa, const uint8_t *bytes)
{
    for (unsigned i = 0; i < w->size; i++) {
        uint64_t offset = w->pa + i - pa;

        if (offset < PATCH_BYTES)
            at[offset] = bytes[i];
    }
}

/* Adds a further store to its patch. Its old bytes stay those from before the first store. */
static void continue_patch(struct patch *p, const struct code_write *w)
{
    p->stamp = w->stamp;
    if (p->stores < UINT16_MAX)
        p->stores++;
    lay(p->new_bytes, w, p->pa, w->new_bytes);
}

/*
 * Stores the last patch of a site also in `last`, so that it stays when older patches are dropped.
 */
static void set_last(struct patch_log *l, struct patch *last, const struct patch *p)
{
    if (last) {
        *last = *p;
        return;
    }
    map_put(&l->last_index, p->site, l->last.len);
    VEC_PUSH(&l->last, *p);
}

static struct patch new_patch(const struct code_write *w)
{
    return (struct patch){.stamp = w->stamp,
                          .who = w->who,
                          .pa = w->pa,
                          .site = NO_SITE,
                          .ops_of = NO_SITE,
                          .kept = PATCH_NOT_KEPT,
                          .size = (uint16_t)w->size,
                          .stores = 1};
}

static void lay_store(struct patch *p, const struct code_write *w)
{
    lay(p->old_bytes, w, p->pa, w->old_bytes);
    lay(p->new_bytes, w, p->pa, w->new_bytes);
}

static void write_other(struct patch_log *l, const struct code_write *w)
{
    uint32_t ops_of = site_find_literal(l->sites, w->pa, w->size);
    struct patch p;

    l->counts.others++;
    if (l->patches.len >= l->max || (ops_of == NO_SITE && l->others_kept >= l->max / OTHERS_SHARE))
        return;
    l->others_kept += ops_of == NO_SITE;
    p = new_patch(w);
    p.ops_of = ops_of;
    lay_store(&p, w);
    VEC_PUSH(&l->patches, p);
}

static void begin_site_patch(struct patch_log *l, uint32_t site, struct patch *last,
                             const struct code_write *w, const uint8_t *memory)
{
    struct patch p = new_patch(w);

    l->counts.sites++;
    p.site = site;
    p.pa = site_get(l->sites, site)->pa;
    p.size = (uint16_t)site_get(l->sites, site)->size;
    memcpy(p.old_bytes, memory, p.size);
    memcpy(p.new_bytes, memory, p.size);
    lay_store(&p, w);
    if (l->patches.len < l->max) {
        p.kept = (uint32_t)l->patches.len;
        VEC_PUSH(&l->patches, p);
    }
    set_last(l, last, &p);
}

bool patch_log_write(struct patch_log *l, const struct code_write *w, uint32_t site,
                     const uint8_t *memory)
{
    struct patch *last = site == NO_SITE ? NULL : last_of(l, site);

    l->newest = w->stamp;
    if (continues(l, last, w)) {
        continue_patch(last, w);
        if (last->kept != PATCH_NOT_KEPT)
            l->patches.at[last->kept] = *last;
        return false;
    }
    if (site == NO_SITE) {
        write_other(l, w);
        return false;
    }
    begin_site_patch(l, site, last, w, memory);
    return true;
}

/* Whether no store was made since the previous fence: then only the last fence need be kept. */
static bool is_repeated(const struct fence_list *list, uint64_t newest)
{
    size_t len = list->all.len;

    return len >= 2 && list->all.at[len - 2].stamp >= newest;
}

static void add_fence(struct fence_list *list, struct patch_fence fence, uint64_t newest)
{
    if (is_repeated(list, newest)) {
        list->all.at[list->all.len - 1] = fence;
        return;
    }
    if (list->all.len == FENCES_MAX) {
        list->known_from = list->all.at[FENCES_MAX / 2 - 1].stamp + 1;
        list->all.len = FENCES_MAX / 2;
        memcpy(list->all.at, list->all.at + FENCES_MAX / 2, FENCES_MAX / 2 * sizeof *list->all.at);
    }
    VEC_PUSH(&list->all, fence);
}

void patch_log_fence(struct patch_log *l, unsigned hart, const struct fence_event *f)
{
    struct patch_fence fence = {f->origin, f->requester, f->stamp, f->cycle, f->step, f->pc};

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

struct patch_counts patch_log_counts(const struct patch_log *l)
{
    return l->counts;
}

const struct patch *patch_log_last(const struct patch_log *l, uint32_t site)
{
    return last_of(l, site);
}

const struct patch_fence *patch_log_fenced(const struct patch_log *l, const struct patch *p,
                                           unsigned hart)
{
    const struct fence_list *list = &l->fences[hart];
    size_t next;

    if (p->stamp < list->known_from)
        return NULL;
    next = PARTITION_POINT(i, list->all.len, list->all.at[i].stamp < p->stamp);
    return next < list->all.len ? &list->all.at[next] : NULL;
}

bool patch_log_has_fenced(const struct patch_log *l, const struct patch *p, unsigned hart)
{
    const struct patch_fence *last = patch_log_last_fence(l, hart);

    return p->who.kind == WRITER_DEBUGGER_FENCED || (last && last->stamp >= p->stamp);
}

const struct patch_fence *patch_log_last_fence(const struct patch_log *l, unsigned hart)
{
    if (hart >= l->harts || !l->fences[hart].all.len)
        return NULL;
    return &l->fences[hart].all.at[l->fences[hart].all.len - 1];
}

/* ---- state ---- */

_Static_assert(sizeof(struct patch) ==
                       8 + sizeof(struct writer) + 8 + 3 * 4 + 2 * 2 + 2 * PATCH_BYTES &&
                   sizeof(struct writer) == 4 + 4 + 8 + 8 + 8,
               "no padding");

static bool is_site_or_none(const struct patch_log *l, uint32_t site)
{
    return site == NO_SITE || site < site_count(l->sites);
}

static void check_patch(struct state_io *io, const struct patch_log *l, const struct patch *p)
{
    if (!is_site_or_none(l, p->site) || !is_site_or_none(l, p->ops_of) || p->size > PATCH_BYTES ||
        p->who.kind >= WRITER_KINDS || (p->kept != PATCH_NOT_KEPT && p->kept >= l->patches.len))
        state_io_fail(io, STATE_OUT_OF_RANGE);
}

static void check_patches(struct state_io *io, const struct patch_log *l)
{
    for (size_t i = 0; i < l->patches.len; i++)
        check_patch(io, l, &l->patches.at[i]);
    for (size_t i = 0; i < l->last.len; i++)
        check_patch(io, l, &l->last.at[i]);
}

static void index_last(struct patch_log *l)
{
    map_clear(&l->last_index);
    for (size_t i = 0; i < l->last.len; i++)
        map_put(&l->last_index, l->last.at[i].site, i);
}

static void fence_io(struct state_io *io, struct patch_fence *f)
{
    STATE_IO_BELOW(io, f->origin, FENCE_REMOTE + 1);
    STATE_IO(io, f->requester);
    STATE_IO(io, f->stamp);
    STATE_IO(io, f->cycle);
    STATE_IO(io, f->step);
    STATE_IO(io, f->pc);
}

void patch_log_state_io(struct state_io *io, struct patch_log *l)
{
    state_io_section(io, "patches", 4);
    STATE_IO_SAME(io, l->harts);
    STATE_IO_SAME(io, l->max);
    STATE_IO(io, l->counts.sites);
    STATE_IO(io, l->counts.others);
    STATE_IO(io, l->others_kept);
    STATE_IO(io, l->newest);
    STATE_IO_PLAIN_VEC(io, &l->patches, l->max);
    STATE_IO_PLAIN_VEC(io, &l->last, site_count(l->sites));
    for (unsigned i = 0; i < l->harts; i++) {
        STATE_IO_VEC(io, &l->fences[i].all, FENCES_MAX, fence_io);
        STATE_IO(io, l->fences[i].known_from);
    }
    if (io->loading && !io->error) {
        check_patches(io, l);
        index_last(l);
    }
}
