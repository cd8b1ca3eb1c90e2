/*
 * fuzz_fdt.c - the device tree of any board: libfdt accepts it, and all
 * contents can be read back.
 */
#include <inttypes.h>
#include <libfdt.h>

#include "cpu/isa/extension.h"
#include "fuzz/check.h"
#include "fuzz/input.h"
#include "load/fdt.h"

enum { HARTS_MAX = 64, TEXT_MAX = 5000, SEED_MAX = 64, SLOTS_MAX = 8, PATH_MAX_BYTES = 64 };

/* The data that a board points to. */
struct parts {
    char isa[EXT_TEXT_MAX], bootargs[TEXT_MAX];
    uint8_t seed[SEED_MAX];
    struct board_device virtio[SLOTS_MAX];
};

/* Different addresses, so that no two nodes have the same name. */
static struct board_device make_device(struct input *in, unsigned number, bool may_interrupt)
{
    struct board_device dev = {.base = input_number(in, 7) << 8 | number,
                               .size = input_number(in, 8)};

    if (dev.size && may_interrupt)
        dev.irq = (unsigned)input_number(in, 2);
    return dev;
}

static void make_devices(struct input *in, struct board *b, struct parts *p)
{
    unsigned number = 0;

    b->plic = make_device(in, number++, false);
    b->aclint = make_device(in, number++, false);
    b->sswi = make_device(in, number++, false);
    b->finisher = make_device(in, number++, false);
    b->uart = make_device(in, number++, b->plic.size);
    b->rtc = make_device(in, number++, b->plic.size);
    b->virtio_count = input_below(in, SLOTS_MAX + 1);
    for (unsigned i = 0; i < b->virtio_count; i++)
        p->virtio[i] = make_device(in, number++, b->plic.size);
    b->virtio = p->virtio;
}

static void make_bootargs(struct input *in, struct board *b, struct parts *p)
{
    size_t len = input_number(in, 2) % (TEXT_MAX + 1);

    if (!len)
        return;
    memset(p->bootargs, 'x', len - 1);
    (void)input_bytes(in, p->bootargs, len < 16 ? len : 16);
    p->bootargs[len - 1] = '\0';
    b->bootargs = p->bootargs;
}

static struct board make_board(struct input *in, struct parts *p)
{
    struct board b = {.hart_count = 1 + input_below(in, HARTS_MAX),
                      .ram_base = input_number(in, 8),
                      .ram_size = input_number(in, 8),
                      .timebase_hz = (uint32_t)input_number(in, 4),
                      .cbom_block = input_byte(in),
                      .cboz_block = input_byte(in),
                      .isa = p->isa,
                      .mmu_type = input_byte(in) & 1 ? "riscv,sv48" : NULL,
                      .initrd_start = input_number(in, 8),
                      .initrd_end = input_number(in, 8),
                      .rng_seed = p->seed,
                      .rng_seed_size = input_below(in, SEED_MAX + 1),
                      .kaslr_seed = input_number(in, 8),
                      .plic_sources = (unsigned)input_number(in, 2),
                      .uart_clock_hz = (uint32_t)input_number(in, 4)};

    extensions_format((input_number(in, 4) & EXTS_ALL) | EXTS_I, p->isa);
    (void)input_bytes(in, p->seed, b.rng_seed_size);
    make_bootargs(in, &b, p);
    make_devices(in, &b, p);
    return b;
}

/* ---- reading back ---- */

static const void *property(const void *fdt, int node, const char *name, size_t size)
{
    int len = 0;
    const void *value = fdt_getprop(fdt, node, name, &len);

    CHECK(value && len == (int)size);
    return value;
}

static void check_string(const void *fdt, int node, const char *name, const char *expected)
{
    CHECK(!strcmp(property(fdt, node, name, strlen(expected) + 1), expected));
}

static uint32_t number(const void *fdt, int node, const char *name)
{
    return fdt32_ld(property(fdt, node, name, 4));
}

