/*
 * context.h - the machine's side of the language of expressions (debug/lang).
 */
#ifndef DEBUG_CONTEXT_H
#define DEBUG_CONTEXT_H

#include "debug/commands/session.h"

void context_open(struct debugger *d);
void context_close(struct debugger *d);
/* To be called before each command: expressions mean the selected frame of the selected hart. */
void context_command(struct debugger *d);
/* From now on expressions mean this hart's innermost frame. Returns what they meant before. */
struct focus context_look(struct debugger *d, unsigned hart);

#endif
