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
    const char *intro;   /* the help's first lines; after \v the last ones */
    const struct argument_row *rows;
    size_t count;
    const struct diag *diag;
    void *owner; /* of the values of the rows */
    /* Takes a file. False: a message was given. */
    bool (*file)(void *owner, const char *name);
};

/*
 * argv[1] is the command's name. EXIT_USAGE: a message was given. *done: help was asked for and
 * printed.
 */
MUST_USE enum exit_status arguments_parse(const struct arguments *a, int argc, char **argv,
                                          bool *done);

struct argp;
/* Prints the help to standard output. command: "rvftrace log". */
void arguments_show_help(const struct argp *argp, const char *command);

#endif
