/* applets.c - the commands that are not built into the shell, and help. */
#include "applet.h"
#include "shell.h"

static int do_help(int argc, char **argv);

static const struct applet other_applets[] = {
    {"cat", "[FILE...]", do_cat, NULL},
    {"clear", "", do_clear, NULL},
    {"cp", "FROM... TO", do_cp, NULL},
    {"cut", "[-d CHAR] -f LIST | -c LIST [FILE...]", do_cut, NULL},
    {"dd", "[if=FILE] [of=FILE] [bs=N] [count=N] [skip=N] [seek=N]", do_dd, NULL},
    {"dmesg", "", do_dmesg, NULL},
    {"find", "[PATH...] [-name PATTERN] [-type f|d|l]", do_find, NULL},
    {"grep", "[-vcqinxlhEF] PATTERN [FILE...]", do_grep, NULL},
    {"head", "[-n LINES] [FILE...]", do_head, NULL},
    {"help", "[COMMAND]", do_help, NULL},
    {"insmod", "FILE [PARAMETER=VALUE]...", do_insmod, NULL},
    {"less", "[FILE]", do_less, NULL},
    {"ln", "[-s] FROM... TO", do_ln, NULL},
    {"ls", "[-lad] [FILE...]", do_ls, NULL},
    {"lsmod", "", do_lsmod, NULL},
    {"mkdir", "[-p] DIRECTORY...", do_mkdir, NULL},
    {"mount", "[-r] [-t TYPE] [-o OPTION,...] [DEVICE] [DIRECTORY]", do_mount, NULL},
    {"mv", "FROM... TO", do_mv, NULL},
    {"poweroff", "", do_poweroff, NULL},
    {"ps", "", do_ps, NULL},
    {"reboot", "", do_reboot, NULL},
    {"rm", "[-rf] FILE...", do_rm, NULL},
    {"rmdir", "DIRECTORY...", do_rmdir, NULL},
    {"rmmod", "MODULE...", do_rmmod, NULL},
    {"selftest", "[SUITE...]", do_selftest, NULL},
    {"seq", "[FIRST [STEP]] LAST", do_seq, NULL},
    {"sleep", "SECONDS", do_sleep, NULL},
    {"sort", "[-nru] [FILE...]", do_sort, NULL},
    {"tail", "[-n LINES] [FILE...]", do_tail, NULL},
    {"tee", "[-a] FILE", do_tee, NULL},
    {"touch", "FILE...", do_touch, NULL},
    {"trace-cmd",
     "record [-o FILE] [-p TRACER] [-e EVENT] [-l FUNC] [-g FUNC] [-O OPTION] [-b KB] [-C CLOCK] "
     "COMMAND... | "
     "extract [-o FILE]",
     do_trace_cmd, NULL},
    {"umount", "[-fl] DIRECTORY...", do_umount, NULL},
    {"uname", "[-asnrvm]", do_uname, NULL},
    {"uniq", "[-c] [FILE...]", do_uniq, NULL},
    {"usleep", "MICROSECONDS", do_usleep, NULL},
    {"wc", "[-lwc] [FILE...]", do_wc, NULL},
    {"work", "NAME [N] (1 to 2^64-1; default 10)", do_work, NULL},
    {"yes", "[WORD]", do_yes, NULL},
    {NULL, NULL, NULL, NULL},
};

static const struct applet *const tables[] = {builtin_applets, other_applets};

const struct applet *find_applet(const char *name)
{
    const struct applet *a;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(tables); i++)
        for (a = tables[i]; a->name; a++)
            if (!strcmp(a->name, name))
                return a;
    return NULL;
}

void applet_names(struct strings *names)
{
    const struct applet *a;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(tables); i++)
        for (a = tables[i]; a->name; a++)
            strings_add(names, shell_strdup(a->name));
}

static int do_help(int argc, char **argv)
{
    const struct applet *a;
    int status = 0;
    unsigned int i;

    if (argc > 1) {
        a = find_applet(argv[1]);
        if (!a) {
            shell_error("help: %s: no such command; `help' lists them", argv[1]);
            return STATUS_ERROR;
        }
        status = putf("%s %s\n", a->name, a->usage);
        return a->run == do_work ? list_workloads(1) : status;
    }
    for (i = 0; i < ARRAY_SIZE(tables); i++)
        for (a = tables[i]; a->name && !status; a++)
            status = putf("%s %s\n", a->name, a->usage);
    return status;
}
