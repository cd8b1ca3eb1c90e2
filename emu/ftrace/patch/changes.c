/*
 * changes.c - see changes.h.
 */
#include "ftrace/patch/changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/state_io.h"
#include "cpu/observer.h"
#include "mem/bus.h"

enum {
    PLACES_MAX = 64,      /* places of one update */
    LOOK_BACK = 4,        /* number of the newest places to which a store may be added */
    SITES_SLACK = 1024,   /* items of one update in addition to one for each site */
    RUNS_KEPT = 1 << 20,  /* runs of all updates: 8 MiB */
    PLACES_KEPT = 1 << 16 /* places of all updates: 4 MiB */
};

/* ---- one store ---- */

/* Copies those bytes at pa that fall into [base, base + CHANGE_BYTES). */
static void lay(uint8_t *to, uint64_t base, const uint8_t *bytes, uint64_t pa, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++)
        if (pa + i - base < CHANGE_BYTES)
            to[pa + i - base] = bytes[i];
}

static int compare_changes(const void *left, const void *right)
{
    const struct site_change *a = *(const struct site_change *const *)left;
    const struct site_change *b = *(const struct site_change *const *)right;

    if (a->is_ops != b->is_ops)
        return a->is_ops ? 1 : -1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a > b) - (a < b); /* keeps the order of the stores */
}

static bool is_same(const struct site_change *a, const struct site_change *b)
{
    return a->site == b->site && a->is_ops == b->is_ops;
}

/*
 * Leaves one item for each site, in order of ids: the bytes before the first change and after the
 * last.
 */
static void unite(struct changes *c)
{
    size_t count = c->sites.len, len = 0;
    const struct site_change **order = xcalloc(count + 1, sizeof *order);
    struct site_change *all = xcalloc(count + 1, sizeof *all);

    for (size_t i = 0; i < count; i++)
        order[i] = &c->sites.at[i];
    qsort(order, count, sizeof *order, compare_changes);
    for (size_t i = 0; i < count; i++) {
        if (len && is_same(&all[len - 1], order[i]))
            memcpy(all[len - 1].new_bytes, order[i]->new_bytes, CHANGE_BYTES);
        else
            all[len++] = *order[i];
    }
    memcpy(c->sites.at, all, len * sizeof *all);
    c->sites.len = len;
    free(order);
    free(all);
}

/* Records a change of bytes at `pa` that belong to a site or to the address of its ops. */
static void write_site(struct changes *c, const struct bus *bus, const struct code_write *w,
                       struct site_change change, uint64_t pa, unsigned size, bool begins)
{
    struct site_change *last = c->sites.len ? &c->sites.at[c->sites.len - 1] : NULL;

    (void)!bus_read(bus, pa, change.new_bytes, size);
    if (last && !begins && is_same(last, &change)) {
        memcpy(last->new_bytes, change.new_bytes, CHANGE_BYTES);
        return;
    }
    memcpy(change.old_bytes, change.new_bytes, CHANGE_BYTES);
    lay(change.old_bytes, pa, w->old_bytes, w->pa, w->size);
    VEC_PUSH(&c->sites, change);
}

static bool touches(const struct place_change *p, const struct code_write *w)
{
    return w->pa <= p->pa + p->size && p->pa <= w->pa + w->size;
}

static void add_store(struct place_change *p, const struct code_write *w)
{
    struct place_change both = {.stores = p->stores + 1};
    uint64_t end = w->pa + w->size;

    both.pa = w->pa < p->pa ? w->pa : p->pa;
    both.size = (end > p->pa + p->size ? end : p->pa + p->size) - both.pa;
    if (both.size <= CHANGE_BYTES) {
        lay(both.old_bytes, both.pa, w->old_bytes, w->pa, w->size);
        lay(both.old_bytes, both.pa, p->old_bytes, p->pa, p->size);
        lay(both.new_bytes, both.pa, p->new_bytes, p->pa, p->size);
        lay(both.new_bytes, both.pa, w->new_bytes, w->pa, w->size);
    }
    *p = both;
}

