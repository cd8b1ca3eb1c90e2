/*
 * saved_run.c - see saved_run.h.
 */
#include "cli/saved_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/escape.h"
#include "base/vec.h"
#include "cli/identity.h"
#include "load/file.h"
#include "machine/machine.h"
#include "machine/snapshot.h"
#include "machine/snapshot_file.h"

typedef VEC_OF(char *) line_list;

static void free_lines(line_list *lines)
{
    while (lines->len)
        free(lines->at[--lines->len]);
    VEC_FREE(lines);
}

/* ---- what the lines say ---- */

static char *build_line(void)
{
    const char *revision = options_revision();

    return xasprintf("build %s %s", options_version(), revision ? revision : "unknown");
}

static void add_option(line_list *lines, const struct saved_option *o)
{
    char *value = o->arg ? escape_text(o->arg) : NULL;

    VEC_PUSH(lines,
             value ? xasprintf("option %s %s", o->name, value) : xasprintf("option %s", o->name));
    free(value);
}

static void describe_run(const struct saved_run *r, line_list *lines)
{
    const struct options *o = r->options;
    char *image = escape_text(o->machine.image);

    VEC_PUSH(lines, build_line());
    VEC_PUSH(lines, xasprintf("at %" PRIu64 " %" PRIu64 " %" PRIu64, machine_insns(r->machine),
                              machine_cycles(r->machine), machine_input_count(r->machine)));
    VEC_PUSH(lines, xasprintf("image %s", image));
    for (unsigned i = 0; i < o->saved_count; i++)
        add_option(lines, &o->saved[i]);
    free(image);
}

static void add_limits(line_list *lines, const struct options *o)
{
    const struct {
        const char *name;
        size_t value;
    } limits[] = {{"findings-max", o->watch.findings_max},
                  {"patches-max", o->watch.patches_max},
                  {"updates-max", o->watch.updates_max},
                  {"code-writes-max", o->machine.cluster.code_writes_max},
                  {"page-copies-max", o->machine.page_copies_max}};

    for (unsigned i = 0; i < ARRAY_LEN(limits); i++)
        VEC_PUSH(lines, xasprintf("watch %s %zu", limits[i].name, limits[i].value));
}

/* What the state of the records depends on. The drives come last, with the identity's. */
static enum exit_status add_watch(const struct saved_run *r, line_list *lines)
{
    const struct options *o = r->options;
    enum exit_status status = EXIT_PASS;
    uint64_t symbols = 0;

    VEC_PUSH(lines, xasprintf("watch audit %s", o->audit == AUDIT_OFF ? "off" : "on"));
    VEC_PUSH(lines, xasprintf("watch account %s", o->watch.account ? "on" : "off"));
    add_limits(lines, o);
    if (o->symbols)
        status = file_digest(o->symbols, r->diag, &symbols);
    if (o->symbols && status == EXIT_PASS)
        VEC_PUSH(lines, xasprintf("watch symbols 0x%016" PRIx64, symbols));
    return status;
}

/* The lines that must be the same in both runs. */
static enum exit_status describe_identity(const struct saved_run *r, line_list *lines)
{
    struct identity identity;
    enum exit_status status = add_watch(r, lines);

    if (status == EXIT_PASS)
        status = identity_new(r->options, IDENTITY_OF_SNAPSHOT, r->image_digest,
                              machine_firmware(r->machine), r->diag, &identity);
    if (status != EXIT_PASS)
        return status;
    for (size_t i = 0; i < identity.count; i++)
        VEC_PUSH(lines, xstrdup(identity.lines[i]));
    identity_free(&identity);
    return EXIT_PASS;
}

/* ---- writing ---- */

/* A drive whose writes stay in memory: such a file cannot be restored where they do not. */
static void add_drive_modes(const struct saved_run *r, line_list *lines)
{
    for (unsigned n = 0; n < r->options->machine.drive_count; n++)
        if (r->options->machine.drives[n].mode == DRIVE_SNAPSHOT)
            VEC_PUSH(lines, xasprintf("drive %u snapshot", n));
}

enum exit_status saved_run_write(const struct saved_run *r, const char *path)
{
    line_list lines = {0};
    enum exit_status status;

