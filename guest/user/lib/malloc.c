/*
 * malloc.c - memory in sizes of powers of two, with a free list for each size.
 *
 * Large blocks are separate mappings, which free() unmaps at once.
 */
#include "../libc.h"

enum { SHIFT_LOW = 5, SHIFT_HIGH = 15, CHUNK = 16 * PAGE_SIZE };

/* The header before each block; keeps blocks aligned to 16. */
struct header {
    size_t size;         /* including the header; above 1 << SHIFT_HIGH: a mapping */
    struct header *next; /* link in the free list */
};

static struct header *free_list[SHIFT_HIGH + 1];
static char *fresh, *fresh_end;

static void *map_pages(size_t size)
{
    struct header *h;

    size = (size + PAGE_SIZE - 1) & -(size_t)PAGE_SIZE;
    h = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (is_error(h))
        return NULL;
    h->size = size;
    return h + 1;
}

/* Takes a new block. If the current chunk has not enough room, its rest stays unused. */
static struct header *take_fresh(size_t size)
{
    char *p;

    if ((size_t)(fresh_end - fresh) < size) {
        fresh = sbrk(CHUNK);
        fresh_end = fresh ? fresh + CHUNK : NULL;
    }
    if (!fresh)
        return NULL;
    p = fresh;
    fresh += size;
    return (struct header *)p;
}

/* Returns the exponent of the smallest power of two that holds size bytes. */
static unsigned int shift_for(size_t size)
{
    unsigned int shift = SHIFT_LOW;

    while ((size_t)1 << shift < size)
        shift++;
    return shift;
}

void *malloc(size_t size)
{
    unsigned int shift;
    struct header *h;

    if (size > SIZE_MAX / 2)
        return NULL;
    size += sizeof(struct header);
    if (size > (size_t)1 << SHIFT_HIGH)
        return map_pages(size);
    shift = shift_for(size);
    h = free_list[shift];
    if (h)
        free_list[shift] = h->next;
    else
        h = take_fresh((size_t)1 << shift);
    if (!h)
        return NULL;
    h->size = (size_t)1 << shift;
    return h + 1;
}

void *calloc(size_t n, size_t size)
{
    void *p = size && n > SIZE_MAX / size ? NULL : malloc(n * size);

    return p ? memset(p, 0, n * size) : NULL;
}

void free(void *p)
{
    struct header *h = (struct header *)p - 1;
    unsigned int shift;

    if (!p)
        return;
    if (h->size > (size_t)1 << SHIFT_HIGH) {
        munmap(h, h->size);
        return;
    }
    shift = shift_for(h->size);
    h->next = free_list[shift];
    free_list[shift] = h;
}
