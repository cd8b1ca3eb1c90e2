/*
 * program_runs.h - whether a program of BPF is freed while a hart may still run it.
 *
 * Programs run with preemption off, so a grace period is over when each hart has left the handler
 * or system call in which it has run the program, or has run another task. A hart that has done
 * neither since it has entered the program may still be in it.
 */
#ifndef FTRACE_PROGRAM_RUNS_H
#define FTRACE_PROGRAM_RUNS_H

struct audit;
struct program_runs;
struct state_io;
struct text_event;

struct program_runs *program_runs_new(struct audit *a);
void program_runs_free(struct program_runs *p); /* NULL is allowed */

/* Must be called when the text of a program is complete. */
void program_runs_begin(struct program_runs *p, const struct text_event *e);

void program_runs_state_io(struct state_io *io, struct program_runs *p);

#endif
