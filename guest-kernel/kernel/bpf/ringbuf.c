/*
 * ringbuf.c - maps of type ringbuf: records of any size from programs to one reader.
 *
 * A reader maps two pages, with the positions of the reader and of the writers, and then the data
 * twice in a row, so that a record is always contiguous. Each record has a header of eight bytes:
 * its length, with two flags, and how many pages it is after the first one.
 */
#include "bpf_internal.h"
#include <asm/page.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

/* Pages of the kernel's mapping before the data: one that leads to the map, and the positions. */
enum { META_PAGE, CONSUMER_PAGE, PRODUCER_PAGE, DATA_PAGE };

struct bpf_ringbuf {
    struct bpf_map map;
    u64 mask;          /* size of the data - 1 */
    spinlock_t lock;   /* guards the writers' positions */
    u64 pending_pos;   /* all records before it are finished */
    u64 *consumer_pos; /* in a page of its own */
    u64 *producer_pos; /* in a page of its own */
    char *data;        /* mapped twice */
    void **pages;      /* those of the mapping, nr_pages */
    u64 nr_pages;
    char *area; /* the mapping */
    struct wait_queue_head waitq;
    struct irq_work work; /* wakes the reader */
};

struct ringbuf_hdr {
    u32 len;
    u32 pg_off; /* number of its page in the kernel's mapping */
};

static struct bpf_ringbuf *ringbuf_of(struct bpf_map *map)
{
    return container_of(map, struct bpf_ringbuf, map);
}

static void ringbuf_wake(struct irq_work *work)
{
    wake_up_all(&container_of(work, struct bpf_ringbuf, work)->waitq);
}

static void ringbuf_free(struct bpf_map *map)
{
    struct bpf_ringbuf *rb = ringbuf_of(map);
    u64 i, n = DATA_PAGE + (rb->mask + 1) / PAGE_SIZE;

    while (READ_ONCE(rb->work.pending)) /* its interrupt comes at once */
        cpu_relax();
    vfree(rb->area);
    for (i = 0; rb->pages && i < n; i++)
        if (rb->pages[i])
            put_page(virt_to_page(rb->pages[i]));
    bpf_map_area_free(rb->pages);
    bpf_map_area_free(rb);
}

static bool alloc_ring(struct bpf_ringbuf *rb)
{
    u64 n = (rb->mask + 1) / PAGE_SIZE, i;

    rb->nr_pages = DATA_PAGE + 2 * n;
    rb->pages = bpf_map_area_alloc(rb->nr_pages * sizeof(*rb->pages));
    if (!rb->pages)
        return false;
    for (i = 0; i < DATA_PAGE + n; i++) {
        rb->pages[i] = bpf_map_page_alloc();
        if (!rb->pages[i])
            return false;
        if (i >= DATA_PAGE)
            rb->pages[n + i] = rb->pages[i];
    }
    rb->area = vmap(rb->pages, rb->nr_pages);
    if (!rb->area)
        return false;
    *(struct bpf_ringbuf **)rb->area = rb;
    rb->consumer_pos = (u64 *)(rb->area + CONSUMER_PAGE * PAGE_SIZE);
    rb->producer_pos = (u64 *)(rb->area + PRODUCER_PAGE * PAGE_SIZE);
    rb->data = rb->area + DATA_PAGE * PAGE_SIZE;
    return true;
}

static struct bpf_map *ringbuf_alloc(const union bpf_attr *attr)
{
    struct bpf_ringbuf *rb;

    if (attr->map_flags & ~BPF_F_NUMA_NODE || attr->key_size || attr->value_size ||
        !attr->max_entries || attr->max_entries & (attr->max_entries - 1) ||
        attr->max_entries % PAGE_SIZE)
        return ERR_PTR(-EINVAL);
    rb = bpf_map_area_alloc(sizeof(*rb));
    if (!rb)
        return ERR_PTR(-ENOMEM);
    bpf_map_init(&rb->map, attr, &ringbuf_map_ops);
    rb->mask = attr->max_entries - 1;
    init_waitqueue_head(&rb->waitq);
    init_irq_work(&rb->work, ringbuf_wake);
    if (!alloc_ring(rb)) {
        ringbuf_free(&rb->map);
        return ERR_PTR(-ENOMEM);
    }
    return &rb->map;
}

static void *no_lookup(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return ERR_PTR(-ENOTSUPP);
}

static int no_update(struct bpf_map *map, const void *key, const void *value, u64 flags)
{
    (void)map;
    (void)key;
    (void)value;
    (void)flags;
    return -ENOTSUPP;
}

static int no_remove(struct bpf_map *map, const void *key)
{
    (void)map;
    (void)key;
    return -ENOTSUPP;
}

static int no_next_key(struct bpf_map *map, const void *key, void *next)
{
    (void)map;
    (void)key;
    (void)next;
    return -ENOTSUPP;
}

static u64 available(const struct bpf_ringbuf *rb)
{
    u64 cons = smp_load_acquire(rb->consumer_pos), prod = smp_load_acquire(rb->producer_pos);

    return prod - cons;
}

static unsigned int ringbuf_poll(struct bpf_map *map, struct file *file, void *table)
{
    struct bpf_ringbuf *rb = ringbuf_of(map);

    poll_wait(file, &rb->waitq, table);
    return available(rb) ? POLLIN | POLLRDNORM : 0;
}

/* A page of a reader's mapping, which begins at its position, the only page that it may write. */
static struct page *ringbuf_mmap_page(struct bpf_map *map, unsigned long index, bool write)
{
    struct bpf_ringbuf *rb = ringbuf_of(map);

