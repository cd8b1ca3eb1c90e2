/*
 * test_virtio_work.c - how much a device does in a window of time, and disks that are larger than
 * that.
 */
#include "virtio_world.h"

/* ---- work in windows of time ---- */

enum { TABLE = BUFFERS, FLOOD_BUFFERS = 160, FLOOD_BYTES = 32 << 10 };

/*
 * The console must write 5 MiB through one indirect table: the first half of memory again
 * and again. Bytes of the table itself are among them, and what is written to the rings.
 */
static void flood_console(struct world *w)
{
    for (unsigned n = 0; n < FLOOD_BUFFERS; n++)
        describe(w, TABLE, n, BASE, FLOOD_BYTES, NEXT, (uint16_t)(n + 1));
    describe(w, TABLE, FLOOD_BUFFERS, BASE, 1, 0, 0);
    describe(w, DESC, 0, TABLE, 16 * (FLOOD_BUFFERS + 1), INDIRECT, 0);
    offer(w, 0);
}

static void count(void *ctx, const uint8_t *bytes, size_t len)
{
    (void)bytes;
    ((struct world *)ctx)->shown_len += len;
}

static void start_flood(struct world *w)
{
    *w = (struct world){0};
    world_of(virtio_console_kind(virtio_console_new((struct virtio_console_sink){count, w})), w);
    start(w, 1);
    assert_true(virtio_next_deadline(w->virtio) == UINT64_MAX);
    flood_console(w);
    w->moved = 0;
    put(w, QUEUE_NOTIFY, 1);
}

static void a_notification_moves_one_window_of_bytes_at_most(void **state)
{
    enum { SOME = VIRTIO_WINDOW_BYTES + VIRTIO_PIECE_BYTES, TABLE_BYTES = 16 * 256 };
    struct world w;
    uint64_t total = (uint64_t)FLOOD_BUFFERS * FLOOD_BYTES + 1;

    (void)state;
    start_flood(&w);
    assert_in_range(w.moved, 1, SOME + TABLE_BYTES);
    assert_int_equal(used_index(&w), 0);
    w.moved = 0;
    for (unsigned n = 0; n < 1000; n++) /* as often as it likes, and as the owner likes */
        put(&w, QUEUE_NOTIFY, 1);
    virtio_update(w.virtio);
    assert_int_equal(w.moved, 0);
    for (unsigned window = 1; !used_index(&w); window++) {
        uint64_t before = w.shown_len;

        assert_in_range(window, 1, 6);
        assert_int_equal(virtio_next_deadline(w.virtio), window * TICKS_PER_WINDOW);
        w.now = window * TICKS_PER_WINDOW - 1;
        virtio_update(w.virtio);
        assert_int_equal(w.shown_len, before);
        w.now++;
        w.moved = 0;
        virtio_update(w.virtio);
        assert_in_range(w.moved, 1, SOME);
    }
    assert_int_equal(w.shown_len, total);
    assert_true(w.level);
    assert_true(virtio_next_deadline(w.virtio) == UINT64_MAX);
    wreck(&w);
}

static void a_window_that_was_not_used_is_not_saved_up(void **state)
{
    struct world w;

    (void)state;
    start_flood(&w);
    w.now = 100 * TICKS_PER_WINDOW;
    w.moved = 0;
    virtio_update(w.virtio);
    assert_in_range(w.moved, 1, VIRTIO_WINDOW_BYTES + VIRTIO_PIECE_BYTES);
    wreck(&w);
}

static void a_reset_or_a_queue_that_is_taken_away_ends_the_work(void **state)
{
    (void)state;
    for (unsigned how = 0; how < 2; how++) {
        struct world w;

        start_flood(&w);
        w.moved = 0;
        if (how) {
            put(&w, STATUS, 0);
        } else {
            put(&w, QUEUE_SEL, 1);
            put(&w, QUEUE_READY, 0);
        }
        assert_true(virtio_next_deadline(w.virtio) == UINT64_MAX);
        w.now = TICKS_PER_WINDOW;
        virtio_update(w.virtio);
        assert_int_equal(w.moved, 0);
        assert_int_equal(used_index(&w), 0);
        wreck(&w);
    }
}

/* The device writes the ring from which it takes: 5 chains become 65,000. */
static void a_queue_that_feeds_itself_ends_with_the_window(void **state)
{
    struct world w = {0};

    (void)state;
    world_of(virtio_rng(42), &w);
    start(&w, 0);
    describe(&w, DESC, 0, AVAIL + 2, 2, WRITE, 0);
    for (unsigned n = 0; n < 5; n++)
        offer(&w, 0);
    w.reads = 0;
    put(&w, QUEUE_NOTIFY, 0);
    assert_true(w.reads < 100000);
    wreck(&w);
}

/* The restored device continues the work. */
static void a_chain_that_is_half_done_is_saved_and_restored(void **state)
{
    struct world w, other;
    struct state_io save, load;

    (void)state;
    start_flood(&w);
    state_io_save(&save, 0);
    w.device.state_io(w.device.ctx, &save);
    assert_int_equal(state_io_end(&save), STATE_OK);

    start_flood(&other);
    put(&other, STATUS, 0);
    memcpy(other.memory, w.memory, sizeof w.memory);
    other.shown_len = w.shown_len;
    state_io_load(&load, save.saved.at, save.saved.len);
    other.device.state_io(other.device.ctx, &load);
    assert_int_equal(state_io_end(&load), STATE_OK);
    for (unsigned window = 1; !used_index(&w); window++) {
        w.now = other.now = window * TICKS_PER_WINDOW;
        virtio_update(w.virtio);
        virtio_update(other.virtio);
        assert_int_equal(w.shown_len, other.shown_len);
    }
    assert_int_equal(used_index(&other), 1);
    assert_memory_equal(w.memory, other.memory, sizeof w.memory);
    state_io_free(&save);
    wreck(&w);
    wreck(&other);
}

