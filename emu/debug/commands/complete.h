/*
 * complete.h - how a line of the debugger can be completed: commands, subjects of info, registers,
 * variables, symbols, members of structs, types, source files, functions with sites.
 */
#ifndef DEBUG_COMPLETE_H
#define DEBUG_COMPLETE_H

#include <stddef.h>

struct debugger;

struct completions {
    size_t start; /* where in the line the word begins */
    char **word;  /* sorted; each begins with what the line has from there on */
    size_t count;
};

void complete_line(struct debugger *d, const char *line, struct completions *c);
void completions_free(struct completions *c);
/* Returns the length of the beginning that all words share. */
size_t completions_common(const struct completions *c);

#endif
