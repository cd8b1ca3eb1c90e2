/*
 * test_fdt.c - the device tree, read back with libfdt.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libfdt.h>
#include <stdlib.h>
#include <string.h>

#include "load/fdt.h"

struct world {
    struct board board;
    uint8_t *fdt;
    size_t size;
};

static const struct board_device slots[] = {{0x10001000, 0x1000, 1}, {0x10002000, 0x1000, 2}};

static struct board virt(void)
{
    return (struct board){
        .ram_base = 0x80000000,
        .ram_size = UINT64_C(5) << 30,
        .hart_count = 2,
        .isa = "rv64imac_zicsr_zifencei",
        .mmu_type = "riscv,sv39",
        .timebase_hz = 10000000,
        .aclint = {0x2000000, 0x10000, 0},
        .plic = {0xc000000, 0x600000, 0},
        .plic_sources = 96,
        .uart = {0x10000000, 0x100, 10},
        .uart_clock_hz = 3686400,
        .finisher = {0x100000, 0x1000, 0},
        .rtc = {0x101000, 0x1000, 11},
        .virtio = slots,
        .virtio_count = 2,
    };
}

static void build(struct world *w, struct board board)
{
    w->board = board;
    w->fdt = fdt_build(&w->board, &w->size);
    assert_int_equal(fdt_check_full(w->fdt, w->size), 0);
}

static const void *prop(const struct world *w, const char *path, const char *name, int *len)
{
    int node = fdt_path_offset(w->fdt, path);

    *len = -1;
    return node < 0 ? NULL : fdt_getprop(w->fdt, node, name, len);
}

static void want_bytes(const struct world *w, const char *path, const char *name, const void *bytes,
                       size_t size)
{
    int len;
    const void *value = prop(w, path, name, &len);

    assert_int_equal(len, size);
    assert_memory_equal(value, bytes, size);
}

static void want_string(const struct world *w, const char *path, const char *name,
                        const char *value)
{
    want_bytes(w, path, name, value, strlen(value) + 1);
}

static void want_cells(const struct world *w, const char *path, const char *name,
                       const uint32_t *cells, size_t count)
{
    int len;
    const fdt32_t *value = prop(w, path, name, &len);

    assert_int_equal(len, count * sizeof *cells);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(fdt32_to_cpu(value[i]), cells[i]);
}

static uint32_t cell(const struct world *w, const char *path, const char *name)
{
    int len;
    const fdt32_t *value = prop(w, path, name, &len);

    assert_int_equal(len, sizeof *value);
    return fdt32_to_cpu(*value);
}

static void memory_above_4_gib_is_told_in_two_cells(void **state)
{
    struct world w;

    (void)state;
    build(&w, virt());
    want_cells(&w, "/memory@80000000", "reg", (const uint32_t[]){0, 0x80000000, 1, 0x40000000}, 4);
    want_string(&w, "/memory@80000000", "device_type", "memory");
    free(w.fdt);
}

static void each_hart_has_its_own_interrupt_controller(void **state)
{
    struct world w;
    uint32_t first, second;

    (void)state;
    build(&w, virt());
    want_string(&w, "/cpus/cpu@1", "riscv,isa", "rv64imac_zicsr_zifencei");
    want_string(&w, "/cpus/cpu@1", "mmu-type", "riscv,sv39");
    assert_int_equal(cell(&w, "/cpus/cpu@1", "reg"), 1);
    assert_int_equal(cell(&w, "/cpus", "timebase-frequency"), 10000000);
    first = cell(&w, "/cpus/cpu@0/interrupt-controller", "phandle");
    second = cell(&w, "/cpus/cpu@1/interrupt-controller", "phandle");
    assert_int_not_equal(first, second);
    want_cells(&w, "/soc/clint@2000000", "interrupts-extended",
               (const uint32_t[]){first, 3, first, 7, second, 3, second, 7}, 8);
    want_cells(&w, "/soc/plic@c000000", "interrupts-extended",
               (const uint32_t[]){first, 11, first, 9, second, 11, second, 9}, 8);
    free(w.fdt);
}

static void the_isa_is_told_as_a_list_too(void **state)
{
    struct world w;
    struct board b = virt();

    (void)state;
    build(&w, b);
    want_string(&w, "/cpus/cpu@0", "riscv,isa-base", "rv64i");
    want_bytes(&w, "/cpus/cpu@0", "riscv,isa-extensions", "i\0m\0a\0c\0zicsr\0zifencei", 23);
    free(w.fdt);
    b.promises = "_zic64b_za64rs";
    b.isa = "rv64ic";
    build(&w, b);
    want_bytes(&w, "/cpus/cpu@0", "riscv,isa-extensions", "i\0c\0zic64b\0za64rs", 18);
    free(w.fdt);
    b.promises = NULL;
    b.isa = "rv64gc_sstc";
    build(&w, b);
    want_bytes(&w, "/cpus/cpu@0", "riscv,isa-extensions", "i\0m\0a\0f\0d\0zicsr\0zifencei\0c\0sstc",
               32);
    free(w.fdt);
}

static void no_two_phandles_are_equal(void **state)
{
    struct world w;
    struct board b = virt();
    uint32_t highest;

    (void)state;
    b.hart_count = 64;
    build(&w, b);
    assert_int_equal(fdt_find_max_phandle(w.fdt, &highest), 0);
    for (uint32_t i = 1; i <= highest; i++) {
        int first = fdt_node_offset_by_phandle(w.fdt, i), node = first;

        while ((node = fdt_next_node(w.fdt, node, NULL)) >= 0)
            assert_int_not_equal(fdt_get_phandle(w.fdt, node), i);
    }
    free(w.fdt);
}

static void every_parent_and_regmap_leads_somewhere(void **state)
{
    struct world w;
    int node;

    (void)state;
    build(&w, virt());
    node = fdt_node_offset_by_phandle(w.fdt, cell(&w, "/soc/serial@10000000", "interrupt-parent"));
    assert_int_equal(node, fdt_path_offset(w.fdt, "/soc/plic@c000000"));
    node = fdt_node_offset_by_phandle(w.fdt, cell(&w, "/poweroff", "regmap"));
    assert_int_equal(node, fdt_path_offset(w.fdt, "/soc/test@100000"));
    node = fdt_node_offset_by_phandle(w.fdt, cell(&w, "/cpus/cpu-map/cluster0/core1", "cpu"));
    assert_int_equal(node, fdt_path_offset(w.fdt, "/cpus/cpu@1"));
    free(w.fdt);
}

static void devices_have_the_names_that_drivers_look_for(void **state)
{
    struct world w;

    (void)state;
    build(&w, virt());
    want_string(&w, "/soc/serial@10000000", "compatible", "ns16550a");
    want_string(&w, "/soc/rtc@101000", "compatible", "google,goldfish-rtc");
    want_bytes(&w, "/soc/test@100000", "compatible", "sifive,test1\0sifive,test0\0syscon", 33);
    want_bytes(&w, "/soc/clint@2000000", "compatible", "sifive,clint0\0riscv,clint0", 27);
    want_bytes(&w, "/soc/plic@c000000", "compatible", "sifive,plic-1.0.0\0riscv,plic0", 30);
    want_string(&w, "/soc/virtio_mmio@10002000", "compatible", "virtio,mmio");
    assert_int_equal(cell(&w, "/soc/virtio_mmio@10002000", "interrupts"), 2);
    assert_int_equal(cell(&w, "/soc/serial@10000000", "interrupts"), 10);
    assert_int_equal(cell(&w, "/poweroff", "value"), 0x5555);
    assert_int_equal(cell(&w, "/reboot", "value"), 0x7777);
    want_string(&w, "/chosen", "stdout-path", "/soc/serial@10000000");
    free(w.fdt);
}

static void a_device_that_is_absent_leaves_no_trace(void **state)
{
    struct world w;
    struct board b = virt();

    (void)state;
    b.uart = b.rtc = b.finisher = b.plic = (struct board_device){0};
    b.virtio_count = 0;
    build(&w, b);
    assert_true(fdt_path_offset(w.fdt, "/soc/serial@10000000") < 0);
    assert_true(fdt_path_offset(w.fdt, "/soc/plic@c000000") < 0);
    assert_true(fdt_path_offset(w.fdt, "/poweroff") < 0);
    assert_true(fdt_path_offset(w.fdt, "/aliases") < 0);
    assert_true(fdt_path_offset(w.fdt, "/chosen") > 0);
    free(w.fdt);
}

static void chosen_brings_arguments_initrd_and_seeds(void **state)
{
    static const uint8_t seed[32] = {1, 2, 3};
    struct world w;
    struct board b = virt();
    int len;

    (void)state;
    build(&w, b);
    assert_null(prop(&w, "/chosen", "bootargs", &len));
    assert_null(prop(&w, "/chosen", "linux,initrd-start", &len));
    assert_null(prop(&w, "/chosen", "rng-seed", &len));
    assert_null(prop(&w, "/chosen", "kaslr-seed", &len));
    free(w.fdt);
    b.bootargs = "ftrace=function";
    b.initrd_start = 0x88000000;
    b.initrd_end = 0x88000123;
    b.rng_seed = seed;
    b.rng_seed_size = sizeof seed;
    b.kaslr_seed = UINT64_C(0x123456789abcdef0);
    build(&w, b);
    want_string(&w, "/chosen", "bootargs", "ftrace=function");
    want_cells(&w, "/chosen", "linux,initrd-start", (const uint32_t[]){0, 0x88000000}, 2);
    want_cells(&w, "/chosen", "linux,initrd-end", (const uint32_t[]){0, 0x88000123}, 2);
    want_bytes(&w, "/chosen", "rng-seed", seed, sizeof seed);
    want_cells(&w, "/chosen", "kaslr-seed", (const uint32_t[]){0x12345678, 0x9abcdef0}, 2);
    free(w.fdt);
}

static void a_long_command_line_and_many_harts_fit(void **state)
{
    struct world w;
    struct board b = virt();
    char *args = calloc(1, 40001);

    (void)state;
    memset(args, 'a', 40000);
    b.bootargs = args;
    b.hart_count = 64;
    build(&w, b);
    want_string(&w, "/chosen", "bootargs", args);
    assert_int_equal(cell(&w, "/cpus/cpu@3f", "reg"), 63);
    free(w.fdt);
    free(args);
}

/* U-Boot adds its properties to the tree in place. */
static void a_boot_loader_can_add_to_the_tree_in_place(void **state)
{
    struct world w;
    char value[4000] = {0};
    int chosen;

    (void)state;
    build(&w, virt());
    chosen = fdt_path_offset(w.fdt, "/chosen");
    assert_int_equal(fdt_setprop(w.fdt, chosen, "u-boot,a", value, sizeof value), 0);
    assert_int_equal(fdt_setprop(w.fdt, chosen, "u-boot,b", value, sizeof value), 0);
    assert_int_equal(fdt_check_full(w.fdt, w.size), 0);
    free(w.fdt);
}

static void the_same_board_gives_the_same_bytes(void **state)
{
    struct world a, b;

    (void)state;
    build(&a, virt());
    build(&b, virt());
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.fdt, b.fdt, a.size);
    free(a.fdt);
    free(b.fdt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_above_4_gib_is_told_in_two_cells),
        cmocka_unit_test(each_hart_has_its_own_interrupt_controller),
        cmocka_unit_test(the_isa_is_told_as_a_list_too),
        cmocka_unit_test(no_two_phandles_are_equal),
        cmocka_unit_test(every_parent_and_regmap_leads_somewhere),
        cmocka_unit_test(devices_have_the_names_that_drivers_look_for),
        cmocka_unit_test(a_device_that_is_absent_leaves_no_trace),
        cmocka_unit_test(chosen_brings_arguments_initrd_and_seeds),
        cmocka_unit_test(a_long_command_line_and_many_harts_fit),
        cmocka_unit_test(a_boot_loader_can_add_to_the_tree_in_place),
        cmocka_unit_test(the_same_board_gives_the_same_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
