/* head.c - the commands head and tail. */
#include "applet.h"
#include "shell.h"

enum { COPY_CHUNK = 2048 };

/* Parses `-n N`, `-nN` or `-N`; sets *argv to the file names. Returns 0 or STATUS_USAGE. */
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

/*
 * Returns the number of bytes up to and including the *lines-th newline; decrements *lines for
 * each.
 */
static size_t lines_in(const char *buf, size_t n, unsigned long *lines)
{
    size_t i;

    for (i = 0; i < n && *lines; i++)
        *lines -= buf[i] == '\n';
    return i;
}

static int head_file(int in, const char *path, void *data)
{
    unsigned long lines = *(const unsigned long *)data;
    char *buf = shell_alloc(COPY_CHUNK);
    int status = 0;
    ssize_t n = 1;

    while (!status && lines && n > 0) {
        n = read(in, buf, COPY_CHUNK);
        if (n > 0)
            status = put(buf, lines_in(buf, n, &lines));
    }
    free(buf);
    return n < 0 ? read_error(path, n) : status;
}

int do_head(int argc, char **argv)
{
    unsigned long lines;
    int err = line_count(&argv, &lines);

    (void)argc;
    return err ? err : for_each_input(argv, head_file, &lines);
}

/* Keeps the last lines in a ring. */
static int tail_file(int in, const char *path, void *data)
{
    unsigned long room = *(const unsigned long *)data, n = 0, i;
    char **ring = shell_alloc(max(room, 1UL) * sizeof(*ring)), *line;
    struct line_reader r;
    int status = line_reader_init(&r, in);
    size_t len;

    while (!status && room && (line = next_line(&r, &len))) {
        free(ring[n % room]);
        ring[n++ % room] = shell_strdup(line);
    }
    for (i = n > room ? n - room : 0; i < n; i++)
        status = status                ? status
                 : r.cut && i + 1 == n ? put(ring[i % room], strlen(ring[i % room]))
                                       : put_line(ring[i % room]);
    for (i = 0; i < room; i++)
        free(ring[i]);
    free(ring);
    line_reader_free(&r);
    return r.err ? read_error(path, r.err) : status;
}

int do_tail(int argc, char **argv)
{
    unsigned long lines;
    int err = line_count(&argv, &lines);

    (void)argc;
    return err ? err : for_each_input(argv, tail_file, &lines);
}
