/*
 * test_options.c - the command line: what each kind of option takes, refuses and keeps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/compiler.h"
#include "base/option_value.h"
#include "cli/options.h"

enum { WORDS_MAX = 24 };

/* A command line, "COMMAND WORD...", with blanks between the words, and what came of it. */
struct line {
    char text[256];
    enum exit_status status;
    struct options options; /* points into the text */
    char messages[2048];
};

static void parse(struct line *l, const char *text)
{
    char name[] = "rvftrace", *argv[WORDS_MAX + 1] = {name}, *rest = l->text;
    struct diag d = {.program = "rvftrace"};
    bool done;
    int argc = 1;

    memset(l, 0, sizeof *l);
    snprintf(l->text, sizeof l->text, "%s", text);
    for (char *word; argc < WORDS_MAX && (word = strtok_r(rest, " ", &rest));)
        argv[argc++] = word;
    d.out = fmemopen(l->messages, sizeof l->messages, "w");
    l->status = options_parse(argc, argv, &d, &l->options, &done);
    fclose(d.out);
    assert_false(done);
}

static void assert_refused(const char *text, const char *message)
{
    struct line l;

    parse(&l, text);
    if (!strstr(l.messages, message))
        fail_msg("`%s' is answered by `%s', not by `%s'", text, l.messages, message);
    assert_int_equal(l.status, EXIT_USAGE);
    options_free(&l.options);
}

/* The options of a command line that has no mistake, and of which nothing is said. */
static struct options *parse_good(struct line *l, const char *text)
{
    parse(l, text);
    assert_string_equal(l->messages, "");
    assert_int_equal(l->status, EXIT_PASS);
    return &l->options;
}

/* ---- kinds of values ---- */

static void a_number_is_kept_where_its_row_says(void **state)
{
    struct line l;
    const struct options *o = parse_good(
        &l, "run k.elf --harts 64 --old-code-max 64 --page-copies-max 7 --rows 0 --seed 0x10");

    (void)state;
    assert_int_equal(o->machine.harts, 64);
    assert_int_equal(o->machine.cluster.old_code_max, 64);
    assert_int_equal(o->machine.page_copies_max, 7);
    assert_int_equal(o->rows, 0);
    assert_int_equal(o->machine.seed, 16);
    o = parse_good(&l, "explore k.elf --jobs 1024 --interleavings 2k");
    assert_int_equal(o->explore.jobs, 1024);
    assert_int_equal(o->explore.runs, 2000);
}

static void a_number_outside_of_its_bounds_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"run k --old-code-max 0",
         "--old-code-max: invalid value `0': expected a number from 1 to 64"},
        {"run k --old-code-max 65", "invalid value `65': expected a number from 1 to 64"},
        {"run k --harts 65", "expected a number from 1 to 64"},
        {"run k --harts -1", "expected a number from 1 to 64"},
        {"run k --harts 1x", "expected a number from 1 to 64"},
        {"run k --patches-max 100000001", "expected a number from 1 to 100000000"},
        {"run k --rows 4294967296", "expected a number below 2^32"},
        {"run k --seed 18446744073709551616", "expected a number below 2^64"},
        {"run k --max-insns 18446744073709552k", "expected a number below 2^64, with K, M or G"},
        {"run k --memory 3M", "expected whole pages of 4 KiB, from 4M to 64G"},
        {"run k --memory 65G", "expected whole pages of 4 KiB, from 4M to 64G"},
        {"run k --memory 4194305", "expected whole pages of 4 KiB, from 4M to 64G"},
        {"explore k --interleavings 0", "expected a number from 1, with K, M or G if you like"},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        assert_refused(rows[i].text, rows[i].message);
}

static void the_suffixes_of_a_size_are_powers_of_1024(void **state)
{
    struct line l;
    const struct options *o =
        parse_good(&l, "run k.elf --memory 1g --history-max 3K --save f --save-at 3K");

    (void)state;
    assert_int_equal(o->machine.memory, UINT64_C(1) << 30);
    assert_int_equal(o->history_max, 3 * 1024);
    assert_int_equal(o->save_at, 3000);
}

static void a_choice_takes_its_words_only(void **state)
{
    struct line l;
    const struct options *o =
        parse_good(&l, "run k.elf --audit fail --account off --trace-calls none --findings brief");

    (void)state;
    assert_int_equal(o->audit, AUDIT_FAIL);
    assert_false(o->watch.account);
    assert_int_equal(o->trace_calls, TRACE_NONE);
    assert_int_equal(o->findings, FINDINGS_BRIEF);
    assert_refused("run k --audit on", "--audit: invalid value `on': expected off, warn or fail");
    assert_refused("run k --account yes", "expected on or off");
    assert_refused("run k --findings=", "invalid value `': expected auto, full or brief");
}

static void a_flag_and_a_text_are_kept(void **state)
{
    struct line l;
    const struct options *o =
        parse_good(&l, "run k.elf -q --virtio-console --initrd a.cpio --append=");

    (void)state;
    assert_true(o->quiet);
    assert_true(o->machine.virtio_console);
    assert_false(o->batch);
    assert_string_equal(o->machine.image, "k.elf");
    assert_string_equal(o->machine.initrd, "a.cpio");
    assert_string_equal(o->machine.bootargs, "");
    assert_refused("run k --initrd=", "--initrd: invalid value `': expected a file");
    assert_refused("debug k --gdb=", "expected a port, ADDRESS:PORT, a path for a socket, or -");
}

