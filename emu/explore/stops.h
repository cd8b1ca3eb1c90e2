/*
 * stops.h - where a step of a plan stops a task, and where the task goes on, in words.
 *
 * "work (4) on hart 0 interrupted between auipc and jalr of fib by the timer, continued on hart 1
 * after 12,345 instructions".
 */
#ifndef EXPLORE_STOPS_H
#define EXPLORE_STOPS_H

#include <stdbool.h>
#include <stdint.h>

struct act;
struct machine;
struct report;
struct stops;

enum { STOP_TEXT = 768 };

/*
 * To be called where the step begins: notes the hart's next instruction and task, and follows the
 * task from there. The machine must not outlive it.
 */
struct stops *stops_new(struct machine *m, const struct report *r, unsigned hart);

/* The step is a tick: time has passed, and a timer may have interrupted the task. */
void stops_describe_tick(const struct stops *s, char text[STOP_TEXT]);

/* The step is a stall of `insns` instructions, which ended when `until' was done; NULL: it was not.
 */
void stops_describe_stall(const struct stops *s, const struct act *until, uint64_t insns,
                          char text[STOP_TEXT]);

#endif
