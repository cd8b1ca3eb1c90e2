/*
 * hangs.h - harts and tasks that make no progress any more, which is judged at the end of a run
 * that the guest did not end (docs/rules.md, guest-noticed).
 *
 * What happens rarely shows progress: traps, waits, switches of tasks. What a hart would execute
 * next (cpu/foresee.h) shows whether it can make any.
 */
#ifndef FTRACE_HANGS_H
#define FTRACE_HANGS_H

#include <stdint.h>

#include "cpu/observer.h"

struct audit;
struct hangs;
struct state_io;

struct hangs *hangs_new(struct audit *a);
void hangs_free(struct hangs *g);

/* These must be called for the events that they are named after. */
void hangs_trap(struct hangs *g, const struct trap_event *t);
void hangs_wait(struct hangs *g, const struct hart *h);
void hangs_sbi_call(struct hangs *g, const struct sbi_event *e);
void hangs_ipi_sent(struct hangs *g, const struct ipi_event *e);
/* The hart goes on with the task. */
void hangs_switch(struct hangs *g, const struct hart *h, uint64_t tp);

/* Reports what hangs, as the run has ended (audit_end). */
void hangs_judge(struct hangs *g);

void hangs_state_io(struct state_io *io, struct hangs *g);

#endif
