obj-y += balloc.o dir.o inode.o namei.o super.o
