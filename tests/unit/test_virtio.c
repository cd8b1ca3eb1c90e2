/*
 * test_virtio.c - the transport, its queues and its kinds, with a driver of the test's
 * own and 64 KiB of memory. The hostile part: whatever the driver writes, no
 * byte outside of its memory is accessed and no work is endless.
 */
#include "virtio_world.h"

/* ---- the transport ---- */

static void the_registers_say_what_it_is(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(get(&w, MAGIC), 0x74726976);
    assert_int_equal(get(&w, VERSION), 2);
    assert_int_equal(get(&w, DEVICE_ID), 2);
    assert_int_equal(get(&w, QUEUE_MAX), 256);
    put(&w, QUEUE_SEL, 1);
    assert_int_equal(get(&w, QUEUE_MAX), 0);
    put(&w, DEVICE_FEATURES_SEL, 1);
    assert_int_equal(get(&w, DEVICE_FEATURES), 1);
    put(&w, DEVICE_FEATURES_SEL, 2);
    assert_int_equal(get(&w, DEVICE_FEATURES), 0);
    wreck(&w);
}

/* A driver can tell a region that does not exist from one of 0 bytes (4.2.2). */
static void there_is_no_shared_memory(void **state)
{
    enum { SHM_SEL = 0x0ac, SHM_LENGTH = 0x0b0, SHM_BASE_HIGH = 0x0bc };
    struct world w;

    (void)state;
    disk_world(&w, false);
    put(&w, SHM_SEL, 0);
    for (uint64_t reg = SHM_LENGTH; reg <= SHM_BASE_HIGH; reg += 4)
        assert_int_equal(get(&w, reg), UINT32_MAX);
    wreck(&w);
}

static void registers_are_words_and_the_configuration_is_not(void **state)
{
    struct world w;
    uint64_t value;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(w.device.read(w.device.ctx, MAGIC, 1, &value), FAULT_ACCESS);
    assert_int_equal(w.device.read(w.device.ctx, MAGIC, 8, &value), FAULT_ACCESS);
    assert_int_equal(w.device.write(w.device.ctx, STATUS, 2, 1), FAULT_ACCESS);
    assert_int_equal(w.device.read(w.device.ctx, CONFIG, 8, &value), FAULT_NONE);
    assert_int_equal(value, SECTORS);
    assert_int_equal(w.device.read(w.device.ctx, CONFIG + 0xff8, 8, &value), FAULT_NONE);
    assert_int_equal(value, 0);
    wreck(&w);
}

static void an_empty_slot_has_a_magic_and_no_device(void **state)
{
    struct world w = {0};

    (void)state;
    world_of((struct virtio_kind){.id = 0}, &w);
    assert_int_equal(get(&w, MAGIC), 0x74726976);
    assert_int_equal(get(&w, DEVICE_ID), 0);
    put(&w, STATUS, 0xf);
    put(&w, QUEUE_READY, 1);
    put(&w, QUEUE_NOTIFY, 0);
    assert_int_equal(get(&w, STATUS), 0);
    wreck(&w);
}

static void features_are_agreed_on_or_not(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    put(&w, DRIVER_FEATURES_SEL, 1);
    put(&w, DRIVER_FEATURES, 3); /* more than is offered */
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_false(get(&w, STATUS) & FEATURES_OK);
    put(&w, DRIVER_FEATURES, 1);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_true(get(&w, STATUS) & FEATURES_OK);
    wreck(&w);
}

/* xv6 looks for QEMU's vendor and negotiates the lower half of the features only. */
static void xv6_finds_its_disk(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    assert_int_equal(get(&w, VENDOR), 0x554d4551);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER);
    put(&w, DRIVER_FEATURES, get(&w, DEVICE_FEATURES) & ~(1U << 28));
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK);
    assert_true(get(&w, STATUS) & FEATURES_OK);
    set_queue(&w, 0, QUEUE_SIZE);
    put(&w, STATUS, ACKNOWLEDGE | DRIVER | FEATURES_OK | DRIVER_OK);
    memset(w.memory, 0, sizeof w.memory);
    assert_int_equal(request(&w, 0, 3, 512, true), 0);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk + 3 * 512, 512);
    wreck(&w);
}

