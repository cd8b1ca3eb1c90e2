# perf takes its samples inside the tracers' hooks.
stopped-$(CONFIG_PERF_EVENTS) += records.o
shared-$(CONFIG_PERF_EVENTS) += callchain.o core.o file.o inherit.o pmu.o ring_buffer.o sample.o software.o \
	syscall.o
