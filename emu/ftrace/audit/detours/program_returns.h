/*
 * program_returns.h - what generated text, as a program of BPF, must leave as it was when it
 * returns: the registers that its caller keeps there. The rule clobbered-register.
 *
 * Judged once for each program: the first time that a hart runs it.
 */
#ifndef FTRACE_PROGRAM_RETURNS_H
#define FTRACE_PROGRAM_RETURNS_H

#include <stdint.h>

struct audit;
struct hart;
struct program_returns;
struct state_io;

struct program_returns *program_returns_new(struct audit *a);
void program_returns_free(struct program_returns *p); /* NULL is allowed */

/* The hart is about to execute the first instruction of a program, for the first time. */
void program_returns_begin(struct program_returns *p, struct hart *h, uint64_t va);

void program_returns_state_io(struct state_io *io, struct program_returns *p);

#endif
