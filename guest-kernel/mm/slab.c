/*
 * slab.c - caches of objects of one size, and kmalloc() with a cache for each power of two.
 *
 * Each slab is one page, described by its struct page. Its free objects form a list, linked
 * through their first word or, with slub_debug, through a word after the red zone, so that the
 * whole object can be poisoned.
 */
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#define CREATE_TRACE_POINTS
#include <trace/events/kmem.h>
#undef CREATE_TRACE_POINTS

struct kmem_cache {
    const char *name;
    unsigned int object_size; /* what the caller gets; the red zone follows it */
    unsigned int size;        /* distance of two objects */
    unsigned int offset;      /* of the link in a free object */
    spinlock_t lock;
    struct list_head partial; /* slabs with a free object; the lock also guards their contents */
    unsigned int nr_slabs;    /* under lock */
};

enum { KMALLOC_SHIFT_LOW = 4, KMALLOC_SHIFT_HIGH = 11 };

/* The bytes of a free object and its last byte; the red zones of free and of used objects. */
enum { POISON_FREE = 0x6b, POISON_END = 0xa5 };
enum { RED_ZONE_SIZE = sizeof(u64) };
#define RED_INACTIVE 0xbbbbbbbbbbbbbbbbull
#define RED_ACTIVE   0xccccccccccccccccull

static struct kmem_cache kmalloc_caches[KMALLOC_SHIFT_HIGH + 1];
/* Set from the command line before the first cache exists. */
static DEFINE_STATIC_KEY_FALSE(slub_debug_enabled);

static int set_slub_debug(char *value)
{
    (void)value;
    static_branch_enable(&slub_debug_enabled);
    return 0;
}
__setup("slub_debug", set_slub_debug);

/* ---- checking ---- */

static u64 *red_zone(const struct kmem_cache *s, void *obj)
{
    return (u64 *)((char *)obj + ALIGN(s->object_size, (unsigned int)sizeof(u64)));
}

static void slab_bug(const struct kmem_cache *s, const void *obj, const char *what)
{
    panic("BUG %s: %s, object at 0x%lx", s->name, what, (unsigned long)obj);
}

static void check_red_zone(const struct kmem_cache *s, void *obj, u64 expected)
{
    u64 found = *red_zone(s, obj);

    if (found == expected)
        return;
    slab_bug(s, obj, found == RED_INACTIVE ? "Object already free" : "Right Redzone overwritten");
}

static void poison(const struct kmem_cache *s, void *obj)
{
    memset(obj, POISON_FREE, s->object_size - 1);
    ((u8 *)obj)[s->object_size - 1] = POISON_END;
    *red_zone(s, obj) = RED_INACTIVE;
}

static void check_poison(const struct kmem_cache *s, void *obj)
{
    const u8 *bytes = obj;
    unsigned int i;

    check_red_zone(s, obj, RED_INACTIVE);
    for (i = 0; i < s->object_size; i++)
        if (bytes[i] != (i == s->object_size - 1 ? POISON_END : POISON_FREE))
            slab_bug(s, obj, "Poison overwritten");
}

/* ---- slabs ---- */

static void **link_of(const struct kmem_cache *s, void *obj)
{
    return (void **)((char *)obj + s->offset);
}

static void init_cache(struct kmem_cache *s, const char *name, unsigned int size,
                       unsigned int align)
{
    s->name = name;
    s->object_size = size;
    s->size = ALIGN(size, (unsigned int)sizeof(void *));
    s->offset = 0;
    if (static_branch_unlikely(&slub_debug_enabled)) {
        s->offset = s->size + RED_ZONE_SIZE;
        s->size = s->offset + sizeof(void *);
    }
    s->size = ALIGN(s->size, max(align, (unsigned int)sizeof(void *)));
    spin_lock_init(&s->lock);
    INIT_LIST_HEAD(&s->partial);
    s->nr_slabs = 0;
}

void kmem_cache_init(void)
{
    static char names[KMALLOC_SHIFT_HIGH + 1][16];
    unsigned int shift;

    for (shift = KMALLOC_SHIFT_LOW; shift <= KMALLOC_SHIFT_HIGH; shift++) {
        snprintf(names[shift], sizeof(names[shift]), "kmalloc-%u", 1u << shift);
        init_cache(&kmalloc_caches[shift], names[shift], 1u << shift, 0);
    }
}

/* Rare, so not inlined: its registers would be saved at each allocation. */
static noinline struct page *new_slab(struct kmem_cache *s)
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
    for (obj = base + (PAGE_SIZE / s->size - 1) * s->size; obj >= base; obj -= s->size) {
        if (static_branch_unlikely(&slub_debug_enabled))
            poison(s, obj);
        *link_of(s, obj) = slab->freelist;
        slab->freelist = obj;
    }
    s->nr_slabs++;
    return slab;
}

static noinline void discard_slab(struct page *slab)
{
    slab->slab->nr_slabs--;
    slab->flags &= ~PG_SLAB;
    __free_pages(slab, 0);
}

static void *take_object(struct kmem_cache *s, struct page *slab)
{
    void *obj = slab->freelist;

    slab->freelist = *link_of(s, obj);
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
        obj = take_object(s, list_first_entry(&s->partial, struct page, lru));
    if (static_branch_unlikely(&slub_debug_enabled) && obj) {
        check_poison(s, obj);
        *red_zone(s, obj) = RED_ACTIVE;
    }
    spin_unlock_irqrestore(&s->lock, flags);
    return obj;
}

/*
 * While nobody traces them, allocations are a tail call, and frees another: what events need is in
 * functions of its own.
 */
static noinline void *slab_alloc_traced(struct kmem_cache *s, gfp_t flags, unsigned long caller)
{
    void *obj = slab_alloc(s);

    trace_kmem_cache_alloc(caller, obj, s->object_size, s->size, flags);
    return obj;
}

