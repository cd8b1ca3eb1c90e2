obj-y += inode.o
