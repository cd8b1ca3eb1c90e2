/*
 * columns.c - the columns of a table, as text and as CSV. See table.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/grouped.h"
#include "base/json.h"
#include "report/table.h"

enum { NAME_WIDTH = 24, NAME_WIDTH_MAX = 60, TEXT_MAX = 48 };

enum {
    IN_SITES = 1 << RUN_SITES,
    IN_TRAMPOLINES = 1 << RUN_TRAMPOLINES,
    IN_JUMP_LABELS = 1 << RUN_JUMP_LABELS,
    IN_FUNCTIONS = 1 << RUN_FUNCTIONS,
    IN_ALL = IN_SITES | IN_TRAMPOLINES | IN_JUMP_LABELS | IN_FUNCTIONS,
};

/* How a value is printed. */
enum form { COUNT, MEAN, PERCENT };

struct column {
    unsigned groups;           /* groups that have the column: IN_... */
    const char *name;          /* for --sort and CSV */
    const char *above, *below; /* the heading for people; NULL: in the CSV only */
    int width;
    enum form form;
    double (*value)(const struct table_row *row);
};

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* All cycles of the sites and of the tracers that they called. */
static uint64_t cost(const struct table_row *row)
{
    const struct run_counts *on = &row->state[RUN_ON];

    return row->state[RUN_INIT].cycles + row->state[RUN_OFF].cycles +
           (row->group == RUN_SITES ? on->through_cycles : on->cycles);
}

/* Cycles of the sites' or trampolines' own instructions. */
static uint64_t part(const struct table_row *row, enum run_part part)
{
    uint64_t sum = 0;

    for (unsigned state = 0; state < RUN_STATES; state++)
        sum += row->state[state].parts[part];
    return sum;
}

#define VALUE(name, expression)                             \
    static double value_##name(const struct table_row *row) \
    {                                                       \
        return (double)(expression);                        \
    }
VALUE(cost, cost(row))
VALUE(share, 100 * ratio(cost(row), row->busy_cycles))
VALUE(sites, row->sites)
VALUE(issue, part(row, RUN_ISSUE))
VALUE(fetch, part(row, RUN_FETCH))
VALUE(data, part(row, RUN_DATA))
VALUE(branch, part(row, RUN_BRANCH))
VALUE(off_entries, row->state[RUN_OFF].entries)
VALUE(off_cycles, row->state[RUN_OFF].cycles)
VALUE(off_mean, ratio(row->state[RUN_OFF].cycles, row->state[RUN_OFF].entries))
VALUE(on_entries, row->state[RUN_ON].entries)
VALUE(on_cycles, row->state[RUN_ON].cycles)
VALUE(through_cycles, row->state[RUN_ON].through_cycles)
VALUE(per_call, ratio(row->state[RUN_ON].through_cycles, row->state[RUN_ON].resumed))
VALUE(min, row->state[RUN_ON].through_min)
VALUE(max, row->state[RUN_ON].through_max)
VALUE(site_cycles, row->state[RUN_ON].site_cycles)
VALUE(init_entries, row->state[RUN_INIT].entries)
VALUE(init_cycles, row->state[RUN_INIT].cycles)
#undef VALUE

