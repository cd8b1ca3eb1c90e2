obj-y += radix-tree.o errno.o sort.o usercopy.o
# Called by tracers and by the code that patches.
shared-y += glob.o kstrtox.o string.o vsprintf.o
