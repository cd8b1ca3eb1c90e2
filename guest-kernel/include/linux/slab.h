/*
 * slab.h - kmalloc() and caches of objects.
 *
 * With `slub_debug` on the command line each object is followed by a red zone and is filled
 * with poison while it is free: writes out of bounds or after free cause a panic when the
 * object is next freed or allocated.
 */
#ifndef LINUX_SLAB_H
#define LINUX_SLAB_H

#include <linux/compiler.h>
#include <linux/types.h>

struct kmem_cache;

void kmem_cache_init(void);

typedef unsigned int gfp_t;
enum { __GFP_ZERO = 0x100 };

void *__kmalloc(size_t size, gfp_t flags);

static __always_inline void *kmalloc(size_t size)
{
    return __kmalloc(size, 0);
}

static __always_inline void *kzalloc(size_t size)
{
    return __kmalloc(size, __GFP_ZERO);
}
void kfree(const void *obj);

/* size: at most a page; align 0: that of a pointer. NULL: no memory. */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align);
/* All objects must have been freed. */
void kmem_cache_destroy(struct kmem_cache *s);
void *kmem_cache_alloc(struct kmem_cache *s);
void *kmem_cache_zalloc(struct kmem_cache *s);
void kmem_cache_free(struct kmem_cache *s, void *obj);

#endif
