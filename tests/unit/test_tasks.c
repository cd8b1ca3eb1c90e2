/*
 * test_tasks.c - the names and pids of tasks, by BTF and without it.
 */
#include "isa/world.h"

#include "base/state_io.h"
#include "ftrace/kernel/tasks.h"
#include "load/btf.h"
#include "load/lines.h"
#include "machine/site_image.h"

/* Where things are in the image, and in a task_struct. */
enum {
    BTF_AT = 0x800,
    FIRST_TASK = 0x400,
    OTHER_TASK = 0x500,
    TASK_STEP = 0x80,
    PID = 0x10,
    NAME = 0x40
};

static const char names[] = "\0task_struct\0pid\0comm\0int\0state\0inner";

enum {
    NAME_STRUCT = 1,
    NAME_PID = 13,
    NAME_COMM = 17,
    NAME_INT = 22,
    NAME_STATE = 26,
    NAME_INNER = 32
};
enum { UNION = 0x20, INNER = 4 };

#define INFO(kind, parts) ((uint32_t)(kind) << 24 | (parts))

/*
 * An int, a declaration without members that is no struct, the struct, and a union without a name
 * in it, which contains the struct again, as no kernel has it.
 */
static const uint32_t types[] = {
    NAME_INT,    INFO(1, 0), 4,         32, /* int */
    NAME_STRUCT, INFO(7, 0), 0,             /* a forward declaration */
    NAME_STRUCT, INFO(4, 4), 0x100,         /* the struct */
    NAME_STATE,  1,          0,             /* its members */
    NAME_PID,    1,          PID * 8,   NAME_COMM, 1,          NAME * 8,
    0,           4,          UNION * 8, 0,         INFO(5, 2), 8, /* the union */
    NAME_INNER,  1,          INNER * 8, 0,         3,          0,
};

/* Writes the BTF to `at`; returns its size. */
static size_t put_btf(uint8_t *at)
{
    const uint32_t header[] = {0x0001eb9f, 24, 0, sizeof types, sizeof types, sizeof names};

    memcpy(at, header, sizeof header);
    memcpy(at + sizeof header, types, sizeof types);
    memcpy(at + sizeof header + sizeof types, names, sizeof names);
    return sizeof header + sizeof types + sizeof names;
}

struct scene {
    struct world w;
    struct hart *h;
    struct site_image *im;
    struct symbols *symbols;
    struct lines *lines;
    struct tasks *tasks;
};

static void put_task(struct scene *s, uint64_t at, int32_t pid, const char *name)
{
    const int32_t pair[2] = {pid, pid};

    memcpy(s->im->bytes + at + PID, pair, sizeof pair);
    memset(s->im->bytes + at + NAME, 0, TASK_NAME_MAX);
    memcpy(s->im->bytes + at + NAME, name, strlen(name));
}

static void load(struct scene *s)
{
    const struct writer loader = {.kind = WRITER_LOADER};

    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, IMAGE_BYTES, &loader));
}

static void build(struct scene *s)
{
    const struct cluster_config config = {.fetch = FETCH_COHERENT, .timing = TIMING_UNIT};
    const struct diag d = {.out = stderr, .program = "test"};

    *s = (struct scene){.w = world_with(&config, 1), .im = image_begin()};
    s->h = cluster_hart(s->w.cluster, 0);
    image_name(s->im, "init_task", FIRST_TASK);
    put_task(s, FIRST_TASK, 0, "swapper");
    s->symbols = image_symbols(s->im, &d);
    s->lines = lines_new("/no/such/file");
    s->tasks = tasks_new(&s->im->image, s->symbols, s->lines);
}

