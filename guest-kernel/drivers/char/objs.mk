obj-y += mem.o virtio_console.o random.o
