/* module.c - the commands insmod, rmmod and lsmod. */
#include "applet.h"
#include "shell.h"

/* Joins the arguments with blanks. */
static char *join(char **argv)
{
    struct strbuf line = {NULL, 0, 0};

    for (; *argv; argv++) {
        strbuf_adds(&line, *argv);
        strbuf_addc(&line, ' ');
    }
    return strbuf_detach(&line);
}

int do_insmod(int argc, char **argv)
{
    char *args;
    int fd, err;

    if (argc < 2)
        return usage_error(argv);
    fd = err = open(argv[1], O_RDONLY, 0);
    if (fd >= 0) {
        args = join(argv + 2);
        err = syscall(__NR_finit_module, fd, args, 0);
        free(args);
        close(fd);
    }
    if (err)
        shell_error("insmod: ERROR: could not insert module %s: %s", argv[1], strerror(-err));
    return err ? STATUS_ERROR : 0;
}

int do_rmmod(int argc, char **argv)
{
    int i, err = 0;

    if (argc < 2)
        return usage_error(argv);
    for (i = 1; i < argc && !err; i++) {
        err = syscall(__NR_delete_module, argv[i], O_NONBLOCK);
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
        users[strlen(users) - 1] = 0; /* /proc/modules has a comma after each name */
    return putf("%-19s %8s  %s%s%s\n", name, size, uses, *users ? " " : "", users);
}

static int show_modules(int in, const char *path, void *unused)
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

int do_lsmod(int argc, char **argv)
{
    static char *files[] = {(char *)"/proc/modules", NULL};

    (void)argc;
    (void)argv;
    return for_each_input(files, show_modules, NULL);
}
