/*
 * text_rules.c - the rules about what text holds after it was changed: which stores are one change,
 * and when it is complete. text_judge.c judges it then.
 *
 * The stores of one hart that touch each other are one change. Several may be under way at once, as
 * a hart may store the second halves of some instructions and then the first ones. All of them are
 * complete when the hart fences or ends its update, and one of them when a hart fetches what it has
 * written. While a task has announced an update, its fences do not end what is no whole instruction
 * yet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/text/text_priv.h"
#include "ftrace/patch/breakpoints.h"
#include "ftrace/patch/updates.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* The cycles after which a change is complete although nothing else says so. */
enum { WAIT_CYCLES = 100 * 1000 };

/* ---- stores ---- */

static bool touches(const struct open_change *c, uint64_t va, uint64_t size)
{
    return va <= c->va + c->old.len && c->va <= va + size;
}

/* Whether the store belongs to the change: it touches it, and is not just beside a breakpoint. */
static bool continues(const struct text_rules *r, const struct open_change *c, uint64_t va,
                      unsigned size)
{
    return touches(c, va, size) &&
           ((va < c->va + c->old.len && c->va < va + size) || !text_judge_is_breakpoint(r, c));
}

/*
 * Adds the bytes that were at [va, va + size), which touches the change. `older': they were there
 * before what the change has of the same place. False: the change would be too large.
 */
static bool add_old(struct open_change *c, uint64_t va, const uint8_t *old, size_t size, bool older)
{
    uint64_t low = va < c->va ? va : c->va, end = c->va + c->old.len;
    size_t before = (size_t)(c->va - low), behind = va + size > end ? (size_t)(va + size - end) : 0;

    if (c->old.len + before + behind > CHANGE_BYTES_MAX)
        return false;
    VEC_RESERVE(&c->old, before + behind);
    memmove(c->old.at + before, c->old.at, c->old.len);
    memcpy(c->old.at, old, before);
    memcpy(c->old.at + before + c->old.len, old + (size - behind), behind);
    c->old.len += before + behind;
    c->va = low;
    if (older)
        memcpy(c->old.at + (va - low), old, size);
    return true;
}

/* Begins a change with the store; `beside': it touches another one. */
static struct open_change *begin(struct open_changes *all, enum text_kind kind, uint64_t va,
                                 const struct code_write *w, bool beside)
{
    struct open_change *c = &all->at[all->count++];

    c->debugged = false;
    c->beside = beside;
    c->kind = kind;
    c->va = va;
    c->who = w->who;
    c->old.len = 0;
    VEC_RESERVE(&c->old, w->size);
    memcpy(c->old.at, w->old_bytes, w->size);
    c->old.len = w->size;
    return c;
}

/* Takes a change out, without judging it. Its memory is used again. */
static void drop(struct open_changes *all, unsigned i)
{
    struct open_change dropped = all->at[i];

    all->count--;
    memmove(&all->at[i], &all->at[i + 1], (all->count - i) * sizeof *all->at);
    all->at[all->count] = dropped;
}

/* Makes change k a part of change i, which it touches. False: that would be too large. */
static bool join(struct open_changes *all, unsigned i, unsigned k)
{
    struct open_change *c = &all->at[i];
    const struct open_change *part = &all->at[k];

    if (c->kind != part->kind || !add_old(c, part->va, part->old.at, part->old.len, true))
        return false;
    c->debugged |= part->debugged;
    drop(all, k);
    return true;
}

/*
 * What looks like a breakpoint may be the half of an instruction whose other half was stored after
 * it. So a change beside another one is one with it if one of them is no whole instruction.
 */
static bool is_part(const struct text_rules *r, const struct open_change *c,
                    const struct open_change *other)
{
    return c != other && touches(c, other->va, other->old.len) &&
           !(text_judge_is_whole(r, c) && text_judge_is_whole(r, other));
}

static void join_parts(const struct text_rules *r, struct open_changes *all)
{
    unsigned i = 0, k = 0;

    while (i < all->count) {
        if (!all->at[i].beside || k == all->count) {
            all->at[i++].beside = false;
            k = 0;
        } else if (is_part(r, &all->at[i], &all->at[k]) && join(all, i, k)) {
            i -= k < i;
            k = 0;
        } else {
            k++;
        }
    }
}

static void complete(struct text_rules *r, struct open_changes *all, unsigned i)
{
    text_judge_complete(r, &all->at[i]);
    drop(all, i);
}

static void complete_oldest(struct text_rules *r, struct open_changes *all)
{
    join_parts(r, all);
    complete(r, all, 0);
}

