obj-y += ioremap.o pageattr.o wx_test.o context.o extable.o fault.o tlbflush.o
# The fences of a patch.
notrace-y += cacheflush.o
# Runs with the MMU off, and maps the pages through which patch.c writes.
notrace-y += init.o
# mmiotrace runs in page faults, also in those of tracers.
notrace-$(CONFIG_MMIOTRACE) += mmio-mod.o mmio_test.o pf_in.o
