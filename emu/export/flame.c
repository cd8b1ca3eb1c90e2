/*
 * flame.c - the cycles of a log by stacks: as folded stacks, a line each, and as a flame graph
 * (SVG).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/grouped.h"
#include "base/hash.h"
#include "export/tree.h"

/* ---- folded stacks ---- */

static void put_path(const struct tree *t, uint32_t node, FILE *out)
{
    if (t->nodes.at[node].parent) {
        put_path(t, t->nodes.at[node].parent, out);
        fputc(';', out);
    }
    for (const char *c = t->nodes.at[node].name; *c; c++)
        fputc(*c == ';' ? ':' : *c == ' ' ? '_' : *c, out);
}

static void put_folded(struct tree *t, FILE *out)
{
    for (uint32_t i = 1; i < t->nodes.len; i++)
        if (t->nodes.at[i].cycles) {
            put_path(t, i, out);
            fprintf(out, " %" PRIu64 "\n", t->nodes.at[i].cycles);
        }
    tree_free(t);
}

void export_folded(struct export_job *job)
{
    struct tree t;

    tree_read(&t, job);
    put_folded(&t, job->out);
}

void export_folded_disabled(struct export_job *job)
{
    struct tree t;

    tree_read_disabled(&t, job);
    put_folded(&t, job->out);
}

/* ---- the picture ---- */

/* Pixels; a narrower bar is left out, and a name that does not fit is cut. */
enum { WIDTH = 1200, ROW = 17, MARGIN = 10, TITLE = 34, LETTER = 7, DEPTH_MAX = 256 };
static const double narrowest = 0.2;

struct bar {
    uint32_t node;
    unsigned depth;
    double x, width;
};

struct flame {
    const struct tree *tree;
    FILE *out;
    const char *what;       /* the kind of cycles */
    uint32_t *first, *next; /* children of a node, 0 ends: by name */
    VEC_OF(struct bar) bars;
    unsigned depth;
};

/* Children are in order of name, so that pictures of similar runs look alike. */
static void list_children(struct flame *f)
{
    const struct tree *t = f->tree;

    f->first = xcalloc(t->nodes.len, sizeof *f->first);
    f->next = xcalloc(t->nodes.len, sizeof *f->next);
    for (uint32_t i = 1; i < t->nodes.len; i++) {
        uint32_t *at = &f->first[t->nodes.at[i].parent];

        while (*at && strcmp(t->nodes.at[*at].name, t->nodes.at[i].name) < 0)
            at = &f->next[*at];
        f->next[i] = *at;
        *at = i;
    }
}

/* Places a node's bar, and those of its children next to each other above it. */
static void place(struct flame *f, struct bar bar)
{
    const struct tree *t = f->tree;
    double x = bar.x;

    if (bar.width < narrowest || bar.depth == DEPTH_MAX)
        return;
    VEC_PUSH(&f->bars, bar);
    f->depth = bar.depth > f->depth ? bar.depth : f->depth;
    for (uint32_t i = f->first[bar.node]; i; i = f->next[i]) {
        double room = bar.x + bar.width - x;
        double width = bar.width * (double)t->nodes.at[i].all / (double)t->nodes.at[bar.node].all;

        width = width < room ? width : room; /* sums of a made-up log can overflow */
        place(f, (struct bar){i, bar.depth + 1, x, width});
        x += width;
    }
}

static void put_text(const char *text, size_t max, FILE *out)
{
    for (size_t i = 0; text[i] && i < max; i++)
        switch (text[i]) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(text[i] < ' ' || text[i] > '~' ? '?' : text[i], out); break;
        }
}

/*
 * Warm colours for functions, by name; grey for user mode and idle time, blue for the tracer and
 * its callbacks: these can be distinguished without seeing red and green.
 */
static void put_colour(const char *name, FILE *out)
{
    unsigned hash = (unsigned)fnv1a(FNV1A_START, (const uint8_t *)name, strlen(name));

    if (name[0] == '[')
        fprintf(out, "#c8c8c8");
    else if (!strcmp(name, "ftrace_caller") || !strcmp(name, "return_to_handler"))
        fprintf(out, "#6ea6dc");
    else
        fprintf(out, "#%02x%02x%02x", 225 + hash % 25, 150 + (hash >> 8) % 70,
                70 + (hash >> 16) % 40);
}

static void put_bar(const struct flame *f, const struct bar *b)
{
    const struct tree_node *n = &f->tree->nodes.at[b->node];
    double y = TITLE + (f->depth - b->depth) * ROW, total = (double)f->tree->nodes.at[0].all;
    char cycles[GROUPED_MAX];
    size_t letters = b->width > 6 ? (size_t)((b->width - 6) / LETTER) : 0;

    fprintf(f->out, "<g><title>");
    put_text(n->name, SIZE_MAX, f->out);
    fprintf(f->out, ": %s cycles, %.2f %%", grouped(cycles, n->all), 100 * (double)n->all / total);
    fprintf(f->out, "</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"",
            b->x, y, b->width, ROW - 1);
    put_colour(n->name, f->out);
    fprintf(f->out, "\"/>");
    if (letters >= 3) {
        fprintf(f->out, "<text x=\"%.2f\" y=\"%.0f\">", b->x + 3, y + ROW - 5);
        put_text(n->name, letters, f->out);
        fprintf(f->out, "</text>");
    }
    fprintf(f->out, "</g>\n");
}

static void put_head(const struct flame *f, const struct log *log)
{
    const struct log_run *r = log_run(log);
    unsigned height = TITLE + (f->depth + 1) * ROW + MARGIN;
    char cycles[GROUPED_MAX];

    fprintf(f->out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d "
            "%u\">\n"
            "<style>text{font:11px monospace;fill:#000}rect:hover{stroke:#000}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text x=\"%d\" y=\"20\">",
            WIDTH, height, WIDTH, height, MARGIN);
    put_text(r->image ? r->image : "", 80, f->out);
    fprintf(f->out, ": %s cycles of %s%u hart%s, timing ",
            grouped(cycles, f->tree->nodes.at[0].all), f->what, (unsigned)r->harts,
            r->harts == 1 ? "" : "s");
    put_text(r->timing ? r->timing : "?", 40, f->out);
    fputs("</text>\n", f->out);
}

/* Frees the tree. */
static void put_flamegraph(struct export_job *job, struct tree *t, const char *what)
{
    struct flame f = {.tree = t, .out = job->out, .what = what};

    list_children(&f);
    if (t->nodes.at[0].all)
        place(&f, (struct bar){0, 0, MARGIN, WIDTH - 2 * MARGIN});
    put_head(&f, job->log);
    for (size_t i = 0; i < f.bars.len; i++)
        put_bar(&f, &f.bars.at[i]);
    fputs("</svg>\n", job->out);
    free(f.first);
    free(f.next);
    VEC_FREE(&f.bars);
    tree_free(t);
}

void export_flamegraph(struct export_job *job)
{
    struct tree t;

    tree_read(&t, job);
    put_flamegraph(job, &t, "");
}

void export_flamegraph_disabled(struct export_job *job)
{
    struct tree t;

    tree_read_disabled(&t, job);
    put_flamegraph(job, &t, "sites that were off, ");
}