static const struct column columns[] = {
    {IN_ALL, "cost", "", "cycles", 13, COUNT, value_cost},
    {IN_ALL, "share", "of all", "%", 7, PERCENT, value_share},
    {IN_SITES, "off-entries", "off:", "entries", 12, COUNT, value_off_entries},
    {IN_SITES, "off-cycles", "", "cycles", 12, COUNT, value_off_cycles},
    {IN_SITES, "off-mean", "", "each", 6, PERCENT, value_off_mean},
    {IN_SITES, "on-entries", "on:", "entries", 10, COUNT, value_on_entries},
    {IN_SITES, "on-cycles", NULL, NULL, 0, COUNT, value_on_cycles},
    {IN_SITES, "through-cycles", NULL, NULL, 0, COUNT, value_through_cycles},
    {IN_SITES, "per-call", "cycles", "per call", 9, MEAN, value_per_call},
    {IN_SITES, "min", NULL, NULL, 0, COUNT, value_min},
    {IN_SITES, "max", "", "max", 9, COUNT, value_max},
    {IN_SITES, "init-entries", "at boot:", "entries", 9, COUNT, value_init_entries},
    {IN_SITES, "init-cycles", NULL, NULL, 0, COUNT, value_init_cycles},
    {IN_TRAMPOLINES, "entries", "", "entries", 12, COUNT, value_on_entries},
    {IN_FUNCTIONS, "entries", "site:", "entries", 12, COUNT, value_on_entries},
    {IN_FUNCTIONS, "site-cycles", "", "cycles", 11, COUNT, value_site_cycles},
    {IN_JUMP_LABELS, "nop-entries", "nop:", "entries", 12, COUNT, value_off_entries},
    {IN_JUMP_LABELS, "nop-cycles", "", "cycles", 12, COUNT, value_off_cycles},
    {IN_JUMP_LABELS, "jump-entries", "jump:", "entries", 12, COUNT, value_on_entries},
    {IN_JUMP_LABELS, "jump-cycles", "", "cycles", 12, COUNT, value_on_cycles},
    {IN_ALL, "issue", "own:", "issue", 12, COUNT, value_issue},
    {IN_ALL, "fetch", "", "fetch", 11, COUNT, value_fetch},
    {IN_ALL, "data", "", "data", 11, COUNT, value_data},
    {IN_ALL, "branch", "", "branch", 11, COUNT, value_branch},
    {IN_SITES | IN_JUMP_LABELS, "sites", "", "sites", 6, COUNT, value_sites},
};

/* Whether a table of the group has the column; whether it has it as text, too. */
static bool is_in(const struct column *c, enum run_group group)
{
    return c->groups >> group & 1;
}

static bool is_shown(const struct column *c, enum run_group group)
{
    return is_in(c, group) && c->above;
}

const struct column *column_find(const char *name, enum run_group group)
{
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_in(&columns[i], group) && !strcmp(columns[i].name, name))
            return &columns[i];
    return NULL;
}

const char *column_name(const struct column *c)
{
    return c->name;
}

void column_names(char *text, size_t room, enum run_group group)
{
    size_t len = 0;

    for (unsigned i = 0; i < ARRAY_LEN(columns) && len < room; i++)
        if (is_in(&columns[i], group))
            len +=
                (size_t)snprintf(text + len, room - len, "%s%s", len ? " " : "", columns[i].name);
}

/* ---- order ---- */

static int by_column(const void *a, const void *b, void *column)
{
    const struct table_row *x = a, *y = b;
    const struct column *c = column;
    double left = c->value(x), right = c->value(y);

    return left == right ? strcmp(x->name, y->name) : left < right ? 1 : -1;
}

static int by_name(const void *a, const void *b)
{
    const struct table_row *x = a, *y = b;

    return strcmp(x->name, y->name);
}

void table_sort(struct table *t, const struct column *c)
{
    qsort_r(t->rows, t->count, sizeof *t->rows, by_column, (void *)c);
}

/* ---- text ---- */

/* Rounds down; a double that is too large becomes the greatest count. */
static uint64_t count_of(double value)
{
    return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

/* Prints a count of 0 as "-": among many zeroes the other values would be hard to see. */
static const char *written(char text[TEXT_MAX], enum form form, double value)
{
    char digits[GROUPED_MAX];

    if (value == 0)
        return "-";
    if (form == COUNT)
        snprintf(text, TEXT_MAX, "%s%s", value < 0 ? "-" : "",
                 grouped(digits, count_of(fabs(value))));
    else
        snprintf(text, TEXT_MAX, form == MEAN ? "%.1f" : "%.2f", value);
    return text;
}

/* The width of the first column for a name: at least `width`, within bounds. */
static int widened(int width, const char *name)
{
    size_t len = strlen(name);

    if (len > NAME_WIDTH_MAX)
        len = NAME_WIDTH_MAX;
    return (size_t)width < len ? (int)len : width;
}

static void print_head(const struct table *t, int width, bool above, FILE *out)
{
    fprintf(out, "%-*s", width, above ? "" : table_key_name(t->key));
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_shown(&columns[i], t->group))
            fprintf(out, " %*s", columns[i].width, above ? columns[i].above : columns[i].below);
    fputc('\n', out);
}

