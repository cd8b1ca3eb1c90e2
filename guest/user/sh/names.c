/* names.c - the commands mkdir, rmdir, rm, mv, cp and touch. */
#include "applet.h"
#include "shell.h"

static const char *last_component(const char *path)
{
    const char *p, *last = path;

    for (p = path; *p; p++)
        if (*p == '/' && p[1])
            last = p + 1;
    return last;
}

/* Creates a directory and its parents; existing ones are no error. */
static int make_parents(const char *path)
{
    char *copy = shell_strdup(path), *p;
    int err = 0;

    for (p = copy + 1; *p && !err; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        err = mkdir(copy, 0755);
        err = err == -EEXIST ? 0 : err;
        *p = '/';
    }
    free(copy);
    if (!err)
        err = mkdir(path, 0755);
    return err == -EEXIST && is_directory(path) ? 0 : err;
}

int do_mkdir(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    bool parents = false;
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "p"))) {
        if (c == '?')
            return usage_error(argv);
        parents = true;
    }
    if (!*o.argv)
        return usage_error(argv);
    for (; *o.argv; o.argv++) {
        int err = parents ? make_parents(*o.argv) : mkdir(*o.argv, 0755);

        if (err)
            status = complain("mkdir", *o.argv, err);
    }
    return status;
}

int do_rmdir(int argc, char **argv)
{
    int i, status = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc; i++) {
        int err = rmdir(argv[i]);

        if (err)
            status = complain("rmdir", argv[i], err);
    }
    return status;
}

/* ---- removing ---- */

static int remove_tree(const char *path)
{
    struct strings names = {NULL, 0, 0};
    struct stat st;
    int i, err = lstat(path, &st);

    if (err || !S_ISDIR(st.st_mode)) /* of a symbolic link, the link */
        return err ? err : unlink(path);
    if (shell_stack_low())
        return -ELOOP;
    err = read_names(path, true, &names);
    for (i = 0; i < names.n && !err; i++) {
        char *below = path_below(path, names.v[i]);

        if (strcmp(names.v[i], ".") && strcmp(names.v[i], ".."))
            err = remove_tree(below);
        free(below);
    }
    strings_free(&names);
    return err ? err : rmdir(path);
}

int do_rm(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    bool force = false, recursive = false;
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "rRf"))) {
        force |= c == 'f';
        recursive |= c == 'r' || c == 'R';
        if (c == '?')
            return usage_error(argv);
    }
    if (!*o.argv && !force)
        return usage_error(argv);
    for (; *o.argv; o.argv++) {
        int err = recursive ? remove_tree(*o.argv) : unlink(*o.argv);

        if (err && !(force && err == -ENOENT))
            status = complain("rm", *o.argv, err);
    }
    return status;
}

/* ---- moving and copying ---- */

/* Handles FROM... TO: if TO is a directory, the targets are in it. */
static int for_each_target(char **argv, int argc, int (*move)(const char *from, const char *to))
{
    const char *to = argv[argc - 1];
    bool into = argc > 2 && is_directory(to);
    int i, err, status = 0;

    if (argc < 3 || (argc > 3 && !into))
        return usage_error(argv);
    for (i = 1; i < argc - 1; i++) {
        char *target = into ? path_below(to, last_component(argv[i])) : shell_strdup(to);

        err = move(argv[i], target);
        if (err)
            status = complain(argv[0], argv[i], err);
        free(target);
    }
    return status;
}

static int move_name(const char *from, const char *to)
{
    return rename(from, to);
}

static int make_link(const char *from, const char *to)
{
    return syscall(__NR_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

static int make_symlink(const char *from, const char *to)
{
    return syscall(__NR_symlinkat, from, AT_FDCWD, to);
}

int do_ln(int argc, char **argv)
{
    bool symbolic = argc > 1 && !strcmp(argv[1], "-s");

    if (!symbolic)
        return for_each_target(argv, argc, make_link);
    argv[1] = argv[0];
    return for_each_target(argv + 1, argc - 1, make_symlink);
}

int do_mv(int argc, char **argv)
{
    return for_each_target(argv, argc, move_name);
}

enum { COPY_CHUNK = 4096 };

static int copy_bytes(int in, int out)
{
    char *buf = shell_alloc(COPY_CHUNK);
    ssize_t n;
    int err = 0;

    while (!err && (n = read(in, buf, COPY_CHUNK)) != 0)
        err = n < 0 ? n : write_all(out, buf, n);
    free(buf);
    return err;
}

static int copy_file(const char *from, const char *to)
{
    int in = open(from, O_RDONLY, 0), out, err, closed;
    struct stat st = {0};

    if (in < 0)
        return in;
    fstat(in, &st);
    out = open(to, O_WRONLY | O_CREAT | O_TRUNC, st.st_mode & 0777);
    if (out < 0) {
        close(in);
        return out;
    }
    err = copy_bytes(in, out);
    closed = close(out);
    close(in);
    return err ? err : closed;
}

int do_cp(int argc, char **argv)
{
    return for_each_target(argv, argc, copy_file);
}

int do_touch(int argc, char **argv)
{
    int i, status = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc; i++) {
        int fd = open(argv[i], O_WRONLY | O_CREAT, 0644);

        if (fd < 0)
            status = complain("touch", argv[i], fd);
        else
            close(fd);
    }
    return status;
}
