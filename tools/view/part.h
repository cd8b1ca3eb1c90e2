/*
 * part.h - a part of a log, by time and task, as in `rvftrace log --from --until --task': written
 * in one of its formats. Independent of what the viewer shows.
 */
#ifndef VIEW_PART_H
#define VIEW_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

struct log;

struct part {
    uint64_t from, to; /* cycles of the log */
    const char *task;  /* a pattern of names, or a pid; NULL: all */
};

/* Whether a task of this name and number is one of them; name: may be NULL. */
bool part_has_task(const struct part *p, const char *name, int64_t pid);

/* The format is that of the path's end. EXIT_IO: a message was given. */
MUST_USE enum exit_status part_write(const struct part *p, struct log *log, const char *path,
                                     const struct diag *d);

#endif
