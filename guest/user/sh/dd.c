/* dd.c - the command dd. */
#include "applet.h"
#include "shell.h"

struct dd {
    const char *in, *out;
    unsigned long block, count, skip, seek;
    unsigned long full, partial;
};

static int size_value(const char *text, unsigned long *value)
{
    size_t len = strlen(text);
    char suffix = len ? text[len - 1] : 0;
    char *digits = shell_strdup(text);
    int err;

    if (suffix == 'k' || suffix == 'K' || suffix == 'M')
        digits[len - 1] = 0;
    err = kstrtoul(digits, 10, value);
    if (suffix == 'k' || suffix == 'K')
        *value *= 1024;
    if (suffix == 'M')
        *value *= 1024 * 1024;
    free(digits);
    return err;
}

static int dd_operand(struct dd *dd, const char *word)
{
    if (!strncmp(word, "if=", 3))
        dd->in = word + 3;
    else if (!strncmp(word, "of=", 3))
        dd->out = word + 3;
    else if (!strncmp(word, "bs=", 3))
        return size_value(word + 3, &dd->block);
    else if (!strncmp(word, "count=", 6))
        return size_value(word + 6, &dd->count);
    else if (!strncmp(word, "skip=", 5))
        return size_value(word + 5, &dd->skip);
    else if (!strncmp(word, "seek=", 5))
        return size_value(word + 5, &dd->seek);
    else
        return -EINVAL;
    return 0;
}

static int dd_blocks(struct dd *dd, int in, int out, char *buf)
{
    ssize_t n = 1;
    int status = 0, err;

    while (!status && n > 0 && dd->full + dd->partial < dd->count) {
        n = read(in, buf, dd->block);
        if (n <= 0)
            break;
        dd->full += (size_t)n == dd->block;
        dd->partial += (size_t)n != dd->block;
        err = out == 1 ? 0 : write_all(out, buf, n);
        if (out == 1)
            status = put(buf, n);
        else if (err)
            status = complain("dd", dd->out, err);
    }
    return n < 0 ? complain("dd", dd->in, n) : status;
}

static int dd_files(struct dd *dd, int in, int out)
{
    char *buf = malloc(dd->block);
    int status;

    if (!buf)
        return complain("dd", "bs", -ENOMEM);
    if (dd->skip)
        lseek(in, dd->skip * dd->block, SEEK_SET);
    if (dd->seek && out != 1)
        lseek(out, dd->seek * dd->block, SEEK_SET);
    status = dd_blocks(dd, in, out, buf);
    free(buf);
    shell_error("dd: %lu+%lu records in", dd->full, dd->partial);
    return status;
}

int do_dd(int argc, char **argv)
{
    struct dd dd = {.in = "-", .block = 512, .count = ~0ul};
    int i, in, out = 1, status;

    for (i = 1; i < argc; i++)
        if (dd_operand(&dd, argv[i]) || !dd.block)
            return usage_error(argv);
    in = open_input(dd.in);
    if (in < 0)
        return STATUS_ERROR;
    if (dd.out)
        out = open(dd.out, O_WRONLY | O_CREAT | (dd.seek ? 0 : O_TRUNC), 0644);
    status = out < 0 ? complain("dd", dd.out, out) : dd_files(&dd, in, out);
    if (out > 1)
        close(out);
    close_input(in);
    return status;
}
