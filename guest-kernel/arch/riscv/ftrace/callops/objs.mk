# Runs while sites are patched.
notrace-$(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS) += site_ops.o
