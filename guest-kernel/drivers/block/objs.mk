obj-y += virtio_blk.o
