/*
 * acts.c - see acts.h.
 */
#include "explore/acts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "ftrace/events/events.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "machine/machine.h"

/* Executions of one instruction by one hart in one epoch, as indices of acts, or NONE. */
enum { LAST_TASKS = 4 };
struct repeats {
    uint64_t epoch; /* of the last execution, as epoch_of has it; 0: none is kept */
    size_t first;
    size_t last[LAST_TASKS]; /* by different tasks, the newest first */
};

struct probed {
    uint32_t probe, place, page;
    uint8_t offset;
};

enum { REPLACED = ACT_KINDS }; /* the kind of an act that a newer one has replaced */

#define NONE SIZE_MAX

struct act_log {
    struct machine *machine;
    struct cluster *cluster;
    struct watch *watch;
    struct probe_owner owner;
    bool on, keep; /* acts are passed to on_act; acts are kept in the list */
    struct act_list list;
    size_t unused;
    bool full;
    uint64_t from; /* before this total of instructions, only executions are recorded */
    uint64_t messages[HARTS_MAX]; /* fences of the hart, and messages to it */
    struct map stores;            /* place -> stores to it */
    size_t image_sites;           /* their ids are below those of modules' sites */
    struct map away;              /* sites that cannot be executed at present */
    struct map expected;          /* ids of sites whose instructions are acts once they are added */
    VEC_OF(struct probed) probes;
    VEC_OF(struct repeats) repeats; /* by probe and hart */
    struct act awaited;             /* kind ACT_KINDS: no access is */
    void (*on_act)(void *ctx, const struct act *a);
    void *ctx;
};

/* ---- recording ---- */

static size_t moved_to(const size_t *moved, size_t index)
{
    return index == NONE ? NONE : moved[index];
}

/* Removes the acts that were replaced. */
static void compact(struct act_log *l)
{
    size_t *moved = xcalloc(l->list.acts.len + 1, sizeof *moved), to = 0;

    for (size_t i = 0; i < l->list.acts.len; i++) {
        moved[i] = l->list.acts.at[i].kind == REPLACED ? NONE : to;
        if (moved[i] != NONE)
            l->list.acts.at[to++] = l->list.acts.at[i];
    }
    for (size_t i = 0; i < l->repeats.len; i++) {
        struct repeats *r = &l->repeats.at[i];

        if (!r->epoch)
            continue;
        r->first = moved_to(moved, r->first);
        for (unsigned n = 0; n < LAST_TASKS; n++)
            r->last[n] = moved_to(moved, r->last[n]);
    }
    l->list.acts.len = to;
    l->unused = 0;
    free(moved);
}

/* Removes the act of an execution, if it is kept. */
static void give_up(struct act_log *l, size_t *index)
{
    if (*index == NONE)
        return;
    l->list.acts.at[*index].kind = REPLACED;
    l->unused++;
    *index = NONE;
}

static bool is_full(const struct act_log *l)
{
    return l->list.acts.len - l->unused >= ACTS_MAX;
}

/*
 * Gives up executions until there is room: the first ones of all instructions, then those of the
 * tasks that executed them longest ago. The last one of each instruction stays.
 */
static void make_room(struct act_log *l)
{
    for (unsigned n = LAST_TASKS; n > 0 && is_full(l); n--)
        for (size_t i = 0; i < l->repeats.len; i++) {
            struct repeats *r = &l->repeats.at[i];

            if (r->epoch && r->last[0] != NONE)
                give_up(l, n == LAST_TASKS ? &r->first : &r->last[n]);
        }
    compact(l);
}

static uint64_t stores_to(const struct act_log *l, uint32_t place)
{
    uint64_t count = 0;

    (void)map_get(&l->stores, place, &count);
    return count;
}

/* Returns the epoch, above 0: within one, executions of the place by the hart are alike. */
static uint64_t epoch_of(const struct act_log *l, unsigned hart, uint32_t place)
{
    return 1 + l->messages[hart] + stores_to(l, place);
}

static void pass_on(const struct act_log *l, const struct act *a)
{
    if (l->on_act)
        l->on_act(l->ctx, a);
}

