/*
 * test_new_file.c - output files take their names when they are complete.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/new_file.h"

struct world {
    char folder[64];
    char *path, *part;
    char said[512];
    struct diag d;
};

static struct world *build(void)
{
    struct world *w = xcalloc(1, sizeof *w);

    strcpy(w->folder, "/tmp/test-new-file-XXXXXX");
    assert_non_null(mkdtemp(w->folder));
    w->path = xasprintf("%s/report", w->folder);
    w->part = xasprintf("%s/report.part", w->folder);
    w->d = (struct diag){.out = fmemopen(w->said, sizeof w->said, "w"), .program = "rvftrace"};
    setvbuf(w->d.out, NULL, _IONBF, 0);
    return w;
}

static void leave(struct world *w)
{
    char *command = xasprintf("rm -rf %s", w->folder);

    assert_int_equal(system(command), 0);
    fclose(w->d.out);
    free(command);
    free(w->path);
    free(w->part);
    free(w);
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_holds(const char *path, const char *text)
{
    char got[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    (void)!fread(got, 1, sizeof got - 1, f);
    fclose(f);
    assert_string_equal(got, text);
}

static void assert_absent(const char *path)
{
    assert_int_equal(access(path, F_OK), -1);
}

static void the_old_file_stays_until_the_new_one_is_complete(void **state)
{
    struct world *w = build();
    struct new_file f;

    (void)state;
    put(w->path, "old");
    assert_true(new_file_open(&f, w->path, &w->d));
    assert_string_equal(new_file_name(&f), w->part);
    fputs("new", new_file_stream(&f));
    fflush(f.stream);
    assert_holds(w->path, "old");
    assert_holds(w->part, "new");
    assert_true(new_file_commit(&f, &w->d));
    assert_holds(w->path, "new");
    assert_absent(w->part);
    assert_string_equal(w->said, "");
    leave(w);
}

static void what_is_discarded_leaves_nothing(void **state)
{
    struct world *w = build();
    struct new_file f;

    (void)state;
    assert_true(new_file_open(&f, w->path, &w->d));
    fputs("half", new_file_stream(&f));
    new_file_discard(&f);
    new_file_discard(&f);
    assert_absent(w->path);
    assert_absent(w->part);
    leave(w);
}

static void what_a_killed_run_left_is_overwritten_by_the_next(void **state)
{
    struct world *w = build();
    struct new_file f;

    (void)state;
    assert_true(new_file_open(&f, w->path, &w->d));
    assert_int_equal(write(f.fd, "half of it", 10), 10);
    new_file_leave(&f);
    assert_holds(w->part, "half of it");
    assert_true(new_file_open(&f, w->path, &w->d));
    assert_int_equal(write(f.fd, "all", 3), 3);
    assert_true(new_file_commit(&f, &w->d));
    assert_holds(w->path, "all");
    assert_absent(w->part);
    leave(w);
}

static void two_runs_do_not_write_one_file(void **state)
{
    struct world *w = build();
    struct new_file first, second;

    (void)state;
    assert_true(new_file_open(&first, w->path, &w->d));
    assert_false(new_file_open(&second, w->path, &w->d));
    assert_non_null(strstr(w->said, "report.part: is being written already"));
    assert_true(new_file_commit(&first, &w->d));
    assert_true(new_file_open(&second, w->path, &w->d));
    assert_true(new_file_commit(&second, &w->d));
    leave(w);
}

static void a_link_stays_and_its_file_is_replaced(void **state)
{
    struct world *w = build();
    char *link = xasprintf("%s/link", w->folder);
    struct new_file f;
    struct stat st;

    (void)state;
    put(w->path, "old");
    assert_int_equal(symlink("report", link), 0);
    assert_true(new_file_open(&f, link, &w->d));
    assert_int_equal(write(f.fd, "new", 3), 3);
    assert_true(new_file_commit(&f, &w->d));
    assert_holds(w->path, "new");
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    free(link);
    leave(w);
}

static void a_link_that_leads_nowhere_is_followed(void **state)
{
    struct world *w = build();
    char *link = xasprintf("%s/link", w->folder);
    struct new_file f;

    (void)state;
    assert_int_equal(symlink("report", link), 0);
    assert_true(new_file_open(&f, link, &w->d));
    assert_int_equal(write(f.fd, "new", 3), 3);
    assert_true(new_file_commit(&f, &w->d));
    assert_holds(w->path, "new");
    free(link);
    leave(w);
}

static void permissions_are_those_of_the_old_file(void **state)
{
    struct world *w = build();
    struct new_file f;
    struct stat st;

    (void)state;
    put(w->path, "old");
    assert_int_equal(chmod(w->path, 0640), 0);
    assert_true(new_file_open(&f, w->path, &w->d));
    assert_true(new_file_commit(&f, &w->d));
    assert_int_equal(stat(w->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    leave(w);
}

static void devices_and_pipes_are_written_directly(void **state)
{
    struct world *w = build();
    struct new_file f;
    struct stat st;

    (void)state;
    assert_int_equal(mkfifo(w->path, 0600), 0);
    int reader = open(w->path, O_RDONLY | O_NONBLOCK);
    assert_true(new_file_open(&f, w->path, &w->d));
    assert_string_equal(new_file_name(&f), w->path);
    assert_true(new_file_commit(&f, &w->d));
    assert_int_equal(stat(w->path, &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    close(reader);
    assert_true(new_file_open(&f, "/dev/full", &w->d));
    fputs("lost", new_file_stream(&f));
    assert_false(new_file_commit(&f, &w->d));
    assert_non_null(strstr(w->said, "/dev/full: No space left"));
    leave(w);
}

static void a_place_that_is_not_there_is_said_with_its_own_name(void **state)
{
    struct world *w = build();
    struct new_file f;

    (void)state;
    assert_false(new_file_open(&f, "/no/such/report", &w->d));
    assert_non_null(strstr(w->said, "/no/such/report: cannot be created: No such file"));
    assert_false(new_file_open(&f, "", &w->d));
    assert_absent(".part");
    leave(w);
}

static void a_part_that_is_no_file_is_not_followed(void **state)
{
    struct world *w = build();
    char *other = xasprintf("%s/other", w->folder);
    struct new_file f;

    (void)state;
    put(other, "mine");
    assert_int_equal(symlink("other", w->part), 0);
    assert_false(new_file_open(&f, w->path, &w->d));
    assert_non_null(strstr(w->said, "report.part: cannot be created"));
    assert_holds(other, "mine");
    free(other);
    leave(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_complete),
        cmocka_unit_test(what_is_discarded_leaves_nothing),
        cmocka_unit_test(what_a_killed_run_left_is_overwritten_by_the_next),
        cmocka_unit_test(two_runs_do_not_write_one_file),
        cmocka_unit_test(a_link_stays_and_its_file_is_replaced),
        cmocka_unit_test(a_link_that_leads_nowhere_is_followed),
        cmocka_unit_test(permissions_are_those_of_the_old_file),
        cmocka_unit_test(devices_and_pipes_are_written_directly),
        cmocka_unit_test(a_place_that_is_not_there_is_said_with_its_own_name),
        cmocka_unit_test(a_part_that_is_no_file_is_not_followed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
