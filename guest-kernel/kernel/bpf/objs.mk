obj-$(CONFIG_BPF_SYSCALL) += disasm.o verifier.o verifier_alu.o verifier_btf.o verifier_call.o \
	verifier_callback.o verifier_cfg.o verifier_jmp.o verifier_log.o verifier_mem.o verifier_precision.o \
	verifier_prune.o verifier_scalar.o verifier_state.o btf.o btf_cmd.o btf_resolve.o info_cmd.o inode.o \
	link_cmd.o map_cmd.o map_in_map.o prog_cmd.o syscall.o tag.o
# What runs programs of BPF inside the tracers' hooks.
shared-$(CONFIG_BPF_SYSCALL) += arraymap.o core.o fd_array.o func_proto.o hashtab.o helpers.o jit.o ringbuf.o \
	stackmap.o tnum.o
