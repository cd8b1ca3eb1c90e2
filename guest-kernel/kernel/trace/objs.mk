# Functions that the tracers' self-tests trace.
obj-$(CONFIG_DYNAMIC_FTRACE) += ftrace_test.o trace_selftest_dynamic.o
obj-$(CONFIG_FPROBE) += fprobe_test.o

# All that follows is the tracer, or what it calls: a site in it would call the tracer out of itself.

# Traced functions.
notrace-$(CONFIG_FUNCTION_TRACER) += fgraph.o ftrace.o
alike-$(CONFIG_FUNCTION_TRACER) += ftrace_pid.o ftrace_profile.o
shared-$(CONFIG_FUNCTION_TRACER) += pid_list.o
notrace-$(CONFIG_DYNAMIC_FTRACE) += ftrace_hash.o ftrace_probe.o ftrace_rec.o trace_filter_files.o
alike-$(CONFIG_DYNAMIC_FTRACE) += ftrace_mod.o
notrace-$(CONFIG_FPROBE) += fprobe.o

# The buffer, and what reads it.
notrace-$(CONFIG_FUNCTION_TRACER) += trace.o trace_instances_test.o trace_iterator.o
alike-$(CONFIG_FUNCTION_TRACER) += trace_boot.o trace_buffer_files.o trace_clock.o trace_cmdlines.o \
	trace_dump.o trace_error_log.o trace_export.o trace_files.o trace_headers.o trace_instances.o trace_marker.o \
	trace_options.o trace_output.o trace_pid_files.o trace_printk.o trace_raw_pipe.o trace_read.o trace_snapshot.o
shared-$(CONFIG_FUNCTION_TRACER) += ring_buffer.o ring_buffer_read.o ring_buffer_test.o trace_seq.o

# The tracers.
notrace-$(CONFIG_FUNCTION_TRACER) += trace_functions.o trace_selftest.o
alike-$(CONFIG_FUNCTION_TRACER) += trace_functions_graph.o trace_graph_output.o trace_latency.o trace_nop.o \
	trace_sched_wakeup.o trace_selftest_wakeup.o trace_stack.o
alike-$(CONFIG_BLK_DEV_IO_TRACE) += blktrace.o blktrace_print.o
alike-$(CONFIG_MMIOTRACE) += trace_mmiotrace.o
notrace-$(CONFIG_IRQSOFF_TRACER) += trace_irqsoff.o trace_selftest_latency.o
notrace-$(CONFIG_TRACE_IRQFLAGS) += trace_preemptirq.o
notrace-$(CONFIG_PROFILE_BRANCHES) += trace_branch.o

# Events.
notrace-$(CONFIG_EVENT_TRACING) += trace_events.o
alike-$(CONFIG_EVENT_TRACING) += trace_event_output.o trace_events_files.o trace_events_filter.o \
	trace_events_filter_test.o trace_events_pid.o trace_events_trigger.o trace_events_write.o
alike-$(CONFIG_EVENT_TRACING) += trace_events_hist.o trace_events_synth.o trace_hist_action.o \
	trace_hist_field.o trace_hist_print.o
shared-$(CONFIG_EVENT_TRACING) += trace_block.o tracing_map.o
alike-$(CONFIG_EVENT_TRACING) += trace_dynevent.o trace_eprobe.o trace_kprobe.o \
	trace_kprobe_event.o trace_probe.o
alike-$(CONFIG_FTRACE_SYSCALLS) += trace_syscalls.o
alike-$(CONFIG_PERF_EVENTS) += trace_event_perf.o
shared-$(CONFIG_BPF_SYSCALL) += bpf_trace.o

# All of them use struct trace_entry or trace_array, which depend on it.
flavoured-y += %.o
