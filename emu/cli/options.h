/*
 * options.h - the options of the command line.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/selection.h"
#include "cpu/cluster.h"
#include "explore/explore.h"
#include "ftrace/report/findings_style.h"
#include "ftrace/watch.h"
#include "machine/machine.h"
#include "mem/ram.h" /* COPIES_DEFAULT, for options.def */

enum command { COMMAND_RUN, COMMAND_DEBUG, COMMAND_EXPLORE, COMMAND_CORES };
enum audit_mode { AUDIT_OFF, AUDIT_WARN, AUDIT_FAIL };
enum traced_calls { TRACE_ALL, TRACE_ON, TRACE_NONE }; /* of all sites, of those that are on */

/* Notes on values, for --help and the man page. */
#define OPTIONS_NUMBERS                                                                            \
    "Numbers are decimal, hexadecimal with 0x, or octal with 0; the suffixes K, M and G may also " \
    "be lower case. If an option is given twice, the last one is used; --drive adds a disk each "  \
    "time, --port a port, --allow a rule. IMAGE may be guest:LAYOUT, a guest kernel that was "     \
    "installed or built, and --initrd guest:initrd.cpio."

/* The text of a number that is a macro, for the rows of options.def. */
#define TEXT_OF(macro)   TEXT_AS_IS(macro)
#define TEXT_AS_IS(text) #text

/* The groups of options in --help and the man page, in their order, with their headings. */
#define OPTION_GROUPS(G)                                          \
    G(FIRST, "The options that are needed most:")                 \
    G(MACHINE, "The machine and its image:")                      \
    G(CONSOLE, "Console, input and ports:")                       \
    G(LATE, "What a hart may see late:")                          \
    G(REPEAT, "Limits, and runs that are repeated or continued:") \
    G(FINDINGS, "Findings:")                                      \
    G(OUTPUT, "What is written:")                                 \
    G(KEPT, "How much is kept:")                                  \
    G(DEBUG, "The debugger, and gdb:")                            \
    G(EXPLORE, "Exploring interleavings:")

#define OPTION_GROUP(id, heading) OPTIONS_##id,
enum option_group { OPTIONS_NO_GROUP, OPTION_GROUPS(OPTION_GROUP) };
#undef OPTION_GROUP

enum { OPTION_ALLOW_MAX = 256 };

/* Of --rows, and what its member has without it. */
#define OPTION_ROWS_MAX  (UINT32_MAX - 1)
#define OPTION_ROWS_AUTO UINT32_MAX

/* An option that a restored run has too (saved_run.h), as it was given. */
struct saved_option {
    const char *name, *arg; /* arg NULL: it has none */
};

enum { OPTION_SAVED_MAX = 64 };

struct snapshot_file;

/*
 * A row of options.def names the member that its option sets. Of the configurations only such
 * members are set here; commands/ adds the others when it makes the machine and the rest.
 */
struct options {
    enum command command;
    bool image_is_supplied;        /* it was given as guest:NAME */
    struct machine_config machine; /* its image: also the NAME of `rvftrace cores' */
    struct watch_config watch;
    struct explore_config explore;
    const char *console; /* "stdio", "none" or a file */
    const char *input;
    const char *record, *replay, *schedule;
    const char *save;               /* NULL: no snapshot is saved */
    uint64_t save_at;               /* cycle; UINT64_MAX: at the end of the run */
    const char *restore;            /* NULL: the run begins at power-on */
    struct snapshot_file *restored; /* the file, opened */
    uint64_t max_insns, max_cycles; /* UINT64_MAX: none */
    uint64_t history_max;           /* bytes; 0: none */
    double timeout;                 /* seconds; 0: none */
    const char *core_name;          /* TIMING_CORE: name or path */
    uint64_t core_hash;             /* of its file, once it was read */
    enum audit_mode audit;
    enum findings_style findings;
    enum traced_calls trace_calls;
    const char *allow[OPTION_ALLOW_MAX];
    unsigned allow_count;
    const char *baseline, *write_baseline, *sarif, *junit;
    const char *report, *html, *trace, *log, *rings, *symbols, *commands, *gdb, *gdb_write,
        *dump_dtb;
    const char *device_log, *itrace;     /* NULL: none */
    const char *region_from, *region_to; /* NULL: none */
    bool region_marks;
    struct selection selected; /* of what --trace and --itrace write; the task: of --log, too */
    bool batch;                /* debug: no prompts, and the first command that fails ends it */
    bool quiet, view, log_args, native_share;
    unsigned rows; /* OPTION_ROWS_AUTO: not given */
    struct saved_option saved[OPTION_SAVED_MAX];
    unsigned saved_count;
    char *owned[OPTION_SAVED_MAX + 3]; /* arguments that came from the file, and paths */
    unsigned owned_count;
};

/*
 * Parses the command line. EXIT_USAGE: it is invalid, and a message was given. --help
 * and --version print and set *done. Strings point into argv. With --restore, options that are not
 * given are those of the file, which is opened; EXIT_BAD_FILE and the like: it is refused.
 */
MUST_USE enum exit_status options_parse(int argc, char **argv, const struct diag *d,
                                        struct options *o, bool *done);

/* Closes the file of --restore and frees what came from it, at any time after options_parse. */
void options_free(struct options *o);

/*
 * The commit that this was built from, "1a2b3c4d5e6f", with a `+' if files were changed; NULL: not
 * known.
 */
const char *options_revision(void);

/* The version, "0.9": that of the newest section of CHANGELOG.md. */
const char *options_version(void);

/* The values as the user writes them. */
const char *options_firmware_name(enum firmware_kind kind);
const char *options_fetch_name(enum fetch_mode mode);
const char *options_agnostic_name(enum agnostic_mode mode);
const char *options_translate_name(enum translate_mode mode);
const char *options_stores_name(const struct cluster_config *config);
const char *options_timing_name(const struct options *o);

#endif
