/*
 * dma.c - a disk device writes code to memory, each sector to the same place; each hart
 * executes fence.i before it runs it.
 */
#include "legal.h"

enum { SECTORS = 4, QUEUE = 4, BLK_FIRST = 0x10001000, BLK_STEP = 0x1000, BLK_SLOTS = 8 };

/* Registers of virtio-mmio, and bits of theirs (virtio 1.2, 4.2.2 and 2.1). */
enum {
    DEVICE_ID = 0x8,
    DRIVER_FEATURES = 0x20,
    DRIVER_FEATURES_SEL = 0x24,
    QUEUE_SEL = 0x30,
    QUEUE_NUM = 0x38,
    QUEUE_READY = 0x44,
    QUEUE_NOTIFY = 0x50,
    STATUS = 0x70,
    QUEUE_DESC = 0x80,
    QUEUE_DRIVER = 0x90,
    QUEUE_DEVICE = 0xa0,
    ID_BLOCK = 2,
    ACKNOWLEDGE = 1,
    DRIVER = 2,
    DRIVER_OK = 4,
    FEATURES_OK = 8,
    VERSION_1 = 1, /* bit 32 */
    DESC_NEXT = 1,
    DESC_WRITE = 2,
};

static struct {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
} desc[QUEUE] __attribute__((aligned(16)));
static struct {
    uint16_t flags;
    volatile uint16_t index;
    uint16_t ring[QUEUE];
} available __attribute__((aligned(2)));
static struct {
    uint16_t flags;
    volatile uint16_t index;
    struct {
        uint32_t id, length;
    } ring[QUEUE];
} used __attribute__((aligned(4)));
static struct {
    uint32_t type, reserved;
    uint64_t sector;
} request;
static uint8_t status;
static uint32_t room[PAGE / 4] __attribute__((aligned(PAGE)));
static unsigned long disk;

static void set_address(unsigned reg, const void *at)
{
    REG32(disk + reg) = (uint32_t)(uintptr_t)at;
    REG32(disk + reg + 4) = (uint32_t)((uintptr_t)at >> 32);
}

static void find_disk(void)
{
    for (unsigned long n = 0; n < BLK_SLOTS; n++)
        if (REG32(BLK_FIRST + n * BLK_STEP + DEVICE_ID) == ID_BLOCK)
            disk = BLK_FIRST + n * BLK_STEP;
    if (!disk)
        finish(98);
}

static void open_disk(void)
{
    find_disk();
    REG32(disk + STATUS) = 0;
    REG32(disk + STATUS) = ACKNOWLEDGE | DRIVER;
    REG32(disk + DRIVER_FEATURES_SEL) = 0;
    REG32(disk + DRIVER_FEATURES) = 0;
    REG32(disk + DRIVER_FEATURES_SEL) = 1;
    REG32(disk + DRIVER_FEATURES) = VERSION_1;
    REG32(disk + STATUS) = ACKNOWLEDGE | DRIVER | FEATURES_OK;
    REG32(disk + QUEUE_SEL) = 0;
    REG32(disk + QUEUE_NUM) = QUEUE;
    set_address(QUEUE_DESC, desc);
    set_address(QUEUE_DRIVER, &available);
    set_address(QUEUE_DEVICE, &used);
    REG32(disk + QUEUE_READY) = 1;
    REG32(disk + STATUS) = ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK;
}

static void describe(unsigned n, const void *at, uint32_t length, uint16_t flags)
{
    desc[n].address = (uintptr_t)at;
    desc[n].length = length;
    desc[n].flags = flags;
    desc[n].next = (uint16_t)(n + 1);
}

static void read_sector(uint64_t sector)
{
    uint16_t before = used.index;

    request.type = 0;
    request.sector = sector;
    describe(0, &request, sizeof request, DESC_NEXT);
    describe(1, room, 512, DESC_NEXT | DESC_WRITE);
    describe(2, &status, 1, DESC_WRITE);
    available.ring[available.index % QUEUE] = 0;
    full_fence();
    available.index++;
    full_fence();
    __asm__ volatile("fence" ::: "memory");
    REG32(disk + QUEUE_NOTIFY) = 0;
    while (used.index == before)
        ;
    full_fence();
    EXPECT(status == 0);
}

void helper(unsigned long hart)
{
    (void)hart;
    accept_fences();
    for (unsigned long sector = 0;;) {
        sector = next_work(sector);
        EXPECT(as_function(room)() == sector);
        work_done();
    }
}

/* Sector n - 1 has a function that returns n. */
int main(void)
{
    open_disk();
    for (unsigned long sector = 1; sector <= SECTORS; sector++) {
        read_sector(sector - 1);
#ifdef MISS
        if (sector != SECTORS)
#endif
            fence_i();
        fence_others(0);
        EXPECT(as_function(room)() == sector);
        tell_others(sector);
    }
    return 0;
}