/* Those of the hart that touch [va, va + size) are complete. */
static void complete_at(struct text_rules *r, uint32_t hart, uint64_t va, unsigned size)
{
    struct open_changes *all = &r->harts[hart];

    join_parts(r, all);
    for (unsigned i = all->count; i-- > 0;)
        if (touches(&all->at[i], va, size))
            complete(r, all, i);
}

/* Those that have the byte at va are complete. */
static void complete_fetched(struct text_rules *r, struct open_changes *all, uint64_t va)
{
    join_parts(r, all);
    for (unsigned i = all->count; i-- > 0;)
        if (va - all->at[i].va < all->at[i].old.len)
            complete(r, all, i);
}

/* The hart's change that the store is a part of; NULL: a new one is to begin. */
static struct open_change *change_with(struct text_rules *r, struct open_changes *all,
                                       enum text_kind kind, uint64_t va, const struct code_write *w)
{
    unsigned found = all->count;

    for (unsigned i = 0; i < all->count; i++) {
        if (all->at[i].kind != kind || !continues(r, &all->at[i], va, w->size))
            continue;
        if (found < all->count) {
            if (join(all, found, i--))
                continue;
            i++;
        } else if (add_old(&all->at[i], va, w->old_bytes, w->size, false)) {
            found = i;
        } else {
            r->left_out++;
            drop(all, i--);
        }
    }
    return found < all->count ? &all->at[found] : NULL;
}

static bool any_touches(const struct open_changes *all, uint64_t va, unsigned size)
{
    for (unsigned i = 0; i < all->count; i++)
        if (touches(&all->at[i], va, size))
            return true;
    return false;
}

static void check_store(struct text_rules *r, const struct code_write *w)
{
    struct audit *a = r->audit;
    const struct text_map *text = a->config.text;
    struct open_changes *own;
    struct open_change *c;
    enum text_kind kind;
    uint64_t va, pa;

    if (w->who.kind != WRITER_HART || !text || !text_map_is_exact(text))
        return;
    va = text_map_va(text, w->pa);
    kind = va ? text_map_find(text, va, &pa) : TEXT_NONE;
    if (kind == TEXT_NONE)
        return;
    for (uint32_t i = 0; i < cluster_hart_count(a->config.cluster); i++)
        if (i != w->who.hart && r->harts[i].count)
            complete_at(r, i, va, w->size);
    own = &r->harts[w->who.hart];
    c = change_with(r, own, kind, va, w);
    if (!c) {
        if (own->count == CHANGES_MAX)
            complete_oldest(r, own);
        c = begin(own, kind, va, w, any_touches(own, va, w->size));
    }
    c->debugged |= audit_by_debugger(a, w->pa, w->size);
    c->cycle = w->who.cycle;
    c->depth = a->harts[w->who.hart].depth;
}

/* ---- when a change is complete ---- */

/*
 * The hart has fenced, or asked for it. What the handler of a trap does is not the writer's. In an
 * update that is announced there may be one fence for each part of an instruction: `at_end' is
 * false then.
 */
static void complete_here(struct text_rules *r, uint32_t hart, bool at_end)
{
    struct open_changes *all = &r->harts[hart];

    if (!all->count)
        return;
    join_parts(r, all);
    for (unsigned i = 0; i < all->count;) {
        const struct open_change *c = &all->at[i];

        if ((int32_t)(r->audit->harts[hart].depth - c->depth) <= 0 &&
            (at_end || text_judge_may_end(r, c)))
            complete(r, all, i);
        else
            i++;
    }
}

static void on_fence(struct text_rules *r, uint32_t requester)
{
    const struct audit *a = r->audit;

    if (r->harts[requester].count)
        complete_here(
            r, requester,
            !updates_is_announced(a->config.updates, cluster_hart(a->config.cluster, requester)));
}

