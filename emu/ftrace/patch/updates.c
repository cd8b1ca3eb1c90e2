/*
 * updates.c - see updates.h.
 *
 * Each hart has at most one open update. An update has a row with an entry for each
 * hart; the rows of kept updates are in one array. The changes of the last kept update are added
 * to the log of changes only when another one is kept, because it may be continued until then.
 */
#include "ftrace/patch/updates.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/events/events.h"
#include "ftrace/kernel/text_map.h"
#include "ftrace/patch/patch_log.h"
#include "ftrace/patch/updates_priv.h"
#include "mem/bus.h"

struct updates *updates_new(struct cluster *c, const struct site_table *sites,
                            const struct patch_log *log, size_t max,
                            const struct ftrace_stream *stream)
{
    struct updates *u = xcalloc(1, sizeof *u);

    u->cluster = c;
    u->stream = stream;
    u->sites = sites;
    u->log = log;
    u->harts = cluster_hart_count(c);
    u->max = max;
    u->open = xcalloc(u->harts, sizeof *u->open);
    u->open_harts = xcalloc((size_t)u->harts * u->harts, sizeof *u->open_harts);
    u->open_changes = xcalloc(u->harts, sizeof *u->open_changes);
    u->timelines = xcalloc(u->harts, sizeof *u->timelines);
    u->rounds = xcalloc(u->harts, sizeof *u->rounds);
    u->ended = xcalloc(u->harts, sizeof *u->ended);
    u->begun = xcalloc(u->harts, sizeof *u->begun);
    memset(u->begun, 0xff, u->harts * sizeof *u->begun);
    u->stopped = xcalloc(u->harts, sizeof *u->stopped);
    return u;
}

void updates_free(struct updates *u)
{
    if (!u)
        return;
    for (unsigned i = 0; i < u->harts; i++)
        changes_free(&u->open_changes[i]);
    changes_free(&u->last_changes);
    change_log_free(&u->changes);
    free(u->open_changes);
    free(u->timelines);
    VEC_FREE(&u->moments);
    VEC_FREE(&u->late);
    free(u->open);
    free(u->open_harts);
    free(u->rounds);
    free(u->ended);
    free(u->begun);
    free(u->stopped);
    VEC_FREE(&u->kept);
    VEC_FREE(&u->kept_harts);
    free(u);
}

void updates_know_text(struct updates *u, const struct text_map *text, uint64_t text_mutex)
{
    u->text = text;
    u->text_mutex = text_mutex;
}

static uint64_t clock_now(const struct updates *u)
{
    return bus_ram(cluster_bus(u->cluster))->stamp;
}

static struct update_hart *row_of(const struct updates *u, unsigned writer)
{
    return &u->open_harts[(size_t)writer * u->harts];
}

/* ---- announcements and the lock ---- */

static uint64_t task_of(const struct hart *h)
{
    return hart_reg(h, REG_TP);
}

/* The section of that task; SECTIONS_MAX: it has none. */
static unsigned section_of(const struct updates *u, uint64_t task)
{
    unsigned i = 0;

    while (i < SECTIONS_MAX && !(u->sections[i].open && u->sections[i].task == task))
        i++;
    return i;
}

/*
 * The sections in which the hart stores: that of its task, or else all, because it may do so on
 * behalf of any of the tasks.
 */
static uint32_t sections_at_store(const struct updates *u, const struct hart *h)
{
    unsigned own;

    if (!u->open_sections || hart_mode(h) == PRIV_U)
        return 0;
    own = section_of(u, task_of(h));
    return own < SECTIONS_MAX ? UINT32_C(1) << own : u->open_sections;
}

static void join_sections(struct updates *u, unsigned writer)
{
    struct round *r = &u->rounds[writer];
    uint32_t joined = sections_at_store(u, cluster_hart(u->cluster, writer));

    r->sections |= joined;
    for (unsigned i = 0; joined && i < SECTIONS_MAX; i++) {
        const struct section *s = &u->sections[i];

        if (!(joined >> i & 1) || s->stamp >= r->announced_at)
            continue;
        r->announced_at = s->stamp;
        r->what = s->what;
    }
}

