/* stop_machine.h - run a function while no other hart does anything. */
#ifndef LINUX_STOP_MACHINE_H
#define LINUX_STOP_MACHINE_H

typedef int (*cpu_stop_fn_t)(void *arg);

void cpu_stop_init(void);
/*
 * Runs fn(data) on one hart while all other online harts spin in it with
 * interrupts off, each in its highest-priority thread: every other task is
 * preempted or asleep.  Answers what fn answered.  May sleep.
 */
int stop_machine(cpu_stop_fn_t fn, void *data);

#endif
