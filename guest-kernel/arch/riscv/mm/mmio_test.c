/*
 * mmio_test.c - mapped memory in place of registers: every kind of load and store gives what it
 * should, whether the tracer mmiotrace is on or not.
 */
#include <asm/io.h>
#include <asm/page.h>
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>

static const unsigned long pattern = 0xfedcba9876543210ul;

/* The register is a5, the address in a4, so that the short forms exist. */
#define LOAD(insn, addr)                                                                \
    ({                                                                                  \
        register unsigned long value_ __asm__("a5");                                    \
        register volatile void *addr_ __asm__("a4") = (addr);                           \
                                                                                        \
        __asm__ __volatile__(insn " %0, 0(%1)" : "=r"(value_) : "r"(addr_) : "memory"); \
        value_;                                                                         \
    })
#define STORE(insn, addr, v)                                                          \
    do {                                                                              \
        register unsigned long value_ __asm__("a5") = (v);                            \
        register volatile void *addr_ __asm__("a4") = (addr);                         \
                                                                                      \
        __asm__ __volatile__(insn " %0, 0(%1)" ::"r"(value_), "r"(addr_) : "memory"); \
    } while (0)

/* Maps a page of memory as if it were registers. */
static volatile void *map_page(void *page)
{
    return ioremap(__pa(page), PAGE_SIZE);
}

static void loads_give_what_the_register_has(struct kunit *test)
{
    unsigned long *page = __get_free_pages(0);
    volatile void *io = map_page(page);

    if (!KUNIT_EXPECT_TRUE(test, page && io))
        return;
    page[0] = ~pattern;
    page[1] = pattern;
    KUNIT_EXPECT_EQ(test, LOAD("lb", io), 0xfffffffffffffffful & ~0x10ul);
    KUNIT_EXPECT_EQ(test, LOAD("lbu", io), 0xeful);
    KUNIT_EXPECT_EQ(test, LOAD("lh", io), 0xffffffffffffcdeful);
    KUNIT_EXPECT_EQ(test, LOAD("lhu", io), 0xcdeful);
    KUNIT_EXPECT_EQ(test, LOAD("lw", io), 0xffffffff89abcdeful);
    KUNIT_EXPECT_EQ(test, LOAD("lwu", io), 0x89abcdeful);
    KUNIT_EXPECT_EQ(test, LOAD("ld", io), ~pattern);
    KUNIT_EXPECT_EQ(test, LOAD("c.lw", io), 0xffffffff89abcdeful);
    KUNIT_EXPECT_EQ(test, LOAD("c.ld", io + 8), pattern);
    iounmap(io);
    free_pages(page, 0);
}

static void stores_change_their_bytes_only(struct kunit *test)
{
    unsigned long *page = __get_free_pages(0);
    volatile void *io = map_page(page);

    if (!KUNIT_EXPECT_TRUE(test, page && io))
        return;
    page[0] = page[1] = 0;
    STORE("sb", io, pattern);
    KUNIT_EXPECT_EQ(test, page[0], 0x10ul);
    STORE("sh", io + 2, pattern);
    KUNIT_EXPECT_EQ(test, page[0], 0x32100010ul);
    STORE("sw", io + 4, pattern);
    KUNIT_EXPECT_EQ(test, page[0], 0x7654321032100010ul);
    STORE("sd", io, pattern);
    KUNIT_EXPECT_EQ(test, page[0], pattern);
    STORE("c.sw", io, 0x11ul);
    KUNIT_EXPECT_EQ(test, page[0], 0xfedcba9800000011ul);
    STORE("c.sd", io, ~pattern);
    KUNIT_EXPECT_EQ(test, page[0], ~pattern);
    __asm__ __volatile__("sd zero, 0(%0)" ::"r"(io) : "memory");
    KUNIT_EXPECT_EQ(test, page[0], 0ul);
    KUNIT_EXPECT_EQ(test, page[1], 0ul);
    iounmap(io);
    free_pages(page, 0);
}

static bool decodes_to(u32 opcode, bool is_store, unsigned int width, unsigned int reg)
{
    struct mmio_insn insn;

    return mmio_decode(opcode, &insn) && insn.is_store == is_store && insn.width == width &&
           insn.reg == reg && insn.length == ((opcode & 3) == 3 ? 4 : 2);
}

