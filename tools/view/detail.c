/*
 * detail.c - see detail.h.
 */
#include "detail.h"

#include "base/search.h"

void detail_init(struct detail *d, struct model *m)
{
    *d = (struct detail){.model = m};
}

static void clear(struct detail *d)
{
    for (size_t i = 0; i < d->rows.len; i++)
        d->rows.at[i].span.len = 0;
    follow_free(&d->follow);
    log_cursor_free(d->cursor);
    d->cursor = NULL;
    d->follow = (struct follow){0};
    d->ready = false;
}

void detail_free(struct detail *d)
{
    clear(d);
    for (size_t i = 0; i < d->rows.len; i++)
        VEC_FREE(&d->rows.at[i].span);
    VEC_FREE(&d->rows);
}

static void on_span(void *ctx, uint32_t row, uint64_t from, uint64_t to, uint32_t what)
{
    struct detail *d = ctx;
    struct spans *s;

    while (d->rows.len <= row)
        VEC_PUSH(&d->rows, (struct spans){0});
    s = &d->rows.at[row];
    if (s->span.len && s->span.at[s->span.len - 1].to > from)
        from = s->span.at[s->span.len - 1].to;
    if (to > from)
        VEC_PUSH(&s->span, ((struct span){from, to, what}));
}

static uint64_t count_events(const struct model *m, size_t begin, size_t end)
{
    uint64_t sum = 0;

    for (size_t i = begin; i < end; i++)
        sum += m->frames.at[i].events;
    return sum;
}

bool detail_want(struct detail *d, uint64_t from, uint64_t to)
{
    struct model *m = d->model;
    size_t begin, end;

    model_frames(m, from, to, &begin, &end);
    if (count_events(m, begin, end) > DETAIL_EVENTS)
        return false;
    if ((d->ready || d->cursor) && begin >= d->begin && end <= d->end)
        return true;
    /* One more on each side, so that moving the picture finds them read. */
    if (begin && count_events(m, begin - 1, end) <= DETAIL_EVENTS)
        begin--;
    if (end < m->frames.len && count_events(m, begin, end + 1) <= DETAIL_EVENTS)
        end++;
    clear(d);
    d->begin = d->frame = begin;
    d->end = end;
    d->left = 0;
    d->begun = false;
    d->cursor = log_cursor_new(m->log);
    log_cursor_seek(d->cursor, begin);
    follow_begin(&d->follow, m, m->follow.harts, (struct span_sink){on_span, d});
    return true;
}

bool detail_ready(const struct detail *d, uint64_t from, uint64_t to)
{
    size_t begin, end;

    if (!d->ready)
        return false;
    model_frames(d->model, from, to, &begin, &end);
    return begin >= d->begin && end <= d->end;
}

static void finish(struct detail *d)
{
    if (d->begun)
        follow_open(&d->follow, log_cursor_state(d->cursor));
    log_cursor_free(d->cursor);
    d->cursor = NULL;
    d->ready = true;
}

bool detail_step(struct detail *d, unsigned events)
{
    struct log_event e;

    for (unsigned i = 0; i < events && d->cursor; i++) {
        while (!d->left && d->frame < d->end)
            d->left = d->model->frames.at[d->frame++].events;
        if (!d->left || !log_next(d->cursor, &e)) {
            finish(d);
            break;
        }
        d->left--;
        if (!d->begun)
            follow_resume(&d->follow, d->model->frames.at[d->begin].hart,
                          log_cursor_state(d->cursor), &e);
        d->begun = true;
        follow_event(&d->follow, log_cursor_state(d->cursor), &e);
    }
    return d->cursor != NULL;
}

size_t spans_find(const struct spans *s, uint64_t cycle)
{
    return PARTITION_POINT(i, s->span.len, s->span.at[i].to <= cycle);
}
