obj-y += hrtimer.o time.o time_test.o timer.o posix.o
