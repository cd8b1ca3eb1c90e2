# Counts for perf, also inside the tracers' hooks.
shared-$(CONFIG_PERF_EVENTS) += riscv_pmu_sbi.o
