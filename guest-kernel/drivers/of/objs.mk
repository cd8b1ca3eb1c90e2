obj-y += fdt.o
