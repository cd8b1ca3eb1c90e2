obj-y += ioremap.o pageattr.o wx_test.o context.o extable.o fault.o tlbflush.o
# The fences of a patch.
shared-y += cacheflush.o
# Runs with the MMU off, and maps the pages through which patch.c writes.
shared-y += init.o
# mmiotrace runs in page faults, also in those of tracers.
notrace-$(CONFIG_MMIOTRACE) += mmio-mod.o
shared-$(CONFIG_MMIOTRACE) += mmio_test.o pf_in.o

# They switch interrupts or preemption off, or use types of those that do.
flavoured-y += context.o fault.o mmio-mod.o tlbflush.o
