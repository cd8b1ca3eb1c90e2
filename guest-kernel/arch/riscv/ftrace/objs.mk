# What the sites call, and where traced functions return to while function_graph is on; what writes their code.
alike-$(CONFIG_FUNCTION_TRACER) += graph.o
shared-$(CONFIG_FUNCTION_TRACER) += return_to_handler.o
alike-$(CONFIG_DYNAMIC_FTRACE) += code.o
shared-$(CONFIG_DYNAMIC_FTRACE_WITH_REGS) += calls.o
notrace-$(CONFIG_SITES_PFE16) += entry_caller.o
notrace-$(CONFIG_SITES_PFE8) += entry_caller.o pair_sites.o
notrace-$(CONFIG_SITES_MCOUNT) += pair_sites.o
