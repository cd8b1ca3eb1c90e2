/*
 * virtio-write.c - reads sectors of a disk, changes them and writes them back, each depending on
 * what all before it held; then it reads the whole disk and prints a checksum.
 */
#include "virtio.h"

enum { SECTOR_BYTES = 512, SECTORS = 64, ROUNDS = 300, READ = 0, WRITE = 1 };

static struct virtio_queue queue;
static unsigned long slot;
static uint8_t sector[SECTOR_BYTES];
static uint64_t sum = 1;

/* One request, waited for. Returns the device's status; 0 is a pass. */
static unsigned transfer(uint32_t type, uint64_t number)
{
    static struct {
        uint32_t type, reserved;
        uint64_t sector;
    } header;
    static volatile uint8_t status;
    static uint16_t requests;

    header.type = type;
    header.sector = number;
    status = 0xff;
    queue.descriptor[0] =
        (struct virtio_descriptor){(uintptr_t)&header, sizeof header, DESC_NEXT, 1};
    queue.descriptor[1] = (struct virtio_descriptor){
        (uintptr_t)sector, SECTOR_BYTES, type == READ ? DESC_NEXT | DESC_WRITE : DESC_NEXT, 2};
    queue.descriptor[2] = (struct virtio_descriptor){(uintptr_t)&status, 1, DESC_WRITE, 0};
    virtio_offer(slot, 0, &queue, 0);
    requests++;
    while (*(volatile uint16_t *)&queue.used.index != requests)
        ;
    __asm__ volatile("fence" ::: "memory");
    return status;
}

static void add_sector(void)
{
    for (unsigned n = 0; n < SECTOR_BYTES; n++)
        sum = sum * 31 + sector[n];
}

static unsigned change(unsigned round)
{
    uint64_t number = sum % SECTORS;
    unsigned status = transfer(READ, number);

    add_sector();
    for (unsigned n = 0; n < SECTOR_BYTES; n++)
        sector[n] = (uint8_t)(sector[n] + (sum >> n % 57) + round);
    return status | transfer(WRITE, number);
}

int main(void)
{
    unsigned status = 0;

    slot = virtio_find(VIRTIO_BLOCK);
    if (!slot || !virtio_start(slot, 0, 0, &queue))
        return 1;
    for (unsigned round = 0; round < ROUNDS && !status; round++) {
        status = change(round);
        if (round % 50 == 0)
            put_number("sum", sum);
    }
    for (unsigned number = 0; number < SECTORS && !status; number++) {
        status = transfer(READ, number);
        add_sector();
    }
    put_number("sum", sum);
    return (int)status;
}
