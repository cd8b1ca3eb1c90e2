obj-$(CONFIG_BPF_SYSCALL) += link_cmd.o map_cmd.o prog_cmd.o syscall.o verifier.o verifier_alu.o \
	verifier_call.o verifier_mem.o
# What runs programs of BPF inside the tracers' hooks.
shared-$(CONFIG_BPF_SYSCALL) += arraymap.o core.o func_proto.o hashtab.o helpers.o jit.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += map_cmd.o prog_cmd.o