/* Adds an act. False: there is no room. */
static bool add(struct act_log *l, struct act a)
{
    a.insns = machine_insns(l->machine);
    a.task = hart_reg(cluster_hart(l->cluster, a.hart), REG_TP);
    pass_on(l, &a);
    if (!l->keep)
        return false;
    if (l->unused > ACTS_MAX / 2)
        compact(l);
    if (is_full(l) && !l->full)
        make_room(l);
    if (is_full(l)) {
        l->full = true;
        return false;
    }
    VEC_PUSH(&l->list.acts, a);
    return true;
}

static void add_other(struct act_log *l, struct act a)
{
    const struct act *last = l->list.acts.len ? &l->list.acts.at[l->list.acts.len - 1] : NULL;

    if (last && a.kind == ACT_STORE && last->kind == ACT_STORE && last->hart == a.hart &&
        last->place == a.place && (a.place & PLACE_PAGE))
        return; /* the store belongs to a copy of code, page by page */
    if (a.kind == ACT_STORE)
        map_put(&l->stores, a.place, stores_to(l, a.place) + 1);
    else
        l->messages[a.other]++;
    (void)add(l, a);
}

/* Makes last[0] free for an execution by `task', which replaces that by the same task, or the
 * oldest. */
static void replace_execution(struct act_log *l, struct repeats *r, uint64_t task)
{
    unsigned n = 0;

    while (n < LAST_TASKS - 1 && r->last[n] != NONE && l->list.acts.at[r->last[n]].task != task)
        n++;
    give_up(l, &r->last[n]);
    for (; n > 0; n--)
        r->last[n] = r->last[n - 1];
    r->last[0] = NONE;
}

static void add_execution(struct act_log *l, const struct probed *p, struct hart *h,
                          struct repeats *r)
{
    uint64_t epoch = epoch_of(l, hart_id(h), p->place);
    bool again = r->epoch == epoch;

    if (again)
        replace_execution(l, r, hart_reg(h, REG_TP));
    if (!add(l, (struct act){.kind = ACT_EXECUTE,
                             .hart = (uint8_t)hart_id(h),
                             .place = p->place,
                             .page = p->page,
                             .offset = p->offset,
                             .masked = hart_is_masked(h)})) {
        *r = (struct repeats){0};
        return;
    }
    if (again) {
        r->last[0] = l->list.acts.len - 1;
        return;
    }
    *r = (struct repeats){.epoch = epoch, .first = l->list.acts.len - 1};
    for (unsigned n = 0; n < LAST_TASKS; n++)
        r->last[n] = NONE;
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct act_log *l = ctx;

    (void)cookie;
    (void)pc;
    if (l->on)
        add_execution(l, &l->probes.at[id], h,
                      &l->repeats.at[(size_t)id * cluster_hart_count(l->cluster) + hart_id(h)]);
    return PROBE_GO_ON;
}

static uint32_t page_number(uint64_t pa)
{
    return (uint32_t)(pa >> 12 & ~(uint64_t)PLACE_PAGE);
}

static uint32_t place_of(const struct act_log *l, const struct code_write *w)
{
    uint32_t site = site_find(watch_sites(l->watch), w->pa, w->size);

    return site != NO_SITE ? site : PLACE_PAGE | page_number(w->pa);
}

/* ---- modules whose code is taken away ---- */

static bool can_execute(const struct act_log *l, unsigned hart, const struct site *s)
{
    uint64_t pa;

    return hart_translate(cluster_hart(l->cluster, hart), s->va, ACCESS_FETCH, &pa) && pa == s->pa;
}

/*
 * Adds stores to the sites of modules that can no longer be executed; `known`: only notes these
 * sites.
 */
static void look_at_modules(struct act_log *l, unsigned hart, bool known)
{
    const struct site_table *sites = watch_sites(l->watch);

    for (uint32_t id = (uint32_t)l->image_sites; id < site_count(sites); id++) {
        const struct site *s = site_get(sites, id);
        bool was_away = map_get(&l->away, id, &(uint64_t){0});
        bool is_away = s->gone || !can_execute(l, hart, s);

        if (!is_away && was_away)
            map_remove(&l->away, id);
        if (!is_away || was_away)
            continue;
        map_put(&l->away, id, 1);
        if (!known)
            add_other(l, (struct act){.kind = ACT_STORE,
                                      .hart = (uint8_t)hart,
                                      .place = id,
                                      .page = page_number(s->pa)});
    }
}

/* Notes the sites that cannot be executed at the beginning. */
static void begin_modules(struct act_log *l)
{
    map_clear(&l->away);
    look_at_modules(l, hart_id(machine_current(l->machine)), true);
}

