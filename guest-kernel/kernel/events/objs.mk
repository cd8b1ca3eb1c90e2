# perf takes its samples inside the tracers' hooks.
notrace-$(CONFIG_PERF_EVENTS) += callchain.o core.o file.o inherit.o pmu.o records.o ring_buffer.o \
	sample.o software.o syscall.o