    describe_run(r, &lines);
    add_drive_modes(r, &lines);
    status = describe_identity(r, &lines);
    if (status == EXIT_PASS)
        status = snapshot_file_write(r->machine, path,
                                     &(struct snapshot_lines){lines.at, lines.len}, r->diag);
    free_lines(&lines);
    return status;
}

/* ---- checking ---- */

static bool begins(const char *line, const char *word)
{
    return !strncmp(line, word, strlen(word));
}

enum exit_status saved_run_check_build(const struct snapshot_file *f, const char *path,
                                       const struct diag *d)
{
    const struct snapshot_lines *saved = snapshot_file_lines(f);
    char *ours = build_line();
    const char *theirs = saved->count ? saved->at[0] : "";
    bool same = !strcmp(ours, theirs);

    if (!same)
        diag_error(d,
                   "%s: was saved by another rvftrace (%s, and this is %s); save it again with "
                   "this one",
                   path, begins(theirs, "build ") ? theirs + strlen("build ") : "unknown",
                   ours + strlen("build "));
    free(ours);
    return same ? EXIT_PASS : EXIT_BAD_FILE;
}

static const char *remedy_for(const char *line)
{
    static const char *const files[] = {"run image",      "run firmware", "run initrd",
                                        "run dtb",        "run schedule", "watch symbols",
                                        "run timing core"};

    if (begins(line, "run drive"))
        return "give a copy of the disk as it was when the snapshot was saved";
    for (unsigned i = 0; i < ARRAY_LEN(files); i++)
        if (begins(line, files[i]))
            return "give the same file as then";
    return "leave out the option, or give the value of then";
}

static enum exit_status differ(const struct saved_run *r, const char *path, const char *theirs,
                               const char *ours)
{
    const char *any = theirs ? theirs : ours;

    diag_error(r->diag, "%s: was saved with `%s', and this run has `%s'; %s", path,
               theirs ? strchr(theirs, ' ') + 1 : "nothing",
               ours ? strchr(ours, ' ') + 1 : "nothing", remedy_for(any));
    return EXIT_BAD_FILE;
}

static bool must_agree(const char *line)
{
    return begins(line, "run ") || begins(line, "watch ");
}

/* The next line at or after *at that must agree; NULL: there is none. */
static const char *next_line(const struct snapshot_lines *lines, size_t *at)
{
    while (*at < lines->count && !must_agree(lines->at[*at]))
        ++*at;
    return *at < lines->count ? lines->at[(*at)++] : NULL;
}

static enum exit_status check_identity(const struct saved_run *r, const char *path,
                                       const struct snapshot_lines *saved)
{
    line_list ours = {0};
    enum exit_status status = describe_identity(r, &ours);
    const struct snapshot_lines mine = {ours.at, ours.len};
    size_t at = 0, at_mine = 0;

    while (status == EXIT_PASS) {
        const char *theirs = next_line(saved, &at), *own = next_line(&mine, &at_mine);

        if (!theirs && !own)
            break;
        if (!theirs || !own || strcmp(theirs, own) != 0)
            status = differ(r, path, theirs, own);
    }
    free_lines(&ours);
    return status;
}

static enum exit_status check_drives(const struct saved_run *r, const char *path,
                                     const struct snapshot_lines *saved)
{
    const struct options *o = r->options;
    unsigned n;
    int end;

    for (size_t i = 0; i < saved->count; i++) {
        end = 0;
        if (sscanf(saved->at[i], "drive %u snapshot%n", &n, &end) != 1 || !end ||
            n >= o->machine.drive_count || o->machine.drives[n].mode == DRIVE_SNAPSHOT)
            continue;
        diag_error(r->diag, "%s: the writes to --drive %s are in this file; add `,snapshot'", path,
                   o->machine.drives[n].path);
        return EXIT_BAD_FILE;
    }
    return EXIT_PASS;
}

enum exit_status saved_run_restore(const struct saved_run *r, const char *path,
                                   struct snapshot_file *f, bool keep)
{
    const struct snapshot_lines *saved = snapshot_file_lines(f);
    enum exit_status status = saved_run_check_build(f, path, r->diag);

    if (status == EXIT_PASS)
        status = check_identity(r, path, saved);
    if (status == EXIT_PASS)
        status = check_drives(r, path, saved);
    return status == EXIT_PASS ? snapshot_file_restore(f, r->machine, keep) : status;
}
