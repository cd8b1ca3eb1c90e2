/*
 * site_sweep.c - see site_sweep.h.
 *
 * In `callops` each site has a literal, the address of an ftrace_ops: it must be in
 * ftrace_ops_list, or one of the two that are always valid. In `atomic` the trampoline calls what
 * ftrace_call_dest has: that must be ftrace_trace_function, which is what ftrace has chosen. The
 * same holds for the calls in the trampolines of the other layouts, which are sites of their own.
 * All of these only matter while a site is on, the calls while one leads to their trampoline.
 */
#include "ftrace/patch/site_sweep.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/map.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/events/events.h"
#include "ftrace/patch/site_check.h"
#include "ftrace/sites/sites.h"
#include "load/symbols.h"
#include "mem/bus.h"
#include "mem/ram.h"

/* The literal is the aligned doubleword before the site; ftrace_ops.next is the second member. */
enum { OPS_NEXT = 8 };

/* More ops than a kernel has; an endless list is followed no further. */
enum { OPS_MAX = 4096 };

struct site_sweep {
    struct cluster *cluster;
    const struct ftrace_stream *stream;
    const struct site_table *sites;
    const struct site_check *check;
    const struct symbols *symbols;
    VEC_OF(uint32_t) written; /* sites, in order of their first store */
    struct map is_written;    /* the same as keys */
};

struct site_sweep *site_sweep_new(struct cluster *c, const struct site_table *sites,
                                  const struct site_check *check, const struct symbols *symbols,
                                  const struct ftrace_stream *stream)
{
    struct site_sweep *w = xcalloc(1, sizeof *w);

    *w = (struct site_sweep){
        .cluster = c, .stream = stream, .sites = sites, .check = check, .symbols = symbols};
    return w;
}

void site_sweep_free(struct site_sweep *w)
{
    if (!w)
        return;
    VEC_FREE(&w->written);
    map_free(&w->is_written);
    free(w);
}

void site_sweep_written(struct site_sweep *w, uint32_t site)
{
    uint64_t known;

    if (map_get(&w->is_written, site, &known))
        return;
    map_put(&w->is_written, site, 1);
    VEC_PUSH(&w->written, site);
}

static void emit(const struct site_sweep *w, struct hart *h, const struct site_odd_event *odd)
{
    struct ftrace_event e = {.kind = FTRACE_SITE_ODD, .site_odd = *odd};

    e.site_odd.hart = h;
    e.site_odd.swept = true;
    if (ftrace_wants(w->stream, e.kind))
        ftrace_emit(w->stream, &e);
}

/* ---- the contents of sites ---- */

/* Whether it is in two pages, which may be anywhere. The image's are side by side. */
static bool is_across_pages(const struct site *s)
{
    return s->module && s->pa % PAGE_BYTES + s->size > PAGE_BYTES;
}

static void judge_site(struct site_sweep *w, struct hart *h, uint32_t id)
{
    const struct site *s = site_get(w->sites, id);
    uint8_t bytes[SITE_BYTES_MAX];
    struct site_odd_event odd;

    if (s->gone || is_across_pages(s) || !bus_read(cluster_bus(w->cluster), s->pa, bytes, s->size))
        return;
    site_check_judge(w->check, h, id, bytes, &odd);
    if (odd.oddity != SITE_SOUND)
        emit(w, h, &odd);
}

void site_sweep_range(struct site_sweep *w, struct hart *h, uint64_t va, uint64_t size)
{
    for (uint32_t id = 0; id < site_count(w->sites); id++)
        if (site_get(w->sites, id)->va - va < size)
            judge_site(w, h, id);
}

void site_sweep_run_ended(struct site_sweep *w, struct hart *h,
                          bool (*is_due)(void *ctx, uint32_t site), void *ctx)
{
    for (size_t i = 0; i < w->written.len; i++)
        if (is_due(ctx, w->written.at[i]))
            judge_site(w, h, w->written.at[i]);
}

