/*
 * test_state_io.c - saving and restoring: round trips, and data that must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/state_io.h"

enum colour { RED, GREEN, BLUE, COLOURS };

struct item {
    uint32_t number;
    bool odd;
};

struct part {
    uint8_t small;
    uint16_t middle;
    uint32_t large;
    uint64_t huge;
    int32_t negative;
    bool yes;
    enum colour colour;
    uint8_t bytes[5];
    VEC_OF(struct item) items;
    struct map map;
};

static void item_io(struct state_io *io, struct item *item)
{
    STATE_IO(io, item->number);
    STATE_IO(io, item->odd);
}

static void part_io_version(struct state_io *io, struct part *p, unsigned version)
{
    state_io_section(io, "part", version);
    STATE_IO(io, p->small);
    STATE_IO(io, p->middle);
    STATE_IO(io, p->large);
    STATE_IO(io, p->huge);
    STATE_IO(io, p->negative);
    STATE_IO(io, p->yes);
    STATE_IO_BELOW(io, p->colour, COLOURS);
    state_io_bytes(io, p->bytes, sizeof p->bytes);
    STATE_IO_VEC(io, &p->items, 100, item_io);
    state_io_map(io, &p->map);
}

static void part_io(struct state_io *io, struct part *p)
{
    part_io_version(io, p, 1);
}

static struct part example(void)
{
    struct part p = {.small = 200,
                     .middle = 60000,
                     .large = 4000000000,
                     .huge = UINT64_C(1) << 63 | 5,
                     .negative = -7,
                     .yes = true,
                     .colour = BLUE,
                     .bytes = "abcd"};

    for (uint32_t i = 0; i < 20; i++) {
        VEC_PUSH(&p.items, ((struct item){i * 1000, i % 2 != 0}));
        map_put(&p.map, i * 0x1000, i);
    }
    return p;
}

static void part_free(struct part *p)
{
    VEC_FREE(&p->items);
    map_free(&p->map);
}

static struct state_io saved_example(void)
{
    struct part p = example();
    struct state_io io;

    state_io_save(&io, 0);
    part_io(&io, &p);
    assert_int_equal(state_io_end(&io), STATE_OK);
    part_free(&p);
    return io;
}

static enum state_error load(const struct state_io *saved, size_t size, struct part *p)
{
    struct state_io io;

    state_io_load(&io, saved->saved.at, size);
    part_io(&io, p);
    return state_io_end(&io);
}

static void what_is_saved_is_restored(void **state)
{
    struct state_io io = saved_example();
    struct part p = {0};
    uint64_t value;

    (void)state;
    assert_int_equal(load(&io, io.saved.len, &p), STATE_OK);
    assert_int_equal(p.small, 200);
    assert_int_equal(p.middle, 60000);
    assert_int_equal(p.large, 4000000000);
    assert_true(p.huge == (UINT64_C(1) << 63 | 5));
    assert_int_equal(p.negative, -7);
    assert_true(p.yes);
    assert_int_equal(p.colour, BLUE);
    assert_string_equal((char *)p.bytes, "abcd");
    assert_int_equal(p.items.len, 20);
    assert_int_equal(p.items.at[19].number, 19000);
    assert_true(p.items.at[19].odd);
    assert_int_equal(p.map.len, 20);
    assert_true(map_get(&p.map, 19 * 0x1000, &value) && value == 19);
    part_free(&p);
    state_io_free(&io);
}

static void restoring_replaces_what_was_there(void **state)
{
    struct state_io io = saved_example();
    struct part p = example();
    uint64_t value;

    (void)state;
    map_put(&p.map, 0x99999, 1);
    for (unsigned i = 0; i < 30; i++)
        VEC_PUSH(&p.items, ((struct item){1, true}));
    assert_int_equal(load(&io, io.saved.len, &p), STATE_OK);
    assert_int_equal(p.items.len, 20);
    assert_false(map_get(&p.map, 0x99999, &value));
    part_free(&p);
    state_io_free(&io);
}

static void the_same_map_gives_the_same_bytes_in_whatever_order_it_was_filled(void **state)
{
    struct map up = {0}, down = {0};
    struct state_io a, b;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        map_put(&up, i << 12, i);
        map_put(&down, (999 - i) << 12, 999 - i);
    }
    for (uint64_t i = 1000; i < 9000; i++)
        map_put(&down, i << 12, i);
    for (uint64_t i = 1000; i < 9000; i++)
        map_remove(&down, i << 12);
    state_io_save(&a, 0);
    state_io_save(&b, 0);
    state_io_map(&a, &up);
    state_io_map(&b, &down);
    assert_int_equal(a.saved.len, b.saved.len);
    assert_memory_equal(a.saved.at, b.saved.at, a.saved.len);
    state_io_free(&a);
    state_io_free(&b);
    map_free(&up);
    map_free(&down);
}

static void truncated_data_are_refused_wherever_they_end(void **state)
{
    struct state_io io = saved_example();

    (void)state;
    for (size_t size = 0; size < io.saved.len; size++) {
        struct part p = {0};

        assert_int_equal(load(&io, size, &p), STATE_TRUNCATED);
        part_free(&p);
    }
    state_io_free(&io);
}

static void data_that_go_on_are_refused(void **state)
{
    struct state_io io = saved_example();
    struct part p = {0};

    (void)state;
    VEC_PUSH(&io.saved, 0);
    assert_int_equal(load(&io, io.saved.len, &p), STATE_TOO_LONG);
    part_free(&p);
    state_io_free(&io);
}

static void another_version_is_refused(void **state)
{
    struct state_io saved = saved_example(), io;
    struct part p = {0};

    (void)state;
    state_io_load(&io, saved.saved.at, saved.saved.len);
    part_io_version(&io, &p, 2);
    assert_int_equal(state_io_end(&io), STATE_WRONG_VERSION);
    assert_int_equal(p.large, 0);
    assert_string_equal(io.section, "part");
    part_free(&p);
    state_io_free(&saved);
}

static void another_section_is_refused(void **state)
{
    static const char *const names[] = {"parT", "part-of", "par", ""};
    struct state_io saved = saved_example();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct state_io io;

        state_io_load(&io, saved.saved.at, saved.saved.len);
        state_io_section(&io, names[i], 1);
        assert_int_equal(io.error, STATE_WRONG_SECTION);
    }
    state_io_free(&saved);
}

/* The same bytes with one number of the example in a section of its own. */
static enum state_error load_number(uint64_t value, uint64_t limit)
{
    struct state_io save, io;
    enum state_error error;

