/* applets_text.c - commands that read text and write some of it. */
#include "applet.h"
#include "shell.h"
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/regex.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { COPY_CHUNK = 2048 };

/* ---- cat, tee ---- */

static int copy_to(struct file *in, const char *path, struct file *also)
{
    char *buf = kmalloc(COPY_CHUNK);
    int status = 0;
    ssize_t n = buf ? 1 : -ENOMEM;

    while (!status && n > 0) {
        n = read_input(in, buf, COPY_CHUNK);
        if (n > 0)
            status = put(buf, n);
        if (n > 0 && also && file_write(also, buf, n) != n)
            status = STATUS_ERROR;
    }
    kfree(buf);
    return n < 0 ? read_error(path, n) : status;
}

static int cat_file(struct file *in, const char *path, void *unused)
{
    (void)unused;
    return copy_to(in, path, NULL);
}

static int do_cat(int argc, char **argv)
{
    (void)argc;
    return for_each_input(argv + 1, cat_file, NULL);
}

static int do_tee(int argc, char **argv)
{
    bool append = argc > 1 && !strcmp(argv[1], "-a");
    struct file *in, *out;
    int status = STATUS_ERROR;

    if (argc != 2 + append)
        return usage_error(argv);
    in = open_input("-");
    out = filp_open(argv[1 + append], O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0644);
    if (IS_ERR(out))
        shell_error("cannot open %s: %s", argv[1 + append], strerror(-PTR_ERR(out)));
    else if (in)
        status = copy_to(in, "-", out);
    if (!IS_ERR(out))
        filp_close(out);
    if (in)
        fput(in);
    return status;
}

/* ---- head, tail ---- */

/* `-n N`, `-nN` or `-N`; what is left is files. */
static int line_count(char ***argv, unsigned long *lines)
{
    char **word = *argv + 1, *number;

    *lines = 10;
    if (*word && (*word)[0] == '-' && (*word)[1]) {
        number = *word++ + 1;
        if (*number == 'n' && !*++number)
            number = *word ? *word++ : "";
        if (kstrtoul(number, 10, lines))
            return usage_error(*argv);
    }
    *argv = word;
    return 0;
}

/* Bytes of buf up to and with the end of the n-th line; counts *lines down. */
static size_t lines_in(const char *buf, size_t n, unsigned long *lines)
{
    size_t i;

    for (i = 0; i < n && *lines; i++)
        *lines -= buf[i] == '\n';
    return i;
}

static int head_file(struct file *in, const char *path, void *data)
{
    unsigned long lines = *(const unsigned long *)data;
    char *buf = kmalloc(COPY_CHUNK);
    ssize_t n = buf ? 1 : -ENOMEM;
    int status = 0;

    while (!status && lines && n > 0) {
        n = read_input(in, buf, COPY_CHUNK);
        if (n > 0)
            status = put(buf, lines_in(buf, n, &lines));
    }
    kfree(buf);
    return n < 0 ? read_error(path, n) : status;
}

static int do_head(int argc, char **argv)
{
    unsigned long lines;
    int err = line_count(&argv, &lines);

    (void)argc;
    return err ? err : for_each_input(argv, head_file, &lines);
}