static void the_last_value_counts_but_disks_ports_and_rules_add_up(void **state)
{
    struct line l;
    const struct options *o = parse_good(&l, "run k.elf --drive a --drive b,readonly");

    (void)state;
    assert_int_equal(o->machine.drive_count, 2);
    assert_string_equal(o->machine.drives[1].path, "b");
    assert_int_equal(o->machine.drives[1].mode, DRIVE_READ_ONLY);
    assert_int_equal(o->saved_count, 2);
    assert_int_equal(parse_good(&l, "run k.elf --port a=b --port c=d")->machine.port_count, 2);
    assert_int_equal(parse_good(&l, "run k.elf --allow lock --allow note")->allow_count, 2);
    parse(&l, "run k.elf --seed 1 --seed 2");
    assert_int_equal(l.status, EXIT_PASS);
    assert_non_null(strstr(l.messages, "--seed is given more than once; using `2'"));
    assert_int_equal(l.options.machine.seed, 2);
    assert_int_equal(l.options.saved_count, 1);
}

/* ---- defaults ---- */

static const struct row {
    const char *name, *commands, *standard;
} rows[] = {
#define OPT(name, short_key, arg, commands, group, standard, value, doc) {name, commands, standard},
#include "cli/options.def"
#undef OPT
};

/* The options without what is noted for snapshots. */
static void forget_saved(struct options *o)
{
    memset(o->saved, 0, sizeof o->saved);
    o->saved_count = 0;
}

static void the_default_of_a_row_is_the_value_without_the_option(void **state)
{
    static const char *const commands[] = {"run", "debug", "explore"};
    static struct line without, with;
    unsigned checked = 0;
    char text[128];

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(rows); i++)
        for (unsigned n = 0; n < ARRAY_LEN(commands) && rows[i].standard; n++) {
            if (!strchr(rows[i].commands, commands[n][0]))
                continue;
            snprintf(text, sizeof text, "%s k.elf", commands[n]);
            parse_good(&without, text);
            snprintf(text, sizeof text, "%s k.elf --%s=%s", commands[n], rows[i].name,
                     rows[i].standard);
            parse_good(&with, text);
            without.options.machine.image = with.options.machine.image = NULL;
            assert_string_equal(without.options.explore.schedules, "explore");
            without.options.console = with.options.console = NULL;
            without.options.explore.schedules = with.options.explore.schedules = NULL;
            forget_saved(&with.options);
            forget_saved(&without.options);
            assert_memory_equal(&with.options, &without.options, sizeof with.options);
            checked++;
        }
    assert_true(checked > 20);
}

static void the_limits_are_the_clusters_own_defaults(void **state)
{
    struct line l;
    const struct options *o = parse_good(&l, "run k.elf");

    (void)state;
    assert_int_equal(o->machine.cluster.old_code_max, OLD_CODE_DEFAULT);
    assert_int_equal(o->machine.cluster.code_writes_max, CODE_WRITES_DEFAULT);
    assert_int_equal(o->machine.page_copies_max, COPIES_DEFAULT);
    assert_string_equal(o->console, "stdio");
}

/* ---- commands and combinations ---- */

static void an_unknown_command_is_answered_with_all_commands(void **state)
{
    static const char *const commands[] = {"run", "debug", "explore", "report",
                                           "log", "view",  "cores"};
    struct line l;

    (void)state;
    assert_refused("frob", "no command `frob'");
    parse(&l, "frob");
    for (unsigned i = 0; i < ARRAY_LEN(commands); i++)
        assert_non_null(strstr(l.messages, commands[i]));
}

static void options_that_do_not_go_together_are_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"run k --audit off --allow lock", "--allow needs the auditor"},
        {"run k --audit off --baseline b", "--baseline needs the auditor"},
        {"run k --audit off --write-baseline b", "--write-baseline needs the auditor"},
        {"run k --audit off --sarif s", "--sarif needs the auditor"},
        {"run k --audit off --junit j", "--junit needs the auditor"},
        {"run k --audit fail --write-baseline b", "--write-baseline needs all findings"},
        {"explore k --audit off", "explore needs the auditor"},
        {"explore k --drive d", "--drive d: each interleaving would write to it"},
        {"run k --port a=b --drive 1 --drive 2 --drive 3 --drive 4 --drive 5 --drive 6",
         "--port takes the place of the last --drive: give at most 5 drives"},
        {"debug k --gdb 1 --commands c", "leave out --commands"},
        {"run k --replay r --input i", "leave out --input"},
        {"run k --console none --view --log -", "--view shows the log"},
        {"run k --html h --account off", "--html shows the costs of sites"},
        {"run k --console none --html h --log -", "--html reads the log at the end"},
        {"run k --save-at 5", "--save-at needs a file"},
        {"run k --save-at 5 --save s --gdb 1", "leave out --save-at"},
        {"debug k --rows 5", "--rows is not an option of `rvftrace debug'"},
    };
    struct line l;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
        assert_refused(cases[i].text, cases[i].message);
    parse_good(&l, "explore k.elf --drive d,snapshot");
    assert_string_equal(l.options.console, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_kept_where_its_row_says),
        cmocka_unit_test(a_number_outside_of_its_bounds_is_refused),
        cmocka_unit_test(the_suffixes_of_a_size_are_powers_of_1024),
        cmocka_unit_test(a_choice_takes_its_words_only),
        cmocka_unit_test(a_flag_and_a_text_are_kept),
        cmocka_unit_test(the_last_value_counts_but_disks_ports_and_rules_add_up),
        cmocka_unit_test(the_default_of_a_row_is_the_value_without_the_option),
        cmocka_unit_test(the_limits_are_the_clusters_own_defaults),
        cmocka_unit_test(an_unknown_command_is_answered_with_all_commands),
        cmocka_unit_test(options_that_do_not_go_together_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
