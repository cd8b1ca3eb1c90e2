# Writes the sites.
notrace-$(CONFIG_SITES_PFE16) += sites.o