static void count_in_sections(struct updates *u, uint32_t sections)
{
    for (unsigned i = 0; sections && i < SECTIONS_MAX; i++)
        u->sections[i].stores += sections >> i & 1;
}

/* Linux's mutex begins with its owner, as the guest kernel's does; in the low bits are flags. */
enum { OWNER_FLAGS = 7 };

/* The task that owns the lock of text; 0: none, or not known. */
static uint64_t lock_owner(const struct updates *u)
{
    uint64_t owner = 0;

    if (!u->text_mutex || !bus_read(cluster_bus(u->cluster), u->text_mutex, &owner, sizeof owner))
        return 0;
    return owner & ~(uint64_t)OWNER_FLAGS;
}

/* Whether the update was made with the lock, and its owner has released it. */
static bool is_released(const struct updates *u, unsigned writer)
{
    const struct round *r = &u->rounds[writer];

    return r->lock_owner && !r->sections && lock_owner(u) != r->lock_owner;
}

/* ---- the other harts ---- */

static void look_at_hart(struct update_hart *row, const struct hart *h, uint64_t pa, unsigned size)
{
    uint64_t pc = hart_pc(h), at;
    bool may_be_inside =
        (pc - pa) % PAGE_BYTES < size; /* by the offsets in the page, as pc is virtual */

    row->low = pc < row->low ? pc : row->low;
    row->high = pc > row->high ? pc : row->high;
    row->looks++;
    if (may_be_inside && !row->inside &&
        hart_translate((struct hart *)(uintptr_t)h, pc, ACCESS_FETCH, &at))
        row->inside = at > pa && at - pa < size;
}

static void look_at_harts(struct updates *u, unsigned writer, uint64_t pa, unsigned size)
{
    struct update_hart *row = row_of(u, writer);

    for (unsigned i = 0; i < u->harts; i++)
        if (i != writer)
            look_at_hart(&row[i], cluster_hart(u->cluster, i), pa, size);
}

/* Exchanges the two. */
static void swap_changes(struct changes *to, struct changes *from)
{
    struct changes was = *to;

    *to = *from;
    *from = was;
}

/* ---- timelines ---- */

/* Keeps the timeline of the writer's update, which is the last kept one. */
static void keep_timeline(struct updates *u, unsigned writer)
{
    const struct timeline *t = &u->timelines[writer];
    struct update *kept = &u->kept.at[u->kept.len - 1];

    kept->first_moment = (uint32_t)u->moments.len;
    kept->moments = u->moments.len + t->count <= MOMENTS_MAX ? t->count : 0;
    kept->moments_left_out = t->left_out + (t->count - kept->moments);
    for (unsigned i = 0; i < kept->moments; i++)
        VEC_PUSH(&u->moments, t->moments[i]);
}

/* Continues the timeline of the last kept update. */
static void reopen_timeline(struct updates *u, unsigned writer)
{
    const struct update *last = &u->kept.at[u->kept.len - 1];
    struct timeline *t = &u->timelines[writer];

    *t = (struct timeline){.count = last->moments, .left_out = last->moments_left_out};
    u->moments.len = last->first_moment;
    for (unsigned i = 0; i < t->count; i++)
        t->moments[i] = u->moments.at[last->first_moment + i];
}

static bool has_stamp(const struct update *update, uint64_t stamp)
{
    return stamp >= update->first_stamp && stamp <= update->last_stamp;
}

/* The newest kept update with this store; UPDATE_NONE: it is not known. */
static size_t find_by_stamp(const struct updates *u, const struct stale_fetch *s)
{
    enum { UPDATES_BACK = 1 << 10 };

    for (size_t back = 1; back <= u->kept.len && back <= UPDATES_BACK; back++) {
        const struct update *update = &u->kept.at[u->kept.len - back];

        if (has_stamp(update, s->stamp) &&
            (!s->agent_known || (s->who.kind == WRITER_HART && s->who.hart == update->writer.hart)))
            return u->kept.len - back;
    }
    return UPDATE_NONE;
}

