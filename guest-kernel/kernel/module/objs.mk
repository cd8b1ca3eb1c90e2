obj-y += main.o procfs.o syscalls.o
# Called by tracers, to find the names of functions.
notrace-y += kallsyms.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += kallsyms.o main.o
