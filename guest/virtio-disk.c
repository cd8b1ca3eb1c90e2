/*
 * virtio-disk.c - reads the first sector of a disk as xv6 does: the vendor id must be QEMU's,
 * and the upper half of the features, with VERSION_1, is never read.
 */
#include "virtio.h"

enum { SECTOR_BYTES = 512, READ = 0 };

static struct virtio_queue queue;
static char sector[SECTOR_BYTES + 1];
static volatile uint8_t status = 0xff;

int main(void)
{
    static struct {
        uint32_t type, reserved;
        uint64_t sector;
    } header = {.type = READ};
    unsigned long slot = virtio_find(VIRTIO_BLOCK);

    if (!slot || !virtio_start(slot, ~(uint32_t)FEATURE_INDIRECT, 0, &queue)) {
        put_text(slot ? "the disk refuses the features\n" : "no disk\n");
        return 1;
    }
    queue.descriptor[0] =
        (struct virtio_descriptor){(uintptr_t)&header, sizeof header, DESC_NEXT, 1};
    queue.descriptor[1] =
        (struct virtio_descriptor){(uintptr_t)sector, SECTOR_BYTES, DESC_NEXT | DESC_WRITE, 2};
    queue.descriptor[2] = (struct virtio_descriptor){(uintptr_t)&status, 1, DESC_WRITE, 0};
    virtio_offer(slot, 0, &queue, 0);
    while (!*(volatile uint16_t *)&queue.used.index)
        ;
    __asm__ volatile("fence" ::: "memory");
    put_text(sector);
    return status;
}
