/*
 * test_recording.c - the console that records, and the one that answers from
 * a recording. There is no machine: the tests choose the moments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "recording/record.h"
#include "recording/replay.h"

/* ---- the inner console ---- */

struct inside {
    const char *input;
    uint64_t wakes_at; /* cycle at which a wait ends */
    bool interrupted;
    unsigned asked; /* how often, for anything */
    char put[16];
};

static void put(void *ctx, const uint8_t *bytes, size_t len)
{
    struct inside *in = ctx;

    strncat(in->put, (const char *)bytes, len);
}

static int get(void *ctx, const struct moment *at)
{
    struct inside *in = ctx;

    (void)at;
    in->asked++;
    return in->input && *in->input ? (uint8_t)*in->input++ : -1;
}

static uint64_t wait_inside(void *ctx, const struct moment *at, uint64_t until)
{
    struct inside *in = ctx;

    (void)at;
    in->asked++;
    return in->wakes_at < until ? in->wakes_at : until;
}

static bool interrupted(void *ctx, const struct moment *at)
{
    const struct inside *in = ctx;

    (void)at;
    return in->interrupted;
}

/* ---- a world: a file, the messages, and the two consoles ---- */

struct world {
    char path[32], part[40]; /* until the recording has ended */
    char *said;
    size_t said_size;
    struct diag diag;
    struct inside inside;
    struct recorder *recorder;
    struct replay *replay;
    struct console console; /* of whichever was opened last */
};

static char line_of_image[] = "run image 0x1", line_of_harts[] = "run harts 2";
static const struct identity identity = {.lines = {line_of_image, line_of_harts}, .count = 2};

static struct console inner(struct world *w)
{
    return (struct console){
        .put = put, .get = get, .wait = wait_inside, .interrupted = interrupted, .ctx = &w->inside};
}

static void build(struct world *w)
{
    memset(w, 0, sizeof *w);
    strcpy(w->path, "/tmp/test_recording_XXXXXX");
    close(mkstemp(w->path));
    snprintf(w->part, sizeof w->part, "%s.part", w->path);
    w->diag = (struct diag){.out = open_memstream(&w->said, &w->said_size), .program = "test"};
}

static void wreck(struct world *w)
{
    recorder_free(w->recorder);
    replay_free(w->replay);
    fclose(w->diag.out);
    free(w->said);
    unlink(w->path);
}

static void start_recording(struct world *w)
{
    const struct console in = inner(w);

    w->recorder = recorder_new(w->path, &in, &w->diag);
    assert_int_equal(recorder_begin(w->recorder, "an image", &identity), EXIT_PASS);
    w->console = recorder_console(w->recorder);
}

static enum exit_status start_replay(struct world *w, const char *body)
{
    const struct console in = inner(w);
    FILE *f = fopen(w->path, "w");
    enum exit_status status;

    fprintf(f, "rvftrace-recording 1\n# an image\nrun image 0x1\nrun harts 2\n%s", body);
    fclose(f);
    replay_free(w->replay);
    status = replay_new(w->path, &in, &w->diag, &w->replay);
    if (status == EXIT_PASS)
        w->console = replay_console(w->replay);
    return status;
}

static int gets_at(struct world *w, enum poll_reason reason, uint64_t insns, uint64_t cycles)
{
    return w->console.get(w->console.ctx, &(struct moment){reason, insns, cycles, true});
}

static uint64_t waits_at(struct world *w, uint64_t insns, uint64_t cycles, uint64_t until)
{
    return w->console.wait(w->console.ctx, &(struct moment){POLL_IDLE, insns, cycles, true}, until);
}

static bool stops_at(struct world *w, enum poll_reason reason, uint64_t insns, uint64_t cycles)
{
    return w->console.interrupted(w->console.ctx, &(struct moment){reason, insns, cycles, true});
}

static bool is_true(struct world *w, uint64_t insns, uint64_t cycles, bool by_guest)
{
    const struct recorded_end end = {.insns = insns, .cycles = cycles, .by_guest = by_guest};

    return replay_is_true(w->replay, &end);
}

static bool has_said(struct world *w, const char *text)
{
    fflush(w->diag.out);
    return strstr(w->said, text);
}

/* ---- recording ---- */

static void assert_file_is(const char *path, const char *text)
{
    char got[1024] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);

    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(got, text);
}

