/*
 * check_trace.c - see check_trace.h; base/arguments.h over the rows of check_trace.def.
 */
#include "commands/check_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/compiler.h"
#include "base/installed.h"
#include "cpu/isa/disasm.h"
#include "itrace/trace_check.h"
#include "load/image.h"
#include "load/symbols.h"

struct request {
    const struct diag *diag;
    const char *trace, *image, *symbols;
    uint64_t base;
    unsigned rows;
    bool torn, done;
};

static bool set_base(void *request, const char *text, char *problem)
{
    (void)problem;
    return option_parse_number(text, 1000, &((struct request *)request)->base);
}

#define OPTION_OWNER struct request

static const struct argument_row rows[] = {
#define CHECK_TRACE_OPT(name, short_key, arg, value, doc) {name, short_key, arg, doc, {value}},
#include "commands/check_trace.def"
#undef CHECK_TRACE_OPT
};

static bool take_file(void *request, const char *name)
{
    struct request *q = request;

    if (!q->trace)
        q->trace = name;
    else if (!q->image)
        q->image = name;
    else {
        diag_error(q->diag, "more than a trace and an image: `%s'", name);
        return false;
    }
    return true;
}

static const char intro[] =
    "Reads a trace of instructions in the format of Spike's commit log (`spike -l --log-commits', "
    "`rvftrace run --itrace', or of another machine), follows what its stores have written, and "
    "says "
    "of each fetch whether the ISA permits it: fresh, what memory has; stale, former bytes that "
    "the "
    "hart may have until its next fence.i; wrong, bytes that were never there, or had gone before "
    "its last fence.i. TRACE may be `-', standard input. IMAGE is what was in memory at the "
    "beginning; `guest:NAME' is the kernel of that layout.\v"
    "Exit status: 0, all fetches are permitted; 80, some are wrong; 64 usage, 65 no such trace or "
    "image, 66 no such file, 74 I/O error. docs/trace.md describes what is judged, and how.";

static const struct arguments arguments = {
    .command = "rvftrace check-trace",
    .files = "TRACE IMAGE",
    .no_file = "no trace; `rvftrace run --itrace TRACE IMAGE' writes one, and spike -l "
               "--log-commits",
    .intro = intro,
    .rows = rows,
    .count = ARRAY_LEN(rows),
    .file = take_file};

/* ---- text ---- */

static const char *const verdict_names[] = {
    [VERDICT_FRESH] = "fresh", [VERDICT_STALE] = "stale",  [VERDICT_UNKNOWN] = "unknown",
    [VERDICT_TORN] = "torn",   [VERDICT_FENCED] = "wrong", [VERDICT_NEVER] = "wrong",
};

static const char *const verdict_reasons[] = {
    [VERDICT_STALE] = "former bytes, which the hart may have until its next fence.i",
    [VERDICT_TORN] = "halves of an aligned word that were never in memory together",
    [VERDICT_FENCED] = "former bytes, which had gone before the hart's last fence.i",
    [VERDICT_NEVER] = "these bytes were never there",
};

static bool is_wrong(const struct request *q, enum verdict v)
{
    return v == VERDICT_FENCED || v == VERDICT_NEVER || (v == VERDICT_TORN && !q->torn);
}

static void print_place(const struct symbols *symbols, uint64_t pc)
{
    char name[128];

    symbols_text_at(symbols, pc, name, sizeof name);
    printf("0x%" PRIx64 "%s%s%s", pc, *name ? " (" : "", name, *name ? ")" : "");
}

static void print_word(const struct trace_place *p, uint32_t word)
{
    char text[DISASM_MAX];

    /* Half of a longer instruction is no instruction of its own. */
    if (p->size == 2)
        word &= 0xffff;
    (void)disasm(p->pc, word, NULL, text);
    for (char *tab; (tab = strchr(text, '\t'));)
        *tab = ' ';
    printf("0x%0*" PRIx32 "  %s", p->size == 2 ? 4 : 8, word, text);
}

static void print_fetch(const struct request *q, const struct symbols *symbols,
                        const struct trace_place *p)
{
    bool torn_is_legal = p->verdict == VERDICT_TORN && q->torn;

    printf("%s: line %" PRIu64 ": core %u at ", verdict_names[p->verdict], p->line, p->hart);
    print_place(symbols, p->pc);
    printf(": %s%s\n  fetched    ", verdict_reasons[p->verdict],
           torn_is_legal ? ", which is permitted without Ziccif" : "");
    print_word(p, p->fetched);
    printf("\n  in memory  ");
    print_word(p, p->memory);
    putchar('\n');
    if (p->store.time) {
        printf("  changed    by core %u in line %" PRIu64 ", at ", p->store.hart, p->store.time);
        print_place(symbols, p->store.pc);
        putchar('\n');
    }
    if (p->fence)
        printf("  fence.i    of core %u: the last one before is in line %" PRIu64 "\n", p->hart,
               p->fence);
    else
        printf("  fence.i    of core %u: none before\n", p->hart);
    if (p->count > 1)
        printf("  so         %" PRIu64 " times\n", p->count);
}

/* Prints places of a verdict, up to the number of rows. */
static void print_places(const struct request *q, const struct trace_check *c,
                         const struct symbols *symbols, enum verdict verdict)
{
    const struct trace_place *places;
    size_t count = trace_check_places(c, &places), found = 0;

    for (size_t i = 0; i < count; i++)
        if (places[i].verdict == verdict && found++ < q->rows)
            print_fetch(q, symbols, &places[i]);
    if (found > q->rows)
        printf("%s: %zu more places like these\n", verdict_names[verdict], found - q->rows);
}

