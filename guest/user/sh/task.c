/* task.c - the commands ps, sleep and usleep. */
#include "applet.h"
#include "shell.h"

static int sleep_ns(uint64_t ns)
{
    const struct timespec time = {ns / 1000000000, ns % 1000000000};

    return nanosleep(&time, NULL) ? STATUS_ERROR : 0;
}

/* The argument is in seconds, with up to nine decimals. */
int do_sleep(int argc, char **argv)
{
    unsigned long seconds, ns = 0, scale = 100000000;
    char *point;

    if (argc != 2)
        return usage_error(argv);
    point = strchr(argv[1], '.');
    if (point)
        *point++ = 0;
    for (; point && *point >= '0' && *point <= '9'; point++, scale /= 10)
        ns += (*point - '0') * scale;
    if (kstrtoul(*argv[1] ? argv[1] : "0", 10, &seconds) || (point && *point))
        return usage_error(argv);
    return sleep_ns(seconds * 1000000000 + ns);
}

int do_usleep(int argc, char **argv)
{
    unsigned long usecs;

    if (argc != 2 || kstrtoul(argv[1], 10, &usecs))
        return usage_error(argv);
    return sleep_ns(usecs * 1000);
}

/* ---- ps ---- */

/* Fields of /proc/PID/stat; the name is in parentheses, followed by the state. */
enum { FIELD_STATE = 3, FIELD_PROCESSOR = 39 };

static char *field_of(char *stat_line, int field)
{
    char *rest = stat_line + strlen(stat_line), *word = NULL;

    while (rest > stat_line && *rest != ')')
        rest--;
    rest += 2;
    for (field -= FIELD_STATE - 1; field && (word = strsep(&rest, " ")); field--)
        ;
    return word ? word : (char *)"?";
}

/* A task that has ended since /proc was read is skipped. */
static int show_task(const char *pid)
{
    char *path = path_below("/proc", pid), *stat_path = path_below(path, "stat"), *text, *copy;
    char *comm, state;
    int status = 0;
    size_t size;

    text = read_whole_file(stat_path, &size);
    if (!IS_ERR(text) && (comm = strchr(text, '('))) {
        copy = shell_strdup(text);
        state = *field_of(copy, FIELD_STATE);
        free(copy);
        copy = shell_strdup(text);
        comm++;
        *strchr(comm, ')') = 0;
        status = putf("%5s %3s %c    %s\n", pid, field_of(copy, FIELD_PROCESSOR), state, comm);
        free(copy);
    }
    if (!IS_ERR(text))
        free(text);
    free(stat_path);
    free(path);
    return status;
}

int do_ps(int argc, char **argv)
{
    struct strings names = {NULL, 0, 0};
    int i, err = read_names("/proc", false, &names), status;

    (void)argc;
    (void)argv;
    if (err)
        return complain("ps", "/proc", err);
    status = putf("  PID CPU STAT COMMAND\n");
    for (i = 0; i < names.n && !status; i++)
        if (names.v[i][0] >= '0' && names.v[i][0] <= '9')
            status = show_task(names.v[i]);
    strings_free(&names);
    return status;
}
