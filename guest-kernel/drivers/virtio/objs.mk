obj-y += virtio.o virtio_mmio.o virtio_ring.o
