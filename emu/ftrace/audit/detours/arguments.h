/*
 * arguments.h - which argument registers a function reads: the others are not its arguments, or
 * cannot be known to be.
 */
#ifndef FTRACE_ARGUMENTS_H
#define FTRACE_ARGUMENTS_H

#include <stdint.h>

struct hart;

/*
 * The registers a0 to a7, a bit each, that the code from pc on reads before it writes them, on some
 * way that does not pass through a call.
 */
uint32_t arguments_read(struct hart *h, uint64_t pc);

#endif
