/*
 * evidence.h - what all findings have in their evidence, whatever family has reported them: the
 * call stacks and tasks of stores and of the hart of the breach, and the finding that they follow.
 */
#ifndef FTRACE_EVIDENCE_H
#define FTRACE_EVIDENCE_H

#include <stdint.h>

struct audit;
struct finding;

/* Adds them to a new finding, whose breach was on that hart. */
void evidence_complete(struct audit *a, struct finding *f, uint32_t hart);

#endif
