/* grep.c - the command grep. */
#include "applet.h"
#include "regex.h"
#include "shell.h"

struct grep {
    struct regex *re;
    const char *fixed; /* -F: a string to search for instead of re */
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
    free(b.s);
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

static int grep_file(int in, const char *path, void *data)
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
    free(b.s);
    if (!IS_ERR(g->re))
        return 0;
    shell_error("grep: %s: %s", pattern,
                PTR_ERR(g->re) == -EINVAL ? "invalid regular expression"
                                          : strerror(-PTR_ERR(g->re)));
    return STATUS_USAGE;
}

int do_grep(int argc, char **argv)
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
