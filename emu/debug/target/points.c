/*
 * points.c - breakpoints, and the goals at which a step or a run ends; adding and
 * deleting points of all kinds. Breakpoints and goals are probes on physical addresses
 * (cpu/observer.h), so they do not depend on the mapping, and the guest cannot see them.
 *
 * The accounting plants probes, too, before the session. Probes that are planted
 * later are called first: so a stop comes before the accounting has counted the
 * instruction, and it is counted once, when the hart is resumed.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "cpu/isa/isa.h"
#include "debug/target/target_priv.h"

/* ---- the probe's callbacks ---- */

static bool has_passed(const struct target *t, const struct hart *h, uint64_t pc)
{
    const struct passed *p = &t->passed[hart_id(h)];

    return p->pc == pc && p->insns == hart_insns(h);
}

static bool is_for(uint32_t wanted_hart, const struct hart *h)
{
    return wanted_hart == TARGET_ANY_HART || wanted_hart == hart_id(h);
}

bool point_hit(struct target_point *p, unsigned hart)
{
    const struct target_condition *c = &p->condition;

    if (c->holds && !c->holds(c->ctx, hart))
        return false;
    p->hits++;
    if (!p->ignore)
        return true;
    p->ignore--;
    return false;
}

/* Whether one of the breakpoint's places is at `pa`; false for points of other kinds. */
static bool is_at(const struct target_point *p, uint64_t pa)
{
    bool found = p->kind == TARGET_BREAK && p->pa == pa;

    for (size_t i = 0; i < p->place_count && !found; i++)
        found = p->places[i].pa == pa;
    return found;
}

unsigned points_hit(struct target *t, uint64_t pa, const struct hart *h)
{
    unsigned first = 0;

    for (size_t i = 0; i < t->points.len; i++) {
        struct target_point *p = &t->points.at[i];

        if (!p->disabled && is_at(p, pa) && is_for(p->hart, h) && point_hit(p, hart_id(h)) &&
            !first)
            first = p->number;
    }
    return first;
}

static enum hit hit_goals(const struct target *t, uint64_t pa, const struct hart *h, bool passed)
{
    enum hit hit = HIT_NONE;

    for (size_t i = 0; i < t->goals.len; i++) {
        const struct goal *g = &t->goals.at[i];

        if (g->pa != pa || !is_for(g->hart, h) || (g->on_stack && g->sp != hart_reg(h, REG_SP)) ||
            (g->accepts && !g->accepts(g->ctx, hart_id(h))))
            continue;
        if (g->turn)
            return HIT_TURN;
        if (!passed)
            hit = HIT_GOAL;
    }
    return hit;
}

/*
 * Decides about a stop. A breakpoint has precedence over a goal at the same address, so that the
 * user learns of the breakpoint.
 */
static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct target *t = ctx;
    uint64_t pa = t->spots.at[id].pa;
    bool passed = has_passed(t, h, pc);

    (void)cookie;
    if (t->quiet)
        return PROBE_GO_ON;
    t->hit_point = passed ? 0 : points_hit(t, pa, h);
    t->hit = t->hit_point ? HIT_POINT : hit_goals(t, pa, h, passed);
    return t->hit == HIT_NONE ? PROBE_GO_ON : PROBE_STOP;
}

/* ---- spots ---- */

static struct spot *spot_at(struct target *t, uint64_t pa)
{
    for (size_t i = 0; i < t->spots.len; i++)
        if (t->spots.at[i].users && t->spots.at[i].pa == pa)
            return &t->spots.at[i];
    return NULL;
}

static uint32_t free_spot(struct target *t)
{
    for (size_t i = 0; i < t->spots.len; i++)
        if (!t->spots.at[i].users)
            return (uint32_t)i;
    VEC_PUSH(&t->spots, (struct spot){0});
    return (uint32_t)(t->spots.len - 1);
}

