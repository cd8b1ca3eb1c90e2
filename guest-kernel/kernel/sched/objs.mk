obj-y += completion.o core.o deadline.o fair.o rt.o sched_test.o stop_task.o wait.o syscalls.o
obj-$(CONFIG_TRACE_PREEMPT_TOGGLE) += preempt.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += core.o deadline.o
