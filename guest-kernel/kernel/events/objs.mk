# perf takes its samples inside the tracers' hooks.
alike-$(CONFIG_PERF_EVENTS) += records.o
shared-$(CONFIG_PERF_EVENTS) += callchain.o core.o file.o inherit.o pmu.o ring_buffer.o sample.o software.o \
	syscall.o

# It switches interrupts or preemption off, or uses types of what does.
flavoured-y += records.o