static void print_counts(const struct request *q, const struct trace_check_counts *n)
{
    uint64_t wrong = 0;

    for (enum verdict v = 0; v < VERDICT_COUNT; v++)
        if (is_wrong(q, v))
            wrong += n->verdicts[v];
    printf("%" PRIu64 " instruction%s of %u hart%s, %" PRIu64 " stores, %" PRIu64 " fence.i\n",
           n->insns, n->insns == 1 ? "" : "s", n->harts, n->harts == 1 ? "" : "s", n->stores,
           n->fences);
    printf("fresh %" PRIu64 ", stale and permitted %" PRIu64 ", wrong %" PRIu64 ", unknown %" PRIu64
           "\n",
           n->verdicts[VERDICT_FRESH],
           n->verdicts[VERDICT_STALE] + (q->torn ? n->verdicts[VERDICT_TORN] : 0), wrong,
           n->verdicts[VERDICT_UNKNOWN]);
    if (n->verdicts[VERDICT_UNKNOWN])
        puts("unknown: the first fetch of bytes that neither the image has nor a store of the "
             "trace");
    if (n->not_translated)
        printf("not followed: %" PRIu64 " accesses whose page tables the trace does not have\n",
               n->not_translated);
    if (n->left_out)
        printf("left out: %" PRIu64 " former contents and places, of which there were too many\n",
               n->left_out);
}

/* A trace that does not begin with the machine lacks the stores before. */
static void note_late_start(const struct request *q, const struct trace_check *c,
                            const struct image *im)
{
    uint64_t pc;

    if (trace_check_first(c, &pc) && pc >= 0x80000000 && pc != im->entry && pc != im->entry_va &&
        image_covers(im, pc))
        diag_warn(q->diag,
                  "%s: begins at 0x%" PRIx64 ", not where the image does (0x%" PRIx64
                  "): what was stored before is not in it, and looks as if it were never there",
                  q->trace, pc, im->entry);
}

/* ---- the command ---- */

static enum exit_status read_lines(const struct request *q, struct trace_check *c)
{
    bool standard = !strcmp(q->trace, "-");
    FILE *in = standard ? stdin : fopen(q->trace, "r");
    enum exit_status status = EXIT_PASS;
    char *line = NULL;
    size_t room = 0;
    int reason;

    if (!in) {
        reason = errno;
        diag_error(q->diag, "%s: %s", q->trace, strerror(reason));
        return reason == ENOENT ? EXIT_NO_FILE : EXIT_IO;
    }
    while (getline(&line, &room, in) >= 0)
        trace_check_line(c, line);
    if (ferror(in)) {
        diag_error(q->diag, "%s: %s", q->trace, strerror(errno));
        status = EXIT_IO;
    }
    free(line);
    if (!standard)
        (void)fclose(in);
    return status;
}

static enum exit_status check(const struct request *q, const struct image *im,
                              const struct symbols *symbols)
{
    struct trace_check *c = trace_check_new(im);
    enum exit_status status = read_lines(q, c);
    struct trace_check_counts n = trace_check_counts(c);

    if (status == EXIT_PASS && !n.insns) {
        diag_error(q->diag,
                   "%s: has no commits, lines as `core   0: 3 0x0000000080000000 (0x00000297) "
                   "...': spike needs -l --log-commits",
                   q->trace);
        status = EXIT_BAD_FILE;
    }
    if (status == EXIT_PASS) {
        note_late_start(q, c, im);
        for (enum verdict v = VERDICT_COUNT; v-- > VERDICT_STALE;)
            if (v != VERDICT_UNKNOWN)
                print_places(q, c, symbols, v);
        print_counts(q, &n);
        for (enum verdict v = 0; v < VERDICT_COUNT; v++)
            if (is_wrong(q, v) && n.verdicts[v])
                status = EXIT_AUDIT;
    }
    trace_check_free(c);
    return status;
}

static enum exit_status read_symbols(const struct request *q, const struct image *im,
                                     struct symbols **symbols)
{
    *symbols = NULL;
    if (q->symbols || im->kind == IMAGE_ELF)
        return symbols_read(q->symbols ? q->symbols : q->image, q->diag, symbols);
    if (im->kind == IMAGE_LINUX)
        *symbols = symbols_from_kallsyms(im->file.bytes, im->file.size);
    return EXIT_PASS;
}

enum exit_status check_trace_command(int argc, char **argv, const struct diag *d)
{
    struct request q = {.diag = d, .base = UINT64_C(0x80000000), .rows = 20};
    enum exit_status status = arguments_parse(&arguments, &q, d, argc, argv, &q.done);
    struct symbols *symbols = NULL;
    struct image *im = NULL;
    char *path;

    if (status != EXIT_PASS || q.done)
        return status;
    if (!q.image) {
        diag_error(d, "no image: give what was in memory at the beginning, `rvftrace check-trace "
                      "TRACE IMAGE'");
        return EXIT_USAGE;
    }
    path = installed_path(q.image, d);
    q.image = path;
    status = path ? image_open(path, q.base, d, &im) : EXIT_NO_FILE;
    if (status != EXIT_PASS) {
        free(path);
        return status;
    }
    status = read_symbols(&q, im, &symbols);
    if (status == EXIT_PASS) {
        symbols_hide_below(symbols, image_lowest(im));
        status = check(&q, im, symbols);
    }
    symbols_free(symbols);
    image_free(im);
    free(path);
    if (fflush(stdout) || ferror(stdout)) {
        diag_error(d, "standard output: %s", strerror(errno));
        status = EXIT_IO;
    }
    return status;
}
