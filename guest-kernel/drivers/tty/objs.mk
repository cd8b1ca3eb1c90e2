obj-y += console.o ns16550.o sysrq.o tty_io.o
