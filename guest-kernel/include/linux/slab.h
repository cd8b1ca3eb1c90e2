/*
 * slab.h - memory in pieces smaller than a page (and larger ones, through kmalloc's door).
 *
 * With `slub_debug` on the boot line each object has a red zone behind it and
 * is filled with poison while it is free: who writes where he must not ends
 * the machine, at the latest when the object is next given or taken.
 */
#ifndef LINUX_SLAB_H
#define LINUX_SLAB_H

#include <linux/types.h>

struct kmem_cache;

void kmem_cache_init(void);
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(const void *obj);

/* Objects of one size, at most a page; align 0 is that of a pointer. NULL: no memory. */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align);
/* All its objects have been given back. */
void kmem_cache_destroy(struct kmem_cache *s);
void *kmem_cache_alloc(struct kmem_cache *s);
void *kmem_cache_zalloc(struct kmem_cache *s);
void kmem_cache_free(struct kmem_cache *s, void *obj);

#endif