/* Adds a user of the spot at `pa`. False: the address has no room for another probe. */
static bool take_spot(struct target *t, uint64_t pa)
{
    struct spot *s = spot_at(t, pa);
    uint32_t id, probe;

    if (s) {
        s->users++;
        return true;
    }
    id = free_spot(t);
    probe = cluster_plant(t->cluster, pa, &t->owner, id);
    if (probe != CLUSTER_NO_PROBE)
        t->spots.at[id] = (struct spot){.pa = pa, .users = 1, .probe = probe};
    return probe != CLUSTER_NO_PROBE;
}

static void leave_spot(struct target *t, uint64_t pa)
{
    struct spot *s = spot_at(t, pa);

    if (--s->users == 0)
        cluster_uproot(t->cluster, s->probe);
}

/* ---- goals ---- */

void goal_add(struct target *t, unsigned from_hart, const struct target_goal *g, bool turn)
{
    struct goal goal = {.hart = g->hart,
                        .on_stack = g->on_stack,
                        .sp = g->sp,
                        .turn = turn,
                        .accepts = g->accepts,
                        .ctx = g->ctx};

    if (g->address & 1 || target_locate(t, from_hart, g->space, g->address, &goal.pa))
        return;
    if (take_spot(t, goal.pa))
        VEC_PUSH(&t->goals, goal);
}

void goals_drop(struct target *t, bool turns_only)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->goals.len; i++) {
        struct goal g = t->goals.at[i];

        if (turns_only && !g.turn)
            t->goals.at[kept++] = g;
        else
            leave_spot(t, g.pa);
    }
    t->goals.len = kept;
}

void points_pass(struct target *t, struct hart *h)
{
    t->passed[hart_id(h)] = (struct passed){hart_pc(h), hart_insns(h)};
}

void points_pass_none(struct target *t)
{
    for (unsigned i = 0; i < target_hart_count(t); i++)
        t->passed[i].insns = UINT64_MAX;
}

/* ---- points ---- */

void points_init(struct target *t)
{
    t->owner = (struct probe_owner){.ctx = t, .hit = hit};
    t->passed = xcalloc(target_hart_count(t), sizeof *t->passed);
    points_pass_none(t);
}

static void release(struct target_condition *c)
{
    if (c->release)
        c->release(c->ctx);
}

static void remove_point(struct target *t, size_t i)
{
    struct target_point *p = &t->points.at[i];
    bool is_catch = p->kind == TARGET_CATCH;

    if (p->kind == TARGET_BREAK)
        leave_spot(t, p->pa);
    else if (!is_catch)
        watchpoint_clear(t, p);
    for (size_t k = 0; k < p->place_count; k++)
        leave_spot(t, p->places[k].pa);
    free(p->places);
    release(&p->condition);
    if (p->catch.release)
        p->catch.release(p->catch.ctx);
    t->points.len--;
    for (; i < t->points.len; i++)
        t->points.at[i] = t->points.at[i + 1];
    if (is_catch)
        catch_listen(t);
}

void points_free(struct target *t)
{
    while (t->points.len)
        remove_point(t, t->points.len - 1);
    goals_drop(t, false);
    VEC_FREE(&t->points);
    VEC_FREE(&t->goals);
    VEC_FREE(&t->spots);
    VEC_FREE(&t->pieces);
    VEC_FREE(&t->accesses);
    VEC_FREE(&t->caught);
    free(t->passed);
}

static enum target_error break_set(struct target *t, unsigned from_hart, struct target_point *p)
{
    enum target_error error;

    if (p->address & 1)
        return TARGET_ODD_ADDRESS;
    error = target_locate(t, from_hart, p->space, p->address, &p->pa);
    if (!error && !take_spot(t, p->pa))
        error = TARGET_NO_ROOM;
    return error;
}