static void judge_written(struct site_sweep *w, struct hart *h)
{
    for (size_t i = 0; i < w->written.len; i++)
        judge_site(w, h, w->written.at[i]);
    w->written.len = 0;
    map_clear(&w->is_written);
}

/* ---- what the trampoline reads ---- */

static bool is_on(const struct site_sweep *w, const struct site *s)
{
    uint8_t bytes[SITE_BYTES_MAX];

    return s->kind == SITE_FUNCTION && !s->gone &&
           bus_read(cluster_bus(w->cluster), s->pa, bytes, s->size) &&
           site_state(w->sites, s, bytes, NULL) == SITE_ON;
}

static void report_literal(struct site_sweep *w, struct hart *h, uint32_t id, uint64_t value,
                           uint64_t meant)
{
    const struct site_odd_event odd = {.site = id,
                                       .oddity = SITE_LITERAL,
                                       .pc = site_get(w->sites, id)->va,
                                       .target = value,
                                       .meant = meant};

    emit(w, h, &odd);
}

static bool read_word(const struct site_sweep *w, struct hart *h, const char *name, uint64_t *value)
{
    uint64_t va;

    return symbols_find(w->symbols, name, &va) && hart_peek(h, va, value, sizeof *value);
}

/* Finds the ops that a site may have, as keys. False: not all of them are known. */
static bool find_ops(const struct site_sweep *w, struct hart *h, struct map *ops)
{
    uint64_t at, end, list, nop;

    if (!symbols_find(w->symbols, "ftrace_list_end", &end) ||
        !symbols_find(w->symbols, "ftrace_list_ops", &list) ||
        !symbols_find(w->symbols, "ftrace_nop_ops", &nop) ||
        !read_word(w, h, "ftrace_ops_list", &at))
        return false;
    map_put(ops, list, 1);
    map_put(ops, nop, 1);
    for (unsigned n = 0; at != end; n++) {
        if (n == OPS_MAX || !at || at == UINT64_MAX) /* the list is damaged */
            return false;
        map_put(ops, at, 1);
        if (!hart_peek(h, at + OPS_NEXT, &at, sizeof at))
            return false;
    }
    return true;
}

static void judge_literals(struct site_sweep *w, struct hart *h)
{
    struct map ops = {0};

    if (find_ops(w, h, &ops))
        for (uint32_t id = 0; id < site_count(w->sites); id++) {
            const struct site *s = site_get(w->sites, id);
            uint64_t value, known;

            if (is_on(w, s) &&
                bus_read(cluster_bus(w->cluster),
                         (s->pa - site_traits(w->sites)->literal) & -UINT64_C(8), (uint8_t *)&value,
                         sizeof value) &&
                !map_get(&ops, value, &known))
                report_literal(w, h, id, value, 0);
        }
    map_free(&ops);
}

static void judge_destination(struct site_sweep *w, struct hart *h)
{
    uint64_t now, meant;

    if (!read_word(w, h, "ftrace_call_dest", &now) ||
        !read_word(w, h, "ftrace_trace_function", &meant) || now == meant)
        return;
    for (uint32_t id = 0; id < site_count(w->sites); id++)
        if (is_on(w, site_get(w->sites, id))) {
            report_literal(w, h, id, now, meant);
            return;
        }
}

/* ---- the calls in trampolines ---- */

/* What a call in a trampoline has: what it calls, 0 for nops. */
struct slot {
    uint32_t id; /* NO_SITE: there is none, or it has something else */
    uint64_t target;
};

static struct slot find_slot(const struct site_sweep *w, enum site_kind kind)
{
    struct slot slot = {.id = NO_SITE};
    uint8_t bytes[SITE_BYTES_MAX];
    enum site_state state;

    for (uint32_t id = 0; id < site_count(w->sites); id++) {
        const struct site *s = site_get(w->sites, id);

        if (s->kind != kind || !bus_read(cluster_bus(w->cluster), s->pa, bytes, s->size))
            continue;
        state = site_state(w->sites, s, bytes, &slot.target);
        if (state == SITE_OFF)
            slot.target = 0;
        if (state == SITE_OFF || state == SITE_ON)
            slot.id = id;
        break;
    }
    return slot;
}

