/*
 * virtio.h - virtio devices: negotiation, queues of buffers (virtio 1.2, and the legacy
 * interface of older machines).
 *
 * A driver's probe() finds the queues, adds buffers and notifies the device; the queue's
 * callback runs in the interrupt when the device has used buffers.
 */
#ifndef LINUX_VIRTIO_H
#define LINUX_VIRTIO_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

enum { VIRTIO_ID_NET = 1, VIRTIO_ID_BLOCK = 2, VIRTIO_ID_CONSOLE = 3, VIRTIO_ID_RNG = 4 };

enum {
    VIRTIO_CONFIG_S_ACKNOWLEDGE = 1,
    VIRTIO_CONFIG_S_DRIVER = 2,
    VIRTIO_CONFIG_S_DRIVER_OK = 4,
    VIRTIO_CONFIG_S_FEATURES_OK = 8,
    VIRTIO_CONFIG_S_FAILED = 0x80,
};

enum { VIRTIO_F_VERSION_1 = 32 };

struct virtio_device;
struct virtqueue;

typedef void (*vq_callback_t)(struct virtqueue *vq);

/* What a transport does for a device. */
struct virtio_config_ops {
    void (*get)(struct virtio_device *vdev, unsigned int offset, void *buf, unsigned int len);
    u8 (*get_status)(struct virtio_device *vdev);
    void (*set_status)(struct virtio_device *vdev, u8 status); /* 0: resets the device */
    u64 (*get_features)(struct virtio_device *vdev);
    int (*finalize_features)(struct virtio_device *vdev); /* writes vdev->features to the device */
    /* Creates queues 0 to nr - 1. 0 or an error. */
    int (*find_vqs)(struct virtio_device *vdev, unsigned int nr, struct virtqueue *vqs[],
                    const vq_callback_t callbacks[], const char *const names[]);
};

struct virtio_device {
    unsigned int index;
    u32 id; /* VIRTIO_ID_* */
    u64 features;
    const struct virtio_config_ops *config;
    struct list_head vqs;
    void *priv; /* of the driver */
};

struct virtio_driver {
    const char *name;
    u32 id;
    const unsigned int *feature_table;
    unsigned int feature_table_size;
    int (*probe)(struct virtio_device *vdev);           /* 0 or an error */
    void (*config_changed)(struct virtio_device *vdev); /* in interrupt; may be NULL */
};

static inline bool virtio_has_feature(const struct virtio_device *vdev, unsigned int bit)
{
    return vdev->features >> bit & 1;
}

/* Reads a member of the device's configuration. */
#define virtio_cread(vdev, structname, member, ptr) \
    (vdev)->config->get(vdev, offsetof(structname, member), ptr, sizeof(*(ptr)))

/* drivers/virtio/virtio.c: finds the driver and starts the device. 0 or an error. */
int register_virtio_device(struct virtio_device *vdev);
/* After probe() has set up the queues: the device may be used. */
void virtio_device_ready(struct virtio_device *vdev);
void virtio_config_changed(struct virtio_device *vdev);
void virtio_init(void); /* finds all devices */

/* ---- drivers/virtio/virtio_ring.c ---- */

/* A piece of memory that the device reads or writes. */
struct scatterlist {
    unsigned long dma_address;
    unsigned int length;
};

struct virtqueue {
    struct list_head list;
    vq_callback_t callback;
    const char *name;
    struct virtio_device *vdev;
    unsigned int index;
    unsigned int num_max;
    unsigned int num_free; /* descriptors; under the driver's lock, as all below */
    void *priv;            /* of the transport */
};

void sg_set_buf(struct scatterlist *sg, const void *buf, unsigned int len);
/*
 * Adds a chain of out pieces that the device reads and then in pieces that it writes; data, not
 * NULL, is what virtqueue_get_buf() returns for it. 0 or -ENOSPC. The driver locks.
 */
int virtqueue_add(struct virtqueue *vq, const struct scatterlist sg[], unsigned int out,
                  unsigned int in, void *data);
/* Tells the device about added buffers, if it wants to know. */
void virtqueue_kick(struct virtqueue *vq);
/* The next used chain, and how many bytes the device wrote; NULL: none. */
void *virtqueue_get_buf(struct virtqueue *vq, unsigned int *len);
/* Does the device have buffers to give back? */
bool virtqueue_has_buf(const struct virtqueue *vq);
/* Ask for callbacks; false: buffers have been used meanwhile. */
bool virtqueue_enable_cb(struct virtqueue *vq);
void virtqueue_disable_cb(struct virtqueue *vq);

/* For transports. num: a power of two. NULL: no memory. notify notifies the device. */
struct virtqueue *vring_create_virtqueue(struct virtio_device *vdev, unsigned int index,
                                         unsigned int num, void (*notify)(struct virtqueue *vq),
                                         vq_callback_t callback, const char *name);
void vring_del_virtqueue(struct virtqueue *vq);
unsigned long virtqueue_get_desc_addr(const struct virtqueue *vq);
unsigned long virtqueue_get_avail_addr(const struct virtqueue *vq);
unsigned long virtqueue_get_used_addr(const struct virtqueue *vq);
unsigned int virtqueue_get_vring_size(const struct virtqueue *vq);
/* Calls the callback if buffers were used. From the transport's interrupt. */
bool vring_interrupt(struct virtqueue *vq);

/* ---- drivers/virtio/virtio_mmio.c ---- */
void virtio_mmio_init(void);

extern const struct virtio_driver virtio_blk_driver;     /* drivers/block/virtio_blk.c */
extern const struct virtio_driver virtio_console_driver; /* drivers/char/virtio_console.c */

#endif