static void wreck(struct scene *s)
{
    tasks_free(s->tasks);
    lines_free(s->lines);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void a_member_is_found_in_the_btf_of_a_file(void **state)
{
    uint8_t file[0x400] = {0};
    uint64_t offset = 0;
    size_t size = put_btf(file + 0x100);

    (void)state;
    assert_true(btf_member(file, 0x100 + size, "task_struct", "comm", &offset));
    assert_int_equal(offset, NAME);
    assert_true(btf_member(file, sizeof file, "task_struct", "pid", &offset));
    assert_int_equal(offset, PID);
    assert_true(btf_member(file, sizeof file, "task_struct", "inner", &offset));
    assert_int_equal(offset, UNION + INNER);
    assert_false(btf_member(file, sizeof file, "task_struct", "task_struct", &offset));
    assert_false(btf_member(file, sizeof file, "int", "comm", &offset));
    assert_true(btf_struct_size(file, sizeof file, "task_struct", &offset));
    assert_int_equal(offset, 0x100);
    assert_false(btf_struct_size(file, sizeof file, "int", &offset));
}

static void a_damaged_btf_is_none(void **state)
{
    uint8_t file[0x400] = {0};
    uint64_t offset;
    size_t size = put_btf(file);

    (void)state;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *exact = malloc(cut + 1);

        memcpy(exact, file, cut);
        assert_false(btf_member(exact, cut, "task_struct", "comm", &offset));
        free(exact);
    }
    for (size_t i = 0; i < size * 8; i++) { /* must not read elsewhere: the sanitizer looks */
        file[i / 8] ^= (uint8_t)(1 << i % 8);
        (void)!btf_member(file, size, "task_struct", "comm", &offset);
        file[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    assert_true(btf_member(file, size, "task_struct", "comm", &offset));
}

static void a_task_has_its_name_and_pid(void **state)
{
    struct scene s;
    struct task task;

    (void)state;
    build(&s);
    (void)put_btf(s.im->bytes + BTF_AT);
    put_task(&s, OTHER_TASK, 42, "a\001task");
    load(&s);
    assert_true(tasks_read(s.tasks, s.h, SITE_VA + OTHER_TASK, &task));
    assert_string_equal(task.name, "a?task");
    assert_int_equal(task.pid, 42);
    assert_int_equal(task.stack, 0);
    assert_true(tasks_read(s.tasks, s.h, SITE_VA + FIRST_TASK, &task));
    assert_string_equal(task.name, "swapper");
    wreck(&s);
}

/* The page is the kernel's alone. */
static void a_hart_in_user_mode_has_a_task_too(void **state)
{
    enum { GIGAPAGE_BITS = 30, KERNEL_RWX = 0xcf, USER_RWX = 0xdf, TABLE = 0x80040000, SV39 = 8 };
    const uint64_t kernel = UINT64_C(0x80000000);
    struct scene s;
    struct task task;

    (void)state;
    build(&s);
    (void)put_btf(s.im->bytes + BTF_AT);
    put_task(&s, OTHER_TASK, 7, "editor");
    load(&s);
    poke(&s.w, TABLE + (kernel >> GIGAPAGE_BITS) * 8, (kernel >> 12 << 10) | KERNEL_RWX, 8);
    poke(&s.w, TABLE + 8, (kernel >> 12 << 10) | USER_RWX, 8);
    set_csr(s.h, SATP, (uint64_t)SV39 << 60 | TABLE >> 12);
    enter(s.h, PRIV_U, UINT64_C(1) << GIGAPAGE_BITS);
    assert_true(tasks_read(s.tasks, s.h, SITE_VA + OTHER_TASK, &task));
    assert_string_equal(task.name, "editor");
    assert_int_equal(task.pid, 7);
    assert_false(tasks_read(s.tasks, s.h, UINT64_C(1) << 35, &task)); /* not mapped */
    wreck(&s);
}

static void what_is_no_task_has_no_name(void **state)
{
    struct scene s;
    struct task task;

    (void)state;
    build(&s);
    (void)put_btf(s.im->bytes + BTF_AT);
    put_task(&s, OTHER_TASK, 42, "sixteen bytes...");
    load(&s);
    assert_false(tasks_read(s.tasks, s.h, 0, &task));
    assert_false(tasks_read(s.tasks, s.h, SITE_VA + OTHER_TASK, &task)); /* it does not end */
    assert_false(tasks_read(s.tasks, s.h, SITE_VA, &task));              /* it is empty */
    assert_false(tasks_read(s.tasks, s.h, 16, &task));                   /* nothing is there */
    wreck(&s);
}

/* Runs four tasks with these pids, the last of which becomes *task. */
static void teach(struct scene *s, const int32_t pids[4], struct task *task)
{
    for (unsigned i = 0; i < 4; i++)
        put_task(s, OTHER_TASK + i * TASK_STEP, pids[i], "task");
    load(s);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(task->pid, -1);
        assert_true(tasks_read(s->tasks, s->h, SITE_VA + OTHER_TASK + i * TASK_STEP, task));
    }
}

static void without_btf_the_pid_is_learnt_from_tasks(void **state)
{
    struct scene s;
    struct task task = {.pid = -1};

    (void)state;
    build(&s);
    teach(&s, (const int32_t[]){5, 1, 77, 6}, &task);
    assert_int_equal(task.pid, 6);
    assert_true(tasks_read(s.tasks, s.h, SITE_VA + FIRST_TASK, &task));
    assert_int_equal(task.pid, 0);
    wreck(&s);
}

static void tasks_with_the_same_number_teach_nothing(void **state)
{
    struct scene s;
    struct task task = {.pid = -1};

    (void)state;
    build(&s);
    teach(&s, (const int32_t[]){5, 1, 5, 6}, &task);
    assert_int_equal(task.pid, -1);
    teach(&s, (const int32_t[]){5, 1, 4, 6}, &task);
    assert_int_equal(task.pid, 6);
    wreck(&s);
}

static void a_pid_that_may_be_in_two_places_is_not_known(void **state)
{
    struct scene s;
    struct task task = {.pid = -1};

    (void)state;
    build(&s);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t two[2] = {i + 2, i + 2};

        memcpy(s.im->bytes + OTHER_TASK + i * TASK_STEP + PID + 0x10, two, sizeof two);
    }
    teach(&s, (const int32_t[]){5, 1, 4, 6}, &task);
    assert_int_equal(task.pid, -1);
    wreck(&s);
}

static void what_was_learnt_is_state(void **state)
{
    struct scene s;
    struct task task = {.pid = -1};
    struct state_io saved, loaded;

    (void)state;
    build(&s);
    teach(&s, (const int32_t[]){5, 1, 4, 6}, &task);
    state_io_save(&saved, 0);
    tasks_state_io(&saved, s.tasks);
    tasks_free(s.tasks);
    s.tasks = tasks_new(&s.im->image, s.symbols, s.lines);
    state_io_load(&loaded, saved.saved.at, saved.saved.len);
    tasks_state_io(&loaded, s.tasks);
    assert_int_equal(state_io_end(&loaded), STATE_OK);
    assert_true(tasks_read(s.tasks, s.h, SITE_VA + OTHER_TASK, &task));
    assert_int_equal(task.pid, 5);
    state_io_free(&saved);
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_member_is_found_in_the_btf_of_a_file),
        cmocka_unit_test(a_damaged_btf_is_none),
        cmocka_unit_test(a_task_has_its_name_and_pid),
        cmocka_unit_test(a_hart_in_user_mode_has_a_task_too),
        cmocka_unit_test(what_is_no_task_has_no_name),
        cmocka_unit_test(without_btf_the_pid_is_learnt_from_tasks),
        cmocka_unit_test(tasks_with_the_same_number_teach_nothing),
        cmocka_unit_test(what_was_learnt_is_state),
        cmocka_unit_test(a_pid_that_may_be_in_two_places_is_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