static void a_queue_size_that_is_no_power_of_two_breaks_the_device(void **state)
{
    static const uint32_t sizes[] = {0, 3, 12, 255, 512, 0x80000000, UINT32_MAX};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (size_t n = 0; n < ARRAY_LEN(sizes); n++) {
        start(&w, 0);
        put(&w, QUEUE_READY, 0);
        set_queue(&w, 0, sizes[n]);
        assert_int_equal(get(&w, QUEUE_READY), 0);
        assert_true(get(&w, STATUS) & NEEDS_RESET);
        put(&w, STATUS, 0);
        assert_int_equal(get(&w, STATUS), 0);
    }
    wreck(&w);
}

static void a_reset_forgets_everything(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 1, 512, true), 0);
    assert_true(w.level);
    put(&w, STATUS, 0);
    assert_false(w.level);
    assert_int_equal(get(&w, INTERRUPT_STATUS), 0);
    put(&w, QUEUE_SEL, 0);
    assert_int_equal(get(&w, QUEUE_READY), 0);
    put(&w, QUEUE_NOTIFY, 0);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 2, 512, true), 0);
    wreck(&w);
}

/* ---- the block device ---- */

static void sectors_are_read_and_written(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 0, 3, 1024, true), 0);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk + 3 * 512, 1024);
    assert_int_equal(used_index(&w), 1);
    assert_int_equal(used_length(&w, 0), 1025);
    assert_int_equal(get(&w, INTERRUPT_STATUS), 1);
    put(&w, INTERRUPT_ACK, 1);
    assert_false(w.level);
    memset(w.memory + (BUFFERS - BASE) + 0x100, 0x5a, 512);
    assert_int_equal(request(&w, 1, 7, 512, false), 0);
    assert_int_equal(w.disk[7 * 512], 0x5a);
    assert_int_equal(w.disk[8 * 512 - 1], 0x5a);
    assert_int_equal(w.disk[8 * 512], (uint8_t)(8 + 8 * 512));
    assert_int_equal(used_length(&w, 1), 1);
    wreck(&w);
}

static void what_lies_behind_the_end_is_an_error(void **state)
{
    static const struct {
        uint64_t sector;
        uint32_t len;
    } wrong[] = {{SECTORS, 512},    {SECTORS - 1, 1024},
                 {UINT64_MAX, 512}, {UINT64_MAX / 512, 512},
                 {0, 100},          {1, 513}};
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    for (size_t n = 0; n < ARRAY_LEN(wrong); n++) {
        assert_int_equal(request(&w, 0, wrong[n].sector, wrong[n].len, true), 1);
        assert_int_equal(request(&w, 1, wrong[n].sector, wrong[n].len, false), 1);
    }
    assert_int_equal(request(&w, 0, SECTORS - 1, 512, true), 0);
    wreck(&w);
}

static void other_requests_have_their_answers(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    assert_int_equal(request(&w, 4, 0, 0, false), 0);
    assert_int_equal(w.flushes, 1);
    assert_int_equal(request(&w, 8, 0, 20, true), 0);
    assert_string_equal((char *)w.memory + (BUFFERS - BASE) + 0x100, "a disk");
    assert_int_equal(request(&w, 8, 0, 10, true), 1);
    assert_int_equal(request(&w, 99, 0, 512, true), 2);
    w.disk_broken = true;
    assert_int_equal(request(&w, 0, 0, 512, true), 1);
    assert_int_equal(request(&w, 1, 0, 512, false), 1);
    assert_int_equal(request(&w, 4, 0, 0, false), 1);
    wreck(&w);
}

/* The length counts what is written without a gap from the first byte on (2.7.8.2). */
static void a_used_length_is_what_was_written(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    (void)request(&w, 8, 0, 20, true);
    assert_int_equal(used_length(&w, 0), 21);
    (void)request(&w, 8, 0, 19, true);
    assert_in_range(used_length(&w, 1), 0, 19);
    (void)request(&w, 8, 0, 100, true);
    assert_int_equal(used_length(&w, 2), 20);
    (void)request(&w, 0, SECTORS, 512, true);
    assert_int_equal(used_length(&w, 3), 0);
    (void)request(&w, 4, 0, 0, false);
    assert_int_equal(used_length(&w, 4), 1);
    wreck(&w);
}

static void a_read_only_disk_is_not_written(void **state)
{
    struct world w;
    uint8_t before;

    (void)state;
    disk_world(&w, true);
    start(&w, 0);
    put(&w, DEVICE_FEATURES_SEL, 0);
    assert_true(get(&w, DEVICE_FEATURES) & 1U << 5);
    before = w.disk[0];
    memset(w.memory + (BUFFERS - BASE) + 0x100, ~before, 512);
    assert_int_equal(request(&w, 1, 0, 512, false), 1);
    assert_int_equal(w.disk[0], before);
    wreck(&w);
}

