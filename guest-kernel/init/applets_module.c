/* applets_module.c - commands that load modules and take them out. */
#include "applet.h"
#include "shell.h"
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

/* The arguments from argv on, with blanks between. */
static char *join(char **argv)
{
    struct strbuf line = {NULL, 0, 0};

    for (; *argv; argv++) {
        strbuf_adds(&line, *argv);
        strbuf_addc(&line, ' ');
    }
    return strbuf_detach(&line);
}

static int do_insmod(int argc, char **argv)
{
    void *image;
    size_t size;
    char *args;
    int err;

    if (argc < 2)
        return usage_error(argv);
    err = kernel_read_file_from_path(argv[1], &image, &size);
    if (!err) {
        args = join(argv + 2);
        err = load_module(image, size, args);
        kfree(args);
        kfree(image);
    }
    if (err)
        shell_error("insmod: ERROR: could not insert module %s: %s", argv[1], strerror(-err));
    return err ? STATUS_ERROR : 0;
}

static int do_rmmod(int argc, char **argv)
{
    int i, err = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc && !err; i++) {
        err = delete_module(argv[i]);
        if (err == -EWOULDBLOCK)
            shell_error("rmmod: ERROR: Module %s is in use", argv[i]);
        else if (err == -ENOENT)
            shell_error("rmmod: ERROR: Module %s is not currently loaded", argv[i]);
        else if (err)
            shell_error("rmmod: ERROR: could not remove module %s: %s", argv[i], strerror(-err));
    }
    return err ? STATUS_ERROR : 0;
}

static int show_module(const char *line)
{
    char copy[256], *rest = copy, *name, *size, *uses, *users;

    strscpy(copy, line, sizeof(copy));
    name = strsep(&rest, " ");
    size = strsep(&rest, " ");
    uses = strsep(&rest, " ");
    users = strsep(&rest, " ");
    if (!users)
        return STATUS_ERROR;
    if (*users == '-')
        *users = 0;
    else
        users[strlen(users) - 1] = 0; /* each name in /proc/modules has a comma behind it */
    return putf("%-19s %8s  %s%s%s\n", name, size, uses, *users ? " " : "", users);
}

static int show_modules(struct file *in, const char *path, void *unused)
{
    struct line_reader r;
    char *line;
    size_t len;
    int status = putf("Module                  Size  Used by\n");

    (void)path;
    (void)unused;
    if (line_reader_init(&r, in))
        return STATUS_ERROR;
    while (!status && (line = next_line(&r, &len)))
        status = show_module(line);
    line_reader_free(&r);
    return status;
}

static int do_lsmod(int argc, char **argv)
{
    static char *files[] = {(char *)"/proc/modules", NULL};

    (void)argc;
    (void)argv;
    return for_each_input(files, show_modules, NULL);
}

const struct applet module_applets[] = {
    {"insmod", "FILE [PARAMETER=VALUE]...", do_insmod, NULL},
    {"lsmod", "", do_lsmod, NULL},
    {"rmmod", "MODULE...", do_rmmod, NULL},
    {NULL, NULL, NULL, NULL},
};
