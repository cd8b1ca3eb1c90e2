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

/* Those of a system; first: with the number of them. */
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

bool rings_dat_write(struct peek *p, FILE *out)
{
    unsigned harts = cluster_hart_count(p->cluster);
    struct log_bytes head = {0}, pages = {0};
    uint64_t at;

    put_head(&head, p);
    dat_put(&head, harts, 4);
    log_put_bytes(&head, "options  ", 10);
    dat_put(&head, 0, 2);
    log_put_bytes(&head, "flyrecord", 10);
    at = (head.len + 16 * (size_t)harts + DAT_PAGE - 1) / DAT_PAGE * DAT_PAGE;
    for (unsigned i = 0; i < harts && !p->bad; i++) {
        size_t before = pages.len;

        rings_pages(p, i, &pages);
        dat_put(&head, at + before, 8);
        dat_put(&head, pages.len - before, 8);
    }
    dat_put_zeroes(&head, -head.len % DAT_PAGE);
    if (!p->bad) {
        fwrite(head.at, 1, head.len, out);
        fwrite(pages.at, 1, pages.len, out);
    }
    VEC_FREE(&head);
    VEC_FREE(&pages);
    return !p->bad;
}
