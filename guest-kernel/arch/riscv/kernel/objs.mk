obj-y += head.o entry.o setup.o cpu.o smp.o smpboot.o traps.o module.o fpu.o vector.o vstate.o process.o signal.o \
	syscall_table.o
# No code, and exports alone.
notrace-y += asm-offsets.o riscv_ksyms.o
# Called by tracers.
notrace-y += stacktrace.o
# They write code, and ask other harts for fences: in a site of theirs a hart could meet half a patch.
shared-y += jump_label.o patch.o sbi.o
# Called by the tracer irqsoff, wherever interrupts are switched off or on.
notrace-$(CONFIG_TRACE_IRQFLAGS) += trace_irq.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += entry.o process.o signal.o smp.o smpboot.o stacktrace.o traps.o vector.o