/* ---- sites whose instructions are acts ---- */

/* Plants a probe at each even address of the site, where an instruction can begin. */
static void plant(struct act_log *l, uint32_t id)
{
    const struct site *s = site_get(watch_sites(l->watch), id);

    for (unsigned offset = 0; !s->gone && offset < s->size; offset += 2) {
        uint32_t index = (uint32_t)l->probes.len;
        uint32_t probe = cluster_plant(l->cluster, s->pa + offset, &l->owner, index);

        VEC_PUSH(&l->probes, ((struct probed){probe, id, page_number(s->pa), (uint8_t)offset}));
        for (unsigned h = 0; h < cluster_hart_count(l->cluster); h++)
            VEC_PUSH(&l->repeats, (struct repeats){0});
    }
}

/*
 * A site was added: that of a module that is being loaded, whose code nothing can execute before
 * it is complete. Where the list begins before that, its instructions are acts from now on.
 */
static void on_site(struct act_log *l, uint32_t id)
{
    const struct site *s = site_get(watch_sites(l->watch), id);
    unsigned hart = hart_id(machine_current(l->machine));

    if (!l->on || s->gone)
        return;
    if (!can_execute(l, hart, s))
        map_put(&l->away, id, 1);
    if (map_get(&l->expected, id, &(uint64_t){0})) {
        map_remove(&l->expected, id);
        plant(l, id);
    }
}

static void on_lock(const struct act_log *l, enum act_kind kind, const struct hart *h)
{
    if (l->on)
        pass_on(l, &(struct act){.kind = (uint8_t)kind,
                                 .hart = (uint8_t)hart_id(h),
                                 .insns = machine_insns(l->machine)});
}

static void on_ftrace(void *ctx, const struct ftrace_event *e)
{
    struct act_log *l = ctx;

    if (e->kind == FTRACE_SITE_CHANGED)
        on_site(l, e->site.id);
    else
        on_lock(l, e->kind == FTRACE_LOCK_ASKED ? ACT_LOCK : ACT_UNLOCK, e->lock.hart);
}

/* ---- an access to data ---- */

static uint64_t awaited_page(const struct act_log *l)
{
    return (uint64_t)l->awaited.page << 12;
}

void act_log_await(struct act_log *l, const struct act *access)
{
    l->awaited = *access;
    cluster_watch_memory(l->cluster, awaited_page(l), PAGE_BYTES, !access->other);
}

void act_log_await_no_more(struct act_log *l)
{
    cluster_unwatch_memory(l->cluster, awaited_page(l), PAGE_BYTES, !l->awaited.other);
    l->awaited.kind = ACT_KINDS;
}

static void on_access(struct act_log *l, const struct access_event *e)
{
    struct act a = l->awaited;
    uint64_t word =
        awaited_page(l) + (a.place & (PAGE_BYTES / ACT_WORD_BYTES - 1)) * ACT_WORD_BYTES;

    if (a.kind != ACT_ACCESS || e->who.kind != WRITER_HART || e->pa + e->size <= word ||
        e->pa >= word + ACT_WORD_BYTES || !(a.other ? e->writes : e->reads))
        return;
    a.hart = (uint8_t)e->who.hart;
    a.insns = machine_insns(l->machine);
    pass_on(l, &a);
}

static void on_event(void *ctx, const struct event *e)
{
    struct act_log *l = ctx;
    struct act a = {0};

    if (e->kind == EVENT_ACCESS) {
        on_access(l, &e->access);
        return;
    }

    if (!l->on)
        return;
    if (e->kind == EVENT_SFENCE_VMA) {
        look_at_modules(l, e->fence.requester, machine_insns(l->machine) < l->from);
        return;
    }
    if (e->kind != EVENT_HART_STARTED && machine_insns(l->machine) < l->from)
        return;
    switch (e->kind) {
    case EVENT_CODE_WRITE:
        if (e->code_write.who.kind != WRITER_HART)
            return;
        a.kind = ACT_STORE;
        a.hart = (uint8_t)e->code_write.who.hart;
        a.place = place_of(l, &e->code_write);
        a.page = page_number(e->code_write.pa);
        break;
    case EVENT_FENCE_I:
        a.kind = ACT_FENCE;
        a.hart = (uint8_t)e->fence.requester;
        a.other = (uint8_t)hart_id(e->fence.hart);
        break;
    case EVENT_IPI_SENT:
        a.kind = ACT_SEND;
        a.hart = (uint8_t)hart_id(e->ipi.sender);
        a.other = (uint8_t)hart_id(e->ipi.hart);
        break;
    case EVENT_IPI_TAKEN:
        a.kind = ACT_TAKE;
        a.hart = a.other = (uint8_t)hart_id(e->ipi.hart);
        break;
    case EVENT_HART_STARTED:
        a.kind = ACT_START;
        a.hart = (uint8_t)hart_id(machine_current(l->machine));
        a.other = (uint8_t)hart_id(e->started.hart);
        break;
    default: return;
    }
    add_other(l, a);
}

