/*
 * calls.c - what the log has of single events, read again from it: the calls that were open at a
 * mark, and the arguments and the result of a call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "base/alloc.h"
#include "log/log_state.h"

enum { CALLERS_SHOWN = 24 };

static enum log_kind kind_of(const struct model *m, const struct mark *k)
{
    static const uint8_t kinds[MARK_KINDS] = {
        [MARK_STORE] = LOG_STORE,     [MARK_FENCE] = LOG_FENCE_I, [MARK_STALE] = LOG_STALE,
        [MARK_FINDING] = LOG_FINDING, [MARK_UPDATE] = LOG_UPDATE, [MARK_CONSOLE] = LOG_CONSOLE};

    return k->kind == MARK_STALE && m->stales.at[k->ref].is_translation ? LOG_STALE_TRANSLATION
                                                                        : kinds[k->kind];
}

static bool is_event_of(const struct model *m, const struct mark *k, const struct log_event *e)
{
    return e->kind == kind_of(m, k) && e->hart == k->hart && e->cycle == k->cycle &&
           e->step == k->step && (e->kind != LOG_STORE || e->store.pa == m->stores.at[k->ref].pa);
}

/* The open calls of a hart's stack, a line each, the innermost first. */
static void print_calls(const struct model *m, const struct log_state *s, unsigned hart, FILE *out)
{
    uint32_t stack = s->hart[hart].stack;
    const struct log_stack *calls =
        stack && stack <= s->stacks.len ? &s->stacks.at[stack - 1] : NULL;
    char text[LOG_PLACE_MAX];

    for (size_t n = 0; calls && n < calls->open.len && n < CALLERS_SHOWN; n++)
        fprintf(out, "%s\n", log_call_name(m->log, &calls->open.at[calls->open.len - 1 - n], text));
}

/* Reads the frames of a time. `found': prints, and says whether the reading ends. */
struct reading {
    const struct app *app;
    struct model *m;
    struct log_cursor *cursor;
    FILE *out;
    uint64_t cycle;
    struct found_call call; /* span: the call, once it was found */
    bool is_found;
};

static bool take_for_mark(struct reading *r, const struct log_event *e)
{
    const struct mark *k = &r->m->marks.at[r->app->pick.mark];

    if (!is_event_of(r->m, k, e))
        return false;
    print_calls(r->m, log_cursor_state(r->cursor), k->hart, r->out);
    return true;
}

static bool take_for_span(struct reading *r, const struct log_event *e)
{
    char text[LOG_ARGUMENTS_MAX], value[LOG_VALUE_MAX];
    const char *result;

    if (!r->is_found && e->kind == LOG_CALL && e->cycle == r->cycle &&
        model_call(r->m, e->call.call) == r->app->pick.what) {
        r->call = (struct found_call){.stack = e->call.stack, .depth = e->call.depth};
        r->is_found = true;
        fprintf(r->out, "%s\n", log_arguments(r->m->log, e->call.call, e->call.values, text));
    } else if (r->is_found && e->kind == LOG_RETURN && e->call.stack == r->call.stack &&
               e->call.depth == r->call.depth) {
        result = log_result(r->m->log, e->call.call, e->call.values, value);
        fprintf(r->out, "%s\n", result ? result : "");
        return true;
    }
    return false;
}

static char *read_again(struct app *a, uint64_t from, uint64_t to,
                        bool (*take)(struct reading *r, const struct log_event *e))
{
    struct model *m = a->docs[a->pick.doc].model;
    struct reading r = {.app = a, .m = m, .cycle = from};
    char *text = NULL;
    size_t size, begin, end;
    struct log_event e;
    bool done = false;

    r.out = open_memstream(&text, &size);
    if (!r.out)
        return xstrdup("");
    r.cursor = log_cursor_new(m->log);
    model_frames(m, from, to, &begin, &end);
    for (size_t f = begin; f < end && !done; f++) {
        log_cursor_seek(r.cursor, f);
        for (uint32_t i = 0; i < m->frames.at[f].events && !done && log_next(r.cursor, &e); i++)
            done = take(&r, &e);
    }
    log_cursor_free(r.cursor);
    (void)fclose(r.out);
    return text;
}

/* Frames of a call that lasts long are not all read. */
enum { READ_CYCLES = 50 * 1000 * 1000 };

const char *picked_calls(struct app *a)
{
    const struct pick *k = &a->pick;
    struct model *m = a->docs[k->doc].model;

    if (a->picked_text && !memcmp(&a->picked, k, sizeof *k))
        return a->picked_text;
    free(a->picked_text);
    a->picked_text = NULL;
    a->picked = *k;
    if (m->done && k->kind == PICK_MARK)
        a->picked_text =
            read_again(a, m->marks.at[k->mark].cycle, m->marks.at[k->mark].cycle, take_for_mark);
    else if (m->done && k->kind == PICK_SPAN && WHAT_KIND(k->what) == WHAT_FUNCTION)
        a->picked_text =
            read_again(a, k->from, k->to - k->from > READ_CYCLES ? k->from : k->to, take_for_span);
    return a->picked_text ? a->picked_text : "";
}
