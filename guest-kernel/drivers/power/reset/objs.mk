obj-y += sifive-test.o
