/*
 * test_bus.c - the physical address space: RAM, devices, stamps, the code hook.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "mem/bus.h"

#define RAM_BASE UINT64_C(0x80000000)

enum { RAM_SIZE = 1 << 20, DEV_BASE = 0x10000000 };

/* A device that records its accesses. */
struct toy {
    uint64_t offset, value;
    unsigned size;
    int frees;
};

static enum fault toy_read(void *ctx, uint64_t offset, unsigned size, uint64_t *value)
{
    struct toy *t = ctx;

    t->offset = offset;
    t->size = size;
    *value |= 0x5a; /* or-ed: shows that the bus starts from zero */
    return FAULT_NONE;
}

static enum fault toy_write(void *ctx, uint64_t offset, unsigned size, uint64_t value)
{
    struct toy *t = ctx;

    t->offset = offset;
    t->size = size;
    t->value = value;
    return FAULT_NONE;
}

static void toy_free(void *ctx)
{
    ((struct toy *)ctx)->frees++;
}

struct world {
    struct toy toy;
    struct bus *b;
    char *said;
    size_t said_len;
    struct diag d;
};

static struct device device(struct world *w, uint64_t base, unsigned sizes)
{
    return (struct device){
        .name = "toy",
        .base = base,
        .size = 0x100,
        .sizes = sizes,
        .ctx = &w->toy,
        .read = toy_read,
        .write = toy_write,
        .free = toy_free,
    };
}

static void build(struct world *w)
{
    struct device dev;

    *w = (struct world){0};
    w->d = (struct diag){.out = open_memstream(&w->said, &w->said_len), .program = "t"};
    w->b = bus_new();
    dev = device(w, DEV_BASE, 4 | 8);
    assert_true(bus_map_ram(w->b, ram_new(RAM_BASE, RAM_SIZE), &w->d));
    assert_true(bus_map_device(w->b, &dev, &w->d));
}

static void wreck(struct world *w)
{
    bus_free(w->b);
    fclose(w->d.out);
    free(w->said);
}

static void a_device_sees_its_own_offset_and_the_size(void **state)
{
    struct world w;
    uint64_t value = UINT64_MAX;

    (void)state;
    build(&w);
    assert_int_equal(bus_device_load(w.b, DEV_BASE + 0x44, 4, &value), FAULT_NONE);
    assert_int_equal(w.toy.offset, 0x44);
    assert_int_equal(w.toy.size, 4);
    assert_int_equal(value, 0x5a);
    assert_int_equal(bus_device_store(w.b, DEV_BASE + 0xf8, 8, 99), FAULT_NONE);
    assert_int_equal(w.toy.value, 99);
    wreck(&w);
}

static void a_size_that_the_device_does_not_take_is_an_access_fault(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w);
    assert_int_equal(bus_device_load(w.b, DEV_BASE, 1, &value), FAULT_ACCESS);
    assert_int_equal(bus_device_store(w.b, DEV_BASE, 2, 0), FAULT_ACCESS);
    wreck(&w);
}

static void a_misaligned_device_access_is_said_to_be_one(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w);
    assert_int_equal(bus_device_load(w.b, DEV_BASE + 2, 4, &value), FAULT_MISALIGNED);
    assert_int_equal(bus_device_store(w.b, DEV_BASE + 4, 8, 0), FAULT_MISALIGNED);
    wreck(&w);
}

static void holes_and_the_edge_of_a_device_are_access_faults(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    build(&w);
    assert_int_equal(bus_device_load(w.b, DEV_BASE - 4, 4, &value), FAULT_ACCESS);
    assert_int_equal(bus_device_load(w.b, DEV_BASE + 0x100, 4, &value), FAULT_ACCESS);
    assert_int_equal(bus_device_load(w.b, DEV_BASE + 0xfc, 8, &value), FAULT_ACCESS);
    assert_int_equal(bus_device_load(w.b, UINT64_MAX - 3, 4, &value), FAULT_ACCESS);
    wreck(&w);
}

static void ram_keeps_what_is_written_across_pages(void **state)
{
    static const struct writer who = {.kind = WRITER_DMA};
    struct world w;
    uint8_t in[3 * PAGE_BYTES], out[3 * PAGE_BYTES];

    (void)state;
    build(&w);
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    assert_true(bus_write(w.b, RAM_BASE + 100, in, sizeof in, &who));
    assert_true(bus_read(w.b, RAM_BASE + 100, out, sizeof out));
    assert_memory_equal(in, out, sizeof in);
    wreck(&w);
}

static void an_access_that_leaves_ram_does_nothing(void **state)
{
    static const struct writer who = {.kind = WRITER_DMA};
    struct world w;
    uint8_t bytes[8] = {1, 1, 1, 1, 1, 1, 1, 1}, last = 9;

    (void)state;
    build(&w);
    assert_false(bus_write(w.b, RAM_BASE + RAM_SIZE - 4, bytes, 8, &who));
    assert_false(bus_write(w.b, RAM_BASE - 4, bytes, 8, &who));
    assert_false(bus_read(w.b, RAM_BASE + RAM_SIZE, bytes, 1));
    assert_true(bus_read(w.b, RAM_BASE + RAM_SIZE - 1, &last, 1));
    assert_int_equal(last, 0);
    assert_null(bus_ram_at(w.b, DEV_BASE));
    assert_non_null(bus_ram_at(w.b, RAM_BASE + RAM_SIZE - 1));
    wreck(&w);
}

