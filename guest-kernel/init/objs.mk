obj-y += do_mounts.o main.o emergency.o initramfs.o initramfs_data.o

# It switches interrupts off; the archive of the other is the layout's own.
flavoured-y += main.o initramfs_data.o
