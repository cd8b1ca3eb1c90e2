/*
 * trace_events_filter_test.c - filters: what they let pass, and what they say of mistakes.
 */
#include "trace.h"
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/printk.h>
#include <linux/string.h>

/* An entry with a field of each kind. */
struct filter_test_entry {
    struct trace_entry ent;
    u8 a;
    signed char sa;
    u16 b;
    s32 sd;
    u64 e;
    s64 se;
    char name[8]; /* without a NUL if it is full */
    u32 __data_loc_text;
    u32 __rel_loc_rel;
    const char *ptr;
    u32 many[4];
    char data[16];
};

#define FIELD(t, n, f)                                                                        \
    {                                                                                         \
        .type = t, .name = #n, .size = sizeof(((struct filter_test_entry *)0)->f),            \
        .align = __alignof__(((struct filter_test_entry *)0)->f), .is_signed = (t)[0] == 's', \
        .filter_type = FILTER_OTHER,                                                          \
    }

static const struct trace_event_fields fields[] = {
    FIELD("u8", a, a),
    FIELD("s8", sa, sa),
    FIELD("u16", b, b),
    FIELD("s32", sd, sd),
    FIELD("u64", e, e),
    FIELD("s64", se, se),
    FIELD("char[8]", name, name),
    FIELD("__data_loc char[]", text, __data_loc_text),
    FIELD("__rel_loc char[]", rel, __rel_loc_rel),
    FIELD("const char *", ptr, ptr),
    FIELD("u32[4]", many, many),
    {.type = NULL},
};

static struct trace_event_class class = {
    .system = "kunit", .fields_array = fields, .fields = LIST_HEAD_INIT(class.fields)};
static struct trace_event_call call = {.class = &class, .name = "filter_test", .print_fmt = "\"\""};

static struct filter_test_entry entry;

static void fill_entry(void)
{
    entry = (struct filter_test_entry){
        .ent = {.pid = 42},
        .a = 200,
        .sa = -3,
        .b = 0x1234,
        .sd = -70000,
        .e = 0xfedcba9876543210,
        .se = -1,
        .name = {'t', 'r', 'a', 'c', 'e', 'f', 's', '!'},
        .__data_loc_text = 5 << 16 | offsetof(struct filter_test_entry, data),
        .ptr = "pointer",
        .data = "fork\0exec",
    };
    entry.__rel_loc_rel = 5 << 16 | (offsetof(struct filter_test_entry, data) + 5 -
                                     offsetof(struct filter_test_entry, __rel_loc_rel) - 4);
}

/* 1, 0, or a negative error. */
static int judge(const char *text)
{
    struct event_filter *filter;
    int ret = create_event_filter(NULL, &call, text, false, &filter);

    if (!ret)
        ret = filter_match_preds(filter, &entry);
    free_event_filter(filter);
    return ret;
}

static void start(struct kunit *test)
{
    fill_entry();
    KUNIT_EXPECT_EQ(test, trace_add_event_call(&call), 0);
}

static void stop(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, trace_remove_event_call(&call), 0);
}

struct verdict {
    const char *text;
    int match;
};

static void judge_all(struct kunit *test, const struct verdict *v)
{
    start(test);
    for (; v->text; v++) {
        int match = judge(v->text);

        if (match != v->match)
            pr_info("%s\n", v->text);
        KUNIT_EXPECT_EQ(test, match, v->match);
    }
    stop(test);
}

static void numbers_are_compared_by_size_and_sign(struct kunit *test)
{
    static const struct verdict verdicts[] = {
        {"a == 200", 1},
        {"a == -56", -EINVAL}, /* unsigned */
        {"a == 456", 1},       /* only the field's bits count */
        {"a > 199", 1},
        {"a<200", 0},
        {"a <= 200", 1},
        {"a >= 201", 0},
        {"sa == -3", 1},
        {"sa < 0", 1},
        {"sa > -4", 1},
        {"sa != 253", 0},
        {"b == 0x1234", 1},
        {"b == 011064", 1},
        {"b & 0x30", 1},
        {"b & 0x8", 0},
        {"sd < -69999", 1},
        {"sd >= -70000", 1},
        {"sd > -70000", 0},
        {"e == 0xfedcba9876543210", 1},
        {"e > 0x7fffffffffffffff", 1},
        {"se <= 0x7fffffffffffffff", 1},
        {"se == 0x8000000000000000", -EINVAL},
        {"se > -9223372036854775808", 1},
        {"common_pid == 42", 1},
        {"common_pid != 42", 0},
        {"cpu >= 0", 1},
        {"CPU < 0", 0},
        {NULL, 0},
    };

    judge_all(test, verdicts);
}

static void strings_match_as_a_whole_or_by_pattern(struct kunit *test)
{
    static const struct verdict verdicts[] = {
        {"name == \"tracefs!\"", 1}, {"name == 'tracefs!'", 1},
        {"name == \"tracefs\"", 0},  {"name != \"tracefs\"", 1},
        {"name ~ \"trace*\"", 1},    {"name ~ \"*fs!\"", 1},
        {"name ~ \"*cef*\"", 1},     {"name ~ \"tr?c[a-e]fs!\"", 1},
        {"name ~ \"trace\"", 0},     {"name ~ \"!trace*\"", 0},
        {"name ~ \"!x*\"", 1},       {"text == \"fork\"", 1},
        {"text ~ \"f*k\"", 1},       {"text == \"fork2\"", 0},
        {"rel == 'exec'", 1},        {"rel ~ '*x*'", 1},
        {"rel != 'exec'", 0},        {"ptr == 'pointer'", 1},
        {"ptr ~ 'x*'", 0},           {"name == \"\"", 0},
        {"text == \"a && (b\"", 0},  {NULL, 0},
    };

    judge_all(test, verdicts);
}

