# Compiles programs of BPF, which run inside the tracers' hooks.
shared-$(CONFIG_BPF_SYSCALL) += bpf_jit_comp64.o bpf_jit_core.o
