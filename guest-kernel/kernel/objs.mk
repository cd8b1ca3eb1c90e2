obj-y += fork.o kallsyms_procfs.o kthread.o panic.o params.o printk.o signal.o smp.o workqueue.o \
	workqueue_test.o jump_label_test.o kprobes_files.o kprobes_test.o exit.o futex.o sys.o sys_ni.o
# Tracers call these; irq_work.c while they write.
shared-y += irq_work.o kallsyms.o
shared-$(CONFIG_TRACEPOINTS) += tracepoint.o tracepoint_test.o
# These run while code is patched.
notrace-y += jump_label.o stop_machine.o
# These handle kprobes, which may be in the tracer, too.
notrace-y += kprobes.o rethook.o
shared-y += kprobes_slots.o kretprobes.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += jump_label.o kprobes.o kprobes_files.o panic.o printk.o rethook.o smp.o stop_machine.o
