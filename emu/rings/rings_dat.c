/*
 * rings_dat.c - see rings_dat.h. Version 6 of the format, which trace-cmd of all versions reads.
 */
#include "rings/rings_dat.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cluster.h"
#include "export/dat_bytes.h"
#include "load/symbols.h"
#include "rings/rings.h"

enum { OPTION_COUNTS = 2, OPTION_BUFFER = 3, OPTION_CLOCK = 4, OPTION_UNAME = 5 };

/* Puts the formats of a system, after their number. */
static void put_formats_of(struct log_bytes *b, const struct ring_formats *f, const char *system)
{
    uint32_t count = 0;

    for (size_t i = 0; i < f->of.len; i++)
        count += !strcmp(f->of.at[i].system, system);
    dat_put(b, count, 4);
    for (size_t i = 0; i < f->of.len; i++)
        if (!strcmp(f->of.at[i].system, system))
            dat_put_sized(b, f->of.at[i].text, strlen(f->of.at[i].text), 8);
}

/* Whether no format before it is of the same system. */
static bool is_first(const struct ring_formats *f, size_t i)
{
    for (size_t n = 0; n < i; n++)
        if (!strcmp(f->of.at[n].system, f->of.at[i].system))
            return false;
    return strcmp(f->of.at[i].system, "ftrace") != 0;
}

static void put_formats(struct log_bytes *b, const struct ring_formats *f)
{
    uint32_t systems = 0;

    put_formats_of(b, f, "ftrace");
    for (size_t i = 0; i < f->of.len; i++)
        systems += is_first(f, i);
    dat_put(b, systems, 4);
    for (size_t i = 0; i < f->of.len; i++)
        if (is_first(f, i)) {
            log_put_bytes(b, f->of.at[i].system, strlen(f->of.at[i].system) + 1);
            put_formats_of(b, f, f->of.at[i].system);
        }
}

static void put_symbols(struct log_bytes *b, const struct symbols *symbols)
{
    struct log_bytes text = {0};

    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *s = symbols_get(symbols, i);
        char line[256];

        if (s->kind == SYMBOL_FUNC)
            log_put_bytes(
                &text, line,
                (size_t)snprintf(line, sizeof line, "%016" PRIx64 " t %.200s\n", s->addr, s->name));
    }
    dat_put_sized(b, text.at, text.len, 4);
    VEC_FREE(&text);
}

static void put_head(struct log_bytes *b, struct peek *p)
{
    struct ring_formats formats;
    struct log_bytes text = {0};

    dat_put_begin(b, "6");
    dat_put_headers(b);
    rings_formats(p, &formats);
    put_formats(b, &formats);
    rings_formats_free(&formats);
    put_symbols(b, p->symbols);
    rings_printk_formats(p, &text);
    dat_put_sized(b, text.at, text.len, 4);
    text.len = 0;
    rings_cmdlines(p, &text);
    dat_put_sized(b, text.at, text.len, 8);
    VEC_FREE(&text);
}

/* Puts an option with this text, which it empties; none, if there is no text. */
static void put_text(struct log_bytes *b, unsigned option, struct log_bytes *text)
{
    if (text->len) {
        dat_put(b, option, 2);
        dat_put(b, text->len, 4);
        log_put_bytes(b, text->at, text->len);
    }
    text->len = 0;
}

/* Puts what readers show beside the events, of the main trace. */
static void put_facts(struct log_bytes *b, struct peek *p, const struct ring_trace *trace)
{
    struct log_bytes text = {0};

    for (unsigned i = 0; i < cluster_hart_count(p->cluster); i++) {
        rings_counts(p, trace, i, &text);
        put_text(b, OPTION_COUNTS, &text);
    }
    rings_clock(p, trace, &text);
    put_text(b, OPTION_CLOCK, &text);
    rings_uname(p, &text);
    put_text(b, OPTION_UNAME, &text);
    VEC_FREE(&text);
}

/*
 * Puts the options with the positions of each instance's rings. *places: where each position is to
 * be filled in.
 */
static void put_options(struct log_bytes *b, struct peek *p, const struct ring_traces *traces,
                        size_t *places)
{
    log_put_bytes(b, "options  ", 10);
    put_facts(b, p, &traces->of.at[0]);
    for (size_t i = 1; i < traces->of.len; i++) {
        const char *name = traces->of.at[i].name;

        dat_put(b, OPTION_BUFFER, 2);
        dat_put(b, 8 + strlen(name) + 1, 4);
        places[i] = b->len;
        dat_put(b, 0, 8);
        log_put_bytes(b, name, strlen(name) + 1);
    }
    dat_put(b, 0, 2);
}

static void set_place(struct log_bytes *b, size_t place)
{
    struct log_bytes number = {0};

    dat_put(&number, b->len, 8);
    memcpy(b->at + place, number.at, 8);
    VEC_FREE(&number);
}

/* Puts the positions of a trace's pages, which begin at `first' in the file. */
static void put_rings(struct log_bytes *b, struct peek *p, const struct ring_trace *trace,
                      size_t first, struct log_bytes *pages)
{
    log_put_bytes(b, "flyrecord", 10);
    for (unsigned i = 0; i < cluster_hart_count(p->cluster) && !p->bad; i++) {
        size_t before = pages->len;

        rings_pages(p, trace, i, pages);
        dat_put(b, first + before, 8);
        dat_put(b, pages->len - before, 8);
    }
}

static void put_traces(struct log_bytes *head, struct peek *p, const struct ring_traces *traces,
                       struct log_bytes *pages)
{
    size_t *places = xcalloc(traces->of.len, sizeof *places), first;

    dat_put(head, cluster_hart_count(p->cluster), 4);
    put_options(head, p, traces, places);
    first = head->len + traces->of.len * (10 + 16 * (size_t)cluster_hart_count(p->cluster));
    first = (first + DAT_PAGE - 1) / DAT_PAGE * DAT_PAGE;
    for (size_t i = 0; i < traces->of.len; i++) {
        if (i)
            set_place(head, places[i]);
        put_rings(head, p, &traces->of.at[i], first, pages);
    }
    dat_put_zeroes(head, -head->len % DAT_PAGE);
    free(places);
}

bool rings_dat_write(struct peek *p, FILE *out)
{
    struct log_bytes head = {0}, pages = {0};
    struct ring_traces traces;

    put_head(&head, p);
    rings_traces(p, &traces);
    put_traces(&head, p, &traces, &pages);
    rings_traces_free(&traces);
    if (!p->bad) {
        fwrite(head.at, 1, head.len, out);
        fwrite(pages.at, 1, pages.len, out);
    }
    VEC_FREE(&head);
    VEC_FREE(&pages);
    return !p->bad;
}