void *kmem_cache_alloc(struct kmem_cache *s)
{
    if (trace_kmem_cache_alloc_enabled())
        return slab_alloc_traced(s, 0, _RET_IP_);
    return slab_alloc(s);
}
EXPORT_SYMBOL(kmem_cache_alloc);

void *kmem_cache_zalloc(struct kmem_cache *s)
{
    void *obj = trace_kmem_cache_alloc_enabled() ? slab_alloc_traced(s, __GFP_ZERO, _RET_IP_)
                                                 : slab_alloc(s);

    if (obj)
        memset(obj, 0, s->object_size);
    return obj;
}
EXPORT_SYMBOL(kmem_cache_zalloc);

/* Frees an empty slab unless it is the last on the list: the next allocation may need it. */
static void slab_free(struct kmem_cache *s, void *obj)
{
    struct page *slab = virt_to_page(obj);
    unsigned long flags;

    spin_lock_irqsave(&s->lock, flags);
    BUG_ON(slab->slab != s || !slab->inuse);
    if (static_branch_unlikely(&slub_debug_enabled)) {
        check_red_zone(s, obj, RED_ACTIVE);
        poison(s, obj);
    }
    if (!slab->freelist)
        list_add(&slab->lru, &s->partial);
    *link_of(s, obj) = slab->freelist;
    slab->freelist = obj;
    if (!--slab->inuse && slab->lru.next != slab->lru.prev) {
        list_del_init(&slab->lru);
        discard_slab(slab);
    }
    spin_unlock_irqrestore(&s->lock, flags);
}

static noinline void slab_free_traced(struct kmem_cache *s, void *obj, unsigned long caller)
{
    trace_kmem_cache_free(caller, obj, s->name);
    slab_free(s, obj);
}

void kmem_cache_free(struct kmem_cache *s, void *obj)
{
    if (trace_kmem_cache_free_enabled())
        slab_free_traced(s, obj, _RET_IP_);
    else
        slab_free(s, obj);
}
EXPORT_SYMBOL(kmem_cache_free);

struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align)
{
    struct kmem_cache *s = kmalloc(sizeof(*s));

    if (!s)
        return NULL;
    init_cache(s, name, size, align);
    BUG_ON(!size || s->size > PAGE_SIZE || (align & (align - 1)));
    return s;
}
EXPORT_SYMBOL(kmem_cache_create);

void kmem_cache_destroy(struct kmem_cache *s)
{
    struct page *slab, *next;

    list_for_each_entry_safe(slab, next, &s->partial, lru) {
        BUG_ON(slab->inuse);
        list_del_init(&slab->lru);
        discard_slab(slab);
    }
    BUG_ON(s->nr_slabs);
    kfree(s);
}
EXPORT_SYMBOL(kmem_cache_destroy);

/* ---- kmalloc ---- */

static unsigned int log2_ceil(size_t n)
{
    return n <= 1 ? 0 : fls_long(n - 1);
}

static unsigned int page_order(size_t size)
{
    return log2_ceil(ALIGN(size, (size_t)PAGE_SIZE) >> PAGE_SHIFT);
}

static void *kmalloc_pages(size_t size)
{
    return page_order(size) < MAX_ORDER ? __get_free_pages(page_order(size)) : NULL;
}

/* More than KMALLOC_SHIFT_HIGH: pages. */
static __always_inline unsigned int kmalloc_shift(size_t size)
{
    unsigned int shift = KMALLOC_SHIFT_LOW;

    while (shift <= KMALLOC_SHIFT_HIGH && size > 1ul << shift)
        shift++;
    return shift;
}

static __always_inline void *do_kmalloc(size_t size, unsigned int shift)
{
    return shift > KMALLOC_SHIFT_HIGH ? kmalloc_pages(size) : slab_alloc(&kmalloc_caches[shift]);
}

static noinline void *kmalloc_slow(size_t size, gfp_t flags, unsigned long caller)
{
    unsigned int shift = kmalloc_shift(size);
    void *obj = do_kmalloc(size, shift);

    if (obj && flags & __GFP_ZERO)
        memset(obj, 0, size);
    if (trace_kmalloc_enabled())
        trace_kmalloc(caller, obj, size,
                      shift > KMALLOC_SHIFT_HIGH ? (size_t)PAGE_SIZE << page_order(size)
                                                 : kmalloc_caches[shift].size,
                      flags);
    return obj;
}

void *__kmalloc(size_t size, gfp_t flags)
{
    if (trace_kmalloc_enabled() || flags)
        return kmalloc_slow(size, flags, _RET_IP_);
    return do_kmalloc(size, kmalloc_shift(size));
}
EXPORT_SYMBOL(__kmalloc);

static __always_inline void do_kfree(const void *obj)
{
    struct page *page;

    if (!obj)
        return;
    page = virt_to_page(obj);
    if (page->flags & PG_SLAB)
        slab_free(page->slab, (void *)obj);
    else
        __free_pages(page, page->order);
}

static noinline void kfree_traced(const void *obj, unsigned long caller)
{
    trace_kfree(caller, obj);
    do_kfree(obj);
}

void kfree(const void *obj)
{
    if (trace_kfree_enabled())
        kfree_traced(obj, _RET_IP_);
    else
        do_kfree(obj);
}
EXPORT_SYMBOL(kfree);

EXPORT_TRACEPOINT_SYMBOL(kmalloc);
EXPORT_TRACEPOINT_SYMBOL(kmem_cache_alloc);
EXPORT_TRACEPOINT_SYMBOL(kfree);
EXPORT_TRACEPOINT_SYMBOL(kmem_cache_free);
