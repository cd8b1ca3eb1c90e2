/*
 * test_snapshot_file.c - snapshots in files: what another machine has after a restore, what a file
 * costs, and that a damaged one changes nothing. tests/cli/snapshots.sh has whole runs.
 */
#include "machine/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "machine/board.h"
#include "machine/snapshot.h"

/* Stores to its own page and to eight others, again and again. */
static struct board_program storing_program(void)
{
    struct board_program p = {0};
    unsigned begin;

    add(&p, AUIPC(T0, 0x100));
    add(&p, ADDI(T1, ZERO, 1));
    add(&p, LUI(T3, 1));
    begin = add(&p, ADDI(T2, T0, 0));
    for (unsigned i = 0; i < 8; i++) {
        add(&p, SD(T1, T2, 0));
        add(&p, ADD(T2, T2, T3));
        add(&p, ADDI(T1, T1, 3));
    }
    add(&p, FENCE_I);
    add(&p, JAL(ZERO, -(int)distance(begin, p.count)));
    return p;
}

static struct diag diag; /* counts nothing, says nothing */
static char path[] = "/tmp/test_snapshot_XXXXXX";
static char other[] = "/tmp/test_snapshot_XXXXXX";

static int make_files(void **state)
{
    int fd = mkstemp(path), more = mkstemp(other);

    (void)state;
    diag = (struct diag){.out = fopen("/dev/null", "w"), .program = "test"};
    assert_true(fd >= 0 && more >= 0 && diag.out);
    close(fd);
    close(more);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(path);
    unlink(other);
    return fclose(diag.out);
}

static void run_to(struct test_board *b, uint64_t insns)
{
    assert_int_equal(machine_run(b->m, insns, UINT64_MAX).reason, STOP_INSNS);
}

static void save(struct test_board *b)
{
    char line[] = "a line", more[] = "another one";
    char *lines[] = {line, more};

    assert_int_equal(snapshot_file_write(b->m, path, &(struct snapshot_lines){lines, 2}, &diag),
                     EXIT_PASS);
}

static enum exit_status restore(struct test_board *b, const char *from)
{
    struct snapshot_file *f;
    enum exit_status status = snapshot_file_open(from, &diag, &f);

    if (status == EXIT_PASS) {
        status = snapshot_file_restore(f, b->m, true);
        snapshot_file_close(f);
    }
    return status;
}

/* A word of each page that the program writes, folded. */
static uint64_t memory_of(const struct test_board *b)
{
    uint64_t sum = 0, word;

    for (unsigned page = 0; page < 8; page++) {
        assert_true(
            bus_read(board_bus(b), BOARD_KERNEL + (0x100 + page) * 4096, &word, sizeof word));
        sum = sum * 31 + word;
    }
    return sum;
}

static void another_machine_goes_on_from_it(void **state)
{
    const struct board_program p = storing_program();
    struct test_board a, b;
    uint64_t hash, memory;

    (void)state;
    board_new(&a, &p, (struct machine_config){.harts = 2});
    board_new(&b, &p, (struct machine_config){.harts = 2});
    run_to(&a, 1000);
    save(&a);
    run_to(&a, 5000);
    hash = machine_state_hash(a.m);
    memory = memory_of(&a);
    run_to(&b, 70);
    assert_int_equal(restore(&b, path), EXIT_PASS);
    assert_int_equal(machine_insns(b.m), 1000);
    run_to(&b, 5000);
    assert_int_equal(machine_state_hash(b.m), hash);
    assert_int_equal(memory_of(&b), memory);
    assert_int_equal(restore(&a, path), EXIT_PASS);
    run_to(&a, 5000);
    assert_int_equal(machine_state_hash(a.m), hash);
    board_free(&a);
    board_free(&b);
}

static void snapshots_in_memory_remain_valid(void **state)
{
    const struct board_program p = storing_program();
    struct test_board b;
    struct snapshot *early, *late;
    uint64_t hash[2], memory[2];

    (void)state;
    board_new(&b, &p, (struct machine_config){.harts = 1});
    run_to(&b, 100);
    early = machine_snapshot(b.m);
    hash[0] = machine_state_hash(b.m);
    memory[0] = memory_of(&b);
    run_to(&b, 1000);
    save(&b);
    run_to(&b, 3000);
    late = machine_snapshot(b.m);
    hash[1] = machine_state_hash(b.m);
    memory[1] = memory_of(&b);
    assert_int_equal(restore(&b, path), EXIT_PASS);
    run_to(&b, 1500);
    for (unsigned i = 0; i < 4; i++) {
        assert_true(machine_restore(b.m, i % 2 ? late : early));
        assert_int_equal(machine_state_hash(b.m), hash[i % 2]);
        assert_int_equal(memory_of(&b), memory[i % 2]);
    }
    board_free(&b);
}