static void on_stale(struct text_rules *r, const struct stale_fetch *s)
{
    for (uint32_t i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        if (r->harts[i].count && hart_id(s->hart) != i)
            complete_fetched(r, &r->harts[i], s->pc);
}

static void on_trap(struct text_rules *r, const struct trap_event *t)
{
    struct open_changes *all = &r->harts[hart_id(t->hart)];

    while (all->count && hart_cycles(t->hart) - all->at[0].cycle > WAIT_CYCLES)
        complete_oldest(r, all);
    if (r->early.len && audit_is_settled(r->audit) && audit_maps_text(r->audit, t->hart))
        text_judge_early(r, t->hart);
}

/* ---- the family ---- */

static void *create(struct audit *a)
{
    struct text_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->harts = xcalloc(cluster_hart_count(a->config.cluster), sizeof *r->harts);
    return r;
}

static void destroy(void *rules)
{
    struct text_rules *r = rules;

    for (uint32_t i = 0; i < cluster_hart_count(r->audit->config.cluster); i++)
        for (unsigned k = 0; k < CHANGES_MAX; k++)
            VEC_FREE(&r->harts[i].at[k].old);
    VEC_FREE(&r->early);
    free(r->harts);
    free(r);
}

static void on_event(void *rules, const struct event *e)
{
    switch (e->kind) {
    case EVENT_CODE_WRITE:
    case EVENT_CODE_SAME: check_store(rules, &e->code_write); break;
    case EVENT_FENCE_I: on_fence(rules, e->fence.requester); break;
    case EVENT_STALE_FETCH: on_stale(rules, &e->stale_fetch); break;
    default: on_trap(rules, &e->trap); break;
    }
}

/* Other text had the memory before. */
static void forget_text(const struct text_rules *r, uint64_t va, uint64_t size)
{
    for (uint64_t at = va, next; at < va + size; at = next) {
        uint64_t pa;

        next = (at / PAGE_BYTES + 1) * PAGE_BYTES;
        if (next > va + size)
            next = va + size;
        if (text_map_find(r->audit->config.text, at, &pa))
            breakpoints_forget(r->audit->breakpoints, pa, next - at);
    }
}

static void begin_text(const struct text_rules *r, const struct text_event *text)
{
    forget_text(r, text->va, text->size);
    if (text->of_module)
        audit_keep_probes(r->audit, text);
}

static void on_ftrace_event(void *rules, const struct ftrace_event *e)
{
    if (e->kind == FTRACE_TEXT_LIVE)
        begin_text(rules, &e->text);
    else
        complete_here(rules, e->update.writer, true);
}

/* A run that was cut may have been so in the middle of a change. */
static void end(void *rules)
{
    struct text_rules *r = rules;

    for (uint32_t i = 0; i < cluster_hart_count(r->audit->config.cluster); i++) {
        const struct hart *h = cluster_hart(r->audit->config.cluster, i);
        struct open_changes *all = &r->harts[i];

        while (all->count &&
               (r->audit->end.how != RUN_CUT || hart_cycles(h) - all->at[0].cycle > WAIT_CYCLES))
            complete_oldest(r, all);
    }
}

uint64_t text_rules_left_out(const struct text_rules *r)
{
    return r->left_out;
}

static void byte_io(struct state_io *io, uint8_t *byte)
{
    STATE_IO(io, *byte);
}

static void change_io(struct state_io *io, struct open_change *c)
{
    STATE_IO(io, c->debugged);
    STATE_IO(io, c->beside);
    STATE_IO_BELOW(io, c->kind, TEXT_BPF + 1);
    STATE_IO(io, c->va);
    STATE_IO(io, c->cycle);
    STATE_IO(io, c->depth);
    writer_state_io(io, &c->who);
    STATE_IO_VEC(io, &c->old, CHANGE_BYTES_MAX, byte_io);
}

static void changes_io(struct state_io *io, struct open_changes *all, unsigned hart)
{
    STATE_IO_BELOW(io, all->count, CHANGES_MAX + 1);
    for (unsigned i = 0; i < all->count && i < CHANGES_MAX; i++) {
        change_io(io, &all->at[i]);
        if (all->at[i].who.hart != hart)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    }
}

static void early_io(struct state_io *io, struct early_change *e)
{
    STATE_IO(io, e->va);
    STATE_IO(io, e->size);
    writer_state_io(io, &e->who);
}

static void state_io(struct state_io *io, void *rules)
{
    struct text_rules *r = rules;
    unsigned harts = cluster_hart_count(r->audit->config.cluster);

    state_io_section(io, "text-rules", 5);
    for (unsigned i = 0; i < harts; i++) {
        changes_io(io, &r->harts[i], i);
    }
    STATE_IO_VEC(io, &r->early, EARLY_MAX, early_io);
    for (size_t i = 0; i < r->early.len; i++)
        if (r->early.at[i].who.hart >= harts)
            state_io_fail(io, STATE_OUT_OF_RANGE);
    STATE_IO(io, r->left_out);
}

const struct rule_family text_family = {.create = create,
                                        .destroy = destroy,
                                        .event = on_event,
                                        .ftrace_event = on_ftrace_event,
                                        .end = end,
                                        .state_io = state_io};