static void an_overlap_is_refused_by_name(void **state)
{
    struct world w;
    struct device dev;
    struct ram *r = ram_new(RAM_BASE + RAM_SIZE - PAGE_BYTES, PAGE_BYTES);

    (void)state;
    build(&w);
    dev = device(&w, DEV_BASE + 0xff, 4);
    assert_false(bus_map_device(w.b, &dev, &w.d));
    assert_false(bus_map_ram(w.b, r, &w.d));
    fflush(w.d.out);
    assert_non_null(strstr(w.said, "overlaps toy"));
    assert_non_null(strstr(w.said, "overlaps RAM"));
    ram_free(r);
    wreck(&w);
}

static void neighbours_do_not_overlap(void **state)
{
    struct world w;
    struct device dev;

    (void)state;
    build(&w);
    dev = device(&w, DEV_BASE + 0x100, 4);
    assert_true(bus_map_device(w.b, &dev, &w.d));
    wreck(&w);
}

static void freeing_the_bus_frees_its_devices_once(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    bus_free(w.b);
    assert_int_equal(w.toy.frees, 1);
    w.b = NULL;
    wreck(&w);
}

static void a_write_stamps_its_pages_except_the_loaders(void **state)
{
    static const struct writer loader = {.kind = WRITER_LOADER};
    static const struct writer dma = {.kind = WRITER_DMA, .cycle = 42};
    struct world w;
    struct ram *r;

    (void)state;
    build(&w);
    r = bus_ram(w.b);
    assert_true(bus_write(w.b, RAM_BASE, "x", 1, &loader));
    assert_int_equal(ram_page_at(r, RAM_BASE)->stamp, 0);
    assert_true(bus_write(w.b, RAM_BASE + PAGE_BYTES - 1, "xy", 2, &dma));
    assert_true(ram_page_at(r, RAM_BASE)->stamp != 0);
    assert_true(ram_page_at(r, RAM_BASE + PAGE_BYTES)->stamp != 0);
    assert_int_equal(ram_page_at(r, RAM_BASE)->opener.cycle, 42);
    wreck(&w);
}

static void closing_pages_moves_clock_and_epoch(void **state)
{
    struct world w;
    struct ram *r;
    uint64_t stamp, epoch;

    (void)state;
    build(&w);
    r = bus_ram(w.b);
    stamp = r->stamp;
    epoch = r->epoch;
    ram_close_pages(r);
    assert_true(r->stamp > stamp);
    assert_true(r->epoch > epoch);
    epoch = r->epoch;
    ram_flag_page(r, RAM_BASE, RAM_PAGE_WATCHED_STORES);
    assert_true(r->epoch > epoch);
    epoch = r->epoch;
    ram_flag_page(r, RAM_BASE, RAM_PAGE_WATCHED_STORES); /* has it already */
    assert_int_equal(r->epoch, epoch);
    wreck(&w);
}

/* The pieces that the hook was called with. */
struct pieces {
    uint64_t pa[16];
    unsigned size[16], count;
    uint8_t first[16];
};

static void note_piece(void *ctx, uint64_t pa, const uint8_t *bytes, unsigned size,
                       const struct writer *who)
{
    struct pieces *p = ctx;

    assert_int_equal(who->kind, WRITER_DEBUGGER);
    assert_true(p->count < 16);
    p->pa[p->count] = pa;
    p->first[p->count] = bytes[0];
    p->size[p->count++] = size;
}

static void a_write_to_a_code_page_goes_to_the_hook_in_pieces_of_eight(void **state)
{
    static const struct writer who = {.kind = WRITER_DEBUGGER};
    struct world w;
    struct pieces p = {0};
    uint8_t bytes[20];

    (void)state;
    build(&w);
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    ram_set_hooks(bus_ram(w.b), (struct ram_hooks){.ctx = &p, .store_code = note_piece});
    ram_flag_page(bus_ram(w.b), RAM_BASE, RAM_PAGE_CODE);
    assert_true(bus_write(w.b, RAM_BASE + PAGE_BYTES - 12, bytes, sizeof bytes, &who));
    assert_int_equal(p.count, 2); /* 8 and 4; the rest lies on a page without code */
    assert_int_equal(p.size[0], 8);
    assert_int_equal(p.size[1], 4);
    assert_int_equal(p.pa[1], RAM_BASE + PAGE_BYTES - 4);
    assert_int_equal(p.first[1], 8);
    assert_true(bus_read(w.b, RAM_BASE + PAGE_BYTES, bytes, 1));
    assert_int_equal(bytes[0], 12);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_sees_its_own_offset_and_the_size),
        cmocka_unit_test(a_size_that_the_device_does_not_take_is_an_access_fault),
        cmocka_unit_test(a_misaligned_device_access_is_said_to_be_one),
        cmocka_unit_test(holes_and_the_edge_of_a_device_are_access_faults),
        cmocka_unit_test(ram_keeps_what_is_written_across_pages),
        cmocka_unit_test(an_access_that_leaves_ram_does_nothing),
        cmocka_unit_test(an_overlap_is_refused_by_name),
        cmocka_unit_test(neighbours_do_not_overlap),
        cmocka_unit_test(freeing_the_bus_frees_its_devices_once),
        cmocka_unit_test(a_write_stamps_its_pages_except_the_loaders),
        cmocka_unit_test(closing_pages_moves_clock_and_epoch),
        cmocka_unit_test(a_write_to_a_code_page_goes_to_the_hook_in_pieces_of_eight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
