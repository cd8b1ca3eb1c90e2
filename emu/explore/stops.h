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
struct plan_step;
struct report;
struct stops;

enum { STOP_TEXT = 768 };

/*
 * To be called where the step begins: notes the hart's next instruction and task, and follows the
 * task from there. The machine must not outlive it.
 */
struct stops *stops_new(struct machine *m, const struct report *r, unsigned hart);

/*
 * Stops the machine whenever the task, which was interrupted, is about to go on at the instruction,
 * or near it, as the kernel may have moved its pc; false ends this. stops_came_back: whether that
 * is why the machine has stopped; *hart: which one has the task.
 */
void stops_hold(struct stops *s, bool on);
bool stops_came_back(struct stops *s, unsigned *hart);

/* Whether the task has gone on since. */
bool stops_went_on(const struct stops *s);

/*
 * The step is a tick: time has passed, and a timer may have interrupted the task, and kept it there
 * until `until` was done; NULL: it was not, or the task was not kept.
 */
void stops_describe_tick(const struct stops *s, const struct act *until, char text[STOP_TEXT]);

/* Accesses to data were late, until `until' was done; NULL: it was not. */
void stops_describe_late(const struct stops *s, const struct plan_step *step,
                         const struct act *until, char text[STOP_TEXT]);

/* The step is a stall of `insns` instructions, which ended when `until' was done; NULL: it was not.
 */
void stops_describe_stall(const struct stops *s, const struct act *until, uint64_t insns,
                          char text[STOP_TEXT]);

#endif
