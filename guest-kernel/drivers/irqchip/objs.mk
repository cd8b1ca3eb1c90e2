obj-y += irq-sifive-plic.o
