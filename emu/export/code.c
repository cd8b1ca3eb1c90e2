/*
 * code.c - disassembles the functions that were called, as they were when the log began, each with
 * its calls by the state of its site.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "cpu/isa/disasm.h"
#include "export/export.h"

struct called {
    uint64_t calls[LOG_SITE_STATES];
};

/* Finds the symbol that contains the site. NULL: it is not known. */
static const struct log_symbol *symbol_of(const struct log *log, const struct log_call *c)
{
    const struct log_symbol *s = log_symbol_at(log, c->pc);
    const struct log_symbol *after = log_symbol_at(log, c->pc + 8);

    /* The site of a function may begin before it. */
    return after && after->function && (!s || after->start > s->start) ? after : s;
}

static void name_place(void *ctx, uint64_t address, char *text, size_t size)
{
    const struct log *log = ctx;
    char place[LOG_PLACE_MAX];

    text[0] = '\0';
    if (!log_symbol_at(log, address))
        return;
    log_place(log, address, place);
    snprintf(text, size, "%s", place);
}

static void put_insns(const struct log *log, const struct log_symbol *s, FILE *out)
{
    const struct disasm_names names = {name_place, (void *)log};
    uint64_t at = s->start;
    uint8_t bytes[4];

    while (at < s->end) {
        unsigned have = s->end - at < 4 ? 2 : 4, len;
        char text[DISASM_MAX];
        uint32_t word;

        memset(bytes, 0, sizeof bytes);
        if (!log_text(log, at, bytes, have))
            return;
        word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
               (uint32_t)bytes[3] << 24;
        len = disasm(at, word, &names, text);
        if (len == 4)
            fprintf(out, "  %16" PRIx64 ":  %08" PRIx32 "  %s\n", at, word, text);
        else
            fprintf(out, "  %16" PRIx64 ":  %04" PRIx32 "      %s\n", at, word & 0xffff, text);
        at += len;
    }
}

static void put_function(const struct log *log, const struct log_symbol *s,
                         const struct called *called, FILE *out)
{
    char text[GROUPED_MAX];
    const char *comma = "";

    fprintf(out, "%s:", s->name);
    for (unsigned i = 0; i < LOG_SITE_STATES; i++)
        if (called->calls[i]) {
            fprintf(out, "%s %s calls while its site was %s", comma,
                    grouped(text, called->calls[i]), log_state_name(i));
            comma = ",";
        }
    fputc('\n', out);
    put_insns(log, s, out);
    fputc('\n', out);
}

void export_code(struct export_job *job)
{
    size_t count = log_symbol_count(job->log);
    struct called *called = xcalloc(count + 1, sizeof *called);
    struct log_event e;

    while (source_next(job->source, &e)) {
        const struct log_call *c = e.kind == LOG_CALL ? e.call.call : NULL;
        const struct log_symbol *s = c && c->kind == LOG_FUNCTION ? symbol_of(job->log, c) : NULL;

        if (s)
            called[s - log_symbol(job->log, 0)].calls[c->state]++;
    }
    for (size_t i = 0; i < count; i++) {
        const struct called *n = &called[i];

        if (n->calls[LOG_INIT] + n->calls[LOG_OFF] + n->calls[LOG_ON] + n->calls[LOG_OTHER])
            put_function(job->log, log_symbol(job->log, i), n, job->out);
    }
    free(called);
}
