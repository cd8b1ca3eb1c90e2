obj-y += procfs.o test.o
