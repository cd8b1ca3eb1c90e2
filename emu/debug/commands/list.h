/*
 * list.h - lines of source files.
 */
#ifndef DEBUG_LIST_H
#define DEBUG_LIST_H

struct debugger;
struct source_file;

/* To be called after each stop: the next `list' shows the line of the selected frame. */
void list_follow(struct debugger *d);
void list_one(struct debugger *d); /* prints that line */
/* Prints a line of a source file with its number; nothing if the file cannot be read. */
void list_text(struct debugger *d, const struct source_file *file, unsigned line);

#endif