static void write_place(struct changes *c, const struct code_write *w)
{
    size_t len = c->places.len, oldest = len > LOOK_BACK ? len - LOOK_BACK : 0;
    struct place_change new;

    for (size_t i = len; i-- > oldest;)
        if (touches(&c->places.at[i], w)) {
            add_store(&c->places.at[i], w);
            return;
        }
    if (len == PLACES_MAX) {
        c->left_out++;
        return;
    }
    new = (struct place_change){.pa = w->pa, .size = w->size, .stores = 1};
    memcpy(new.old_bytes, w->old_bytes, w->size);
    memcpy(new.new_bytes, w->new_bytes, w->size);
    VEC_PUSH(&c->places, new);
}

void changes_write(struct changes *c, const struct site_table *sites, const struct bus *bus,
                   const struct code_write *w, uint32_t site, bool begins)
{
    uint32_t ops_of = site == NO_SITE ? site_find_literal(sites, w->pa, w->size) : NO_SITE;
    uint32_t id = site == NO_SITE ? ops_of : site;
    struct site_change change;

    if (id == NO_SITE) {
        write_place(c, w);
        return;
    }
    change = (struct site_change){.site = id, .is_ops = site == NO_SITE};
    if (change.is_ops)
        write_site(c, bus, w, change, site_get(sites, id)->pa - SITE_BYTES, SITE_BYTES, begins);
    else
        write_site(c, bus, w, change, site_get(sites, id)->pa, site_get(sites, id)->size, begins);
    if (c->sites.len > 2 * (2 * site_count(sites) + SITES_SLACK))
        unite(c);
}

void changes_clear(struct changes *c)
{
    if (c->sites.cap > SITES_SLACK)
        VEC_FREE(&c->sites);
    c->sites.len = c->places.len = 0;
    c->left_out = 0;
}

void changes_free(struct changes *c)
{
    VEC_FREE(&c->sites);
    VEC_FREE(&c->places);
}

/* ---- updates that have ended ---- */

/* The keys of groups: a site's states before and after, or KEY_OPS. */
enum { KEY_OPS = SITE_STATES * SITE_STATES, KEYS };

static unsigned key_of(const struct site_table *sites, const struct site_change *change)
{
    const struct site *s = site_get(sites, change->site);

    if (change->is_ops)
        return KEY_OPS;
    return (unsigned)site_state(sites, s, change->old_bytes, NULL) * SITE_STATES +
           (unsigned)site_state(sites, s, change->new_bytes, NULL);
}

static void list_site(struct change_log *l, struct change_group *g, uint32_t site)
{
    struct site_run *last = g->runs ? &l->runs.at[l->runs.len - 1] : NULL;

    g->count++;
    if (last && !g->unlisted && last->last + 1 == site) {
        last->last = site;
    } else if (l->runs.len < RUNS_KEPT) {
        VEC_PUSH(&l->runs, ((struct site_run){site, site}));
        g->runs++;
    } else {
        g->unlisted++;
    }
}

static void add_group(struct change_log *l, const struct changes *c, const uint8_t *keys,
                      unsigned key)
{
    struct change_group g = {.is_ops = key == KEY_OPS, .first_run = (uint32_t)l->runs.len};

    if (!g.is_ops) {
        g.from = key / SITE_STATES;
        g.to = key % SITE_STATES;
    }
    for (size_t i = 0; i < c->sites.len; i++) {
        if (keys[i] != key)
            continue;
        if (!g.count)
            g.example = c->sites.at[i];
        list_site(l, &g, c->sites.at[i].site);
    }
    VEC_PUSH(&l->groups, g);
}

