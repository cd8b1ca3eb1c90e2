obj-y += uaccess.o
