/* stop_machine.h - runs a function while all other harts are stopped. */
#ifndef LINUX_STOP_MACHINE_H
#define LINUX_STOP_MACHINE_H

typedef int (*cpu_stop_fn_t)(void *arg);

void cpu_stop_init(void);
/*
 * Runs fn(data) on one hart while all other online harts spin with interrupts off in their
 * stopper threads, so every other task is preempted or asleep. Returns the result of fn. May
 * sleep.
 */
int stop_machine(cpu_stop_fn_t fn, void *data);

#endif
