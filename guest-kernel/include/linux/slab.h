/* slab.h - memory in pieces smaller than a page (and larger ones, through the same door). */
#ifndef LINUX_SLAB_H
#define LINUX_SLAB_H

#include <linux/types.h>

void kmem_cache_init(void);
void *kmalloc(size_t size);
void *kzalloc(size_t size);
void kfree(const void *obj);

#endif