/* Adds the fetch to a kept update. */
static void add_late(struct updates *u, const struct stale_fetch *s)
{
    size_t update = find_by_stamp(u, s);
    const struct update_moment m = update_moment_of_stale(s);
    unsigned count = 0;

    if (update == UPDATE_NONE)
        return;
    for (size_t i = 0; i < u->late.len; i++) {
        if (u->late.at[i].update != update)
            continue;
        if (update_moments_join(&u->late.at[i].moment, &m))
            return;
        count++;
    }
    if (count < LATE_MAX && u->late.len < ALL_LATE_MAX)
        VEC_PUSH(&u->late, ((struct late_moment){(uint32_t)update, m}));
    else
        u->kept.at[update].moments_left_out++;
}

void updates_stale(struct updates *u, const struct stale_fetch *s)
{
    bool any = false;

    for (unsigned i = 0; u->open_count && i < u->harts; i++) {
        const struct update *open = &u->open[i];

        if (!open->stores || !has_stamp(open, s->stamp) ||
            (s->agent_known && (s->who.kind != WRITER_HART || s->who.hart != i)))
            continue;
        timeline_stale(&u->timelines[i], s);
        any = true;
    }
    if (!any)
        add_late(u, s);
}

/* Continues the last kept update, if it is the writer's and ended less than SAME_CYCLES ago. */
static bool reopen(struct updates *u, const struct writer *who)
{
    const struct update *last = u->kept.len ? &u->kept.at[u->kept.len - 1] : NULL;

    if (!last || last->end != UPDATE_FENCED || last->writer.hart != who->hart ||
        who->cycle - last->last_cycle > SAME_CYCLES || u->left_out)
        return false;
    u->open[who->hart] = *last;
    swap_changes(&u->open_changes[who->hart], &u->last_changes);
    u->has_last = false;
    reopen_timeline(u, who->hart);
    u->kept.len--;
    u->kept_harts.len -= u->harts;
    memcpy(row_of(u, who->hart), &u->kept_harts.at[u->kept_harts.len],
           u->harts * sizeof(struct update_hart));
    return true;
}

static void begin(struct updates *u, const struct code_write *w)
{
    unsigned writer = w->who.hart;
    struct update_hart *row = row_of(u, writer);

    u->open_count++;
    u->rounds[writer] = (struct round){.announced_at = UINT64_MAX, .first_stamp = w->stamp};
    join_sections(u, writer);
    u->begun[writer] =
        u->rounds[writer].what == ANNOUNCED_SITES ? u->rounds[writer].announced_at : w->stamp;
    if (reopen(u, &w->who))
        return;
    u->open[writer] = (struct update){.first_stamp = w->stamp, .writer = w->who};
    u->timelines[writer] = (struct timeline){.count = 0};
    for (unsigned i = 0; i < u->harts; i++)
        row[i] = (struct update_hart){.low = UINT64_MAX,
                                      .insns = hart_insns(cluster_hart(u->cluster, i))};
}

enum { LOOKS_FOR_LOOP = 4, LOOKS_MAX = 4096 };

static enum update_role role_of(const struct updates *u, unsigned writer, unsigned hart)
{
    const struct update_hart *row = &row_of(u, writer)[hart];

    if (hart == writer)
        return ROLE_WROTE;
    if (hart_insns(cluster_hart(u->cluster, hart)) == row->insns)
        return ROLE_STOOD;
    return row->looks >= LOOKS_FOR_LOOP && row->high - row->low <= LOOP_BYTES ? ROLE_LOOPED
                                                                              : ROLE_RAN;
}

/* ---- how long a hart may have fetched what was there before ---- */

/*
 * Whether the hart runs. One that has never run, or is stopped, cannot fence: it has to when it is
 * started, which another rule is about (audit/start_rules.c).
 */
static bool is_running(const struct updates *u, unsigned hart)
{
    return !u->stopped[hart] && hart_insns(cluster_hart(u->cluster, hart));
}

static void begin_stale(const struct updates *u, struct update_hart *row, unsigned hart)
{
    row[hart].fenced = false;
    if (row[hart].stale || !is_running(u, hart))
        return;
    row[hart].stale = true;
    row[hart].stale_since = hart_cycles(cluster_hart(u->cluster, hart));
}

