obj-y += calls.o deep.o density4.o density16.o density64.o density256.o density1024.o mixed.o   procfs.o \
	sort.o tree.o workload.o