static void print_row(const struct table_row *row, int width, bool with_place, FILE *out)
{
    char text[TEXT_MAX];

    fprintf(out, "%-*s", width, row->name);
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_shown(&columns[i], row->group))
            fprintf(out, " %*s", columns[i].width,
                    written(text, columns[i].form, columns[i].value(row)));
    if (with_place && row->file)
        fprintf(out, "  %s:%u", row->file, row->line);
    fputc('\n', out);
}

static void say_rest(size_t shown, const struct table *t, FILE *out)
{
    if (shown < t->count)
        fprintf(out, "(%zu of %zu rows; --top 0 shows all)\n", shown, t->count);
}

void table_print(const struct table *t, size_t top, const struct table_row *total, FILE *out)
{
    size_t shown = top < t->count ? top : t->count;
    int width = NAME_WIDTH;

    for (size_t i = 0; i < shown; i++)
        width = widened(width, t->rows[i].name);
    print_head(t, width, true, out);
    print_head(t, width, false, out);
    for (size_t i = 0; i < shown; i++)
        print_row(&t->rows[i], width, t->key == BY_SITE || t->key == BY_FUNCTION, out);
    say_rest(shown, t, out);
    print_row(total, width, false, out);
}

/* ---- CSV by RFC 4180, but with line feeds only ---- */

static void csv_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_value(const struct column *c, const struct table_row *row, FILE *out)
{
    fprintf(out, c->form == COUNT ? ",%.0f" : ",%.6f", row ? c->value(row) : 0.0);
}

void table_csv(const struct table *t, FILE *out)
{
    fputs(table_key_name(t->key), out);
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_in(&columns[i], t->group))
            fprintf(out, ",%s", columns[i].name);
    fputs(",source-file,source-line\n", out);
    for (const struct table_row *row = t->rows; row < t->rows + t->count; row++) {
        csv_text(row->name, out);
        for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
            if (is_in(&columns[i], t->group))
                csv_value(&columns[i], row, out);
        fputc(',', out);
        csv_text(row->file ? row->file : "", out);
        fprintf(out, ",%u\n", row->line);
    }
}

/* ---- two tables ---- */

/* Rows of the same name; NULL: the table has none. */
struct pair {
    const char *name;
    const struct table_row *a, *b;
    double from, to; /* values of the column by which pairs are sorted */
};

static int by_change(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    double left = fabs(x->to - x->from), right = fabs(y->to - y->from);

    return left == right ? strcmp(x->name, y->name) : left < right ? 1 : -1;
}

static void copy_sorted(struct table_row **rows, const struct table *t)
{
    *rows = xcalloc(t->count + 1, sizeof **rows);
    if (t->count)
        memcpy(*rows, t->rows, t->count * sizeof **rows);
    qsort(*rows, t->count, sizeof **rows, by_name);
}

/* Merges the two by name. The rows are in *kept, which the caller frees with the pairs. */
static struct pair *match(const struct table *a, const struct table *b, const struct column *c,
                          size_t *count, struct table_row *kept[2])
{
    struct pair *pairs = xcalloc(a->count + b->count + 1, sizeof *pairs);
    size_t i = 0, j = 0, n = 0;

    copy_sorted(&kept[0], a);
    copy_sorted(&kept[1], b);
    while (i < a->count || j < b->count) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : strcmp(kept[0][i].name, kept[1][j].name);
        struct pair *p = &pairs[n++];

        p->a = order <= 0 ? &kept[0][i++] : NULL;
        p->b = order >= 0 ? &kept[1][j++] : NULL;
        p->name = p->a ? p->a->name : p->b->name;
        p->from = p->a ? c->value(p->a) : 0;
        p->to = p->b ? c->value(p->b) : 0;
    }
    qsort(pairs, n, sizeof *pairs, by_change);
    *count = n;
    return pairs;
}

