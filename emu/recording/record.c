/*
 * record.c - see record.h.
 */
#include "recording/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"

struct recorder {
    const char *path;
    const struct diag *diag;
    struct console inner;
    struct new_file file;
    int failed; /* errno of the first write error; 0: none */
};

/* ---- lines ---- */

/* Writes the line in one call, so that a killed run leaves no partial line. */
static void add_line(struct recorder *r, const char *line)
{
    char *whole = xasprintf("%s\n", line);
    size_t len = strlen(whole), done = 0;

    while (!r->failed && done < len) {
        ssize_t n = write(r->file.fd, whole + done, len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            r->failed = errno;
    }
    free(whole);
}

/* Writes the title as a comment: one line of printable characters. */
static void add_title(struct recorder *r, const char *title)
{
    char line[RECORDING_LINE];

    snprintf(line, sizeof line, "# %.100s", title);
    for (char *c = line; *c; c++)
        *c = *c < ' ' ? '?' : *c;
    add_line(r, line);
}

enum exit_status recorder_begin(struct recorder *r, const char *title, const struct identity *i)
{
    char line[RECORDING_LINE];

    if (!new_file_open(&r->file, r->path, r->diag))
        return EXIT_IO;
    new_file_is_lasting(&r->file);
    snprintf(line, sizeof line, RECORDING_MAGIC " %d", RECORDING_VERSION);
    add_line(r, line);
    add_title(r, title);
    for (size_t n = 0; n < i->count; n++)
        add_line(r, i->lines[n]);
    return EXIT_PASS;
}

bool recorder_end(struct recorder *r, const struct recorded_end *end)
{
    char line[RECORDING_LINE];

    recording_write_end(line, end);
    add_line(r, line);
    if (!r->failed)
        return new_file_commit(&r->file, r->diag);
    diag_error(r->diag, "%s: %s; the recording ends before the run did", new_file_name(&r->file),
               strerror(r->failed));
    new_file_leave(&r->file);
    return false;
}

/* ---- the console ---- */

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    const struct recorder *r = ctx;

    r->inner.put(r->inner.ctx, bytes, len);
}

static int get(void *ctx, const struct moment *at)
{
    struct recorder *r = ctx;
    int byte = r->inner.get(r->inner.ctx, at);
    char line[RECORDING_LINE];

    if (byte >= 0) {
        recording_write_input(line, &(struct recorded_input){*at, (uint8_t)byte});
        add_line(r, line);
    }
    return byte;
}

static uint64_t wait_for_input(void *ctx, const struct moment *at, uint64_t until)
{
    const struct recorder *r = ctx;

    return r->inner.wait(r->inner.ctx, at, until);
}

static bool interrupted(void *ctx, const struct moment *at)
{
    const struct recorder *r = ctx;

    return r->inner.interrupted(r->inner.ctx, at) || r->failed;
}

struct console recorder_console(struct recorder *r)
{
    return (struct console){.put = put,
                            .get = get,
                            .wait = wait_for_input,
                            .interrupted = interrupted,
                            .urgent = r->inner.urgent,
                            .ctx = r};
}

/* ---- life ---- */

struct recorder *recorder_new(const char *path, const struct console *inner, const struct diag *d)
{
    struct recorder *r = xcalloc(1, sizeof *r);

    *r = (struct recorder){.path = path, .diag = d, .inner = *inner, .file.fd = -1};
    return r;
}

void recorder_free(struct recorder *r)
{
    if (r)
        new_file_discard(&r->file); /* recorder_end was not called: the file is not kept */
    free(r);
}
