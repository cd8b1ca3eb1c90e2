/*
 * range.c - see range.h.
 */
#include "range.h"

#include <stdlib.h>

#include "log/log_state.h"

/* A site that is off is made of four-byte instructions. */
enum { NOP_BYTES = 4 };

static void ignore(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what)
{
    (void)ctx;
    (void)row;
    (void)from;
    (void)to;
    (void)what;
}

void range_begin(struct range *r, struct model *m, uint64_t from, uint64_t to)
{
    range_free(r);
    *r = (struct range){.model = m, .from = from, .to = to, .running = true};
    model_frames(m, from, to, &r->frame, &r->end);
    for (size_t i = r->frame; i < r->end; i++)
        r->all += m->frames.at[i].events;
    r->cursor = log_cursor_new(m->log);
    log_cursor_seek(r->cursor, r->frame);
    follow_begin(&r->follow, m, m->follow.harts, (struct span_sink){ignore, NULL});
}

static void add_name(struct range *r, uint32_t name)
{
    VEC_PUSH(&r->names, ((struct range_name){.name = name}));
}

static struct range_name *name_of(struct range *r, uint32_t id)
{
    while (r->names.len <= id)
        add_name(r, (uint32_t)r->names.len);
    return &r->names.at[id];
}

/* The part of the cycles before the event that is in the range. */
static uint64_t inside(const struct range *r, const struct log_event *e, uint64_t cycles)
{
    uint64_t from = e->cycle - cycles, to = e->cycle < r->to ? e->cycle : r->to;

    from = from > r->from ? from : r->from;
    return to > from ? to - from : 0;
}

static void add_off(struct range *r, uint32_t id, const struct log_site *site)
{
    struct log_count counted = log_count(r->model->log, id, LOG_OFF);

    r->off_insns += site->size / NOP_BYTES;
    if (counted.entries)
        r->off_cycles += (double)counted.cycles / (double)counted.entries;
}

static void take(struct range *r, const struct log_event *e)
{
    struct follow_flow flow = follow_flow(&r->follow, e);
    uint64_t cycles = inside(r, e, flow.cycles);
    const struct log_call *c = e->call.call;
    const struct log_site *site;
    struct range_name *n;

    r->flow[flow.kind] += cycles;
    if (flow.what != WHAT_NONE && cycles)
        name_of(r, WHAT_ID(flow.what))->own += cycles;
    if (e->cycle < r->from || e->cycle > r->to)
        return;
    r->kinds[e->kind]++;
    if (e->kind != LOG_CALL)
        return;
    n = name_of(r, WHAT_ID(model_call(r->model, c)));
    n->calls++;
    if (c->kind != LOG_FUNCTION)
        return;
    r->calls[c->state]++;
    n->off += c->state == LOG_OFF;
    site = log_site(r->model->log, c->site);
    if (c->state == LOG_OFF && site)
        add_off(r, c->site, site);
}

static int by_own(const void *a, const void *b)
{
    const struct range_name *left = a, *right = b;

    if (left->own != right->own)
        return left->own < right->own ? 1 : -1;
    if (left->calls != right->calls)
        return left->calls < right->calls ? 1 : -1;
    return left->name < right->name ? -1 : 1;
}

static void finish(struct range *r)
{
    size_t kept = 0;

    for (size_t i = 0; i < r->names.len; i++)
        if (r->names.at[i].own || r->names.at[i].calls)
            r->names.at[kept++] = r->names.at[i];
    r->names.len = kept;
    if (kept)
        qsort(r->names.at, kept, sizeof *r->names.at, by_own);
    log_cursor_free(r->cursor);
    r->cursor = NULL;
    follow_free(&r->follow);
    r->follow = (struct follow){0};
    r->running = false;
    r->done = true;
}

bool range_step(struct range *r, unsigned events)
{
    struct log_event e;

    for (unsigned i = 0; i < events && r->running; i++) {
        while (!r->left && r->frame < r->end)
            r->left = r->model->frames.at[r->frame++].events;
        if (!r->left || !log_next(r->cursor, &e)) {
            finish(r);
            break;
        }
        r->left--;
        r->read++;
        if (!r->begun)
            follow_resume(&r->follow, r->model->frames.at[r->frame - 1].hart,
                          log_cursor_state(r->cursor), &e);
        r->begun = true;
        take(r, &e);
        follow_event(&r->follow, log_cursor_state(r->cursor), &e);
    }
    return r->running;
}

void range_free(struct range *r)
{
    log_cursor_free(r->cursor);
    follow_free(&r->follow);
    VEC_FREE(&r->names);
    *r = (struct range){0};
}
