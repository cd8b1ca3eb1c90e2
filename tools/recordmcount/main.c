/*
 * main.c - options, the action for each file, the exit status.
 */
#include "recordmcount.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <version.h> /* the build makes it: mk/emu.mk */

enum action { RECORD, SORT, LIST };

struct options {
    struct request request;
    enum action action;
    int first_file;
};

enum { KEY_SORT = 256, KEY_LIST, KEY_SYMBOL, KEY_NOPS, KEY_ALIGN };

enum { NOPS_MAX = 64 };

static const struct argp_option option_table[] = {
    {"sort", KEY_SORT, NULL, 0, "Check and sort the table of a linked kernel, in place", 0},
    {"list", KEY_LIST, NULL, 0, "Print the table of a linked kernel: address, symbol+0xoffset", 0},
    {"symbol", KEY_SYMBOL, "NAME", 0, "The function that call sites call (default: _mcount)", 0},
    {"nops", KEY_NOPS, "BYTES", 0,
     "With --sort: each site has BYTES of nops (-fpatchable-function-entry)", 0},
    {"align", KEY_ALIGN, "BYTES", 0, "With --sort: each site's address must be a multiple of BYTES",
     0},
    {"verbose", 'v', NULL, 0, "Print one line of figures for each file", 0},
    {"quiet", 'q', NULL, 0, "Print errors only (the default; undoes --verbose)", 0},
    {0}};

static void choose_action(struct options *o, enum action action, struct argp_state *state)
{
    if (o->action != RECORD && o->action != action)
        argp_error(state, "--sort and --list exclude each other; give one");
    o->action = action;
}

static void check_files(const struct options *o, struct argp_state *state)
{
    int files = state->argc - state->next;

    if (files == 0)
        argp_error(state, "no file; give an object or, with --sort or --list, a kernel");
    if (o->action != SORT && (o->request.nops || o->request.align))
        argp_error(state, "--nops and --align need --sort");
    if (o->action != RECORD && files > 1)
        argp_error(state, "--sort and --list take one kernel; run it once for each");
}

/* Parses the size of nops or an alignment: an even number up to NOPS_MAX. */
static unsigned parse_bytes(const char *arg, struct argp_state *state)
{
    char *end;
    unsigned long bytes = strtoul(arg, &end, 10);

    if (*end || end == arg || bytes % 2 || bytes == 0 || bytes > NOPS_MAX)
        argp_error(state, "%s: give an even number of bytes up to %d", arg, NOPS_MAX);
    return (unsigned)bytes;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_SORT: choose_action(o, SORT, state); return 0;
    case KEY_LIST: choose_action(o, LIST, state); return 0;
    case KEY_SYMBOL:
        if (!*arg)
            argp_error(state, "--symbol needs a name");
        o->request.symbol = arg;
        return 0;
    case KEY_NOPS: o->request.nops = parse_bytes(arg, state); return 0;
    case KEY_ALIGN: o->request.align = parse_bytes(arg, state); return 0;
    case 'v': o->request.verbose = true; return 0;
    case 'q': o->request.verbose = false; return 0;
    case ARGP_KEY_NO_ARGS:
    case ARGP_KEY_ARGS:
        check_files(o, state);
        o->first_file = state->next;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int run(const struct options *o, const char *path)
{
    switch (o->action) {
    case SORT: return image_sort(path, &o->request);
    case LIST: return image_list(path, &o->request);
    default: return object_record(path, &o->request);
    }
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_table,
        .parser = parse_option,
        .args_doc = "OBJECT...\n--sort KERNEL\n--list KERNEL",
        .doc = "Collect the calls of _mcount in RISC-V objects into the section __mcount_loc.\v"
               "Exit status: 0, 64 usage, 65 bad file, 66 no such file, 70 a fault of "
               "recordmcount itself, 74 I/O error. See recordmcount(1).",
    };
    struct options o = {.request = {.symbol = "_mcount"}};
    int status = 0;

    argp_program_version = "recordmcount (rvftrace) " RVFTRACE_VERSION;
    argp_err_exit_status = EX_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &o) != 0)
        return EX_SOFTWARE;
    for (int i = o.first_file; i < argc; i++) {
        int now = run(&o, argv[i]);

        if (!status)
            status = now;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("recordmcount: cannot write to standard output; check space and the pipe\n", stderr);
        return status ? status : EX_IOERR;
    }
    return status;
}
