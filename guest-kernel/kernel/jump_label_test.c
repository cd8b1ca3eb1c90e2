/* jump_label_test.c - static keys: each kind of use has the key's value, and users are counted. */
#include <kunit/test.h>
#include <linux/compiler.h>
#include <linux/jump_label.h>

static DEFINE_STATIC_KEY_TRUE(key_true);
static DEFINE_STATIC_KEY_FALSE(key_false);
static struct static_key key_plain = STATIC_KEY_INIT_FALSE;

enum { LIKELY = 1, UNLIKELY = 2 };

/* One bit for each form of use that finds the key true. */
static noinline int uses_of_true(void)
{
    int uses = 0;

    if (static_branch_likely(&key_true))
        uses |= LIKELY;
    if (static_branch_unlikely(&key_true))
        uses |= UNLIKELY;
    return uses;
}

static noinline int uses_of_false(void)
{
    int uses = 0;

    if (static_branch_likely(&key_false))
        uses |= LIKELY;
    if (static_branch_unlikely(&key_false))
        uses |= UNLIKELY;
    return uses;
}

static noinline bool plain_is_set(void)
{
    return static_key_false(&key_plain);
}

static void a_key_has_its_first_value_without_a_patch(struct kunit *test)
{
    KUNIT_EXPECT_EQ(test, uses_of_true(), LIKELY | UNLIKELY);
    KUNIT_EXPECT_EQ(test, uses_of_false(), 0);
    KUNIT_EXPECT_TRUE(test, static_key_enabled(&key_true));
    KUNIT_EXPECT_FALSE(test, static_key_enabled(&key_false));
}

static void every_use_follows_the_key(struct kunit *test)
{
    static_branch_disable(&key_true);
    static_branch_enable(&key_false);
    KUNIT_EXPECT_EQ(test, uses_of_true(), 0);
    KUNIT_EXPECT_EQ(test, uses_of_false(), LIKELY | UNLIKELY);
    static_branch_enable(&key_true);
    static_branch_disable(&key_false);
    KUNIT_EXPECT_EQ(test, uses_of_true(), LIKELY | UNLIKELY);
    KUNIT_EXPECT_EQ(test, uses_of_false(), 0);
}

static void a_key_is_true_while_it_has_a_user(struct kunit *test)
{
    KUNIT_EXPECT_FALSE(test, plain_is_set());
    static_key_slow_inc(&key_plain);
    static_key_slow_inc(&key_plain);
    KUNIT_EXPECT_EQ(test, static_key_count(&key_plain), 2);
    KUNIT_EXPECT_TRUE(test, plain_is_set());
    static_key_slow_dec(&key_plain);
    KUNIT_EXPECT_TRUE(test, plain_is_set());
    static_key_slow_dec(&key_plain);
    KUNIT_EXPECT_EQ(test, static_key_count(&key_plain), 0);
    KUNIT_EXPECT_FALSE(test, plain_is_set());
}

static void setting_a_value_twice_is_setting_it_once(struct kunit *test)
{
    static_key_enable(&key_plain);
    static_key_enable(&key_plain);
    KUNIT_EXPECT_EQ(test, static_key_count(&key_plain), 1);
    static_key_disable(&key_plain);
    static_key_disable(&key_plain);
    KUNIT_EXPECT_EQ(test, static_key_count(&key_plain), 0);
    KUNIT_EXPECT_FALSE(test, plain_is_set());
}

static const struct kunit_case jump_label_cases[] = {
    KUNIT_CASE(a_key_has_its_first_value_without_a_patch),
    KUNIT_CASE(every_use_follows_the_key),
    KUNIT_CASE(a_key_is_true_while_it_has_a_user),
    KUNIT_CASE(setting_a_value_twice_is_setting_it_once),
    {NULL, NULL},
};

static const struct kunit_suite jump_label_suite = {
    .name = "jump_label",
    .test_cases = jump_label_cases,
};
kunit_test_suite(jump_label_suite);