static enum target_error place_point(struct target *t, unsigned from_hart, struct target_point *p)
{
    switch (p->kind) {
    case TARGET_BREAK: return break_set(t, from_hart, p);
    case TARGET_CATCH: return TARGET_OK;
    default: return watchpoint_set(t, p, t->last_number + 1);
    }
}

enum target_error target_add_point(struct target *t, unsigned from_hart,
                                   const struct target_point *p, unsigned *number)
{
    struct target_point point = *p;
    enum target_error error;

    if (p->hart != TARGET_ANY_HART && p->hart >= target_hart_count(t))
        return TARGET_NO_HART;
    if (t->points.len == TARGET_POINTS_MAX)
        return TARGET_TOO_MANY;
    error = place_point(t, from_hart, &point);
    if (error)
        return error;
    point.number = *number = ++t->last_number;
    point.hits = 0;
    point.places = NULL;
    point.place_count = 0;
    VEC_PUSH(&t->points, point);
    if (point.kind == TARGET_CATCH)
        catch_listen(t);
    return TARGET_OK;
}

/* Returns the index of the point with this number; points.len: there is none. */
static size_t index_of(const struct target *t, unsigned number)
{
    size_t i = 0;

    while (i < t->points.len && t->points.at[i].number != number)
        i++;
    return i;
}

enum target_error target_delete_point(struct target *t, unsigned number)
{
    size_t i = index_of(t, number);

    if (i == t->points.len)
        return TARGET_NO_POINT;
    remove_point(t, i);
    return TARGET_OK;
}

enum target_error target_enable_point(struct target *t, unsigned number, bool enabled)
{
    size_t i = index_of(t, number);

    if (i == t->points.len)
        return TARGET_NO_POINT;
    t->points.at[i].disabled = !enabled;
    if (t->points.at[i].kind == TARGET_CATCH)
        catch_listen(t);
    return TARGET_OK;
}

enum target_error target_add_place(struct target *t, unsigned from_hart, unsigned number,
                                   uint64_t address)
{
    size_t i = index_of(t, number);
    struct target_point *p;
    uint64_t pa;
    enum target_error error;

    if (i == t->points.len || t->points.at[i].kind != TARGET_BREAK)
        return TARGET_NO_POINT;
    if (address & 1)
        return TARGET_ODD_ADDRESS;
    p = &t->points.at[i];
    error = target_locate(t, from_hart, p->space, address, &pa);
    if (error)
        return error;
    if (!take_spot(t, pa))
        return TARGET_NO_ROOM;
    p->places = xrealloc(p->places, (p->place_count + 1) * sizeof *p->places);
    p->places[p->place_count++] = (struct target_place){address, pa};
    return TARGET_OK;
}

enum target_error target_ignore(struct target *t, unsigned number, uint64_t hits)
{
    size_t i = index_of(t, number);

    if (i == t->points.len)
        return TARGET_NO_POINT;
    t->points.at[i].ignore = hits;
    return TARGET_OK;
}

enum target_error target_set_condition(struct target *t, unsigned number, struct target_condition c)
{
    size_t i = index_of(t, number);

    if (i == t->points.len)
        return TARGET_NO_POINT;
    release(&t->points.at[i].condition);
    t->points.at[i].condition = c;
    return TARGET_OK;
}

size_t target_point_count(const struct target *t)
{
    return t->points.len;
}

const struct target_point *target_point_at(const struct target *t, size_t i)
{
    return &t->points.at[i];
}

struct target_point *points_find(struct target *t, unsigned number)
{
    size_t i = index_of(t, number);

    return i == t->points.len ? NULL : &t->points.at[i];
}

const struct target_point *target_find_point(const struct target *t, unsigned number)
{
    size_t i = index_of(t, number);

    return i == t->points.len ? NULL : &t->points.at[i];
}

bool target_has_breakpoint(const struct target *t, uint64_t pa)
{
    for (size_t i = 0; i < t->points.len; i++)
        if (!t->points.at[i].disabled && is_at(&t->points.at[i], pa))
            return true;
    return false;
}