static void end_stale(const struct updates *u, struct update_hart *row, unsigned hart)
{
    if (row[hart].stale)
        row[hart].stale_cycles +=
            hart_cycles(cluster_hart(u->cluster, hart)) - row[hart].stale_since;
    row[hart].stale = false;
}

/* ---- the end ---- */

static void note_fences(struct updates *u, unsigned writer)
{
    const struct update *open = &u->open[writer];
    struct update_hart *row = row_of(u, writer);

    for (unsigned i = 0; i < u->harts; i++) {
        const struct patch_fence *f = patch_log_last_fence(u->log, i);

        row[i].role = role_of(u, writer, i);
        end_stale(u, row, i);
        if (!row[i].fenced && f && f->stamp >= open->last_stamp) {
            row[i].fenced = true;
            row[i].fence_cycle = f->cycle;
            row[i].fence_step = f->step;
        }
    }
}

/* Completes the last kept update: it cannot be continued any more. */
static void settle_last(struct updates *u)
{
    if (!u->has_last)
        return;
    u->kept.at[u->kept.len - 1].changed = change_log_add(&u->changes, u->sites, &u->last_changes);
    changes_clear(&u->last_changes);
    u->has_last = false;
}

static void keep(struct updates *u, unsigned writer)
{
    settle_last(u);
    if (u->kept.len == u->max) {
        changes_clear(&u->open_changes[writer]);
        u->left_out++;
        return;
    }
    swap_changes(&u->last_changes, &u->open_changes[writer]);
    u->has_last = true;
    VEC_PUSH(&u->kept, u->open[writer]);
    keep_timeline(u, writer);
    for (unsigned i = 0; i < u->harts; i++)
        VEC_PUSH(&u->kept_harts, row_of(u, writer)[i]);
}

/* h: the hart that has announced it or fenced last; NULL: none. */
static void end_update(struct updates *u, unsigned writer, enum update_end how, struct hart *h)
{
    struct update *open = &u->open[writer];
    const struct round *r = &u->rounds[writer];
    const struct ftrace_event e = {.kind = FTRACE_UPDATE_ENDED,
                                   .update = {.writer = writer,
                                              .stamp = open->last_stamp,
                                              .first_stamp = r->first_stamp,
                                              .stores = r->stores,
                                              .end = (uint8_t)how,
                                              .announced = (uint8_t)r->what,
                                              .sites = r->sites,
                                              .labels = r->labels,
                                              .hart = h}};

    open->end = how;
    open->end_cycle = hart_cycles(cluster_hart(u->cluster, writer));
    open->end_step = cluster_steps(u->cluster);
    open->rounds += how == UPDATE_FENCED;
    u->ended[writer] = open->last_stamp;
    note_fences(u, writer);
    keep(u, writer);
    *open = (struct update){0};
    u->open_count--;
    ftrace_emit(u->stream, &e);
}

static bool has_fenced(const struct updates *u, unsigned hart, uint64_t stamp)
{
    const struct patch_fence *f = patch_log_last_fence(u->log, hart);

    return !is_running(u, hart) || (f && f->stamp >= stamp);
}

static bool all_have_fenced(const struct updates *u, uint64_t stamp)
{
    for (unsigned i = 0; i < u->harts; i++)
        if (!has_fenced(u, i, stamp))
            return false;
    return true;
}

/* ---- events ---- */

/* Adds the store to what is known of the open update beside its record. */
static void note_store(struct updates *u, const struct code_write *w, uint32_t site)
{
    struct round *r = &u->rounds[w->who.hart];

    r->stores++;
    r->sites |= site != NO_SITE;
    r->labels |= u->text && text_map_jump_label(u->text, w->pa, w->size);
    r->lock_owner = lock_owner(u);
    count_in_sections(u, r->sections);
}

