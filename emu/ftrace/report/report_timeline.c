/*
 * report_timeline.c - see report_timeline.h.
 */
#include "ftrace/report/report_timeline.h"

#include <inttypes.h>

#include "ftrace/audit/finding_key.h"
#include "ftrace/report/describe.h"
#include "ftrace/report/report.h"
#include "ftrace/watch.h"

/* `from': where the first one was made, or "". */
static void describe_stores(char what[TIMELINE_TEXT_MAX], const struct update_moment *m,
                            const char *from)
{
    int used = snprintf(what, TIMELINE_TEXT_MAX, "%" PRIu32 " store%s%s", m->count,
                        m->count == 1 ? "" : "s", from);

    if (m->count > 1)
        used += snprintf(what + used, TIMELINE_TEXT_MAX - (size_t)used,
                         ", the last at step %" PRIu64, m->last_step);
    if (m->fences)
        snprintf(what + used, TIMELINE_TEXT_MAX - (size_t)used,
                 ", with %" PRIu32 " fence.i of its own", m->fences);
}

static void describe_times(char *text, size_t room, const struct update_moment *m)
{
    text[0] = '\0';
    if (m->count > 1)
        snprintf(text, room, ", %" PRIu32 " times, the last at step %" PRIu64, m->count,
                 m->last_step);
}

static const char *end_text(enum update_end end)
{
    static const char *const texts[] = {
        [UPDATE_OPEN] = "still open",
        [UPDATE_ANNOUNCED] = "the kernel has announced the end",
        [UPDATE_FENCED] = "over: all harts have fenced",
        [UPDATE_QUIET] = "over: no store for a long time",
        [UPDATE_RELEASED] = "over: the kernel has released the lock of its text",
    };

    return texts[end];
}

void report_timeline_describe(char what[TIMELINE_TEXT_MAX], const struct report *r,
                              const struct timeline_text *text, unsigned i)
{
    const struct update_moment *m = &text->moments[i];
    char place[PLACE_MAX], times[MOMENT_MAX], from[PLACE_MAX + 16] = "";

    describe_times(times, sizeof times, m);
    switch (m->kind) {
    case MOMENT_STORE:
        describe_place(place, r->symbols, r->lines, m->pc);
        if (!i)
            snprintf(from, sizeof from, " from %s on", place);
        describe_stores(what, m, from);
        break;
    case MOMENT_FENCE:
        if (m->other == m->hart)
            snprintf(what, TIMELINE_TEXT_MAX, "fence.i%s", times);
        else
            snprintf(what, TIMELINE_TEXT_MAX, "fence.i, requested by hart %" PRIu32 "%s", m->other,
                     times);
        break;
    case MOMENT_IPI_SENT:
        snprintf(what, TIMELINE_TEXT_MAX, "interrupt to hart %" PRIu32 "%s", m->other, times);
        break;
    case MOMENT_IPI_TAKEN: snprintf(what, TIMELINE_TEXT_MAX, "takes an interrupt%s", times); break;
    case MOMENT_STALE:
        describe_place(place, r->symbols, r->lines, m->pc);
        snprintf(what, TIMELINE_TEXT_MAX, "fetches code that was replaced: %s%s", place, times);
        break;
    case MOMENT_END: snprintf(what, TIMELINE_TEXT_MAX, "%s", end_text(text->update.end)); break;
    case MOMENT_KINDS: break;
    }
}

static void print_moment(const struct report *r, const struct timeline_text *text, unsigned i)
{
    const struct update_moment *m = &text->moments[i];
    char what[TIMELINE_TEXT_MAX];

    report_timeline_describe(what, r, text, i);
    fprintf(text->out, "%*s%13" PRIu64 " %5" PRIu32 " %13" PRIu64 "  %s\n", (int)text->indent, "",
            m->step, m->hart, m->cycle, what);
}

/* The lines of moments that are not shown: [from, to). */
struct gap {
    unsigned from, to;
};

static struct gap gap_of(const struct timeline_text *text)
{
    unsigned shown = text->lines_max - 1; /* a line for those left out */
    unsigned first = shown / 2;

    if (!text->lines_max || text->count <= text->lines_max)
        return (struct gap){text->count, text->count};
    return (struct gap){first, text->count - (shown - first)};
}

static void print_left_out(const struct timeline_text *text, uint64_t count)
{
    if (count)
        fprintf(text->out, "%*s%13s %5s %13s  (%" PRIu64 " more)\n", (int)text->indent, "", "...",
                "", "", count);
}

void report_timeline_print(const struct report *r, const struct timeline_text *text)
{
    struct gap gap = gap_of(text);
    uint64_t dropped = text->update.moments_left_out;

    fprintf(text->out, "%*s%13s %5s %13s\n", (int)text->indent, "", "step", "hart", "cycle");
    for (unsigned i = 0; i < text->count; i++) {
        if (i == gap.from && gap.from < gap.to) {
            print_left_out(text, gap.to - gap.from + dropped);
            dropped = 0;
            i = gap.to;
        } else if (i == TIMELINE_FIRST) {
            print_left_out(text, dropped);
            dropped = 0;
        }
        print_moment(r, text, i);
    }
    print_left_out(text, dropped);
}

/* ---- which update ---- */

bool report_timeline_writer(const struct finding *f, struct writer *who)
{
    const struct writer *store = finding_writer(f);

    if (store) {
        *who = *store;
        return true;
    }
    for (unsigned i = 0; i < f->fact_count; i++) {
        const struct fact *fact = &f->facts[i];

        if (fact->label != LABEL_WRITTEN || fact->kind != FACT_MOMENT)
            continue;
        *who = (struct writer){.kind = WRITER_HART,
                               .hart = fact->hart,
                               .pc = fact->pc,
                               .cycle = fact->cycle,
                               .step = fact->step};
        return true;
    }
    return false;
}

void report_timeline_take(const struct report *r, size_t i, struct timeline_text *text)
{
    const struct updates *u = watch_updates(r->watch);

    text->update = *updates_get(u, i);
    text->count = updates_timeline(u, i, text->moments);
}

static void take_open(const struct updates *u, uint32_t hart, struct timeline_text *text)
{
    text->update = *updates_open(u, hart);
    text->update.end = UPDATE_OPEN;
    text->count = updates_open_timeline(u, hart, text->moments);
}

static bool is_in_open(const struct update *open, const struct writer *who)
{
    return open && who->step >= open->writer.step && who->step <= open->last_step;
}

bool report_timeline_find(const struct report *r, const struct writer *who,
                          struct timeline_text *text, char head[TIMELINE_HEAD_MAX])
{
    const struct updates *u = watch_updates(r->watch);
    size_t i;

    if (who->kind != WRITER_HART || !who->step || !u)
        return false;
    if (is_in_open(updates_open(u, who->hart), who)) {
        take_open(u, who->hart, text);
        snprintf(head, TIMELINE_HEAD_MAX, "of the update by hart %" PRIu32 ", which is open",
                 who->hart);
        return true;
    }
    i = updates_find(u, who);
    if (i == UPDATE_NONE)
        return false;
    report_timeline_take(r, i, text);
    snprintf(head, TIMELINE_HEAD_MAX, "of update %zu, by hart %" PRIu32, i + 1, who->hart);
    return true;
}

void report_timeline(const struct report *r, size_t index, FILE *out)
{
    struct timeline_text text = {.indent = 4, .out = out};

    report_timeline_take(r, index, &text);
    report_timeline_print(r, &text);
}
