obj-y += cpu.o
