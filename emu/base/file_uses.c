/*
 * file_uses.c - see file_uses.h.
 */
#include "base/file_uses.h"

#include <string.h>
#include <sys/stat.h>

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    bool has_a = !stat(a, &x), has_b = !stat(b, &y);

    if (!strcmp(a, "-") || !strcmp(b, "-"))
        return false;
    if (has_a && has_b)
        return (S_ISREG(x.st_mode) || S_ISBLK(x.st_mode)) && x.st_dev == y.st_dev &&
               x.st_ino == y.st_ino;
    return !has_a && !has_b && !strcmp(a, b);
}

static bool may_share(const struct file_use *a, const struct file_use *b)
{
    return !a->path || !b->path || (a->kind != FILE_IS_CHANGED && a->kind == b->kind);
}

static void refuse(const struct file_use *a, const struct file_use *b, const struct diag *d)
{
    const struct file_use *read = a->kind == FILE_IS_READ ? a : b;
    const struct file_use *written = read == a ? b : a;

    if (read->kind == FILE_IS_READ)
        diag_error(d, "%s: %s reads it and %s would overwrite it; give each a file of its own",
                   read->path, read->option, written->option);
    else if (strcmp(a->option, b->option) != 0)
        diag_error(d, "%s: %s and %s both write it; give each a file of its own", a->path,
                   a->option, b->option);
    else
        diag_error(d, "%s: %s is given twice with it; give each a file of its own", a->path,
                   a->option);
}

bool file_uses_check(const struct file_use *uses, size_t count, const struct diag *d)
{
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; n < i; n++)
            if (!may_share(&uses[n], &uses[i]) && is_same_file(uses[n].path, uses[i].path)) {
                refuse(&uses[n], &uses[i], d);
                return false;
            }
    return true;
}
