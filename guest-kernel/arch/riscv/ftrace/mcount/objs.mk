# What the sites call.
notrace-$(CONFIG_SITES_MCOUNT) += ftrace_caller.o
