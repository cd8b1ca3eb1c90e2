/* cat.c - the commands cat and tee. */
#include "applet.h"
#include "shell.h"

enum { COPY_CHUNK = 4096 };

/* Copies a file to descriptor 1 and, if it is not -1, to descriptor `also`. */
static int copy_to(int in, const char *path, int also)
{
    char *buf = shell_alloc(COPY_CHUNK);
    int status = 0;
    ssize_t n = 1;

    while (!status && n > 0) {
        n = read(in, buf, COPY_CHUNK);
        if (n > 0)
            status = put(buf, n);
        if (n > 0 && also >= 0 && write_all(also, buf, n))
            status = STATUS_ERROR;
    }
    free(buf);
    return n < 0 ? read_error(path, n) : status;
}

static int cat_file(int in, const char *path, void *unused)
{
    (void)unused;
    return copy_to(in, path, -1);
}

int do_cat(int argc, char **argv)
{
    (void)argc;
    return for_each_input(argv + 1, cat_file, NULL);
}

int do_tee(int argc, char **argv)
{
    bool append = argc > 1 && !strcmp(argv[1], "-a");
    int out, status;

    if (argc != 2 + append)
        return usage_error(argv);
    out = open(argv[1 + append], O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0644);
    if (out < 0) {
        shell_error("cannot open %s: %s", argv[1 + append], strerror(-out));
        return STATUS_ERROR;
    }
    status = copy_to(0, "-", out);
    return close(out) ? STATUS_ERROR : status;
}