void updates_write(struct updates *u, const struct code_write *w, uint32_t site, bool begins_patch)
{
    const struct site *at = site == NO_SITE ? NULL : site_get(u->sites, site);
    uint32_t writer = w->who.hart;
    struct update *open;

    if (w->who.kind != WRITER_HART || writer >= u->harts)
        return;
    open = &u->open[writer];
    if (!open->stores)
        begin(u, w);
    else
        join_sections(u, writer);
    note_store(u, w, site);
    open->end = UPDATE_OPEN;
    open->last_stamp = w->stamp;
    open->last_cycle = w->who.cycle;
    open->last_step = w->who.step;
    timeline_store(&u->timelines[writer], &w->who);
    open->stores++;
    open->patches += begins_patch;
    changes_write(&u->open_changes[writer], u->sites, cluster_bus(u->cluster), w, site,
                  begins_patch);
    for (unsigned i = 0; i < u->harts; i++)
        begin_stale(u, row_of(u, writer), i);
    if (open->stores <= LOOKS_MAX)
        look_at_harts(u, writer, at ? at->pa : w->pa, at ? at->size : w->size);
}

void updates_fence(struct updates *u, const struct fence_event *event)
{
    const struct hart *h = event->hart;

    for (unsigned i = 0; u->open_count && i < u->harts; i++) {
        const struct update *open = &u->open[i];
        struct update_hart *row = &row_of(u, i)[hart_id(h)];
        const struct patch_fence *f = patch_log_last_fence(u->log, hart_id(h));

        if (!open->stores)
            continue;
        row->fences++;
        timeline_fence(&u->timelines[i], h, event);
        end_stale(u, row_of(u, i), hart_id(h));
        if (!f || f->stamp < open->last_stamp || row->fenced)
            continue;
        row->fenced = true;
        row->fence_cycle = f->cycle;
        row->fence_step = f->step;
        if (!u->rounds[i].sections && all_have_fenced(u, open->last_stamp))
            end_update(u, i, UPDATE_FENCED, cluster_hart(u->cluster, hart_id(h)));
    }
}

void updates_ipi(struct updates *u, const struct hart *sender, const struct hart *to)
{
    unsigned writer = hart_id(sender);

    if (!u->open[writer].stores)
        return;
    u->open[writer].ipis++;
    timeline_ipi_sent(&u->timelines[writer], sender, to);
}

void updates_ipi_taken(struct updates *u, const struct hart *h)
{
    for (unsigned i = 0; u->open_count && i < u->harts; i++)
        if (u->open[i].stores && u->open[i].ipis && i != hart_id(h))
            timeline_ipi_taken(&u->timelines[i], h);
}

void updates_set_stopped(struct updates *u, unsigned hart, bool stopped)
{
    u->stopped[hart] = stopped;
}

/* Ends the section, and the updates that are in no other one. */
static void close_section(struct updates *u, unsigned section, struct hart *h)
{
    struct section *s = &u->sections[section];
    const struct ftrace_event nothing = {.kind = FTRACE_UPDATE_ENDED,
                                         .update = {.writer = hart_id(h),
                                                    .end = UPDATE_ANNOUNCED,
                                                    .announced = (uint8_t)s->what,
                                                    .hart = h}};

    s->open = false;
    u->open_sections &= ~(UINT32_C(1) << section);
    for (unsigned i = 0; i < u->harts; i++) {
        struct round *r = &u->rounds[i];

        if (!u->open[i].stores || !(r->sections >> section & 1))
            continue;
        r->sections &= ~(UINT32_C(1) << section);
        if (!r->sections)
            end_update(u, i, UPDATE_ANNOUNCED, h);
    }
    if (!s->stores)
        ftrace_emit(u->stream, &nothing);
}

static unsigned oldest_section(const struct updates *u)
{
    unsigned oldest = 0;

    for (unsigned i = 1; i < SECTIONS_MAX; i++)
        if (u->sections[i].stamp < u->sections[oldest].stamp)
            oldest = i;
    return oldest;
}

static unsigned free_section(struct updates *u, struct hart *h)
{
    unsigned i = 0;

    while (i < SECTIONS_MAX && u->sections[i].open)
        i++;
    if (i < SECTIONS_MAX)
        return i;
    i = oldest_section(u);
    close_section(u, i, h);
    u->sections_left_out++;
    return i;
}

void updates_announce_begin(struct updates *u, struct hart *h, enum announced what)
{
    unsigned i = section_of(u, task_of(h));

    if (i == SECTIONS_MAX)
        i = free_section(u, h);
    u->sections[i] =
        (struct section){.open = true, .what = what, .task = task_of(h), .stamp = clock_now(u)};
    u->open_sections |= UINT32_C(1) << i;
}

