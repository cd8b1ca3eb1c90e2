/*
 * baseline.h - a file of findings that are known, so that only new ones fail a run.
 *
 *     rvftrace-baseline 2
 *     # ... a comment
 *     missing-remote-fence by __ftrace_modify_call at schedule update_curr
 *
 * A line is the key of a finding (finding_key.h). `*' stands for any function. A finding whose
 * writer is known is the one of a line if they have one place in common: which places are met
 * first is a matter of timing. If its writer is not known, all its places must be in the line.
 */
#ifndef FTRACE_BASELINE_H
#define FTRACE_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/diag.h"

struct baseline;
struct finding_key;

/* Reads a file. On an error, EXIT_NO_FILE, EXIT_IO or EXIT_BAD_FILE, a message was given. */
MUST_USE enum exit_status baseline_read(const char *path, const struct diag *d,
                                        struct baseline **out);

/* The same from memory. `name`, which is copied, is for messages. */
MUST_USE enum exit_status baseline_parse(const char *name, const char *text, size_t size,
                                         const struct diag *d, struct baseline **out);
void baseline_free(struct baseline *b); /* may be NULL */

/* Whether a line is about such a finding. */
bool baseline_has(const struct baseline *b, const struct finding_key *key);

/* Marks the lines that are about it, as those that still occur. */
void baseline_mark(struct baseline *b, const struct finding_key *key);

/* The next line from *at on that is not marked, with its number in the file; NULL: no more. */
const char *baseline_gone(const struct baseline *b, size_t *at, unsigned *line);
const char *baseline_name(const struct baseline *b);

/* Write a file: its head, and a line. */
void baseline_write_head(FILE *out);
void baseline_write(FILE *out, const struct finding_key *key);

#endif