    state_io_save(&save, 0);
    STATE_IO(&save, value);
    state_io_load(&io, save.saved.at, save.saved.len);
    value = 1;
    STATE_IO_BELOW(&io, value, limit);
    error = state_io_end(&io);
    assert_true(value < limit);
    state_io_free(&save);
    return error;
}

static void a_number_out_of_range_is_refused_and_not_taken(void **state)
{
    (void)state;
    assert_int_equal(load_number(4, 5), STATE_OK);
    assert_int_equal(load_number(5, 5), STATE_OUT_OF_RANGE);
    assert_int_equal(load_number(UINT64_MAX, 5), STATE_OUT_OF_RANGE);
}

static size_t load_count(uint64_t count, size_t max, enum state_error *error)
{
    struct state_io save, io;
    uint64_t items[4] = {0};
    size_t answer;

    state_io_save(&save, 0);
    STATE_IO(&save, count);
    state_io_bytes(&save, items, sizeof items);
    state_io_load(&io, save.saved.at, save.saved.len);
    answer = state_io_count(&io, 0, max);
    *error = io.error;
    state_io_free(&save);
    return answer;
}

static void a_length_that_cannot_be_costs_no_memory(void **state)
{
    enum state_error error;

    (void)state;
    assert_int_equal(load_count(4, 10, &error), 4);
    assert_int_equal(error, STATE_OK);
    assert_int_equal(load_count(11, 10, &error), 0);
    assert_int_equal(error, STATE_OUT_OF_RANGE);
    assert_int_equal(load_count(UINT64_C(1) << 60, SIZE_MAX, &error), 0);
    assert_int_equal(error, STATE_TRUNCATED);
}

static void a_number_of_the_configuration_must_be_the_same(void **state)
{
    struct state_io save, io;

    (void)state;
    state_io_save(&save, 0);
    STATE_IO_SAME(&save, 4);
    state_io_load(&io, save.saved.at, save.saved.len);
    STATE_IO_SAME(&io, 8);
    assert_int_equal(state_io_end(&io), STATE_WRONG_SECTION);
    state_io_free(&save);
}

static void after_a_mistake_nothing_changes(void **state)
{
    struct state_io saved = saved_example(), io;
    uint64_t a = 1;
    uint8_t bytes[2] = {3, 4};
    struct map m = {0};

    (void)state;
    map_put(&m, 5, 6);
    state_io_load(&io, saved.saved.at, saved.saved.len);
    state_io_fail(&io, STATE_OUT_OF_RANGE);
    STATE_IO(&io, a);
    state_io_bytes(&io, bytes, sizeof bytes);
    state_io_map(&io, &m);
    assert_int_equal(a, 1);
    assert_int_equal(bytes[0], 3);
    assert_int_equal(m.len, 1);
    assert_int_equal(state_io_end(&io), STATE_OUT_OF_RANGE);
    assert_string_equal(state_error_text(io.error), "has a number out of range");
    map_free(&m);
    state_io_free(&saved);
}

/* Bytes changed at random are refused or give some state, and never crash. */
static void damaged_data_never_crash(void **state)
{
    struct state_io io = saved_example();
    uint32_t random = 1;

    (void)state;
    for (unsigned n = 0; n < 3000; n++) {
        struct part p = {0};
        size_t at;
        uint8_t before;

        random = random * 1664525 + 1013904223;
        at = (random >> 8) % io.saved.len;
        before = io.saved.at[at];
        io.saved.at[at] = (uint8_t)(random >> 3);
        (void)load(&io, io.saved.len, &p);
        assert_true(p.colour < COLOURS);
        part_free(&p);
        io.saved.at[at] = before;
    }
    state_io_free(&io);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_restored),
        cmocka_unit_test(restoring_replaces_what_was_there),
        cmocka_unit_test(the_same_map_gives_the_same_bytes_in_whatever_order_it_was_filled),
        cmocka_unit_test(truncated_data_are_refused_wherever_they_end),
        cmocka_unit_test(data_that_go_on_are_refused),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(another_section_is_refused),
        cmocka_unit_test(a_number_out_of_range_is_refused_and_not_taken),
        cmocka_unit_test(a_length_that_cannot_be_costs_no_memory),
        cmocka_unit_test(a_number_of_the_configuration_must_be_the_same),
        cmocka_unit_test(after_a_mistake_nothing_changes),
        cmocka_unit_test(damaged_data_never_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