static void an_indirect_table_serves_as_well(void **state)
{
    enum { TABLE = BUFFERS + 0x4000 };
    struct world w;
    uint8_t header[16] = {0};

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, BUFFERS, header, sizeof header);
    describe(&w, TABLE, 0, BUFFERS, 16, NEXT, 2);
    describe(&w, TABLE, 2, BUFFERS + 0x100, 512, NEXT | WRITE, 1);
    describe(&w, TABLE, 1, BUFFERS + 0x8000, 1, WRITE, 0);
    describe(&w, DESC, 5, TABLE, 3 * 16, INDIRECT, 0);
    offer(&w, 5);
    put(&w, QUEUE_NOTIFY, 0);
    assert_int_equal(used_index(&w), 1);
    assert_memory_equal(w.memory + (BUFFERS - BASE) + 0x100, w.disk, 512);
    wreck(&w);
}

/* ---- hostile drivers ---- */

static void assert_broken_by(struct world *w, uint16_t head)
{
    offer(w, head);
    put(w, QUEUE_NOTIFY, 0);
    assert_true(get(w, STATUS) & NEEDS_RESET);
    assert_int_equal(used_index(w), 0);
    assert_true(get(w, INTERRUPT_STATUS) & 2);
    put(w, QUEUE_NOTIFY, 0); /* and the device does nothing more */
    start(w, 0);
}

static void chains_that_cannot_be_break_the_device(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 1); /* a loop */
    describe(&w, DESC, 1, BUFFERS, 16, NEXT, 0);
    assert_broken_by(&w, 0);
    assert_broken_by(&w, QUEUE_SIZE); /* no such descriptor */
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 0xffff);
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT | WRITE, 1); /* readable after writable */
    describe(&w, DESC, 1, BUFFERS, 16, 0, 0);
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, DESC, 16, INDIRECT, 0); /* a table in a table */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, 17, INDIRECT, 0); /* half a descriptor */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, UINT64_MAX - 7, 0xfffffff0, INDIRECT, 0); /* nowhere */
    assert_broken_by(&w, 0);
    describe(&w, DESC, 0, BUFFERS, UINT32_MAX, NEXT, 1); /* longer than 2^32 together */
    describe(&w, DESC, 1, BUFFERS, UINT32_MAX, NEXT, 2);
    describe(&w, DESC, 2, BUFFERS, 1, WRITE, 0);
    assert_broken_by(&w, 0);
    wreck(&w);
}

static void an_index_far_ahead_breaks_the_device(void **state)
{
    struct world w;
    uint16_t index = QUEUE_SIZE + 1;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, AVAIL + 2, &index, 2);
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(get(&w, STATUS) & NEEDS_RESET);
    wreck(&w);
}

static void rings_outside_of_memory_break_the_device(void **state)
{
    static const uint64_t places[] = {QUEUE_DESC, QUEUE_DRIVER, QUEUE_DEVICE};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (size_t n = 0; n < ARRAY_LEN(places); n++) {
        start(&w, 0);
        put(&w, QUEUE_READY, 0);
        put(&w, places[n], 0xfffffff8);
        put(&w, places[n] + 4, 0xffffffff);
        put(&w, QUEUE_READY, 1);
        (void)request(&w, 4, 0, 0, false);
        assert_true(get(&w, STATUS) & NEEDS_RESET);
    }
    wreck(&w);
}

static void buffers_outside_of_memory_are_not_touched(void **state)
{
    struct world w;
    uint8_t header[16] = {0};

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    poke(&w, BUFFERS, header, sizeof header);
    describe(&w, DESC, 0, BUFFERS, 16, NEXT, 1);
    describe(&w, DESC, 1, BASE + MEMORY - 256, 512, NEXT | WRITE, 2);
    describe(&w, DESC, 2, BUFFERS + 0x8000, 1, WRITE, 0);
    assert_broken_by(&w, 0);
    wreck(&w);
}

/* Arbitrary bytes as descriptors and rings: the work must end, and stay inside of memory. */
static void random_rings_do_no_harm(void **state)
{
    struct rng rng = {99};
    struct world w;

    (void)state;
    disk_world(&w, false);
    for (unsigned round = 0; round < 3000; round++) {
        start(&w, 0);
        for (unsigned n = 0; n < QUEUE_SIZE; n++) {
            uint64_t pa = rng_below(&rng, 4) ? BASE + rng_below(&rng, MEMORY) : rng_next(&rng);

            describe(&w, DESC, n, pa, (uint32_t)(rng_next(&rng) >> (32 + rng_below(&rng, 32))),
                     (uint16_t)rng_below(&rng, 8), (uint16_t)rng_below(&rng, QUEUE_SIZE + 1));
        }
        for (unsigned n = 0; n < 3; n++)
            offer(&w, (uint16_t)rng_below(&rng, QUEUE_SIZE));
        w.reads = 0;
        put(&w, QUEUE_NOTIFY, 0);
        assert_true(w.reads < 100000);
        w.now += TICKS_PER_WINDOW;
    }
    wreck(&w);
}

