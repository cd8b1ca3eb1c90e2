obj-y += console.o ns16550.o n_tty.o sysrq.o tty_io.o tty_jobctrl.o