/* ---- a disk that is larger than a window ---- */

enum { LARGE_BYTES = 4 << 20, PART_BYTES = 16 << 10, PARTS = 128, FROM_SECTOR = 32 };

/* The byte at an offset is a number of its sector. */
static bool large_read(void *ctx, uint64_t offset, void *to, size_t len)
{
    (void)ctx;
    assert_in_range(offset + len, 1, LARGE_BYTES);
    for (size_t n = 0; n < len; n++)
        ((uint8_t *)to)[n] = (uint8_t)((offset + n) / VIRTIO_BLK_SECTOR);
    return true;
}

static void start_large(struct world *w)
{
    struct block_store store = {.size = LARGE_BYTES,
                                .ctx = w,
                                .read = large_read,
                                .write = disk_write,
                                .flush = disk_flush};
    uint8_t header[16] = {[8] = FROM_SECTOR};

    *w = (struct world){0};
    world_of(virtio_blk(&store, "large"), w);
    start(w, 0);
    poke(w, BUFFERS, header, sizeof header);
    describe(w, TABLE + 16, 0, BUFFERS, sizeof header, NEXT, 1);
    for (unsigned n = 1; n <= PARTS; n++) /* the parts overwrite one another: the last one stays */
        describe(w, TABLE + 16, n, BUFFERS + 0x2000, PART_BYTES, NEXT | WRITE, (uint16_t)(n + 1));
    describe(w, TABLE + 16, PARTS + 1, BUFFERS + 0x1000, 1, WRITE, 0);
    describe(w, DESC, 0, TABLE + 16, 16 * (PARTS + 2), INDIRECT, 0);
    offer(w, 0);
    w->memory[BUFFERS + 0x1000 - BASE] = 0xff;
    put(w, QUEUE_NOTIFY, 0);
}

static void assert_large_read(const struct world *w)
{
    uint64_t last = FROM_SECTOR + (PARTS - 1) * PART_BYTES / VIRTIO_BLK_SECTOR;
    const uint8_t *part = w->memory + (BUFFERS + 0x2000 - BASE);

    assert_int_equal(used_index(w), 1);
    assert_int_equal(used_length(w, 0), PARTS * PART_BYTES + 1);
    assert_int_equal(w->memory[BUFFERS + 0x1000 - BASE], 0);
    for (unsigned n = 0; n < PART_BYTES; n++)
        assert_int_equal(part[n], (uint8_t)(last + n / VIRTIO_BLK_SECTOR));
}

static void a_large_read_takes_windows_and_survives_a_restore(void **state)
{
    struct world w, other;
    struct state_io save, load;

    (void)state;
    start_large(&w);
    assert_int_equal(used_index(&w), 0);
    state_io_save(&save, 0);
    w.device.state_io(w.device.ctx, &save);
    start_large(&other);
    put(&other, STATUS, 0);
    memcpy(other.memory, w.memory, sizeof w.memory);
    state_io_load(&load, save.saved.at, save.saved.len);
    other.device.state_io(other.device.ctx, &load);
    assert_int_equal(state_io_end(&load), STATE_OK);
    for (unsigned window = 1; window < 4; window++) {
        w.now = other.now = window * TICKS_PER_WINDOW;
        /* Changes of the buffers by the driver meanwhile do not affect the open request. */
        memset(w.memory + (BUFFERS - BASE), 0xee, 0x1000);
        memset(other.memory + (BUFFERS - BASE), 0xee, 0x1000);
        virtio_update(w.virtio);
        virtio_update(other.virtio);
    }
    assert_large_read(&w);
    assert_large_read(&other);
    state_io_free(&save);
    wreck(&w);
    wreck(&other);
}

/* Each flush may wait for the host's disk. */
static void a_window_has_four_flushes(void **state)
{
    struct world w;

    (void)state;
    disk_world(&w, false);
    start(&w, 0);
    for (unsigned n = 0; n < 7; n++)
        (void)request(&w, 4, 0, 0, false);
    assert_in_range(w.flushes, 1, 4);
    w.now = TICKS_PER_WINDOW;
    virtio_update(w.virtio);
    assert_int_equal(w.flushes, 7);
    assert_int_equal(used_index(&w), 7);
    wreck(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notification_moves_one_window_of_bytes_at_most),
        cmocka_unit_test(a_window_that_was_not_used_is_not_saved_up),
        cmocka_unit_test(a_reset_or_a_queue_that_is_taken_away_ends_the_work),
        cmocka_unit_test(a_queue_that_feeds_itself_ends_with_the_window),
        cmocka_unit_test(a_chain_that_is_half_done_is_saved_and_restored),
        cmocka_unit_test(a_large_read_takes_windows_and_survives_a_restore),
        cmocka_unit_test(a_window_has_four_flushes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