/* The last lines stand in a ring. */
static int tail_file(struct file *in, const char *path, void *data)
{
    unsigned long room = *(const unsigned long *)data, n = 0, i;
    char **ring = kzalloc(max(room, 1UL) * sizeof(*ring)), *line;
    struct line_reader r;
    int status = ring ? line_reader_init(&r, in) : -ENOMEM;
    size_t len;

    if (status) {
        kfree(ring);
        return read_error(path, status);
    }
    while (room && (line = next_line(&r, &len))) {
        kfree(ring[n % room]);
        ring[n++ % room] = shell_strdup(line);
    }
    for (i = n > room ? n - room : 0; i < n; i++)
        status = status                ? status
                 : r.cut && i + 1 == n ? put(ring[i % room], strlen(ring[i % room]))
                                       : put_line(ring[i % room]);
    for (i = 0; i < room; i++)
        kfree(ring[i]);
    kfree(ring);
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

static int do_tail(int argc, char **argv)
{
    unsigned long lines;
    int err = line_count(&argv, &lines);

    (void)argc;
    return err ? err : for_each_input(argv, tail_file, &lines);
}

/* ---- wc ---- */

struct counts {
    unsigned long lines, words, bytes;
};

struct wc {
    bool lines, words, bytes;
    int files;
    struct counts total;
};

static void count_bytes(struct counts *c, const char *buf, size_t n, bool *in_word)
{
    size_t i;

    for (i = 0; i < n; i++) {
        bool blank = strchr(" \t\n\r", buf[i]) && buf[i];

        c->lines += buf[i] == '\n';
        c->words += !blank && !*in_word;
        *in_word = !blank;
    }
    c->bytes += n;
}

static int print_counts(const struct wc *wc, const struct counts *c, const char *name)
{
    char text[80];
    int n = 0;

    if (wc->lines)
        n += scnprintf(text + n, sizeof(text) - n, " %lu", c->lines);
    if (wc->words)
        n += scnprintf(text + n, sizeof(text) - n, " %lu", c->words);
    if (wc->bytes)
        n += scnprintf(text + n, sizeof(text) - n, " %lu", c->bytes);
    return putf("%s%s%s\n", text + 1, *name ? " " : "", name);
}

static int wc_file(struct file *in, const char *path, void *data)
{
    struct wc *wc = data;
    struct counts c = {0, 0, 0};
    char *buf = kmalloc(COPY_CHUNK);
    ssize_t n = buf ? 1 : -ENOMEM;
    bool in_word = false;

    while (n > 0) {
        n = read_input(in, buf, COPY_CHUNK);
        if (n > 0)
            count_bytes(&c, buf, n, &in_word);
    }
    kfree(buf);
    if (n < 0)
        return read_error(path, n);
    wc->files++;
    wc->total.lines += c.lines;
    wc->total.words += c.words;
    wc->total.bytes += c.bytes;
    return print_counts(wc, &c, strcmp(path, "-") ? path : "");
}

static int do_wc(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct wc wc = {0};
    int c, status;

    (void)argc;
    while ((c = next_option(&o, "lwc"))) {
        wc.lines |= c == 'l';
        wc.words |= c == 'w';
        wc.bytes |= c == 'c';
        if (c == '?')
            return usage_error(argv);
    }
    if (!wc.lines && !wc.words && !wc.bytes)
        wc.lines = wc.words = wc.bytes = true;
    status = for_each_input(o.argv, wc_file, &wc);
    return wc.files > 1 && !status ? print_counts(&wc, &wc.total, "total") : status;
}

/* ---- grep ---- */

struct grep {
    struct regex *re;
    const char *fixed; /* -F: in place of re */
    bool invert, count, quiet, number, whole, names_only, names;
    unsigned long hits;
};

static bool contains(const char *line, const char *what)
{
    size_t len = strlen(what);

    for (; *line || !len; line++) {
        if (!strncmp(line, what, len))
            return true;
        if (!*line)
            break;
    }
    return false;
}

static bool grep_matches(const struct grep *g, const char *line, size_t len)
{
    if (g->fixed)
        return g->whole ? !strcmp(line, g->fixed) : contains(line, g->fixed);
    return regex_search(g->re, line, len);
}

static int print_hit(const struct grep *g, const char *path, unsigned long number, const char *line,
                     size_t len)
{
    struct strbuf b = {NULL, 0, 0};
    char text[24];
    int status;

    if (g->names) {
        strbuf_adds(&b, path);
        strbuf_addc(&b, ':');
    }
    if (g->number) {
        snprintf(text, sizeof(text), "%lu:", number);
        strbuf_adds(&b, text);
    }
    strbuf_addn(&b, line, len);
    strbuf_addc(&b, '\n');
    status = put(b.s, b.len);
    kfree(b.s);
    return status;
}

static int print_summary(const struct grep *g, const char *path, unsigned long hits)
{
    if (g->names_only)
        return hits ? putf("%s\n", path) : 0;
    if (g->count)
        return g->names ? putf("%s:%lu\n", path, hits) : putf("%lu\n", hits);
    return 0;
}

static int grep_lines(struct grep *g, struct line_reader *r, const char *path)
{
    bool silent = g->count || g->quiet || g->names_only;
    unsigned long number = 0, hits = 0;
    int status = 0;
    char *line;
    size_t len;

    while (!status && (line = next_line(r, &len))) {
        number++;
        if (grep_matches(g, line, len) == g->invert)
            continue;
        hits++;
        if (g->quiet || g->names_only)
            break;
        if (!silent)
            status = print_hit(g, path, number, line, len);
    }
    g->hits += hits;
    return status ? status : print_summary(g, path, hits);
}

static int grep_file(struct file *in, const char *path, void *data)
{
    struct line_reader r;
    int err = line_reader_init(&r, in);
    int status = err ? STATUS_ERROR : grep_lines(data, &r, path);

    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

static int compile_grep(struct grep *g, const char *pattern, bool extended, bool ignore_case)
{
    struct strbuf b = {NULL, 0, 0};

    strbuf_adds(&b, !g->whole ? "" : extended ? "^(" : "^\\(");
    strbuf_adds(&b, pattern);
    strbuf_adds(&b, !g->whole ? "" : extended ? ")$" : "\\)$");
    g->re = regex_compile(b.s, extended, ignore_case);
    kfree(b.s);
    if (!IS_ERR(g->re))
        return 0;
    shell_error("grep: %s: %s", pattern,
                PTR_ERR(g->re) == -EINVAL ? "wrong expression" : strerror(-PTR_ERR(g->re)));
    return STATUS_USAGE;
}

static int do_grep(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct grep g = {0};
    bool extended = false, fixed = false, ignore_case = false, no_names = false;
    const char *pattern = NULL;
    int c, status;

    (void)argc;
    while ((c = next_option(&o, "vcqinEFxle:h"))) {
        switch (c) {
        case 'v': g.invert = true; break;
        case 'c': g.count = true; break;
        case 'q': g.quiet = true; break;
        case 'i': ignore_case = true; break;
        case 'n': g.number = true; break;
        case 'E': extended = true; break;
        case 'F': fixed = true; break;
        case 'x': g.whole = true; break;
        case 'l': g.names_only = true; break;
        case 'e': pattern = o.value; break;
        case 'h': no_names = true; break;
        default: return usage_error(argv);
        }
    }
    if (!pattern && !*o.argv)
        return usage_error(argv);
    pattern = pattern ? pattern : *o.argv++;
    g.names = !no_names && *o.argv && o.argv[1];
    if (fixed)
        g.fixed = pattern;
    else if (compile_grep(&g, pattern, extended, ignore_case))
        return STATUS_USAGE;
    status = for_each_input(o.argv, grep_file, &g);
    if (!fixed)
        regex_free(g.re);
    return status ? STATUS_USAGE : g.hits ? 0 : STATUS_ERROR;
}

/* ---- sort, uniq ---- */

struct sort {
    struct strings lines;
    bool numeric, reverse, unique;
};

static int read_lines(struct file *in, const char *path, void *data)
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

static s64 leading_number(const char *s)
{
    bool negative;
    s64 value = 0;

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
        s64 x = leading_number(a), y = leading_number(b);

        order = (x > y) - (x < y);
    }
    if (!order && !(sort->numeric && sort->unique))
        order = strcmp(a, b);
    return sort->reverse ? -order : order;
}

/* Merges two sorted runs that lie behind each other, by way of spare. */
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

static int do_sort(int argc, char **argv)
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
    kfree(spare);
    status = status ? status : print_sorted(&sort);
    strings_free(&sort.lines);
    return status;
}

