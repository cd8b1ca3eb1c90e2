/*
 * test_alarms.c - what the kernel says when it calls panic(), __warn(), printk() and others.
 */
#include "isa/world.h"

#include "cpu/isa/isa.h"
#include "ftrace/kernel/alarms.h"
#include "ftrace/kernel/guest_text.h"
#include "machine/site_image.h"

/* The functions, a caller, and strings, as offsets in the text. */
enum {
    PANIC = 0x100,
    WARN = 0x110,
    PRINTK = 0x120,
    BUG = 0x130,
    DIE = 0x140,
    CALLER = 0x200,
    STRINGS = 0x800,
    STACK = 0xf00,
};

struct scene {
    struct world w;
    struct hart *h;
    struct site_image *im;
    struct symbols *symbols;
    struct alarms *alarms;
    unsigned count;
    struct alarm last;
};

static void on_alarm(void *ctx, struct hart *h, const struct alarm *alarm)
{
    struct scene *s = ctx;

    assert_ptr_equal(h, s->h);
    s->count++;
    s->last = *alarm;
}

static void build(struct scene *s)
{
    static const struct {
        const char *name;
        uint64_t offset;
    } names[] = {{"panic", PANIC},    {"__warn", WARN}, {"_printk", PRINTK},
                 {"ftrace_bug", BUG}, {"die", DIE},     {"caller", CALLER}};
    const struct diag d = {.out = stderr, .program = "test"};
    const struct writer loader = {.kind = WRITER_LOADER};

    *s = (struct scene){.w = world_with(&(struct cluster_config){.fetch = FETCH_COHERENT}, 1),
                        .im = image_begin()};
    s->h = cluster_hart(s->w.cluster, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        image_name(s->im, names[i].name, names[i].offset);
        image_word(s->im, names[i].offset, NOP);
    }
    s->symbols = image_symbols(s->im, &d);
    assert_true(bus_write(s->w.bus, SITE_PA, s->im->bytes, IMAGE_BYTES, &loader));
    s->alarms = alarms_new(s->w.cluster, &s->im->image, s->symbols, on_alarm, s);
    hart_set_reg(s->h, REG_RA, SITE_VA + CALLER + 4);
    hart_set_reg(s->h, REG_SP, SITE_VA + STACK);
}

static void wreck(struct scene *s)
{
    alarms_free(s->alarms);
    symbols_free(s->symbols);
    free(s->im);
    world_free(&s->w);
}

static void put_string(struct scene *s, uint64_t va, const char *string)
{
    for (size_t i = 0; i <= strlen(string); i++)
        poke(&s->w, va + i, (uint8_t)string[i], 1);
}

/* The hart calls the function with a0 and a1. */
static void call(struct scene *s, uint64_t function, uint64_t a0, uint64_t a1)
{
    hart_set_reg(s->h, REG_A0, a0);
    hart_set_reg(s->h, REG_A0 + 1, a1);
    hart_set_pc(s->h, SITE_VA + function);
    assert_int_equal(hart_run(s->h, 1, UINT64_MAX), HART_BUDGET);
}

static void a_panic_is_about_its_caller_and_says_its_text(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_string(&s, SITE_VA + STRINGS, "Fatal: %d of %s\n");
    put_string(&s, SITE_VA + STRINGS + 64, "these");
    hart_set_reg(s.h, REG_A0 + 2, SITE_VA + STRINGS + 64);
    call(&s, PANIC, SITE_VA + STRINGS, (uint64_t)-7);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.last.kind, ALARM_PANIC);
    assert_string_equal(s.last.function, "panic");
    assert_string_equal(s.last.text, "Fatal: -7 of these");
    assert_true(s.last.place == SITE_VA + CALLER + 2);
    assert_false(s.last.nested);
    wreck(&s);
}

static void a_warning_says_where_it_is(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_string(&s, SITE_VA + STRINGS, "kernel/a.c");
    hart_set_reg(s.h, REG_A0 + 2, 0);
    call(&s, WARN, SITE_VA + STRINGS, 12);
    assert_string_equal(s.last.text, "at kernel/a.c:12");
    assert_true(s.last.place == SITE_VA + CALLER + 2);
    hart_set_reg(s.h, REG_A0 + 2, SITE_VA + CALLER); /* as Linux passes it */
    call(&s, WARN, SITE_VA + STRINGS, 12);
    assert_true(s.last.place == SITE_VA + CALLER);
    wreck(&s);
}

static void an_alarm_that_calls_another_is_nested(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    hart_set_reg(s.h, REG_RA, SITE_VA + DIE + 4);
    call(&s, PANIC, 0, 0);
    assert_true(s.last.nested);
    assert_string_equal(s.last.text, ""); /* the format cannot be read */
    wreck(&s);
}

static void ftrace_bug_is_about_a_site(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    poke(&s.w, SITE_VA + STRINGS, SITE_VA + CALLER, 8);
    call(&s, BUG, (uint64_t)-22, SITE_VA + STRINGS);
    assert_int_equal(s.last.kind, ALARM_FTRACE);
    assert_true(s.last.site == SITE_VA + CALLER);
    wreck(&s);
}

