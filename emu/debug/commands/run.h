/*
 * run.h - runs of the machine, forwards and back, and what is printed when it has stopped.
 */
#ifndef DEBUG_RUN_H
#define DEBUG_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

struct debugger;
struct target_stop;

/* ---- run.c ---- */

/* Remembers the registers of all harts, so that those that change can be marked. */
void remember_registers(struct debugger *d);

enum input_use { GIVE_INPUT, KEEP_INPUT };

/* To be called before the machine runs; remembers its registers. */
void begin_running(struct debugger *d, enum input_use use);
/* The same, unless the guest has ended: then a message is printed, and the result is false. */
MUST_USE bool resume(struct debugger *d, enum input_use use);

/*
 * Selects the hart that the stop concerns, and prints the reason and its next
 * instruction. False: the user ends the session, and nothing was printed.
 */
bool report_stop(struct debugger *d, struct target_stop s, const char *done);

/* Prints the reason of a stop, and its patch and findings; done NULL: only these. */
void print_stop(struct debugger *d, const struct target_stop *s, const char *done);

/* ---- returned.c ---- */

/* Prints "Value returned is $1 = 0" for the function with this pc, which has just returned. */
void print_returned(struct debugger *d, uint64_t pc);

/* ---- skip.c ---- */

/* Whether `step' does not go into the function at pc. */
bool skips_function(const struct debugger *d, uint64_t pc);
void skips_free(struct debugger *d);

/* ---- back.c ---- */

/*
 * To be called before the machine goes back. False: there is no history, and a message was printed.
 */
MUST_USE bool set_off_back(struct debugger *d);

void print_checkpoints(struct debugger *d); /* info checkpoints */
void delete_checkpoint(struct debugger *d, const char *args);

#endif
