/* ls.c - the command ls. */
#include "applet.h"
#include "shell.h"

static char kind_char(unsigned int mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR: return 'd';
    case S_IFCHR: return 'c';
    case S_IFBLK: return 'b';
    case S_IFIFO: return 'p';
    case S_IFLNK: return 'l';
    default: return '-';
    }
}

static int print_long(const char *path, const char *name)
{
    static const char letters[] = "rwxrwxrwx";
    struct stat st;
    char mode[11], target[PATH_MAX] = "";
    int i, err = lstat(path, &st);

    if (err)
        return complain("ls", path, err);
    if (S_ISLNK(st.st_mode))
        syscall(__NR_readlinkat, AT_FDCWD, path, target, sizeof(target) - 1);
    mode[0] = kind_char(st.st_mode);
    for (i = 0; i < 9; i++)
        mode[i + 1] = st.st_mode >> (8 - i) & 1 ? letters[i] : '-';
    mode[10] = 0;
    return putf("%s %2u %8lu %s%s%s\n", mode, st.st_nlink, (unsigned long)st.st_size, name,
                *target ? " -> " : "", target);
}

struct ls {
    bool all, lengthy, directory;
};

static int list_directory(const struct ls *ls, const char *path)
{
    struct strings names = {NULL, 0, 0};
    int i, err = read_names(path, ls->all, &names), status = 0;

    if (err)
        return complain("ls", path, err);
    sort_strings(names.v, names.n);
    for (i = 0; i < names.n && !status; i++) {
        char *below = path_below(path, names.v[i]);

        status = ls->lengthy ? print_long(below, names.v[i]) : put_line(names.v[i]);
        free(below);
    }
    strings_free(&names);
    return status;
}

static int list_one(const struct ls *ls, const char *path)
{
    struct stat st;
    int err = stat(path, &st);

    if (err)
        return complain("ls", path, err);
    if (S_ISDIR(st.st_mode) && !ls->directory)
        return list_directory(ls, path);
    return ls->lengthy ? print_long(path, path) : put_line(path);
}

int do_ls(int argc, char **argv)
{
    struct options o = {.argv = argv + 1};
    struct ls ls = {false, false, false};
    int c, status = 0;

    (void)argc;
    while ((c = next_option(&o, "lad1"))) {
        ls.lengthy |= c == 'l';
        ls.all |= c == 'a';
        ls.directory |= c == 'd';
        if (c == '?')
            return usage_error(argv);
    }
    if (!*o.argv)
        return list_one(&ls, ".");
    for (; *o.argv; o.argv++)
        status = list_one(&ls, *o.argv) ? STATUS_ERROR : status;
    return status;
}
