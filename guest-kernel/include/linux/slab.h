/*
 * slab.h - kmalloc() and caches of objects.
 *
 * With `slub_debug` on the command line each object is followed by a red zone and is filled
 * with poison while it is free: writes out of bounds or after free cause a panic when the
 * object is next freed or allocated.
 */
#ifndef LINUX_SLAB_H
#define LINUX_SLAB_H

#include <linux/types.h>

struct kmem_cache;

void kmem_cache_init(void);
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(const void *obj);

/* size: at most a page; align 0: that of a pointer. NULL: no memory. */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align);
/* All objects must have been freed. */
void kmem_cache_destroy(struct kmem_cache *s);
void *kmem_cache_alloc(struct kmem_cache *s);
void *kmem_cache_zalloc(struct kmem_cache *s);
void kmem_cache_free(struct kmem_cache *s, void *obj);

#endif
