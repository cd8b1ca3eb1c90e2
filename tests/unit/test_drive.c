/*
 * test_drive.c - disks whose earlier contents are restored.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/versions.h"
#include "load/drive.h"

enum { SIZE = 5 * 4096 + 512 };

static const struct diag diag = {.program = "test"};

struct world {
    char path[64];
    struct drive *drive;
};

static void build(struct world *w, enum drive_mode mode)
{
    static const uint8_t bytes[SIZE] = {1, 2, 3};
    struct diag d = diag;
    int fd;

    strcpy(w->path, "/tmp/test_drive.XXXXXX");
    fd = mkstemp(w->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, sizeof bytes), sizeof bytes);
    close(fd);
    d.out = stderr;
    assert_int_equal(drive_open(w->path, mode, &d, &w->drive), EXIT_PASS);
}

static void take_down(struct world *w)
{
    drive_free(w->drive);
    unlink(w->path);
}

static void put(struct world *w, uint64_t offset, uint8_t value)
{
    uint8_t sector[DRIVE_SECTOR];

    memset(sector, value, sizeof sector);
    assert_true(drive_write(w->drive, offset, sector, sizeof sector));
}

static uint8_t get(struct world *w, uint64_t offset)
{
    uint8_t byte;

    assert_true(drive_read(w->drive, offset, &byte, 1));
    return byte;
}

static uint8_t in_file(const struct world *w, uint64_t offset)
{
    uint8_t byte = 0;
    int fd = open(w->path, O_RDONLY);

    assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 1);
    close(fd);
    return byte;
}

/* Takes two versions and restores them, in a mode; the last page is a partial one. */
static void go_back(struct world *w)
{
    struct version *first, *second;

    first = drive_take_version(w->drive);
    put(w, 0, 10);
    put(w, SIZE - 512, 11);
    second = drive_take_version(w->drive);
    put(w, 0, 20);
    put(w, 4096, 21);
    assert_true(version_bytes(second) > 2 * 4096);
    assert_true(drive_restore_version(w->drive, first));
    assert_int_equal(get(w, 0), 1);
    assert_int_equal(get(w, 1), 2);
    assert_int_equal(get(w, 4096), 0);
    assert_int_equal(get(w, SIZE - 1), 0);
    put(w, 4096, 30);
    assert_true(drive_restore_version(w->drive, second));
    assert_int_equal(get(w, 0), 10);
    assert_int_equal(get(w, 4096), 0);
    assert_int_equal(get(w, SIZE - 1), 11);
    drive_free_version(w->drive, first);
    put(w, 0, 40);
    assert_true(drive_restore_version(w->drive, second));
    assert_int_equal(get(w, 0), 10);
}

static void the_file_of_a_writable_drive_goes_back(void **state)
{
    struct world w;

    (void)state;
    build(&w, DRIVE_WRITABLE);
    go_back(&w);
    assert_int_equal(in_file(&w, 0), 10);
    assert_int_equal(in_file(&w, SIZE - 1), 11);
    take_down(&w);
}

static void writes_that_only_the_run_sees_go_back(void **state)
{
    struct world w;

    (void)state;
    build(&w, DRIVE_SNAPSHOT);
    go_back(&w);
    assert_int_equal(in_file(&w, 0), 1);
    take_down(&w);
}

static void a_drive_that_nobody_writes_costs_nothing(void **state)
{
    struct world w;
    struct version *v;

    (void)state;
    build(&w, DRIVE_READ_ONLY);
    v = drive_take_version(w.drive);
    assert_int_equal(get(&w, 0), 1);
    assert_true(drive_restore_version(w.drive, v));
    assert_true(version_bytes(v) < 512);
    take_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_of_a_writable_drive_goes_back),
        cmocka_unit_test(writes_that_only_the_run_sees_go_back),
        cmocka_unit_test(a_drive_that_nobody_writes_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
