# Writes the sites, and is what they call.
notrace-$(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) += sites.o ftrace_caller.o
notrace-$(CONFIG_SITES_ATOMIC) += dest.o