static void the_task_is_a_field(struct kunit *test)
{
    char text[64];

    start(test);
    snprintf(text, sizeof(text), "comm == '%s'", current->comm);
    KUNIT_EXPECT_EQ(test, judge(text), 1);
    snprintf(text, sizeof(text), "COMM != \"%s\"", current->comm);
    KUNIT_EXPECT_EQ(test, judge(text), 0);
    stop(test);
}

/* a == 200 is true, a == 1 false. */
static void operators_have_their_precedence(struct kunit *test)
{
    static const struct verdict verdicts[] = {
        {"a == 200 && b == 1", 0},
        {"a == 200 || b == 1", 1},
        {"a == 1 || a == 2 || a == 200", 1},
        {"a == 200 || a == 1 && b == 1", 1},
        {"(a == 200 || a == 1) && b == 1", 0},
        {"a == 1 && b == 1 || a == 200", 1},
        {"a == 1 && (b == 1 || a == 200)", 0},
        {"!(a == 1)", 1},
        {"!a == 1", 1},
        {"!!a == 1", 0},
        {"!(a == 200 && b == 1)", 1},
        {"!(a == 1 || b == 0x1234)", 0},
        {"!(a == 200 && !(a == 200 && b == 1)) || (a == 1)", 0},
        {"((((a==200))&&((b==0x1234))))", 1},
        {"a==200&&!(b==1||!(a==200&&sa==-3))&&sd<0", 1},
        {NULL, 0},
    };

    judge_all(test, verdicts);
}

static void mistakes_are_marked(struct kunit *test)
{
    static const struct {
        const char *text, *says;
    } mistakes[] = {
        {"nosuch == 1", "nosuch == 1\n       ^\nparse_error: Field not found\n"},
        {"a == 1 && nosuch == 1", "a == 1 && nosuch == 1\n                 ^\n"
                                  "parse_error: Field not found\n"},
        {"a = 1", "a = 1\n   ^\nparse_error: Invalid operator\n"},
        {"a == b", "a == b\n      ^\nparse_error: Invalid value (did you forget quotes)?\n"},
        {"a == 12q", "a == 12q\n      ^\nparse_error: Illegal integer value\n"},
        {"a == 'x'", "a == 'x'\n      ^\nparse_error: Expecting numeric field\n"},
        {"name == 1", "name == 1\n         ^\nparse_error: Expecting string field\n"},
        {"name < 'x'", "name < 'x'\n        ^\nparse_error: Illegal operation for field type\n"},
        {"a ~ 1", "a ~ 1\n     ^\nparse_error: Illegal operation for field type\n"},
        {"many == 1", "many == 1\n         ^\nparse_error: Illegal operation for field type\n"},
        {"((a == 1)", "((a == 1)\n^\nparse_error: Too many '('\n"},
        {"(a == 1) && ((b == 1)", "(a == 1) && ((b == 1)\n            ^\n"
                                  "parse_error: Too many '('\n"},
        {"a == 1)", "a == 1)\n      ^\nparse_error: Too few '('\n"},
        {"name == 'x", "name == 'x\n        ^\nparse_error: Missing matching quote\n"},
        {"a == 1 b == 1", "a == 1 b == 1\n       ^\n"
                          "parse_error: Too many terms in predicate expression\n"},
        {"a == 1 & b == 1", "a == 1 & b == 1\n       ^\n"
                            "parse_error: Too many terms in predicate expression\n"},
        {"a == 1 && ", "a == 1 && \n          ^\nparse_error: No filter found\n"},
        {"()", "()\n ^\nparse_error: Meaningless filter expression\n"},
        {"", "\nError: (0)\n"},
    };
    struct seq_file m = {.size = 256};
    struct trace_event_file file = {.event_call = &call};
    char shown[256];
    unsigned int i;

    start(test);
    m.buf = shown;
    for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
        m.count = 0;
        KUNIT_EXPECT_EQ(
            test, create_event_filter(NULL, &call, mistakes[i].text, true, &file.filter), -EINVAL);
        KUNIT_EXPECT_EQ(test, filter_match_preds(file.filter, &entry), 1);
        print_event_filter(&file, &m);
        free_event_filter(file.filter);
        shown[m.count - 1] = 0; /* the line's end */
        if (strcmp(shown, mistakes[i].says))
            pr_info("%s\n", shown);
        KUNIT_EXPECT_EQ(test, strcmp(shown, mistakes[i].says), 0);
    }
    stop(test);
}

static const struct kunit_case trace_filter_cases[] = {
    KUNIT_CASE(numbers_are_compared_by_size_and_sign),
    KUNIT_CASE(strings_match_as_a_whole_or_by_pattern),
    KUNIT_CASE(the_task_is_a_field),
    KUNIT_CASE(operators_have_their_precedence),
    KUNIT_CASE(mistakes_are_marked),
    {NULL, NULL},
};

static const struct kunit_suite trace_filter_suite = {
    .name = "trace_filter",
    .test_cases = trace_filter_cases,
};
kunit_test_suite(trace_filter_suite);