struct uniq {
    bool count;
    char *line; /* the last one; NULL: none yet */
    unsigned long times;
};

static int print_uniq(const struct uniq *u)
{
    if (!u->line)
        return 0;
    return u->count ? putf("%7lu %s\n", u->times, u->line) : put_line(u->line);
}

static int uniq_file(struct file *in, const char *path, void *data)
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
        kfree(u->line);
        u->line = shell_strdup(line);
        u->times = 1;
    }
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

static int do_uniq(int argc, char **argv)
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
    kfree(u.line);
    return status;
}

/* ---- cut, tr ---- */

/* What -f or -c lists: one bit for each of the first 64; `N-` has all behind, too. */
struct cut {
    u64 set;
    bool characters;
    char delimiter;
};

static int parse_cut_list(struct cut *cut, char *list)
{
    char *word;

    while ((word = strsep(&list, ","))) {
        unsigned long first, last;
        char *dash = strchr(word, '-');

        if (dash)
            *dash = 0;
        if (kstrtoul(word, 10, &first) || !first)
            return -EINVAL;
        last = dash ? 64 : first;
        if (dash && dash[1] && kstrtoul(dash + 1, 10, &last))
            return -EINVAL;
        for (; first <= last && first <= 64; first++)
            cut->set |= 1ull << (first - 1);
    }
    return 0;
}

