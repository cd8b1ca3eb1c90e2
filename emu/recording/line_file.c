/*
 * line_file.c - see line_file.h.
 */
#include "recording/line_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "load/file.h"

bool line_file_refuse(const struct line_file *f, const char *why)
{
    diag_error(f->diag, "%s:%u: %s; %s", f->path, f->lines, why, f->format->remedy);
    return false;
}

static bool take_first_line(const struct line_file *f, const char *line)
{
    size_t len = strlen(f->format->magic);
    int version = 0;

    if (strncmp(line, f->format->magic, len) != 0 || sscanf(line + len, " %d", &version) != 1) {
        diag_error(f->diag, "%s: not %s; give %s", f->path, f->format->name, f->format->source);
        return false;
    }
    return version == f->format->version ||
           line_file_refuse(f, "was written by another version of rvftrace");
}

static bool take_line(struct line_file *f, const char *line)
{
    if (f->lines == 1)
        return take_first_line(f, line);
    if (line[0] == '#')
        return true;
    if (!strncmp(line, "run ", 4) && !f->has_own) {
        VEC_PUSH(&f->identity, ((struct identity_line){xstrdup(line), f->lines}));
        return true;
    }
    f->has_own = true;
    return f->take(f->ctx, line);
}

/* Splits the file's bytes into lines, in place. */
static bool take_lines(struct line_file *f, struct file *bytes)
{
    char *at = (char *)bytes->bytes, *end = at + bytes->size, *newline;

    for (; at < end; at = newline + 1) {
        f->lines++;
        newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return f->lines == 1 ? take_first_line(f, "") : line_file_refuse(f, "is truncated");
        *newline = '\0';
        if (!take_line(f, strlen(at) == (size_t)(newline - at) ? at : ""))
            return false;
    }
    return f->lines || take_first_line(f, "");
}

enum exit_status line_file_read(struct line_file *f)
{
    struct file bytes = {0};
    enum exit_status status = file_read(f->path, f->diag, &bytes);

    if (status == EXIT_PASS && !take_lines(f, &bytes))
        status = EXIT_BAD_FILE;
    file_free(&bytes);
    return status;
}

void line_file_free(struct line_file *f)
{
    for (size_t n = 0; n < f->identity.len; n++)
        free(f->identity.at[n].text);
    VEC_FREE(&f->identity);
}

enum exit_status line_file_check(const struct line_file *f, const struct identity *i)
{
    for (size_t n = 0; n < i->count || n < f->identity.len; n++) {
        const char *present = n < i->count ? i->lines[n] : "nothing";
        const char *was = n < f->identity.len ? f->identity.at[n].text : "nothing";

        if (strcmp(present, was) != 0) {
            diag_error(f->diag,
                       "%s:%u: %s with `%s', this is `%s'; give the same image and options",
                       f->path, n < f->identity.len ? f->identity.at[n].line : 1, f->format->made,
                       was, present);
            return EXIT_BAD_FILE;
        }
    }
    return EXIT_PASS;
}
