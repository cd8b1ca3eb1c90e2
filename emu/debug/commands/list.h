/*
 * list.h - lines of source files.
 */
#ifndef DEBUG_LIST_H
#define DEBUG_LIST_H

#include <stdio.h>

struct debugger;
struct source_file;

/* To be called after each stop: the next `list' shows the line of the selected frame. */
void list_follow(struct debugger *d);
void list_one(struct debugger *d); /* prints that line */
/* Prints a line of a source file with its number; nothing if the file cannot be read. */
void list_text(struct debugger *d, const struct source_file *file, unsigned line);

/* ---- source_path.c ---- */

/* NULL: the text is nowhere. */
FILE *source_open(const struct debugger *d, const struct source_file *f);
/* Says, as the error of a command, where the text was looked for. */
void source_complain(const struct debugger *d, const struct source_file *f);
/* Says it to a user at a terminal, once until `directory' adds a folder. */
void source_tell_once(struct debugger *d, const struct source_file *f);
void source_path_show(const struct debugger *d);
void source_path_free(struct debugger *d);

#endif
