/*
 * trail.c - the instructions that a hart has executed last, and the return to a place (target.h).
 */
#include "cpu/isa/isa.h"
#include "debug/target/target_priv.h"

/* ---- the last instructions ---- */

size_t target_trail(struct target *t, unsigned hart, struct target_executed *list, size_t max)
{
    const struct hart *h = target_hart_at(t, hart);
    uint64_t end = target_insns(t), span = (uint64_t)max * target_hart_count(t);
    uint64_t start = target_history_start(t);
    struct stop stop = {.reason = STOP_INSNS};
    size_t count = 0;

    if (end > start && end - start > span)
        start = end - span;
    if (start >= end)
        return 0;
    stop = history_move(t, start);
    while (target_insns(t) < end && stop.reason == STOP_INSNS) {
        const struct target_executed now = {target_insns(t), hart_pc(h), hart_reg(h, REG_SP)};
        uint64_t before = hart_insns(h);

        stop = history_run_quietly(t, now.insns + 1);
        if (hart_insns(h) == before)
            continue;
        if (count == max) /* the harts did not take turns evenly */
            count = 0;
        list[count++] = now;
    }
    history_arrive(t, stop);
    return count;
}

/* ---- back to a place ---- */

struct wanted_stack {
    const struct target *t;
    uint64_t sp;
};

static bool is_on_stack(void *ctx, unsigned hart)
{
    const struct wanted_stack *w = ctx;

    return hart_reg(target_hart_at(w->t, hart), REG_SP) == w->sp;
}

/* Deletes a point of the target's own, and frees its number for the user's next one. */
static void drop_point(struct target *t, unsigned number)
{
    (void)!target_delete_point(t, number);
    t->last_number = number - 1;
}

struct target_stop target_reverse_to(struct target *t, unsigned hart, const struct target_goal *g)
{
    struct wanted_stack stack = {t, g->sp};
    const struct target_point p = {
        .kind = TARGET_BREAK,
        .space = g->space,
        .address = g->address,
        .hart = g->hart,
        .condition = {.holds = g->on_stack ? is_on_stack : NULL, .ctx = &stack}};
    void (*changed)(void *ctx) = t->changed;
    struct target_stop s;
    unsigned number;

    if (target_add_point(t, hart, &p, &number))
        return target_goto(t, target_insns(t));
    t->changed = NULL; /* the front end could add or delete points in it */
    s = target_reverse_run(t);
    t->changed = changed;
    if (s.reason == TARGET_STOP_BREAKPOINT && s.point == number) {
        s.reason = TARGET_STOP_DONE;
        s.point = 0;
    }
    drop_point(t, number);
    return s;
}

/* ---- the last write ---- */

struct put_aside {
    bool *disabled; /* by index of the points */
    bool (*patch_wanted)(void *ctx, uint32_t site);
    void (*changed)(void *ctx); /* who follows the machine could add points, or delete some */
};

static struct put_aside put_points_aside(struct target *t)
{
    struct put_aside a = {.disabled = xcalloc(t->points.len + 1, sizeof *a.disabled),
                          .patch_wanted = t->patch_wanted,
                          .changed = t->changed};

    for (size_t i = 0; i < t->points.len; i++) {
        a.disabled[i] = t->points.at[i].disabled;
        t->points.at[i].disabled = true;
    }
    t->patch_wanted = NULL;
    t->changed = NULL;
    catch_listen(t);
    return a;
}

static void put_points_back(struct target *t, struct put_aside a)
{
    for (size_t i = 0; i < t->points.len; i++)
        t->points.at[i].disabled = a.disabled[i];
    t->patch_wanted = a.patch_wanted;
    t->changed = a.changed;
    catch_listen(t);
    free(a.disabled);
}

/* Whether the instruction before the present one has stopped at a point. */
static bool was_hit_last(struct target *t)
{
    uint64_t now = target_insns(t);

    if (now <= target_history_start(t))
        return false;
    (void)history_move(t, now - 1);
    resume_begin(t, TARGET_ANY_HART);
    (void)resume_run(t, now, history_run);
    return t->accesses.len != 0;
}

enum target_error target_last_write(struct target *t, unsigned hart, enum target_space space,
                                    uint64_t address, uint64_t size, struct target_access *access,
                                    uint64_t *insns)
{
    const struct target_point p = {.kind = TARGET_WATCH_WRITE,
                                   .space = space,
                                   .address = address,
                                   .size = size,
                                   .hart = TARGET_ANY_HART};
    struct put_aside aside = put_points_aside(t);
    unsigned number, here;
    enum target_error error = target_add_point(t, hart, &p, &number);
    struct target_stop s;

    *insns = UINT64_MAX;
    if (!error) {
        here = target_checkpoint(t);
        if (!was_hit_last(t))
            do
                s = target_reverse_run(t);
            while (s.reason == TARGET_STOP_FINDING);
        if (t->accesses.len) {
            *access = t->accesses.at[t->accesses.len - 1];
            *insns = target_insns(t);
        }
        (void)!target_restart(t, here, &s);
        (void)!target_delete_checkpoint(t, here);
        t->history.last_checkpoint--;
        drop_point(t, number);
    }
    put_points_back(t, aside);
    return error;
}
