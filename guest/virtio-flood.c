/*
 * virtio-flood.c - one notification of a virtio queue with as much work as possible: 128 chains
 * of almost 4 GiB each, all through one indirect table, written to the console if there is one,
 * else read from a disk. The run must end long before the device is done.
 */
#include "virtio.h"

enum { BUFFERS = 31, BUFFER_BYTES = 128 << 20, READ = 0, CONSOLE_OUT = 1 };
#define BUFFER 0x88000000UL

static struct virtio_queue queue;
static struct virtio_descriptor table[BUFFERS + 2];
static uint8_t header[16], status; /* READ, from sector 0 */

int main(void)
{
    unsigned long console = virtio_find(VIRTIO_CONSOLE), slot = console;
    unsigned used = 0, number = console ? CONSOLE_OUT : 0;

    if (!slot)
        slot = virtio_find(VIRTIO_BLOCK);
    if (!slot || !virtio_start(slot, FEATURE_INDIRECT, number, &queue))
        return 1;
    if (!console)
        table[used++] = (struct virtio_descriptor){(uintptr_t)header, sizeof header, DESC_NEXT, 1};
    for (unsigned n = 0; n < BUFFERS; n++, used++)
        table[used] = (struct virtio_descriptor){BUFFER, BUFFER_BYTES,
                                                 console ? DESC_NEXT : DESC_NEXT | DESC_WRITE,
                                                 (uint16_t)(used + 1)};
    table[used++] = (struct virtio_descriptor){(uintptr_t)&status, 1, console ? 0 : DESC_WRITE, 0};
    for (uint16_t n = 0; n < VIRTIO_QUEUE_MAX; n++) {
        queue.descriptor[n] =
            (struct virtio_descriptor){(uintptr_t)table, used * sizeof table[0], DESC_INDIRECT, 0};
        queue.available.ring[n] = n;
    }
    queue.available.index = VIRTIO_QUEUE_MAX - 1;
    virtio_offer(slot, number, &queue, VIRTIO_QUEUE_MAX - 1);
    while (*(volatile uint16_t *)&queue.used.index != VIRTIO_QUEUE_MAX)
        ;
    return 0;
}