static void check_reg(const void *fdt, int node, uint64_t base, uint64_t size)
{
    const fdt64_t *reg = property(fdt, node, "reg", 16);

    CHECK(fdt64_ld(reg) == base && fdt64_ld(reg + 1) == size);
}

static void check_device(const void *fdt, const struct board *b, const char *name,
                         const struct board_device *dev)
{
    char path[PATH_MAX_BYTES];
    int node;

    snprintf(path, sizeof path, "/soc/%s@%" PRIx64, name, dev->base);
    node = fdt_path_offset(fdt, path);
    CHECK(dev->size ? node >= 0 : node == -FDT_ERR_NOTFOUND);
    if (!dev->size)
        return;
    check_reg(fdt, node, dev->base, dev->size);
    if (dev->irq) {
        CHECK(number(fdt, node, "interrupts") == dev->irq);
        node = fdt_node_offset_by_phandle(fdt, number(fdt, node, "interrupt-parent"));
        check_reg(fdt, node, b->plic.base, b->plic.size);
    }
}

static void check_devices(const void *fdt, const struct board *b)
{
    check_device(fdt, b, "plic", &b->plic);
    check_device(fdt, b, "clint", &b->aclint);
    check_device(fdt, b, "sswi", &b->sswi);
    check_device(fdt, b, "test", &b->finisher);
    check_device(fdt, b, "serial", &b->uart);
    check_device(fdt, b, "rtc", &b->rtc);
    for (unsigned i = 0; i < b->virtio_count; i++)
        check_device(fdt, b, "virtio_mmio", &b->virtio[i]);
}

static void check_hart(const void *fdt, const struct board *b, unsigned hart)
{
    char path[PATH_MAX_BYTES];
    int node;

    snprintf(path, sizeof path, "/cpus/cpu@%x", hart);
    node = fdt_path_offset(fdt, path);
    CHECK(node >= 0 && number(fdt, node, "reg") == hart);
    check_string(fdt, node, "riscv,isa", b->isa);
    CHECK(fdt_stringlist_search(fdt, node, "riscv,isa-extensions", "i") >= 0);
    CHECK(fdt_stringlist_search(fdt, node, "riscv,isa-extensions", "") < 0);
    CHECK((fdt_stringlist_search(fdt, node, "riscv,isa-extensions", "zba") >= 0) ==
          (strstr(b->isa, "_zba") != NULL));
}

static void check_chosen(const void *fdt, const struct board *b)
{
    int node = fdt_path_offset(fdt, "/chosen");

    CHECK(node >= 0);
    if (b->bootargs)
        check_string(fdt, node, "bootargs", b->bootargs);
    if (b->initrd_start != b->initrd_end) {
        CHECK(fdt64_ld(property(fdt, node, "linux,initrd-start", 8)) == b->initrd_start);
        CHECK(fdt64_ld(property(fdt, node, "linux,initrd-end", 8)) == b->initrd_end);
    }
    if (b->rng_seed_size)
        CHECK(!memcmp(property(fdt, node, "rng-seed", b->rng_seed_size), b->rng_seed,
                      b->rng_seed_size));
    if (b->kaslr_seed)
        CHECK(fdt64_ld(property(fdt, node, "kaslr-seed", 8)) == b->kaslr_seed);
}

static void check_memory(const void *fdt, const struct board *b)
{
    char path[PATH_MAX_BYTES];
    int node;

    snprintf(path, sizeof path, "/memory@%" PRIx64, b->ram_base);
    node = fdt_path_offset(fdt, path);
    CHECK(node >= 0);
    check_reg(fdt, node, b->ram_base, b->ram_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input in = {bytes, size};
    struct parts parts = {0};
    struct board b = make_board(&in, &parts);
    size_t len = 0;
    uint8_t *fdt = fdt_build(&b, &len);

    CHECK(fdt_check_full(fdt, len) == 0);
    check_memory(fdt, &b);
    check_chosen(fdt, &b);
    check_devices(fdt, &b);
    for (unsigned hart = 0; hart < b.hart_count; hart++)
        check_hart(fdt, &b, hart);
    free(fdt);
    return 0;
}