static void an_oops_is_where_the_exception_was(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    call(&s, DIE, 0, 0);
    assert_int_equal(s.last.kind, ALARM_OOPS);
    assert_true(s.last.place == 0 && s.last.caller == SITE_VA + CALLER + 2);
    wreck(&s);
}

static void of_messages_only_some_are_alarms(void **state)
{
    static const struct {
        const char *text;
        int kind; /* -1: no alarm */
    } messages[] = {
        {"hello\n", -1},
        {"no WARNING: here\n", -1},
        {"WARNING: possible circular locking\n", ALARM_WARNING},
        {"\0013BUG: scheduling while atomic\n", ALARM_WARNING},
        {"\0010watchdog: BUG: soft lockup - CPU#1 stuck\n", ALARM_STALL},
        {"\0013INFO: task x blocked for more than 120 seconds.\n", ALARM_STALL},
        {"\0013rcu: INFO: rcu_sched self-detected stall on CPU\n", ALARM_STALL},
        {"Unable to handle kernel paging request\n", ALARM_OOPS},
        {"", -1},
    };
    struct scene s;

    (void)state;
    build(&s);
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        s.count = 0;
        put_string(&s, SITE_VA + STRINGS, messages[i].text);
        call(&s, PRINTK, SITE_VA + STRINGS, 0);
        assert_int_equal(s.count, messages[i].kind >= 0);
        if (s.count)
            assert_int_equal(s.last.kind, messages[i].kind);
        assert_true(!s.count || s.last.printed);
    }
    call(&s, PRINTK, 8, 0); /* nothing is mapped there */
    wreck(&s);
}

/* ---- formats ---- */

static void formats(struct scene *s, const char *format, const char *expected)
{
    char text[ALARM_TEXT_MAX];

    put_string(s, SITE_VA + STRINGS, format);
    hart_set_reg(s->h, REG_A0, SITE_VA + STRINGS);
    guest_format(s->h, s->symbols, 0, text, sizeof text);
    assert_string_equal(text, expected);
}

static void a_format_has_the_values_of_the_call(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    put_string(&s, SITE_VA + STRINGS + 0x200, "string");
    hart_set_reg(s.h, REG_A0 + 1, SITE_VA + STRINGS + 0x200);
    hart_set_reg(s.h, REG_A0 + 2, UINT64_C(0x1ffffffff));
    formats(&s, "%s %x", "string ffffffff");
    formats(&s, "\0013%s: %lx, 100%%", "string: 1ffffffff, 100%");
    formats(&s, "%-9.3s|%#08x", "string|ffffffff");
    formats(&s, "first\nsecond", "first");
    formats(&s, "%s %d", "string -1");
    formats(&s, "%s %u", "string 4294967295");
    hart_set_reg(s.h, REG_A0 + 2, SITE_VA + CALLER + 4);
    formats(&s, "%s at %pS", "string at caller+0x4");
    formats(&s, "%s at %px", "string at 0x80020204");
    formats(&s, "%*d %s", "-2147352060 (null)"); /* a1 is the width */
    formats(&s, "a %", "a %");
    wreck(&s);
}

static void values_that_have_no_register_are_on_the_stack(void **state)
{
    struct scene s;

    (void)state;
    build(&s);
    for (unsigned i = 1; i < 8; i++)
        hart_set_reg(s.h, REG_A0 + i, i);
    poke(&s.w, SITE_VA + STACK, 8, 8);
    poke(&s.w, SITE_VA + STACK + 8, 9, 8);
    formats(&s, "%d%d%d%d%d%d%d%d%d", "123456789");
    wreck(&s);
}

static void a_long_text_is_cut(void **state)
{
    char many[GUEST_STRING_MAX], text[16];
    struct scene s;

    (void)state;
    build(&s);
    memset(many, 'a', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    put_string(&s, SITE_VA + STRINGS + 0x200, many);
    hart_set_reg(s.h, REG_A0 + 1, SITE_VA + STRINGS + 0x200);
    put_string(&s, SITE_VA + STRINGS, "%s and more");
    hart_set_reg(s.h, REG_A0, SITE_VA + STRINGS);
    guest_format(s.h, s.symbols, 0, text, sizeof text);
    assert_string_equal(text, "aaaaaaaaaaaaaaa");
    wreck(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_panic_is_about_its_caller_and_says_its_text),
        cmocka_unit_test(a_warning_says_where_it_is),
        cmocka_unit_test(an_alarm_that_calls_another_is_nested),
        cmocka_unit_test(ftrace_bug_is_about_a_site),
        cmocka_unit_test(an_oops_is_where_the_exception_was),
        cmocka_unit_test(of_messages_only_some_are_alarms),
        cmocka_unit_test(a_format_has_the_values_of_the_call),
        cmocka_unit_test(values_that_have_no_register_are_on_the_stack),
        cmocka_unit_test(a_long_text_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
