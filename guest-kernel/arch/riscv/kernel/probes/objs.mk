# These handle kprobes, which may be in the tracer, too.
shared-y += decode-insn.o kprobes.o simulate-insn.o rethook_trampoline.o
notrace-$(CONFIG_DYNAMIC_FTRACE_WITH_REGS) += ftrace.o

# It switches interrupts or preemption off, or uses types of what does.
flavoured-y += ftrace.o