static void add_groups(struct change_log *l, const struct site_table *sites, struct changes *c)
{
    uint8_t *keys;
    bool there[KEYS] = {false};

    unite(c);
    keys = xcalloc(c->sites.len + 1, 1);
    for (size_t i = 0; i < c->sites.len; i++) {
        keys[i] = (uint8_t)key_of(sites, &c->sites.at[i]);
        there[keys[i]] = true;
    }
    for (unsigned key = 0; key < KEYS; key++)
        if (there[key])
            add_group(l, c, keys, key);
    free(keys);
}

static void add_places(struct change_log *l, const struct changes *c, struct change_ranges *r)
{
    for (size_t i = 0; i < c->places.len; i++) {
        if (l->places.len < PLACES_KEPT)
            VEC_PUSH(&l->places, c->places.at[i]);
        else
            r->left_out += c->places.at[i].stores;
    }
}

struct change_ranges change_log_add(struct change_log *l, const struct site_table *sites,
                                    struct changes *c)
{
    struct change_ranges r = {.first_group = (uint32_t)l->groups.len,
                              .first_place = (uint32_t)l->places.len,
                              .left_out = c->left_out};

    if (c->sites.len)
        add_groups(l, sites, c);
    add_places(l, c, &r);
    r.groups = (uint32_t)l->groups.len - r.first_group;
    r.places = (uint32_t)l->places.len - r.first_place;
    return r;
}

void change_log_free(struct change_log *l)
{
    VEC_FREE(&l->groups);
    VEC_FREE(&l->runs);
    VEC_FREE(&l->places);
}

/* ---- state ---- */

static void versions_io(struct state_io *io, uint8_t before[CHANGE_BYTES],
                        uint8_t after[CHANGE_BYTES])
{
    state_io_bytes(io, before, CHANGE_BYTES);
    state_io_bytes(io, after, CHANGE_BYTES);
}

static void site_change_io(struct state_io *io, struct site_change *s)
{
    STATE_IO(io, s->site);
    STATE_IO(io, s->is_ops);
    versions_io(io, s->old_bytes, s->new_bytes);
}

static void place_change_io(struct state_io *io, struct place_change *p)
{
    STATE_IO(io, p->pa);
    STATE_IO(io, p->size);
    STATE_IO(io, p->stores);
    versions_io(io, p->old_bytes, p->new_bytes);
}

static void group_io(struct state_io *io, struct change_group *g)
{
    STATE_IO(io, g->is_ops);
    STATE_IO_BELOW(io, g->from, SITE_STATES);
    STATE_IO_BELOW(io, g->to, SITE_STATES);
    STATE_IO(io, g->count);
    site_change_io(io, &g->example);
    STATE_IO(io, g->first_run);
    STATE_IO(io, g->runs);
    STATE_IO(io, g->unlisted);
}

static void run_io(struct state_io *io, struct site_run *r)
{
    STATE_IO(io, r->first);
    STATE_IO(io, r->last);
}

void changes_state_io(struct state_io *io, struct changes *c, const struct site_table *sites)
{
    STATE_IO_VEC(io, &c->sites, SIZE_MAX, site_change_io);
    STATE_IO_VEC(io, &c->places, PLACES_MAX, place_change_io);
    STATE_IO(io, c->left_out);
    for (size_t i = 0; i < c->sites.len; i++)
        if (c->sites.at[i].site >= site_count(sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}

static bool is_group_sound(const struct change_log *l, const struct change_group *g, size_t sites)
{
    return g->example.site < sites && g->first_run <= l->runs.len &&
           g->runs <= l->runs.len - g->first_run;
}

void change_log_state_io(struct state_io *io, struct change_log *l, const struct site_table *sites)
{
    STATE_IO_VEC(io, &l->groups, SIZE_MAX, group_io);
    STATE_IO_VEC(io, &l->runs, RUNS_KEPT, run_io);
    STATE_IO_VEC(io, &l->places, PLACES_KEPT, place_change_io);
    for (size_t i = 0; i < l->groups.len; i++)
        if (!is_group_sound(l, &l->groups.at[i], site_count(sites)))
            state_io_fail(io, STATE_OUT_OF_RANGE);
}
