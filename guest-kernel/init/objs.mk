obj-y += do_mounts.o main.o emergency.o initramfs.o initramfs_data.o
