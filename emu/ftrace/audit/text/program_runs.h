/*
 * program_runs.h - whether a program of BPF is freed while a hart may still run it.
 *
 * Programs run with preemption off, so a grace period is over when each hart has left the handler
 * or system call in which it has run the program, or has run another task. A hart that has done
 * neither since it has entered the program may still be in it.
 */
#ifndef FTRACE_PROGRAM_RUNS_H
#define FTRACE_PROGRAM_RUNS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/observer.h"

struct audit;
struct hart;
struct program_runs;
struct state_io;
struct text_event;

struct program_runs *program_runs_new(struct audit *a);
void program_runs_free(struct program_runs *p); /* NULL is allowed */

/* Must be called when the text of a program is complete. */
void program_runs_begin(struct program_runs *p, const struct text_event *e);

/* Must be called at each trap, and each return from one, as soon as the hart's depth is counted. */
void program_runs_trap(struct program_runs *p, const struct trap_event *t);
void program_runs_trap_return(struct program_runs *p, const struct trap_return_event *t);

/*
 * Must be called when the hart is about to free the memory at va (vfree). True: another hart may
 * still run a program there, which is reported.
 */
bool program_runs_freed(struct program_runs *p, struct hart *h, uint64_t va);

void program_runs_state_io(struct state_io *io, struct program_runs *p);

#endif