static void print_pair(const char *name, int width, double from, double to, enum form form,
                       FILE *out)
{
    char t[3][TEXT_MAX], percent[TEXT_MAX] = "-";

    if (from != 0 && to != 0)
        snprintf(percent, sizeof percent, "%+.2f", 100 * (to - from) / from);
    fprintf(out, "%-*s %15s %15s %15s %9s\n", width, name, written(t[0], form, from),
            written(t[1], form, to), written(t[2], form, to - from), percent);
}

void table_print_diff(const struct table *a, const struct table *b, const struct column *c,
                      size_t top, const struct table_row totals[2], FILE *out)
{
    struct table_row *kept[2];
    size_t count, shown = 0, changed = 0;
    struct pair *pairs = match(a, b, c, &count, kept);
    int width = NAME_WIDTH;

    while (changed < count && pairs[changed].from != pairs[changed].to)
        changed++;
    shown = top < changed ? top : changed;
    for (size_t i = 0; i < shown; i++)
        width = widened(width, pairs[i].name);
    fprintf(out, "%-*s %15s %15s %15s %9s\n", width, table_key_name(a->key), "A", "B", "B - A",
            "%");
    for (size_t i = 0; i < shown; i++)
        print_pair(pairs[i].name, width, pairs[i].from, pairs[i].to, c->form, out);
    if (shown < changed)
        fprintf(out, "(%zu of %zu rows that differ; --top 0 shows all)\n", shown, changed);
    fprintf(out, "(equal: %zu)\n", count - changed);
    print_pair("total", width, c->value(&totals[0]), c->value(&totals[1]), c->form, out);
    free(kept[0]);
    free(kept[1]);
    free(pairs);
}

void table_csv_diff(const struct table *a, const struct table *b, FILE *out)
{
    struct table_row *kept[2];
    size_t count;
    struct pair *pairs = match(a, b, &columns[0], &count, kept);

    fputs(table_key_name(a->key), out);
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_in(&columns[i], a->group))
            fprintf(out, ",%s-a,%s-b", columns[i].name, columns[i].name);
    fputc('\n', out);
    for (const struct pair *p = pairs; p < pairs + count; p++) {
        csv_text(p->name, out);
        for (unsigned i = 0; i < ARRAY_LEN(columns); i++) {
            if (!is_in(&columns[i], a->group))
                continue;
            csv_value(&columns[i], p->a, out);
            csv_value(&columns[i], p->b, out);
        }
        fputc('\n', out);
    }
    free(kept[0]);
    free(kept[1]);
    free(pairs);
}

static void put_row(const struct table_row *row, const char *name, enum run_group group,
                    struct json *j)
{
    json_begin_object(j, name);
    for (unsigned i = 0; i < ARRAY_LEN(columns); i++)
        if (is_in(&columns[i], group) && columns[i].form == COUNT)
            json_number(j, columns[i].name, row ? count_of(columns[i].value(row)) : 0);
    json_end(j);
}

void table_json_diff(const struct table *a, const struct table *b, struct json *j)
{
    struct table_row *kept[2];
    size_t count;
    struct pair *pairs = match(a, b, &columns[0], &count, kept);

    json_line(j, 1);
    json_begin_array(j, "rows");
    for (const struct pair *p = pairs; p < pairs + count; p++) {
        json_line(j, 2);
        json_begin_object(j, NULL);
        json_text(j, table_key_name(a->key), p->name);
        put_row(p->a, "a", a->group, j);
        put_row(p->b, "b", a->group, j);
        json_end(j);
    }
    json_line(j, 1);
    json_end(j);
    free(kept[0]);
    free(kept[1]);
    free(pairs);
}