/* Those with sp cannot be tried: a trap needs the stack. */
static void other_forms_are_decoded_or_refused(struct kunit *test)
{
    struct mmio_insn insn;

    KUNIT_EXPECT_TRUE(test, decodes_to(0x4502, false, 4, 10)); /* c.lwsp a0, 0(sp) */
    KUNIT_EXPECT_TRUE(test, decodes_to(0x60a2, false, 8, 1));  /* c.ldsp ra, 8(sp) */
    KUNIT_EXPECT_TRUE(test, decodes_to(0xc02a, true, 4, 10));  /* c.swsp a0, 0(sp) */
    KUNIT_EXPECT_TRUE(test, decodes_to(0xe406, true, 8, 1));   /* c.sdsp ra, 8(sp) */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x6002, &insn));      /* c.ldsp zero: reserved */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x2108, &insn));      /* c.fld fa0, 0(a0) */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x00053507, &insn));  /* fld fa0, 0(a0) */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x00057503, &insn));  /* a load without a width */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x00054023, &insn));  /* a store without a width */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x00a5252f, &insn));  /* amoadd.w a0, a0, (a0) */
    KUNIT_EXPECT_FALSE(test, mmio_decode(0x4501, &insn));      /* c.li a0, 0 */
}

/* lw a0, 0(a0); ret. It has no call site, so the load itself can be probed. */
unsigned long mmio_test_load(volatile void *addr);
__asm__(".text\n\t.balign 4\n\t.globl mmio_test_load\n\t.type mmio_test_load, @function\n"
        "mmio_test_load:\n\t.option push\n\t.option norvc\n\tlw a0, 0(a0)\n\t.option pop\n\tret\n\t"
        ".size mmio_test_load, . - mmio_test_load");

static unsigned int pre_hits, post_hits;

static int count_pre(struct kprobe *p, struct pt_regs *regs)
{
    (void)p;
    (void)regs;
    pre_hits++;
    return 0;
}

static void count_post(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
    (void)p;
    (void)regs;
    (void)flags;
    post_hits++;
}

static void a_probed_load_is_carried_out_once(struct kunit *test)
{
    static struct kprobe probe;
    u32 *page = __get_free_pages(0);
    volatile void *io = map_page(page);

    if (!KUNIT_EXPECT_TRUE(test, page && io))
        return;
    probe = (struct kprobe){
        .addr = (void *)mmio_test_load, .pre_handler = count_pre, .post_handler = count_post};
    pre_hits = post_hits = 0;
    page[0] = 0x1234;
    if (KUNIT_EXPECT_EQ(test, register_kprobe(&probe), 0)) {
        KUNIT_EXPECT_EQ(test, mmio_test_load(io), 0x1234ul);
        KUNIT_EXPECT_EQ(test, mmio_test_load(io), 0x1234ul);
        unregister_kprobe(&probe);
    }
    KUNIT_EXPECT_EQ(test, pre_hits, 2u);
    KUNIT_EXPECT_EQ(test, post_hits, 2u);
    KUNIT_EXPECT_EQ(test, mmio_test_load(io), 0x1234ul);
    iounmap(io);
    free_pages(page, 0);
}

/* What the tracer cannot decode is done all the same. */
static void an_unknown_access_is_still_done(struct kunit *test)
{
    u32 *page = __get_free_pages(0), old;
    volatile void *io = map_page(page);

    if (!KUNIT_EXPECT_TRUE(test, page && io))
        return;
    page[0] = 5;
    __asm__ __volatile__("amoadd.w %0, %1, (%2)" : "=&r"(old) : "r"(2), "r"(io) : "memory");
    KUNIT_EXPECT_EQ(test, old, 5u);
    KUNIT_EXPECT_EQ(test, page[0], 7u);
    KUNIT_EXPECT_EQ(test, LOAD("lwu", io), 7ul);
    iounmap(io);
    free_pages(page, 0);
}

static const struct kunit_case mmio_cases[] = {
    KUNIT_CASE(loads_give_what_the_register_has),   KUNIT_CASE(stores_change_their_bytes_only),
    KUNIT_CASE(other_forms_are_decoded_or_refused), KUNIT_CASE(a_probed_load_is_carried_out_once),
    KUNIT_CASE(an_unknown_access_is_still_done),    {},
};

static const struct kunit_suite mmio_suite = {"mmiotrace", mmio_cases};
kunit_test_suite(mmio_suite);