/* ---- life ---- */

struct act_log *act_log_new(struct machine *m, struct watch *w)
{
    struct act_log *l = xcalloc(1, sizeof *l);
    struct listener listener = {l,
                                EVENT_BIT(EVENT_CODE_WRITE) | EVENT_BIT(EVENT_FENCE_I) |
                                    EVENT_BIT(EVENT_IPI_SENT) | EVENT_BIT(EVENT_IPI_TAKEN) |
                                    EVENT_BIT(EVENT_HART_STARTED) | EVENT_BIT(EVENT_SFENCE_VMA) |
                                    EVENT_BIT(EVENT_ACCESS),
                                on_event};

    l->machine = m;
    l->awaited.kind = ACT_KINDS;
    l->cluster = machine_cluster(m);
    l->watch = w;
    l->owner = (struct probe_owner){l, NULL, hit};
    l->image_sites = site_count(watch_sites(w));
    l->list.harts = cluster_hart_count(l->cluster);
    cluster_listen(l->cluster, &listener);
    ftrace_listen(watch_stream(w), &(struct ftrace_listener){l,
                                                             FTRACE_BIT(FTRACE_SITE_CHANGED) |
                                                                 FTRACE_BIT(FTRACE_LOCK_ASKED) |
                                                                 FTRACE_BIT(FTRACE_LOCK_RELEASED),
                                                             on_ftrace});
    return l;
}

void act_log_free(struct act_log *l)
{
    if (!l)
        return;
    act_log_end(l);
    ftrace_unlisten(watch_stream(l->watch), l);
    VEC_FREE(&l->list.acts);
    VEC_FREE(&l->probes);
    map_free(&l->stores);
    map_free(&l->away);
    map_free(&l->expected);
    VEC_FREE(&l->repeats);
    free(l);
}

void act_log_begin(struct act_log *l, const uint32_t *sites, size_t count, uint64_t from)
{
    l->from = from;
    l->on = l->keep = true;
    l->full = false;
    begin_modules(l);
    l->list.acts.len = l->unused = 0;
    memset(l->messages, 0, sizeof l->messages);
    map_clear(&l->stores);
    map_clear(&l->expected);
    for (size_t i = 0; i < count; i++)
        if (sites[i] < site_count(watch_sites(l->watch)))
            plant(l, sites[i]);
        else
            map_put(&l->expected, sites[i], 1);
}

void act_log_end(struct act_log *l)
{
    for (size_t i = 0; i < l->probes.len; i++)
        cluster_uproot(l->cluster, l->probes.at[i].probe);
    l->probes.len = l->repeats.len = 0;
    map_clear(&l->expected);
    l->on = false;
    l->on_act = NULL;
}

void act_log_watch(struct act_log *l)
{
    l->on = true;
    l->keep = false;
    l->from = 0;
    begin_modules(l);
}

bool act_log_is_full(const struct act_log *l)
{
    return l->full;
}

const struct act_list *act_log_list(struct act_log *l)
{
    compact(l);
    return &l->list;
}

void act_log_listen(struct act_log *l, void (*on_act)(void *ctx, const struct act *a), void *ctx)
{
    l->on_act = on_act;
    l->ctx = ctx;
}

void act_state_io(struct state_io *io, struct act *a)
{
    STATE_IO(io, a->insns);
    STATE_IO(io, a->place);
    STATE_IO(io, a->page);
    STATE_IO(io, a->masked);
    STATE_IO(io, a->task);
    STATE_IO(io, a->va);
    STATE_IO(io, a->kind);
    STATE_IO(io, a->hart);
    STATE_IO(io, a->other);
    STATE_IO(io, a->offset);
}