/* ---- the others ---- */

static void the_console_shows_what_it_is_given(void **state)
{
    struct world w = {0};
    struct virtio_console *c = virtio_console_new((struct virtio_console_sink){show, &w});

    (void)state;
    world_of(virtio_console_kind(c), &w);
    start(&w, 1);
    poke(&w, BUFFERS, "hello ", 6);
    poke(&w, BUFFERS + 64, "world", 5);
    describe(&w, DESC, 0, BUFFERS, 6, NEXT, 1);
    describe(&w, DESC, 1, BUFFERS + 64, 5, 0, 0);
    offer(&w, 0);
    put(&w, QUEUE_NOTIFY, 1);
    assert_int_equal(w.shown_len, 11);
    assert_memory_equal(w.shown, "hello world", 11);
    wreck(&w);
}

static void the_console_takes_input_where_there_is_room(void **state)
{
    struct world w = {0};
    struct virtio_console *c = virtio_console_new((struct virtio_console_sink){show, &w});

    (void)state;
    world_of(virtio_console_kind(c), &w);
    start(&w, 0);
    assert_false(virtio_console_wants_input(c));
    assert_false(virtio_console_receive(c, 'x'));
    describe(&w, DESC, 0, BUFFERS, 16, WRITE, 0);
    offer(&w, 0);
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(virtio_console_wants_input(c));
    assert_true(virtio_console_receive(c, 'x'));
    assert_int_equal(w.memory[BUFFERS - BASE], 'x');
    assert_int_equal(used_length(&w, 0), 1);
    assert_false(virtio_console_wants_input(c));
    wreck(&w);
}

static void random_bytes_are_those_of_the_seed(void **state)
{
    uint8_t first[48];

    (void)state;
    for (unsigned run = 0; run < 2; run++) {
        struct world w = {0};

        world_of(virtio_rng(42), &w);
        start(&w, 0);
        describe(&w, DESC, 0, BUFFERS, sizeof first, WRITE, 0);
        offer(&w, 0);
        put(&w, QUEUE_NOTIFY, 0);
        assert_int_equal(used_length(&w, 0), sizeof first);
        if (run)
            assert_memory_equal(w.memory + (BUFFERS - BASE), first, sizeof first);
        memcpy(first, w.memory + (BUFFERS - BASE), sizeof first);
        assert_int_equal(w.memory[BUFFERS - BASE + sizeof first], 0);
        wreck(&w);
    }
    assert_memory_not_equal(first, first + 24, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_registers_say_what_it_is),
        cmocka_unit_test(there_is_no_shared_memory),
        cmocka_unit_test(registers_are_words_and_the_configuration_is_not),
        cmocka_unit_test(an_empty_slot_has_a_magic_and_no_device),
        cmocka_unit_test(features_are_agreed_on_or_not),
        cmocka_unit_test(xv6_finds_its_disk),
        cmocka_unit_test(a_queue_size_that_is_no_power_of_two_breaks_the_device),
        cmocka_unit_test(a_reset_forgets_everything),
        cmocka_unit_test(sectors_are_read_and_written),
        cmocka_unit_test(what_lies_behind_the_end_is_an_error),
        cmocka_unit_test(other_requests_have_their_answers),
        cmocka_unit_test(a_used_length_is_what_was_written),
        cmocka_unit_test(a_read_only_disk_is_not_written),
        cmocka_unit_test(an_indirect_table_serves_as_well),
        cmocka_unit_test(chains_that_cannot_be_break_the_device),
        cmocka_unit_test(an_index_far_ahead_breaks_the_device),
        cmocka_unit_test(rings_outside_of_memory_break_the_device),
        cmocka_unit_test(buffers_outside_of_memory_are_not_touched),
        cmocka_unit_test(random_rings_do_no_harm),
        cmocka_unit_test(the_console_shows_what_it_is_given),
        cmocka_unit_test(the_console_takes_input_where_there_is_room),
        cmocka_unit_test(random_bytes_are_those_of_the_seed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
