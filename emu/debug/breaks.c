/*
 * points.c - places that stop the machine. All of them are probes on physical
 * addresses, so they work whatever the harts have mapped where.
 *
 * Others (the accounting) plant probes too, before the session. Ours come
 * later, so at a shared address ours is asked first and a stop happens before
 * the others have counted; on resuming we let the same instruction pass and
 * they count it once.
 */
#include <inttypes.h>

#include "debug/debugger_priv.h"

/* ---- what probes ask ---- */

static struct probe_plan plan(void *ctx, uint32_t id, const struct probe_view *view)
{
    (void)ctx;
    (void)id;
    (void)view;
    return (struct probe_plan){.action = PROBE_CALL};
}

static bool has_passed(const struct debugger *d, const struct hart *h, uint64_t pc)
{
    const struct passed *p = &d->points.passed[hart_id(h)];

    return p->pc == pc && p->insns == hart_insns(h);
}

static bool concerns(const struct point *p, uint64_t pa, const struct hart *h)
{
    if (p->pa != pa || (p->hart != ANY_HART && p->hart != hart_id(h)))
        return false;
    return !p->on_stack || p->sp == hart_reg(h, REG_SP);
}

static bool is_users(const struct point *p)
{
    return p->kind == POINT_BREAK || p->kind == POINT_ONCE;
}

/* The point to name when several stand here: the user's own first. */
static struct point *choose(struct debugger *d, uint64_t pa, const struct hart *h, bool passed)
{
    struct point *best = NULL;

    for (size_t i = 0; i < d->points.all.len; i++) {
        struct point *p = &d->points.all.at[i];

        if (!concerns(p, pa, h) || (passed && p->kind != POINT_TURN))
            continue;
        if (!best || (is_users(p) && !is_users(best)))
            best = p;
    }
    return best;
}

static enum probe_verdict hit(void *ctx, uint32_t id, uint8_t cookie, struct hart *h, uint64_t pc)
{
    struct debugger *d = ctx;
    struct point *p = choose(d, d->points.spots.at[id].pa, h, has_passed(d, h, pc));

    (void)cookie;
    if (!p)
        return PROBE_GO_ON;
    p->hits++;
    d->points.hit = *p;
    d->points.was_hit = true;
    return PROBE_STOP;
}

/* ---- spots ---- */

static struct spot *spot_at(struct debugger *d, uint64_t pa)
{
    for (size_t i = 0; i < d->points.spots.len; i++)
        if (d->points.spots.at[i].points && d->points.spots.at[i].pa == pa)
            return &d->points.spots.at[i];
    return NULL;
}

static uint32_t free_spot(struct debugger *d)
{
    for (size_t i = 0; i < d->points.spots.len; i++)
        if (!d->points.spots.at[i].points)
            return (uint32_t)i;
    VEC_PUSH(&d->points.spots, (struct spot){0});
    return (uint32_t)(d->points.spots.len - 1);
}

static void take_spot(struct debugger *d, uint64_t pa)
{
    struct spot *s = spot_at(d, pa);
    uint32_t id;

    if (s) {
        s->points++;
        return;
    }
    id = free_spot(d);
    d->points.spots.at[id] = (struct spot){.pa = pa, .points = 1};
    d->points.spots.at[id].probe = cluster_plant(d->cluster, pa, &d->points.owner, id);
}

static void leave_spot(struct debugger *d, uint64_t pa)
{
    struct spot *s = spot_at(d, pa);

    if (--s->points == 0)
        cluster_uproot(d->cluster, s->probe);
}

/* ---- points ---- */

void points_init(struct debugger *d)
{
    d->points.owner = (struct probe_owner){.ctx = d, .plan = plan, .hit = hit};
    d->points.passed = xcalloc(hart_count(d), sizeof *d->points.passed);
    for (unsigned i = 0; i < hart_count(d); i++)
        d->points.passed[i].insns = UINT64_MAX;
}

static void remove_point(struct debugger *d, size_t i)
{
    leave_spot(d, d->points.all.at[i].pa);
    d->points.all.len--;
    for (; i < d->points.all.len; i++)
        d->points.all.at[i] = d->points.all.at[i + 1];
}

void points_free(struct debugger *d)
{
    while (d->points.all.len)
        remove_point(d, d->points.all.len - 1);
    VEC_FREE(&d->points.all);
    VEC_FREE(&d->points.spots);
    free(d->points.passed);
}

unsigned point_add(struct debugger *d, struct point p)
{
    p.number = is_users(&p) ? ++d->points.last_number : 0;
    take_spot(d, p.pa);
    VEC_PUSH(&d->points.all, p);
    return p.number;
}

bool point_delete(struct debugger *d, unsigned number)
{
    for (size_t i = 0; i < d->points.all.len; i++)
        if (d->points.all.at[i].number == number) {
            remove_point(d, i);
            return true;
        }
    return false;
}

void points_drop(struct debugger *d, enum point_kind kind)
{
    for (size_t i = d->points.all.len; i-- > 0;)
        if (d->points.all.at[i].kind == kind)
            remove_point(d, i);
}

void points_pass(struct debugger *d, struct hart *h)
{
    d->points.passed[hart_id(h)] = (struct passed){hart_pc(h), hart_insns(h)};
}

bool points_user_at(const struct debugger *d, uint64_t pa)
{
    for (size_t i = 0; i < d->points.all.len; i++)
        if (d->points.all.at[i].pa == pa && is_users(&d->points.all.at[i]))
            return true;
    return false;
}

/* ---- commands ---- */

static void add_break(struct debugger *d, const char *args, enum point_kind kind)
{
    struct point p = {.kind = kind, .hart = ANY_HART};
    unsigned number;

    if (!arg_value(d, &args, "an address", &p.va))
        return;
    if (arg_keyword(&args, "hart") && !arg_hart(d, &args, &p.hart))
        return;
    if (!arg_end(d, args))
        return;
    if (p.va & 1) {
        complain(d, "0x%" PRIx64 " is odd; instructions stand at even addresses", p.va);
        return;
    }
    if (!place_physical(d, p.va, &p.pa)) {
        complain(d, "0x%" PRIx64 " is not mapped on any hart, and no memory", p.va);
        return;
    }
    number = point_add(d, p);
    fprintf(d->out, "breakpoint %u at ", number);
    print_place(d, p.va);
    fprintf(d->out, "\n");
}

void do_break(struct debugger *d, const char *args)
{
    add_break(d, args, POINT_BREAK);
}

void do_tbreak(struct debugger *d, const char *args)
{
    add_break(d, args, POINT_ONCE);
}

void do_delete(struct debugger *d, const char *args)
{
    uint64_t number;

    if (!*args) {
        points_drop(d, POINT_BREAK);
        points_drop(d, POINT_ONCE);
        return;
    }
    if (!arg_value(d, &args, "a breakpoint's number", &number) || !arg_end(d, args))
        return;
    if (!number || number > d->points.last_number || !point_delete(d, (unsigned)number))
        complain(d, "there is no breakpoint %" PRIu64, number);
}