static void a_byte_is_in_the_file_before_the_guest_has_it(void **state)
{
    static const struct recorded_end end = {123, 456, true, 3, "exit"};
    struct world w;

    (void)state;
    build(&w);
    start_recording(&w);
    w.inside.input = "\n\xff";
    w.inside.wakes_at = 70;
    w.console.put(w.console.ctx, (const uint8_t *)"shown", 5);
    assert_string_equal(w.inside.put, "shown");
    assert_int_equal(waits_at(&w, 1, 50, 60), 60);
    assert_int_equal(waits_at(&w, 1, 60, 80), 70);
    assert_int_equal(gets_at(&w, POLL_IDLE, 1, 70), '\n');
    assert_file_is(w.part, "rvftrace-recording 1\n# an image\nrun image 0x1\nrun harts 2\n"
                           "input 1 70 idle 0x0a\n");
    assert_int_equal(gets_at(&w, POLL_GUEST, 2, 71), 0xff);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 3, 72), -1);
    assert_false(stops_at(&w, POLL_CLOCK, 3, 72));
    assert_true(recorder_end(w.recorder, &end));
    assert_file_is(w.path, "rvftrace-recording 1\n# an image\nrun image 0x1\nrun harts 2\n"
                           "input 1 70 idle 0x0a\ninput 2 71 guest 0xff\nend 123 456 exit 3\n");
    wreck(&w);
}

static void a_full_disk_asks_the_machine_to_stop(void **state)
{
    static const struct recorded_end end = {1, 1, false, 0, "interrupted"};
    struct world w;

    (void)state;
    build(&w);
    unlink(w.path);
    strcpy(w.path, "/dev/full");
    start_recording(&w);
    w.inside.input = "x";
    assert_int_equal(gets_at(&w, POLL_CLOCK, 1, 1), 'x');
    assert_true(stops_at(&w, POLL_CLOCK, 2, 2));
    assert_false(recorder_end(w.recorder, &end));
    assert_true(has_said(&w, "/dev/full: No space left on device"));
    strcpy(w.path, "");
    wreck(&w);
}

/* ---- replaying ---- */

static void bytes_come_at_their_moments_only(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, "input 10 20 clock 0x61\ninput 10 20 clock 0x62\n"
                                      "input 10 20 guest 0x63\ninput 15 30 idle 0x64\n"
                                      "end 20 60 exit 0\n"),
                     EXIT_PASS);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 9, 20), -1);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'a');
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'b');
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), -1);
    assert_int_equal(gets_at(&w, POLL_GUEST, 10, 20), 'c');
    assert_int_equal(gets_at(&w, POLL_IDLE, 15, 25), -1);
    assert_int_equal(waits_at(&w, 15, 25, 30), 30); /* a deadline at that cycle goes first */
    assert_int_equal(waits_at(&w, 15, 25, 40), 30);
    assert_int_equal(gets_at(&w, POLL_IDLE, 15, 30), 'd');
    assert_int_equal(waits_at(&w, 16, 40, 50), 50);
    assert_int_equal(waits_at(&w, 16, 40, UINT64_MAX), UINT64_MAX);
    assert_false(stops_at(&w, POLL_IDLE, 20, 70)); /* the guest ends by itself */
    assert_true(is_true(&w, 20, 60, true));
    assert_int_equal(w.inside.asked, 0);
    wreck(&w);
}

static void the_machine_stops_where_it_was_stopped(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, "stop 20 60 timeout 75\n"), EXIT_PASS);
    assert_int_equal(replay_limit(w.replay), 20);
    assert_false(stops_at(&w, POLL_CLOCK, 19, 60));
    assert_null(replay_reached(w.replay, 19));
    assert_int_equal(waits_at(&w, 20, 50, 55), 55);
    assert_int_equal(waits_at(&w, 20, 55, UINT64_MAX), 60);
    assert_false(stops_at(&w, POLL_IDLE, 20, 55));
    assert_true(stops_at(&w, POLL_IDLE, 20, 60));
    assert_true(stops_at(&w, POLL_CLOCK, 20, 58)); /* another hart's clock */
    assert_int_equal(replay_reached(w.replay, 20)->status, 75);
    assert_true(is_true(&w, 20, 60, false));
    wreck(&w);
}

static void the_console_inside_takes_over_where_a_recording_was_cut_off(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, "input 10 20 clock 0x61\n"), EXIT_PASS);
    w.inside.input = "z";
    w.inside.wakes_at = 90;
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'a');
    assert_int_equal(waits_at(&w, 11, 80, 100), 90);
    assert_int_equal(gets_at(&w, POLL_IDLE, 11, 90), 'z');
    assert_true(is_true(&w, 12, 100, true));
    wreck(&w);
}

static void who_interrupts_is_heard_in_a_replay(void **state)
{
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, "input 10 20 clock 0x61\n"), EXIT_PASS);
    assert_false(stops_at(&w, POLL_CLOCK, 1, 1));
    w.inside.interrupted = true;
    assert_true(stops_at(&w, POLL_CLOCK, 1, 1));
    assert_true(is_true(&w, 1, 1, false));
    wreck(&w);
}

