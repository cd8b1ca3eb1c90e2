/*
 * virtio_mmio.c - virtio devices with memory-mapped registers (virtio 1.2, 4.2): version 2, and
 * the legacy version 1, which QEMU shows unless told otherwise.
 */
#include <asm/io.h>
#include <asm/page.h>
#include <asm/setup.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/virtio.h>

enum {
    REG_MAGIC = 0x000,
    REG_VERSION = 0x004,
    REG_DEVICE_ID = 0x008,
    REG_DEVICE_FEATURES = 0x010,
    REG_DEVICE_FEATURES_SEL = 0x014,
    REG_DRIVER_FEATURES = 0x020,
    REG_DRIVER_FEATURES_SEL = 0x024,
    REG_GUEST_PAGE_SIZE = 0x028, /* legacy */
    REG_QUEUE_SEL = 0x030,
    REG_QUEUE_NUM_MAX = 0x034,
    REG_QUEUE_NUM = 0x038,
    REG_QUEUE_ALIGN = 0x03c, /* legacy */
    REG_QUEUE_PFN = 0x040,   /* legacy */
    REG_QUEUE_READY = 0x044,
    REG_QUEUE_NOTIFY = 0x050,
    REG_INTERRUPT_STATUS = 0x060,
    REG_INTERRUPT_ACK = 0x064,
    REG_STATUS = 0x070,
    REG_QUEUE_DESC = 0x080,
    REG_QUEUE_AVAIL = 0x090,
    REG_QUEUE_USED = 0x0a0,
    REG_CONFIG = 0x100,
};

enum { MAGIC = 0x74726976, INT_VRING = 1, INT_CONFIG = 2, QUEUE_NUM = 128 };

struct virtio_mmio_device {
    struct virtio_device vdev;
    void *base;
    u32 version;
    unsigned int irq;
};

static struct virtio_mmio_device *to_vm(const struct virtio_device *vdev)
{
    return container_of(vdev, struct virtio_mmio_device, vdev);
}

static void vm_get(struct virtio_device *vdev, unsigned int offset, void *buf, unsigned int len)
{
    const void *from = to_vm(vdev)->base + REG_CONFIG + offset;
    unsigned int i;

    if (len == 2)
        *(u16 *)buf = readw(from);
    for (i = 0; len >= 4 && i < len; i += 4)
        *(u32 *)(buf + i) = readl(from + i);
    if (len == 1)
        *(u8 *)buf = readb(from);
}

static u8 vm_get_status(struct virtio_device *vdev)
{
    return readl(to_vm(vdev)->base + REG_STATUS);
}

static void vm_set_status(struct virtio_device *vdev, u8 status)
{
    writel(status, to_vm(vdev)->base + REG_STATUS);
}

static u64 vm_get_features(struct virtio_device *vdev)
{
    const struct virtio_mmio_device *vm = to_vm(vdev);
    u64 features;

    writel(1, vm->base + REG_DEVICE_FEATURES_SEL);
    features = readl(vm->base + REG_DEVICE_FEATURES);
    writel(0, vm->base + REG_DEVICE_FEATURES_SEL);
    return features << 32 | readl(vm->base + REG_DEVICE_FEATURES);
}

static int vm_finalize_features(struct virtio_device *vdev)
{
    const struct virtio_mmio_device *vm = to_vm(vdev);

    if (vm->version == 2 && !virtio_has_feature(vdev, VIRTIO_F_VERSION_1))
        return -EINVAL;
    writel(1, vm->base + REG_DRIVER_FEATURES_SEL);
    writel(vdev->features >> 32, vm->base + REG_DRIVER_FEATURES);
    writel(0, vm->base + REG_DRIVER_FEATURES_SEL);
    writel(vdev->features, vm->base + REG_DRIVER_FEATURES);
    if (vm->version == 1)
        writel(PAGE_SIZE, vm->base + REG_GUEST_PAGE_SIZE);
    return 0;
}

static void vm_notify(struct virtqueue *vq)
{
    writel(vq->index, to_vm(vq->vdev)->base + REG_QUEUE_NOTIFY);
}

static void set_address(const struct virtio_mmio_device *vm, unsigned int reg, unsigned long addr)
{
    writel(addr, vm->base + reg);
    writel(addr >> 32, vm->base + reg + 4);
}

