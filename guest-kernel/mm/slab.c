/*
 * slab.c - kmalloc: one cache for each power of two, each slab one page.
 *
 * A slab's bookkeeping stands in its struct page; its free objects are chained
 * through their first word.  Sizes above a cache's limit get whole pages.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

struct kmem_cache {
    unsigned int size;
    spinlock_t lock;
    struct list_head partial; /* slabs with a free object; under lock, as is all of a slab */
};

enum { KMALLOC_SHIFT_LOW = 4, KMALLOC_SHIFT_HIGH = 11 };

static struct kmem_cache kmalloc_caches[KMALLOC_SHIFT_HIGH + 1];

void kmem_cache_init(void)
{
    unsigned int shift;

    for (shift = KMALLOC_SHIFT_LOW; shift <= KMALLOC_SHIFT_HIGH; shift++) {
        kmalloc_caches[shift].size = 1u << shift;
        INIT_LIST_HEAD(&kmalloc_caches[shift].partial);
    }
}

static unsigned int log2_ceil(size_t n)
{
    return n <= 1 ? 0 : fls_long(n - 1);
}

static unsigned int page_order(size_t size)
{
    return log2_ceil(ALIGN(size, (size_t)PAGE_SIZE) >> PAGE_SHIFT);
}

static struct page *new_slab(struct kmem_cache *s)
{
    struct page *slab = alloc_pages(0);
    char *base, *obj;

    if (!slab)
        return NULL;
    slab->flags |= PG_SLAB;
    slab->slab = s;
    slab->inuse = 0;
    slab->freelist = NULL;
    base = page_address(slab);
    for (obj = base + PAGE_SIZE - s->size; obj >= base; obj -= s->size) {
        *(void **)obj = slab->freelist;
        slab->freelist = obj;
    }
    return slab;
}

static void discard_slab(struct page *slab)
{
    slab->flags &= ~PG_SLAB;
    __free_pages(slab, 0);
}

static void *take_object(struct page *slab)
{
    void *obj = slab->freelist;

    slab->freelist = *(void **)obj;
    slab->inuse++;
    if (!slab->freelist)
        list_del_init(&slab->lru);
    return obj;
}

static void *slab_alloc(struct kmem_cache *s)
{
    void *obj = NULL;
    unsigned long flags;

    spin_lock_irqsave(&s->lock, flags);
    if (list_empty(&s->partial)) {
        struct page *slab = new_slab(s);

        if (slab)
            list_add(&slab->lru, &s->partial);
    }
    if (!list_empty(&s->partial))
        obj = take_object(list_first_entry(&s->partial, struct page, lru));
    spin_unlock_irqrestore(&s->lock, flags);
    return obj;
}

/* An empty slab goes back unless it is the cache's only one: the next kmalloc may want it. */
static void slab_free(struct page *slab, void *obj)
{
    struct kmem_cache *s = slab->slab;
    unsigned long flags;

    spin_lock_irqsave(&s->lock, flags);
    BUG_ON(!slab->inuse);
    if (!slab->freelist)
        list_add(&slab->lru, &s->partial);
    *(void **)obj = slab->freelist;
    slab->freelist = obj;
    if (!--slab->inuse && slab->lru.next != slab->lru.prev) {
        list_del_init(&slab->lru);
        discard_slab(slab);
    }
    spin_unlock_irqrestore(&s->lock, flags);
}

void *kmalloc(size_t size)
{
    unsigned int shift = max(log2_ceil(size), (unsigned int)KMALLOC_SHIFT_LOW);

    if (shift > KMALLOC_SHIFT_HIGH)
        return page_order(size) < MAX_ORDER ? __get_free_pages(page_order(size)) : NULL;
    return slab_alloc(&kmalloc_caches[shift]);
}
EXPORT_SYMBOL(kmalloc);

void *kzalloc(size_t size)
{
    void *obj = kmalloc(size);

    if (obj)
        memset(obj, 0, size);
    return obj;
}
EXPORT_SYMBOL(kzalloc);

void kfree(const void *obj)
{
    struct page *page;

    if (!obj)
        return;
    page = virt_to_page(obj);
    if (page->flags & PG_SLAB)
        slab_free(page, (void *)obj);
    else
        __free_pages(page, page->order);
}
EXPORT_SYMBOL(kfree);
