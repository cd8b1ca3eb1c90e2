/*
 * text_callers.h - what still leads into memory that the kernel frees: a registered ops, a graph
 * tracer or a kprobe whose function is there, or which is there itself.
 *
 * The next traced call or hit of the breakpoint runs what the memory is by then.
 */
#ifndef FTRACE_TEXT_CALLERS_H
#define FTRACE_TEXT_CALLERS_H

#include <stdint.h>

struct audit;
struct hart;

/* The hart is about to free the memory from start to end, which has or had text. */
void text_callers_judge(struct audit *a, struct hart *h, uint64_t start, uint64_t end);

#endif
