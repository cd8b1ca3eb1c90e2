obj-y += mount.o
