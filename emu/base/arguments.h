/*
 * arguments.h - the command line of a command that has a table of options of its own, as `rvftrace
 * report' and `rvftrace log'; argp over the rows of the table.
 */
#ifndef BASE_ARGUMENTS_H
#define BASE_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/option_value.h"

struct argument_row {
    const char *name;
    int short_key; /* 0: none */
    const char *arg, *doc;
    struct option_value value;
};

struct arguments {
    const char *command; /* "rvftrace log" */
    const char *files;   /* what the help calls them: "FILE..." */
    const char *no_file; /* the message where there must be one, and is none */
    const char *intro;   /* the help's first lines; after \v the last ones */
    const struct argument_row *rows;
    size_t count;
    /* Takes a file. False: a message was given. */
    bool (*file)(void *owner, const char *name);
};

/*
 * Parses what follows argv[1], the command's name; the owner has the values of the rows.
 * EXIT_USAGE: a message was given. *done: help was asked for and printed.
 */
MUST_USE enum exit_status arguments_parse(const struct arguments *a, void *owner,
                                          const struct diag *diag, int argc, char **argv,
                                          bool *done);

struct argp;
struct argp_option;

/*
 * Checks the names of the long options behind argv[1] as getopt reads them, and makes --help of -h.
 * False: there is no such option; a message was given, which names the nearest one that is not
 * hidden. command: "rvftrace log".
 */
MUST_USE bool arguments_check_names(const struct argp_option *options, int argc, char **argv,
                                    const char *command, const struct diag *d);

/* Prints the help to standard output. command: "rvftrace log". */
void arguments_show_help(const struct argp *argp, const char *command);

#endif
