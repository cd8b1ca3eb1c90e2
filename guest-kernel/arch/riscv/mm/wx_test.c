/*
 * wx_test.c - checks all entries of the kernel's page tables: no page is writable and
 * executable.
 */
#include <asm/pgtable.h>
#include <asm/set_memory.h>
#include <kunit/test.h>
#include <linux/vmalloc.h>

/* Returns the entry that maps va; 0 if none does. */
static pte_t find_pte(unsigned long va)
{
    pte_t pte = swapper_pg_dir[pte_index(va, 2)];
    int level;

    for (level = 1; level >= 0; level--) {
        if (!(pte & _PAGE_PRESENT) || (pte & (_PAGE_READ | _PAGE_EXEC)))
            break;
        pte = ((pte_t *)__va(pte_phys(pte)))[pte_index(va, level)];
    }
    return pte & _PAGE_PRESENT ? pte : 0;
}

struct survey {
    unsigned long executable, writable_too, writable_elsewhere;
};

static void look_at(struct survey *s, pte_t pte)
{
    if (!(pte & _PAGE_EXEC))
        return;
    s->executable++;
    s->writable_too += !!(pte & _PAGE_WRITE);
    s->writable_elsewhere += !!(find_pte((unsigned long)__va(pte_phys(pte))) & _PAGE_WRITE);
}

static void survey_table(struct survey *s, const pte_t *table, int level)
{
    unsigned int i;

    for (i = 0; i < PTRS_PER_PTE; i++) {
        if (!(table[i] & _PAGE_PRESENT))
            continue;
        if (table[i] & (_PAGE_READ | _PAGE_EXEC))
            look_at(s, table[i]);
        else
            survey_table(s, __va(pte_phys(table[i])), level - 1);
    }
}

static void no_page_is_writable_and_executable(struct kunit *test)
{
    struct survey s = {0};

    survey_table(&s, swapper_pg_dir, 2);
    KUNIT_EXPECT_GT(test, s.executable, 0);
    KUNIT_EXPECT_EQ(test, s.writable_too, 0);
    KUNIT_EXPECT_EQ(test, s.writable_elsewhere, 0);
}

static void set_memory_ro_holds_for_the_linear_map_too(struct kunit *test)
{
    char *p = vmalloc(2 * PAGE_SIZE);
    unsigned long addr = (unsigned long)p, linear;

    if (!KUNIT_EXPECT_TRUE(test, p))
        return;
    linear = (unsigned long)__va(kernel_virt_to_phys(addr + PAGE_SIZE));
    p[PAGE_SIZE] = 'x';
    KUNIT_EXPECT_EQ(test, *(char *)linear, 'x');
    KUNIT_EXPECT_FALSE(test, find_pte(addr + 2 * PAGE_SIZE)); /* the page after it is unmapped */
    KUNIT_EXPECT_EQ(test, set_memory_ro(addr, 2), 0);
    KUNIT_EXPECT_FALSE(test, find_pte(addr + PAGE_SIZE) & _PAGE_WRITE);
    KUNIT_EXPECT_FALSE(test, find_pte(linear) & _PAGE_WRITE);
    KUNIT_EXPECT_EQ(test, p[PAGE_SIZE], 'x');
    KUNIT_EXPECT_EQ(test, set_memory_rw(addr, 2), 0);
    KUNIT_EXPECT_TRUE(test, find_pte(linear) & _PAGE_WRITE);
    p[PAGE_SIZE] = 'y';
    vfree(p);
    KUNIT_EXPECT_FALSE(test, find_pte(addr));
}

static const struct kunit_case wx_cases[] = {
    KUNIT_CASE(no_page_is_writable_and_executable),
    KUNIT_CASE(set_memory_ro_holds_for_the_linear_map_too),
    {},
};

static const struct kunit_suite wx_suite = {"wx", wx_cases};
kunit_test_suite(wx_suite);
