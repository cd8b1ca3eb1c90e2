/* cut.c - the command cut. */
#include "applet.h"
#include "shell.h"

/*
 * The list of -f or -c: one bit for each of the first 64 positions; with bit 63, all later
 * ones, too.
 */
struct cut {
    uint64_t set;
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

static int cut_file(int in, const char *path, void *data)
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
        free(out.s);
    }
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

int do_cut(int argc, char **argv)
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