static void start_queue(const struct virtio_mmio_device *vm, const struct virtqueue *vq)
{
    writel(virtqueue_get_vring_size(vq), vm->base + REG_QUEUE_NUM);
    if (vm->version == 1) {
        writel(PAGE_SIZE, vm->base + REG_QUEUE_ALIGN);
        writel(virtqueue_get_desc_addr(vq) >> PAGE_SHIFT, vm->base + REG_QUEUE_PFN);
        return;
    }
    set_address(vm, REG_QUEUE_DESC, virtqueue_get_desc_addr(vq));
    set_address(vm, REG_QUEUE_AVAIL, virtqueue_get_avail_addr(vq));
    set_address(vm, REG_QUEUE_USED, virtqueue_get_used_addr(vq));
    writel(1, vm->base + REG_QUEUE_READY);
}

static struct virtqueue *setup_vq(struct virtio_mmio_device *vm, unsigned int index,
                                  vq_callback_t callback, const char *name)
{
    struct virtqueue *vq;
    u32 num;

    writel(index, vm->base + REG_QUEUE_SEL);
    num = readl(vm->base + REG_QUEUE_NUM_MAX);
    if (!num)
        return NULL;
    vq = vring_create_virtqueue(&vm->vdev, index, min(num, (u32)QUEUE_NUM), vm_notify, callback,
                                name);
    if (vq)
        start_queue(vm, vq);
    return vq;
}

static irqreturn_t vm_interrupt(int irq, void *dev)
{
    struct virtio_mmio_device *vm = dev;
    u32 status = readl(vm->base + REG_INTERRUPT_STATUS);
    struct virtqueue *vq;

    (void)irq;
    writel(status, vm->base + REG_INTERRUPT_ACK);
    if (status & INT_CONFIG)
        virtio_config_changed(&vm->vdev);
    if (status & INT_VRING)
        list_for_each_entry(vq, &vm->vdev.vqs, list)
            vring_interrupt(vq);
    return status ? IRQ_HANDLED : IRQ_NONE;
}

static void del_vqs(struct virtio_device *vdev)
{
    while (!list_empty(&vdev->vqs))
        vring_del_virtqueue(list_first_entry(&vdev->vqs, struct virtqueue, list));
}

static int vm_find_vqs(struct virtio_device *vdev, unsigned int nr, struct virtqueue *vqs[],
                       const vq_callback_t callbacks[], const char *const names[])
{
    struct virtio_mmio_device *vm = to_vm(vdev);
    unsigned int i;
    int err = 0;

    for (i = 0; i < nr && !err; i++) {
        vqs[i] = setup_vq(vm, i, callbacks[i], names[i]);
        err = vqs[i] ? 0 : -ENOMEM;
    }
    if (!err)
        err = request_irq(vm->irq, vm_interrupt, IRQF_SHARED, names[0], vm);
    if (!err)
        return 0;
    vm_set_status(vdev, 0);
    del_vqs(vdev);
    return err;
}

static const struct virtio_config_ops virtio_mmio_config_ops = {
    .get = vm_get,
    .get_status = vm_get_status,
    .set_status = vm_set_status,
    .get_features = vm_get_features,
    .finalize_features = vm_finalize_features,
    .find_vqs = vm_find_vqs,
};

/* Is there a device in the slot? An empty slot has id 0. */
static bool probe_slot(struct virtio_mmio_device *vm)
{
    if (readl(vm->base + REG_MAGIC) != MAGIC)
        return false;
    vm->version = readl(vm->base + REG_VERSION);
    vm->vdev.id = readl(vm->base + REG_DEVICE_ID);
    return vm->vdev.id && (vm->version == 1 || vm->version == 2);
}

static void add_slot(unsigned long phys, unsigned long size, unsigned int irq)
{
    struct virtio_mmio_device *vm = kzalloc(sizeof(*vm));

    if (!vm)
        panic("no memory for virtio devices");
    vm->irq = irq;
    vm->vdev.config = &virtio_mmio_config_ops;
    vm->base = ioremap(phys, size);
    if (vm->base && probe_slot(vm)) {
        register_virtio_device(&vm->vdev); /* has printed the error */
        return;
    }
    if (vm->base)
        iounmap(vm->base);
    kfree(vm);
}

/* The first slot first: machines list their slots from the last one down, or upwards. */
void virtio_mmio_init(void)
{
    const struct fdt_info *info = &machine_info;
    unsigned long above = 0;
    unsigned int n, i;

    for (n = 0; n < info->nr_virtio; n++) {
        unsigned int best = FDT_MAX_VIRTIO;

        for (i = 0; i < info->nr_virtio; i++)
            if (info->virtio_phys[i] > above &&
                (best == FDT_MAX_VIRTIO || info->virtio_phys[i] < info->virtio_phys[best]))
                best = i;
        if (best == FDT_MAX_VIRTIO)
            return;
        above = info->virtio_phys[best];
        add_slot(above, info->virtio_size[best], info->virtio_irq[best]);
    }
}
