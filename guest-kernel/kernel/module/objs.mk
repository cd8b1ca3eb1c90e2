obj-y += main.o procfs.o syscalls.o
# Called by tracers, to find the names of functions.
notrace-y += kallsyms.o
