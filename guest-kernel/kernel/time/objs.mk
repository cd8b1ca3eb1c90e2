obj-y += hrtimer.o time.o time_test.o timer.o posix.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += hrtimer.o time.o timer.o
