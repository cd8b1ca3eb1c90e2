/* mm_test.c - allocations do not overlap, and all memory is freed again. */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

enum { BLOCKS = 200, OBJECTS = 300 };

/* A pseudo-random sequence, the same in every run. */
static unsigned int next_number(unsigned int *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 16;
}

static u8 mark_of(unsigned int i)
{
    return i * 7 + 1;
}

static bool all_bytes_are(const u8 *p, size_t n, u8 value)
{
    for (; n; n--)
        if (*p++ != value)
            return false;
    return true;
}

/* Fills each block with its own value: blocks that overlap would overwrite each other's. */
static void pages_do_not_overlap_and_come_back(struct kunit *test)
{
    static u8 *blocks[BLOCKS];
    static unsigned int orders[BLOCKS];
    unsigned long before = nr_free_pages();
    unsigned int i, seed = 1;

    for (i = 0; i < BLOCKS; i++) {
        orders[i] = next_number(&seed) % 5;
        blocks[i] = __get_free_pages(orders[i]);
        if (!KUNIT_EXPECT_TRUE(test, blocks[i]))
            return;
        KUNIT_EXPECT_EQ(test, __pa(blocks[i]) % ((unsigned long)PAGE_SIZE << orders[i]), 0);
        memset(blocks[i], mark_of(i), (size_t)PAGE_SIZE << orders[i]);
    }
    KUNIT_EXPECT_LT(test, nr_free_pages(), before);
    for (i = 0; i < BLOCKS; i++)
        KUNIT_EXPECT_TRUE(test,
                          all_bytes_are(blocks[i], (size_t)PAGE_SIZE << orders[i], mark_of(i)));
    for (i = 0; i < BLOCKS; i++)
        free_pages(blocks[i * 7 % BLOCKS], orders[i * 7 % BLOCKS]);
    KUNIT_EXPECT_EQ(test, nr_free_pages(), before);
}

static void freed_buddies_become_large_blocks_again(struct kunit *test)
{
    void *large = __get_free_pages(MAX_ORDER - 1), *small;

    if (!KUNIT_EXPECT_TRUE(test, large))
        return;
    free_pages(large, MAX_ORDER - 1);
    small = __get_free_pages(0);
    free_pages(small, 0);
    large = __get_free_pages(MAX_ORDER - 1);
    if (KUNIT_EXPECT_TRUE(test, large))
        free_pages(large, MAX_ORDER - 1);
}

static void objects_of_a_cache_are_apart_and_aligned(struct kunit *test)
{
    static u8 *objects[OBJECTS];
    unsigned long before = nr_free_pages();
    struct kmem_cache *cache = kmem_cache_create("mm_test", 40, 64);
    unsigned int i;

    if (!KUNIT_EXPECT_TRUE(test, cache))
        return;
    for (i = 0; i < OBJECTS; i++) {
        objects[i] = kmem_cache_alloc(cache);
        if (!KUNIT_EXPECT_TRUE(test, objects[i]))
            return;
        KUNIT_EXPECT_EQ(test, (unsigned long)objects[i] % 64, 0);
        memset(objects[i], mark_of(i), 40);
    }
    for (i = 0; i < OBJECTS; i++)
        KUNIT_EXPECT_TRUE(test, all_bytes_are(objects[i], 40, mark_of(i)));
    for (i = 0; i < OBJECTS; i++)
        kmem_cache_free(cache, objects[i * 7 % OBJECTS]);
    kmem_cache_destroy(cache);
    KUNIT_EXPECT_LE(test, before - nr_free_pages(),
                    1); /* the cache's own struct may have taken a page */
}

static void kmalloc_serves_every_size(struct kunit *test)
{
    size_t size;

    for (size = 1; size <= 8 * PAGE_SIZE; size += size / 3 + 1) {
        u8 *p = kmalloc(size), *q = kzalloc(size);

        if (!KUNIT_EXPECT_TRUE(test, p && q))
            return;
        memset(p, 0xff, size);
        KUNIT_EXPECT_TRUE(test, all_bytes_are(q, size, 0));
        kfree(p);
        kfree(q);
    }
    KUNIT_EXPECT_FALSE(test, kmalloc((size_t)PAGE_SIZE << MAX_ORDER));
}

static const struct kunit_case mm_cases[] = {
    KUNIT_CASE(pages_do_not_overlap_and_come_back),
    KUNIT_CASE(freed_buddies_become_large_blocks_again),
    KUNIT_CASE(objects_of_a_cache_are_apart_and_aligned),
    KUNIT_CASE(kmalloc_serves_every_size),
    {},
};

static const struct kunit_suite mm_suite = {"mm", mm_cases};
kunit_test_suite(mm_suite);
