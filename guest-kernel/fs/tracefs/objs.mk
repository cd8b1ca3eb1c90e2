obj-$(CONFIG_FUNCTION_TRACER) += inode.o
