/* virtio.c - a minimal virtio driver; see virtio.h. */
#include "virtio.h"

#define SLOTS    0x10001000UL
#define REG(reg) REG32(slot + (reg))

enum { SLOT_BYTES = 0x1000, SLOT_COUNT = 8, MAGIC = 0x74726976, QEMU = 0x554d4551 };

unsigned long virtio_find(uint32_t kind)
{
    for (unsigned n = 0; n < SLOT_COUNT; n++) {
        unsigned long slot = SLOTS + n * SLOT_BYTES;

        if (REG(VIRTIO_MAGIC) == MAGIC && REG(VIRTIO_VERSION) == 2 && REG(VIRTIO_DEVICE) == kind &&
            REG(VIRTIO_VENDOR) == QEMU)
            return slot;
    }
    return 0;
}

static void set_address(unsigned long slot, unsigned reg, const volatile void *address)
{
    REG(reg) = (uint32_t)(uintptr_t)address;
    REG(reg + 4) = (uint32_t)((uintptr_t)address >> 32);
}

int virtio_start(unsigned long slot, uint32_t features, unsigned queue, struct virtio_queue *q)
{
    uint32_t status = STATUS_ACKNOWLEDGE | STATUS_DRIVER;

    REG(VIRTIO_STATUS) = 0;
    REG(VIRTIO_STATUS) = status;
    REG(VIRTIO_DRIVER_FEATURES) = REG(VIRTIO_DEVICE_FEATURES) & features;
    REG(VIRTIO_STATUS) = status |= STATUS_FEATURES_OK;
    if (!(REG(VIRTIO_STATUS) & STATUS_FEATURES_OK))
        return 0;
    REG(VIRTIO_QUEUE) = queue;
    REG(VIRTIO_QUEUE_SIZE) = VIRTIO_QUEUE_MAX;
    set_address(slot, VIRTIO_DESCRIPTORS, q->descriptor);
    set_address(slot, VIRTIO_AVAILABLE, &q->available);
    set_address(slot, VIRTIO_USED, &q->used);
    REG(VIRTIO_QUEUE_READY) = 1;
    REG(VIRTIO_STATUS) = status | STATUS_DRIVER_OK;
    return 1;
}

void virtio_offer(unsigned long slot, unsigned queue, struct virtio_queue *q, uint16_t head)
{
    q->available.ring[q->available.index % VIRTIO_QUEUE_MAX] = head;
    __asm__ volatile("fence" ::: "memory");
    q->available.index++;
    __asm__ volatile("fence" ::: "memory");
    REG(VIRTIO_NOTIFY) = queue;
}
