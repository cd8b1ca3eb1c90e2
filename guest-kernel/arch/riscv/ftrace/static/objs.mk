# What the sites call.
notrace-$(CONFIG_SITES_STATIC) += mcount.o