static void another_run_is_noticed(void **state)
{
    static const char body[] = "input 10 20 clock 0x61\ninput 15 30 idle 0x64\nend 20 60 exit 0\n";
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, body), EXIT_PASS);
    assert_true(stops_at(&w, POLL_CLOCK, 11, 21)); /* the byte was not taken */
    assert_false(is_true(&w, 11, 21, false));
    assert_true(has_said(&w, ":5: the run differs from the recorded one at instruction 11;"));

    assert_int_equal(start_replay(&w, body), EXIT_PASS);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 19), -1); /* its time is another */
    assert_true(stops_at(&w, POLL_CLOCK, 12, 22));

    assert_int_equal(start_replay(&w, body), EXIT_PASS);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'a');
    assert_int_equal(waits_at(&w, 15, 30, 50), 30); /* offered, and not taken */
    assert_true(stops_at(&w, POLL_IDLE, 15, 30));

    assert_int_equal(start_replay(&w, body), EXIT_PASS);
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'a');
    assert_int_equal(waits_at(&w, 14, 30, UINT64_MAX), 30); /* would sleep endlessly */
    assert_true(stops_at(&w, POLL_IDLE, 14, 30));

    assert_int_equal(start_replay(&w, body), EXIT_PASS);
    assert_false(is_true(&w, 5, 6, true)); /* the guest ended before its input */
    assert_int_equal(gets_at(&w, POLL_CLOCK, 10, 20), 'a');
    assert_int_equal(gets_at(&w, POLL_IDLE, 15, 30), 'd');
    assert_false(is_true(&w, 20, 61, true)); /* a cycle late */
    assert_true(has_said(&w, ":7: the run differs from the recorded one at instruction 20;"));
    wreck(&w);
}

static void another_identity_is_named(void **state)
{
    static char four_harts[] = "run harts 4", seed[] = "run seed 1";
    const struct identity other = {.lines = {line_of_image, four_harts}, .count = 2};
    const struct identity more = {.lines = {line_of_image, line_of_harts, seed}, .count = 3};
    const struct identity less = {.lines = {line_of_image}, .count = 1};
    struct world w;

    (void)state;
    build(&w);
    assert_int_equal(start_replay(&w, ""), EXIT_PASS);
    assert_int_equal(replay_check(w.replay, &identity), EXIT_PASS);
    assert_int_equal(replay_check(w.replay, &other), EXIT_BAD_FILE);
    assert_true(has_said(&w, ":4: recorded with `run harts 2', this is `run harts 4'"));
    assert_int_equal(replay_check(w.replay, &more), EXIT_BAD_FILE);
    assert_int_equal(replay_check(w.replay, &less), EXIT_BAD_FILE);
    wreck(&w);
}

static void what_we_would_not_write_is_refused_with_its_line(void **state)
{
    static const struct {
        const char *body, *said;
    } rows[] = {
        {"input 1 2 idle 0x61", ":5: is truncated"},
        {"input 1 2 idle 0x061\n", ":5: is not a line"},
        {"input 1 2 idle 0x6\n", ":5: is not a line"},
        {"input 1 2 idle 0xzz\n", ":5: is not a line"},
        {"input 01 2 idle 0x61\n", ":5: is not a line"},
        {"input +1 2 idle 0x61\n", ":5: is not a line"},
        {"input 1  2 idle 0x61\n", ":5: is not a line"},
        {"input 1 18446744073709551616 idle 0x61\n", ":5: is not a line"},
        {"input 1 2 idleness 0x61\n", ":5: is not a line"},
        {"# a comment\ninput 1 2 3\n", ":6: is not a line"},
        {"end 1 2 exit\n", ":5: is not a line"},
        {"end 1 2 exit -1\n", ":5: is not a line"},
        {"halt 1 2 exit 0\n", ":5: is not a line"},
        {"end 1 2 a-word-that-is-too-long 0\n", ":5: is not a line"},
        {"input 2 2 idle 0x61\ninput 1 2 idle 0x61\n", ":6: goes back in time"},
        {"input 2 2 idle 0x61\nstop 1 2 x 0\n", ":6: goes back in time"},
        {"end 1 2 exit 0\nend 1 2 exit 0\n", ":6: comes after the end"},
        {"input 1 2 idle 0x61\nrun seed 2\n", ":6: is not a line"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct world w;

        build(&w);
        assert_int_equal(start_replay(&w, rows[i].body), EXIT_BAD_FILE);
        assert_true(has_said(&w, rows[i].said));
        wreck(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_byte_is_in_the_file_before_the_guest_has_it),
        cmocka_unit_test(a_full_disk_asks_the_machine_to_stop),
        cmocka_unit_test(bytes_come_at_their_moments_only),
        cmocka_unit_test(the_machine_stops_where_it_was_stopped),
        cmocka_unit_test(the_console_inside_takes_over_where_a_recording_was_cut_off),
        cmocka_unit_test(who_interrupts_is_heard_in_a_replay),
        cmocka_unit_test(another_run_is_noticed),
        cmocka_unit_test(another_identity_is_named),
        cmocka_unit_test(what_we_would_not_write_is_refused_with_its_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