static off_t size_of(const char *name)
{
    struct stat st;

    assert_int_equal(stat(name, &st), 0);
    return st.st_size;
}

static void memory_that_is_not_used_costs_nothing(void **state)
{
    const struct board_program p = storing_program();
    struct test_board b;
    off_t small;

    (void)state;
    board_new(&b, &p, (struct machine_config){.memory = 16 << 20});
    run_to(&b, 1000);
    save(&b);
    small = size_of(path);
    board_free(&b);
    board_new(&b, &p, (struct machine_config){.memory = UINT64_C(4) << 30});
    run_to(&b, 1000);
    save(&b);
    assert_in_range(size_of(path), small - 64, small + 64);
    assert_in_range(small, 1, 16 << 10);
    board_free(&b);
}

/* The bytes of the good file, and a machine that a refused one must not change. */
struct world {
    struct test_board b;
    uint8_t *bytes;
    size_t size;
    uint64_t hash, memory, saved;
};

static void begin(struct world *w)
{
    const struct board_program p = storing_program();
    FILE *f;

    board_new(&w->b, &p, (struct machine_config){.harts = 2});
    run_to(&w->b, 1000);
    save(&w->b);
    w->saved = machine_state_hash(w->b.m);
    run_to(&w->b, 1777);
    w->hash = machine_state_hash(w->b.m);
    w->memory = memory_of(&w->b);
    w->size = (size_t)size_of(path);
    w->bytes = xmalloc(w->size + 1);
    f = fopen(path, "rb");
    assert_int_equal(fread(w->bytes, 1, w->size, f), w->size);
    fclose(f);
}

static void end(struct world *w)
{
    board_free(&w->b);
    free(w->bytes);
}

static void put_file(const uint8_t *bytes, size_t size)
{
    int fd = open(other, O_WRONLY | O_TRUNC | O_CLOEXEC);

    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

static void is_refused(struct world *w)
{
    assert_int_equal(restore(&w->b, other), EXIT_BAD_FILE);
    assert_int_equal(machine_state_hash(w->b.m), w->hash);
    assert_int_equal(memory_of(&w->b), w->memory);
}

static void an_altered_byte_is_refused_and_changes_nothing(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    for (size_t at = 0; at < w.size; at += at < 60 ? 1 : 11) {
        w.bytes[at] ^= (uint8_t)(1 << at % 8);
        put_file(w.bytes, w.size);
        is_refused(&w);
        w.bytes[at] ^= (uint8_t)(1 << at % 8);
    }
    put_file(w.bytes, w.size);
    assert_int_equal(restore(&w.b, other), EXIT_PASS);
    assert_int_equal(machine_state_hash(w.b.m), w.saved);
    end(&w);
}

static void a_file_of_another_length_is_refused(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    for (size_t size = 0; size <= w.size + 1; size += size < 60 || size > w.size - 80 ? 1 : 19) {
        if (size == w.size)
            continue;
        w.bytes[w.size] = 0;
        put_file(w.bytes, size);
        is_refused(&w);
    }
    end(&w);
}

static void a_machine_with_another_memory_or_harts_refuses_it(void **state)
{
    const struct board_program p = storing_program();
    const struct machine_config configs[] = {
        {.harts = 3}, {.harts = 2, .memory = 8 << 20}, {.harts = 2, .page_copies_max = 7}};
    struct test_board b;
    uint64_t hash;

    (void)state;
    board_new(&b, &p, (struct machine_config){.harts = 2});
    run_to(&b, 1000);
    save(&b);
    board_free(&b);
    for (unsigned i = 0; i < sizeof configs / sizeof configs[0]; i++) {
        board_new(&b, &p, configs[i]);
        run_to(&b, 500);
        hash = machine_state_hash(b.m);
        assert_int_equal(restore(&b, path), EXIT_BAD_FILE);
        assert_int_equal(machine_state_hash(b.m), hash);
        board_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_machine_goes_on_from_it),
        cmocka_unit_test(snapshots_in_memory_remain_valid),
        cmocka_unit_test(memory_that_is_not_used_costs_nothing),
        cmocka_unit_test(an_altered_byte_is_refused_and_changes_nothing),
        cmocka_unit_test(a_file_of_another_length_is_refused),
        cmocka_unit_test(a_machine_with_another_memory_or_harts_refuses_it),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
