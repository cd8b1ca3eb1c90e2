/* wc.c - the command wc. */
#include "applet.h"
#include "shell.h"

enum { COPY_CHUNK = 2048 };

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
        n += snprintf(text + n, sizeof(text) - n, " %lu", c->lines);
    if (wc->words)
        n += snprintf(text + n, sizeof(text) - n, " %lu", c->words);
    if (wc->bytes)
        n += snprintf(text + n, sizeof(text) - n, " %lu", c->bytes);
    return putf("%s%s%s\n", text + 1, *name ? " " : "", name);
}

static int wc_file(int in, const char *path, void *data)
{
    struct wc *wc = data;
    struct counts c = {0, 0, 0};
    char *buf = shell_alloc(COPY_CHUNK);
    bool in_word = false;
    ssize_t n = 1;

    while (n > 0) {
        n = read(in, buf, COPY_CHUNK);
        if (n > 0)
            count_bytes(&c, buf, n, &in_word);
    }
    free(buf);
    if (n < 0)
        return read_error(path, n);
    wc->files++;
    wc->total.lines += c.lines;
    wc->total.words += c.words;
    wc->total.bytes += c.bytes;
    return print_counts(wc, &c, strcmp(path, "-") ? path : "");
}

int do_wc(int argc, char **argv)
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