/* Whether a site that is on calls this trampoline. */
static bool is_called(const struct site_sweep *w, const char *trampoline)
{
    uint64_t va, target;

    if (!symbols_find(w->symbols, trampoline, &va))
        return false;
    for (uint32_t id = 0; id < site_count(w->sites); id++) {
        const struct site *s = site_get(w->sites, id);
        uint8_t bytes[SITE_BYTES_MAX];

        if (s->kind == SITE_FUNCTION && !s->gone &&
            bus_read(cluster_bus(w->cluster), s->pa, bytes, s->size) &&
            site_state(w->sites, s, bytes, &target) == SITE_ON && target == va)
            return true;
    }
    return false;
}

/* The call of the tracer leads to the one that ftrace has chosen; a stub needs no call. */
static void judge_trace_call(struct site_sweep *w, struct hart *h, enum site_kind kind,
                             const char *trampoline)
{
    struct slot slot = find_slot(w, kind);
    uint64_t meant, stub;

    if (slot.id == NO_SITE || !read_word(w, h, "ftrace_trace_function", &meant) ||
        slot.target == meant ||
        (!slot.target && symbols_find(w->symbols, "ftrace_stub", &stub) && meant == stub) ||
        !is_called(w, trampoline))
        return;
    report_literal(w, h, slot.id, slot.target, meant);
}

/* Both trampolines call the same for the graph tracer. */
static void judge_graph_calls(struct site_sweep *w, struct hart *h)
{
    struct slot plain = find_slot(w, SITE_GRAPH_CALL), regs = find_slot(w, SITE_GRAPH_REGS_CALL);
    uint64_t stub;

    if (plain.id == NO_SITE || regs.id == NO_SITE ||
        !symbols_find(w->symbols, "ftrace_stub", &stub))
        return;
    if ((plain.target ? plain.target : stub) == (regs.target ? regs.target : stub) ||
        !is_called(w, "ftrace_caller") || !is_called(w, "ftrace_regs_caller"))
        return;
    report_literal(w, h, regs.id, regs.target, plain.target);
}

/* A kernel that has given up on ftrace has left the update where it was. */
static bool has_given_up(const struct site_sweep *w, struct hart *h)
{
    uint64_t va;
    int32_t disabled;

    return symbols_find(w->symbols, "ftrace_disabled", &va) &&
           hart_peek(h, va, &disabled, sizeof disabled) && disabled;
}

static void judge_calls(struct site_sweep *w, struct hart *h)
{
    if (has_given_up(w, h))
        return;
    judge_trace_call(w, h, SITE_TRACE_CALL, "ftrace_caller");
    judge_trace_call(w, h, SITE_REGS_CALL, "ftrace_regs_caller");
    judge_graph_calls(w, h);
}

void site_sweep_update_ended(struct site_sweep *w, struct hart *h)
{
    judge_written(w, h);
    if (site_traits(w->sites)->tracer == TRACER_BY_SITE)
        judge_literals(w, h);
    else if (site_traits(w->sites)->tracer == TRACER_BY_VARIABLE)
        judge_destination(w, h);
    else if (site_traits(w->sites)->tracer == TRACER_BY_TRAMPOLINE)
        judge_calls(w, h);
}

void site_sweep_state_io(struct state_io *io, struct site_sweep *w)
{
    state_io_section(io, "site-sweep", 1);
    STATE_IO_PLAIN_VEC(io, &w->written, UINT32_MAX);
    for (size_t i = 0; i < w->written.len; i++)
        if (w->written.at[i] >= site_count(w->sites))
            state_io_fail(io, STATE_OUT_OF_RANGE);
    if (!io->loading)
        return;
    map_clear(&w->is_written);
    for (size_t i = 0; i < w->written.len; i++)
        map_put(&w->is_written, w->written.at[i], 1);
}
