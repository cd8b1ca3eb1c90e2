/* sort.c - the commands sort and uniq. */
#include "applet.h"
#include "shell.h"

struct sort {
    struct strings lines;
    bool numeric, reverse, unique;
};

static int read_lines(int in, const char *path, void *data)
{
    struct sort *sort = data;
    struct line_reader r;
    int err = line_reader_init(&r, in);
    char *line;
    size_t len;

    while (!err && (line = next_line(&r, &len)))
        strings_add(&sort->lines, shell_strdup(line));
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : 0;
}

static int64_t leading_number(const char *s)
{
    bool negative;
    int64_t value = 0;

    while (*s == ' ' || *s == '\t')
        s++;
    negative = *s == '-';
    for (s += negative; *s >= '0' && *s <= '9'; s++)
        value = value * 10 + *s - '0';
    return negative ? -value : value;
}

static int compare_lines(const struct sort *sort, const char *a, const char *b)
{
    int order = 0;

    if (sort->numeric) {
        int64_t x = leading_number(a), y = leading_number(b);

        order = (x > y) - (x < y);
    }
    if (!order && !(sort->numeric && sort->unique))
        order = strcmp(a, b);
    return sort->reverse ? -order : order;
}

/* Merges two adjacent sorted runs in v, using spare. */
static void merge(const struct sort *sort, char **v, int half, int n, char **spare)
{
    int i = 0, j = half, k = 0;

    while (k < n) {
        if (j == n || (i < half && compare_lines(sort, v[i], v[j]) <= 0))
            spare[k++] = v[i++];
        else
            spare[k++] = v[j++];
    }
    memcpy(v, spare, n * sizeof(*v));
}

static void sort_lines(const struct sort *sort, char **spare)
{
    int n = sort->lines.n, run, from;

    for (run = 1; run < n; run *= 2)
        for (from = 0; from + run < n; from += 2 * run)
            merge(sort, sort->lines.v + from, run, min(2 * run, n - from), spare);
}

static int print_sorted(const struct sort *sort)
{
    int i, status = 0;

    for (i = 0; i < sort->lines.n && !status; i++) {
        if (sort->unique && i && !compare_lines(sort, sort->lines.v[i - 1], sort->lines.v[i]))
            continue;
        status = put_line(sort->lines.v[i]);
    }
    return status;
}

int do_sort(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct sort sort = {0};
    char **spare;
    int c, status;

    (void)argc;
    while ((c = next_option(&o, "nru"))) {
        sort.numeric |= c == 'n';
        sort.reverse |= c == 'r';
        sort.unique |= c == 'u';
        if (c == '?')
            return usage_error(argv);
    }
    status = for_each_input(o.argv, read_lines, &sort);
    spare = shell_alloc((sort.lines.n + 1) * sizeof(*spare));
    sort_lines(&sort, spare);
    free(spare);
    status = status ? status : print_sorted(&sort);
    strings_free(&sort.lines);
    return status;
}

struct uniq {
    bool count;
    char *line; /* the last line; NULL: none */
    unsigned long times;
};

static int print_uniq(const struct uniq *u)
{
    if (!u->line)
        return 0;
    return u->count ? putf("%7lu %s\n", u->times, u->line) : put_line(u->line);
}

static int uniq_file(int in, const char *path, void *data)
{
    struct uniq *u = data;
    struct line_reader r;
    int status = line_reader_init(&r, in);
    char *line;
    size_t len;

    while (!status && (line = next_line(&r, &len))) {
        if (u->line && !strcmp(u->line, line)) {
            u->times++;
            continue;
        }
        status = print_uniq(u);
        free(u->line);
        u->line = shell_strdup(line);
        u->times = 1;
    }
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

int do_uniq(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct uniq u = {0};
    int c, status;

    (void)argc;
    while ((c = next_option(&o, "c"))) {
        if (c == '?')
            return usage_error(argv);
        u.count = true;
    }
    status = for_each_input(o.argv, uniq_file, &u);
    status = status ? status : print_uniq(&u);
    free(u.line);
    return status;
}
