# Writes the sites, and is what they call.
notrace-$(CONFIG_SITES_MCOUNT) += sites.o ftrace_caller.o
