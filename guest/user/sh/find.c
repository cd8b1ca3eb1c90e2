/* find.c - the command find. */
#include "applet.h"
#include "shell.h"

struct find {
    const char *name; /* a pattern; NULL: all */
    char type;        /* 'f', 'd' or 'l'; 0: all */
};

static bool matches(const struct find *find, const char *path, const struct stat *st)
{
    const char *last = path, *p;

    for (p = path; *p; p++)
        if (*p == '/' && p[1])
            last = p + 1;
    if (find->name && !glob_match(find->name, last))
        return false;
    return !find->type || (find->type == 'f'   ? S_ISREG(st->st_mode)
                           : find->type == 'd' ? S_ISDIR(st->st_mode)
                                               : S_ISLNK(st->st_mode));
}

static int find_below(const struct find *find, const char *path)
{
    struct strings names = {NULL, 0, 0};
    struct stat st;
    int i, err = lstat(path, &st), status;

    if (err)
        return complain("find", path, err);
    status = matches(find, path, &st) ? put_line(path) : 0;
    if (!S_ISDIR(st.st_mode) || status || shell_stack_low())
        return status;
    err = read_names(path, true, &names);
    if (err)
        return complain("find", path, err);
    if (names.n)
        sort_strings(names.v, names.n);
    for (i = 0; i < names.n; i++) {
        char *below = path_below(path, names.v[i]);

        if (strcmp(names.v[i], ".") != 0 && strcmp(names.v[i], "..") != 0 &&
            find_below(find, below))
            status = STATUS_ERROR;
        free(below);
    }
    strings_free(&names);
    return status;
}

int do_find(int argc, char **argv)
{
    struct find find = {NULL, 0};
    char **word = argv + 1;
    int paths, i, status = 0;

    while (*word && **word != '-')
        word++;
    paths = word - argv - 1;
    for (; *word; word += 2) {
        if (!strcmp(*word, "-name") && word[1])
            find.name = word[1];
        else if (!strcmp(*word, "-type") && word[1] && strchr("fdl", *word[1]))
            find.type = *word[1];
        else
            return usage_error(argv);
    }
    (void)argc;
    if (!paths)
        return find_below(&find, ".");
    for (i = 1; i <= paths; i++)
        status = find_below(&find, argv[i]) ? STATUS_ERROR : status;
    return status;
}