static bool cut_has(const struct cut *cut, unsigned int n)
{
    return n < 64 ? cut->set >> n & 1 : cut->set >> 63;
}

static void cut_characters(const struct cut *cut, const char *line, struct strbuf *out)
{
    unsigned int n;

    for (n = 0; *line; line++, n++)
        if (cut_has(cut, n))
            strbuf_addc(out, *line);
}

static void cut_fields(const struct cut *cut, const char *line, struct strbuf *out)
{
    bool first = true;
    unsigned int n;

    if (!strchr(line, cut->delimiter)) {
        strbuf_adds(out, line);
        return;
    }
    for (n = 0; line; n++) {
        const char *end = strchr(line, cut->delimiter);

        if (cut_has(cut, n)) {
            if (!first)
                strbuf_addc(out, cut->delimiter);
            strbuf_addn(out, line, end ? (size_t)(end - line) : strlen(line));
            first = false;
        }
        line = end ? end + 1 : NULL;
    }
}

static int cut_file(struct file *in, const char *path, void *data)
{
    const struct cut *cut = data;
    struct line_reader r;
    int status = line_reader_init(&r, in);
    char *line;
    size_t len;

    while (!status && (line = next_line(&r, &len))) {
        struct strbuf out = {NULL, 0, 0};

        if (cut->characters)
            cut_characters(cut, line, &out);
        else
            cut_fields(cut, line, &out);
        strbuf_addc(&out, '\n');
        status = put(out.s, out.len);
        kfree(out.s);
    }
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

static int do_cut(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct cut cut = {.delimiter = '\t'};
    int c, err = -EINVAL;

    (void)argc;
    while ((c = next_option(&o, "d:f:c:"))) {
        if (c == '?')
            return usage_error(argv);
        if (c == 'd')
            cut.delimiter = *o.value;
        else
            err = parse_cut_list(&cut, o.value);
        cut.characters |= c == 'c';
    }
    return err ? usage_error(argv) : for_each_input(o.argv, cut_file, &cut);
}

/* ---- seq, yes ---- */

static int do_seq(int argc, char **argv)
{
    unsigned long bound[3] = {1, 1, 1}, n; /* first, step, last */
    int i, status = 0;

    if (argc < 2 || argc > 4)
        return usage_error(argv);
    for (i = 1; i < argc; i++)
        if (kstrtoul(argv[i], 10, &bound[argc == 2 ? 2 : argc == 3 && i == 2 ? 2 : i - 1]))
            return usage_error(argv);
    for (n = bound[0]; n <= bound[2] && bound[1] && !status; n += bound[1])
        status = putf("%lu\n", n);
    return status;
}

static int do_yes(int argc, char **argv)
{
    int status = 0;

    while (!status)
        status = put_line(argc > 1 ? argv[1] : "y");
    return status;
}

const struct applet text_applets[] = {
    {"cat", "[FILE...]", do_cat, NULL},
    {"cut", "[-d CHAR] -f LIST | -c LIST [FILE...]", do_cut, NULL},
    {"grep", "[-vcqinxlhEF] PATTERN [FILE...]", do_grep, NULL},
    {"head", "[-n LINES] [FILE...]", do_head, NULL},
    {"seq", "[FIRST [STEP]] LAST", do_seq, NULL},
    {"sort", "[-nru] [FILE...]", do_sort, NULL},
    {"tail", "[-n LINES] [FILE...]", do_tail, NULL},
    {"tee", "[-a] FILE", do_tee, NULL},
    {"uniq", "[-c] [FILE...]", do_uniq, NULL},
    {"wc", "[-lwc] [FILE...]", do_wc, NULL},
    {"yes", "[WORD]", do_yes, NULL},
    {NULL, NULL, NULL, NULL},
};