void updates_announce_end(struct updates *u, struct hart *h)
{
    unsigned i = section_of(u, task_of(h));

    if (i < SECTIONS_MAX)
        close_section(u, i, h);
}

bool updates_is_announced(const struct updates *u, const struct hart *h)
{
    return section_of(u, task_of(h)) < SECTIONS_MAX;
}

/* Why the update has ended at this cycle, although nothing else has said so. */
static enum update_end end_by_time(const struct updates *u, unsigned writer, uint64_t cycle)
{
    uint64_t last = u->open[writer].last_cycle, since = cycle > last ? cycle - last : 0;

    if (u->rounds[writer].sections)
        return since > ABANDONED_CYCLES ? UPDATE_QUIET : UPDATE_OPEN;
    if (since > RELEASED_CYCLES && is_released(u, writer))
        return UPDATE_RELEASED;
    return since > QUIET_CYCLES ? UPDATE_QUIET : UPDATE_OPEN;
}

/* Closes these sections: the updates of other harts in them end by time. */
static void abandon_sections(struct updates *u, uint32_t sections)
{
    for (unsigned i = 0; sections && i < SECTIONS_MAX; i++)
        if (sections >> i & 1)
            u->sections[i].open = false;
    u->open_sections &= ~sections;
    for (unsigned i = 0; i < u->harts; i++)
        u->rounds[i].sections &= ~sections;
}

void updates_pass_time(struct updates *u, uint64_t cycle)
{
    for (unsigned i = 0; u->open_count && i < u->harts; i++) {
        enum update_end how = u->open[i].stores ? end_by_time(u, i, cycle) : UPDATE_OPEN;

        if (how == UPDATE_OPEN)
            continue;
        abandon_sections(u, u->rounds[i].sections);
        end_update(u, i, how, NULL);
    }
}

bool updates_ended(const struct updates *u, uint32_t writer, uint64_t stamp)
{
    return writer < u->harts && stamp <= u->ended[writer];
}

uint64_t updates_begun(const struct updates *u, uint32_t writer, uint64_t stamp)
{
    return writer < u->harts && stamp >= u->begun[writer] ? u->begun[writer] : UINT64_MAX;
}

uint64_t updates_announced_at(const struct updates *u, uint32_t writer, uint64_t stamp)
{
    const struct round *r = writer < u->harts ? &u->rounds[writer] : NULL;

    return r && r->stores && stamp >= r->first_stamp ? r->announced_at : UINT64_MAX;
}

bool updates_is_guarded(const struct updates *u, uint32_t writer)
{
    const struct round *r = &u->rounds[writer];

    return u->open[writer].stores && (r->sections || r->lock_owner);
}

bool updates_is_open(const struct updates *u, uint32_t writer)
{
    return u->open[writer].stores;
}

const struct update *updates_open(const struct updates *u, uint32_t writer)
{
    return updates_is_open(u, writer) ? &u->open[writer] : NULL;
}

static uint64_t newest_cycle(const struct updates *u)
{
    uint64_t newest = 0;

    for (unsigned i = 0; i < u->harts; i++) {
        uint64_t cycle = hart_cycles(cluster_hart(u->cluster, i));

        newest = cycle > newest ? cycle : newest;
    }
    return newest;
}

/* A run may end between the release and the fence. */
void updates_settle(struct updates *u)
{
    uint64_t now = newest_cycle(u);

    for (unsigned i = 0; i < u->harts; i++)
        if (u->open[i].stores && now > u->open[i].last_cycle &&
            now - u->open[i].last_cycle > SAME_CYCLES && is_released(u, i))
            end_update(u, i, UPDATE_RELEASED, NULL);
}

void updates_finish(struct updates *u)
{
    for (unsigned i = 0; i < u->harts; i++) {
        if (!u->open[i].stores)
            continue;
        note_fences(u, i);
        u->open[i].end_cycle = hart_cycles(cluster_hart(u->cluster, i));
        u->open[i].end_step = cluster_steps(u->cluster);
        keep(u, i);
        u->open[i] = (struct update){0};
    }
    u->open_count = 0;
    settle_last(u);
}
