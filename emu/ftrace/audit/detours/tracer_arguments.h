/*
 * tracer_arguments.h - judges what a trampoline gives to the tracer that it calls: the address of
 * the site, that of the function's caller, the registers, and the frame record in s0.
 */
#ifndef FTRACE_TRACER_ARGUMENTS_H
#define FTRACE_TRACER_ARGUMENTS_H

#include <stdint.h>

struct audit;
struct detour;
struct hart;

/* Must be called when the hart is about to execute the call at pc within the detour. */
void tracer_arguments_judge(struct audit *a, struct hart *h, uint64_t pc, const struct detour *d);

#endif