    if (index + CONSUMER_PAGE >= rb->nr_pages)
        return ERR_PTR(-EINVAL);
    if (write && index)
        return ERR_PTR(-EPERM);
    return virt_to_page(rb->pages[index + CONSUMER_PAGE]);
}

static u64 total_len(u64 len)
{
    return (len + BPF_RINGBUF_HDR_SZ + 7) & ~7ull;
}

/*
 * The oldest record that is not finished, or the writers' position. The reader's position is in
 * memory that the reader writes, so it does not say where a record may be. The lock is held.
 */
static u64 find_pending(struct bpf_ringbuf *rb)
{
    const struct ringbuf_hdr *hdr;
    u32 len;

    while (rb->pending_pos < *rb->producer_pos) {
        hdr = (const struct ringbuf_hdr *)(rb->data + (rb->pending_pos & rb->mask));
        len = READ_ONCE(hdr->len);
        if (len & BPF_RINGBUF_BUSY_BIT)
            break;
        rb->pending_pos += total_len(len & ~BPF_RINGBUF_DISCARD_BIT);
    }
    return rb->pending_pos;
}

/* NULL: no room. */
static void *reserve(struct bpf_ringbuf *rb, u64 size)
{
    struct ringbuf_hdr *hdr = NULL;
    u64 cons, prod, end;
    unsigned long flags;

    if (size > ~0u / 4 || total_len(size) > rb->mask + 1)
        return NULL;
    cons = smp_load_acquire(rb->consumer_pos);
    flags = bpf_lock(&rb->lock);
    prod = *rb->producer_pos;
    end = prod + total_len(size);
    if (end - cons <= rb->mask && end - find_pending(rb) <= rb->mask) {
        hdr = (struct ringbuf_hdr *)(rb->data + (prod & rb->mask));
        hdr->len = size | BPF_RINGBUF_BUSY_BIT;
        hdr->pg_off = ((char *)hdr - rb->area) >> PAGE_SHIFT;
        smp_store_release(rb->producer_pos, end);
    }
    bpf_unlock(&rb->lock, flags);
    return hdr ? hdr + 1 : NULL;
}

/* Wakes the reader if it has read all before this record, unless the flags say otherwise. */
static void commit(void *sample, u64 flags, bool discard)
{
    struct ringbuf_hdr *hdr = (struct ringbuf_hdr *)sample - 1;
    unsigned long page = (unsigned long)hdr & PAGE_MASK;
    struct bpf_ringbuf *rb =
        *(struct bpf_ringbuf **)(page - ((unsigned long)hdr->pg_off << PAGE_SHIFT));
    u32 len = hdr->len & ~BPF_RINGBUF_BUSY_BIT;
    u64 at = (char *)hdr - rb->data, cons;

    __atomic_exchange_n(&hdr->len, len | (discard ? BPF_RINGBUF_DISCARD_BIT : 0), __ATOMIC_SEQ_CST);
    cons = smp_load_acquire(rb->consumer_pos) & rb->mask;
    if (flags & BPF_RB_FORCE_WAKEUP || (cons == at && !(flags & BPF_RB_NO_WAKEUP)))
        irq_work_queue(&rb->work);
}

u64 bpf_ringbuf_reserve(u64 map, u64 size, u64 flags, u64 r4, u64 r5)
{
    (void)r4;
    (void)r5;
    if (flags)
        return 0;
    return (unsigned long)reserve(ringbuf_of((struct bpf_map *)(unsigned long)map), size);
}

u64 bpf_ringbuf_submit(u64 sample, u64 flags, u64 r3, u64 r4, u64 r5)
{
    (void)r3;
    (void)r4;
    (void)r5;
    commit((void *)(unsigned long)sample, flags, false);
    return 0;
}

u64 bpf_ringbuf_discard(u64 sample, u64 flags, u64 r3, u64 r4, u64 r5)
{
    (void)r3;
    (void)r4;
    (void)r5;
    commit((void *)(unsigned long)sample, flags, true);
    return 0;
}

u64 bpf_ringbuf_output(u64 map, u64 data, u64 size, u64 flags, u64 r5)
{
    void *sample;

    (void)r5;
    if (flags & ~(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP))
        return -EINVAL;
    sample = reserve(ringbuf_of((struct bpf_map *)(unsigned long)map), size);
    if (!sample)
        return -EAGAIN;
    memcpy(sample, (const void *)(unsigned long)data, size);
    commit(sample, flags, false);
    return 0;
}

u64 bpf_ringbuf_query(u64 map, u64 flags, u64 r3, u64 r4, u64 r5)
{
    struct bpf_ringbuf *rb = ringbuf_of((struct bpf_map *)(unsigned long)map);

    (void)r3;
    (void)r4;
    (void)r5;
    switch (flags) {
    case BPF_RB_AVAIL_DATA: return available(rb);
    case BPF_RB_RING_SIZE: return rb->mask + 1;
    case BPF_RB_CONS_POS: return smp_load_acquire(rb->consumer_pos);
    case BPF_RB_PROD_POS: return smp_load_acquire(rb->producer_pos);
    default: return 0;
    }
}

const struct bpf_map_ops ringbuf_map_ops = {
    .alloc = ringbuf_alloc,
    .free = ringbuf_free,
    .lookup = no_lookup,
    .update = no_update,
    .remove = no_remove,
    .get_next_key = no_next_key,
    .mmap_page = ringbuf_mmap_page,
    .poll = ringbuf_poll,
};
