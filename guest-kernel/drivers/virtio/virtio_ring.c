/*
 * virtio_ring.c - split virtqueues: a table of descriptors, a ring of chains for the device and
 * a ring of used ones.
 *
 * All three are in one block of pages, in the layout that the legacy interface prescribes.
 */
#include <asm/barrier.h>
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/virtio.h>

enum { VRING_DESC_F_NEXT = 1, VRING_DESC_F_WRITE = 2 };
enum { VRING_AVAIL_F_NO_INTERRUPT = 1, VRING_USED_F_NO_NOTIFY = 1 };

struct vring_desc {
    u64 addr;
    u32 len;
    u16 flags, next;
};

struct vring_avail {
    u16 flags, idx;
    u16 ring[];
};

struct vring_used_elem {
    u32 id, len;
};

struct vring_used {
    u16 flags, idx;
    struct vring_used_elem ring[];
};

struct vring_virtqueue {
    struct virtqueue vq;
    unsigned int num;
    struct vring_desc *desc;
    struct vring_avail *avail;
    struct vring_used *used;
    unsigned int order; /* of the block of pages */
    u16 free_head;      /* free descriptors, linked by next */
    u16 last_used_idx;  /* entries of the used ring that were taken */
    u16 kicked_idx;     /* of the available ring when the device was last told */
    void (*notify)(struct virtqueue *vq);
    void *data[]; /* by the first descriptor of the chain */
};

static struct vring_virtqueue *to_vvq(const struct virtqueue *vq)
{
    return container_of(vq, struct vring_virtqueue, vq);
}

void sg_set_buf(struct scatterlist *sg, const void *buf, unsigned int len)
{
    *sg = (struct scatterlist){__pa(buf), len};
}

int virtqueue_add(struct virtqueue *vq, const struct scatterlist sg[], unsigned int out,
                  unsigned int in, void *data)
{
    struct vring_virtqueue *v = to_vvq(vq);
    unsigned int n = out + in, i;
    u16 head = v->free_head, at = head, last = head;

    if (vq->num_free < n)
        return -ENOSPC;
    for (i = 0; i < n; i++) {
        struct vring_desc *d = &v->desc[at];

        d->addr = sg[i].dma_address;
        d->len = sg[i].length;
        d->flags = (i < out ? 0 : VRING_DESC_F_WRITE) | (i + 1 < n ? VRING_DESC_F_NEXT : 0);
        last = at;
        at = d->next;
    }
    v->free_head = v->desc[last].next;
    vq->num_free -= n;
    v->data[head] = data;
    v->avail->ring[v->avail->idx % v->num] = head;
    smp_wmb(); /* the entry before the index */
    WRITE_ONCE(v->avail->idx, (u16)(v->avail->idx + 1));
    return 0;
}

void virtqueue_kick(struct virtqueue *vq)
{
    struct vring_virtqueue *v = to_vvq(vq);

    mb(); /* the index before the look at the device's flag */
    if (v->kicked_idx == v->avail->idx)
        return;
    v->kicked_idx = v->avail->idx;
    if (!(READ_ONCE(v->used->flags) & VRING_USED_F_NO_NOTIFY))
        v->notify(vq);
}

bool virtqueue_has_buf(const struct virtqueue *vq)
{
    const struct vring_virtqueue *v = to_vvq(vq);

    return READ_ONCE(v->used->idx) != v->last_used_idx;
}

static void free_chain(struct vring_virtqueue *v, u16 head)
{
    u16 last = head;
    unsigned int n = 1;

    for (; v->desc[last].flags & VRING_DESC_F_NEXT; n++)
        last = v->desc[last].next;
    v->desc[last].next = v->free_head;
    v->free_head = head;
    v->vq.num_free += n;
}

void *virtqueue_get_buf(struct virtqueue *vq, unsigned int *len)
{
    struct vring_virtqueue *v = to_vvq(vq);
    const struct vring_used_elem *e;
    void *data;

    if (!virtqueue_has_buf(vq))
        return NULL;
    smp_rmb(); /* the index before the entry, and what the device wrote */
    e = &v->used->ring[v->last_used_idx++ % v->num];
    if (e->id >= v->num || !v->data[e->id])
        panic("virtio: %s: the device returned descriptor %u, which it does not have", vq->name,
              e->id);
    data = v->data[e->id];
    v->data[e->id] = NULL;
    *len = e->len;
    free_chain(v, e->id);
    return data;
}

void virtqueue_disable_cb(struct virtqueue *vq)
{
    WRITE_ONCE(to_vvq(vq)->avail->flags, (u16)VRING_AVAIL_F_NO_INTERRUPT);
}

bool virtqueue_enable_cb(struct virtqueue *vq)
{
    WRITE_ONCE(to_vvq(vq)->avail->flags, (u16)0);
    smp_mb();
    return !virtqueue_has_buf(vq);
}

bool vring_interrupt(struct virtqueue *vq)
{
    if (!virtqueue_has_buf(vq))
        return false;
    if (vq->callback)
        vq->callback(vq);
    return true;
}

/* ---- set-up ---- */

static size_t driver_part(unsigned int num)
{
    return ALIGN(num * sizeof(struct vring_desc) + (3 + num) * sizeof(u16), (size_t)PAGE_SIZE);
}

static size_t ring_size(unsigned int num)
{
    return driver_part(num) + 3 * sizeof(u16) + num * sizeof(struct vring_used_elem);
}

static bool alloc_rings(struct vring_virtqueue *v)
{
    unsigned int i;
    char *p;

    while (((size_t)PAGE_SIZE << v->order) < ring_size(v->num))
        v->order++;
    p = __get_free_pages(v->order);
    if (!p)
        return false;
    memset(p, 0, PAGE_SIZE << v->order);
    v->desc = (struct vring_desc *)p;
    v->avail = (struct vring_avail *)(p + v->num * sizeof(struct vring_desc));
    v->used = (struct vring_used *)(p + driver_part(v->num));
    for (i = 0; i < v->num; i++)
        v->desc[i].next = i + 1;
    return true;
}

struct virtqueue *vring_create_virtqueue(struct virtio_device *vdev, unsigned int index,
                                         unsigned int num, void (*notify)(struct virtqueue *vq),
                                         vq_callback_t callback, const char *name)
{
    struct vring_virtqueue *v = kzalloc(sizeof(*v) + num * sizeof(v->data[0]));

    if (!v)
        return NULL;
    v->num = num;
    v->notify = notify;
    v->vq = (struct virtqueue){.callback = callback,
                               .name = name,
                               .vdev = vdev,
                               .index = index,
                               .num_max = num,
                               .num_free = num};
    if (!alloc_rings(v)) {
        kfree(v);
        return NULL;
    }
    list_add_tail(&v->vq.list, &vdev->vqs);
    return &v->vq;
}

void vring_del_virtqueue(struct virtqueue *vq)
{
    struct vring_virtqueue *v = to_vvq(vq);

    list_del_init(&vq->list);
    free_pages(v->desc, v->order);
    kfree(v);
}

unsigned long virtqueue_get_desc_addr(const struct virtqueue *vq)
{
    return __pa(to_vvq(vq)->desc);
}

unsigned long virtqueue_get_avail_addr(const struct virtqueue *vq)
{
    return __pa(to_vvq(vq)->avail);
}

unsigned long virtqueue_get_used_addr(const struct virtqueue *vq)
{
    return __pa(to_vvq(vq)->used);
}

unsigned int virtqueue_get_vring_size(const struct virtqueue *vq)
{
    return to_vvq(vq)->num;
}
