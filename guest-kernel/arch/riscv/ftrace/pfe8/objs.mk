# Writes the sites.
notrace-$(CONFIG_SITES_PFE8) += sites.o
