/*
 * test_extension.c - sets of extensions as text, and what a hart without one does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/isa/decode.h"
#include "cpu/isa/extension.h"

static uint64_t parsed(const char *isa)
{
    char problem[EXT_TEXT_MAX] = "";
    uint64_t set;

    if (!extensions_parse(isa, &set, problem))
        fail_msg("%s: %s", isa, problem);
    return set;
}

static void refused(const char *isa, const char *because)
{
    char problem[EXT_TEXT_MAX] = "";
    uint64_t set;

    assert_false(extensions_parse(isa, &set, problem));
    if (!strstr(problem, because))
        fail_msg("%s: refused because `%s', not `%s'", isa, problem, because);
}

static void all_extensions_survive_being_written_and_read(void **state)
{
    char text[EXT_TEXT_MAX];

    (void)state;
    extensions_format(EXTS_ALL, text);
    assert_memory_equal(text, "rv64ima", 7);
    assert_true(parsed(text) == EXTS_ALL);
}

static void each_extension_is_written_in_lower_case_behind_its_underscore(void **state)
{
    char text[EXT_TEXT_MAX];

    (void)state;
    extensions_format(EXTS_I | EXTS_C | EXTS_Zicsr | EXTS_Zifencei, text);
    assert_string_equal(text, "rv64ic_zicsr_zifencei");
}

static void what_every_machine_has_need_not_be_named(void **state)
{
    (void)state;
    assert_true(parsed("rv64i") == (EXTS_I | EXTS_S | EXTS_Zicsr));
    assert_true(parsed("RV64IMA_Zifencei") == parsed("rv64ima_zicsr_zifencei"));
}

static void what_is_no_isa_string_is_refused_with_the_reason(void **state)
{
    (void)state;
    refused("rva19", "profile");
    refused("rva22_zfoo", "zfoo is not");
    refused("", "rv64i");
    refused("rv32i", "rv64i");
    refused("rv64", "rv64i");
    refused("rv64mac", "rv64i");
    refused("rv64iq", "q is not");
    refused("rv64i_", " is not");
    refused("rv64i_zifencei_", " is not");
    refused("rv64i_zfoo", "zfoo is not");
    refused("rv64gcv_zvkng_zfoo", "zfoo is not");
    refused("rv64gc_zvkng", "needs V");
    refused("rv64i_s", "s is not");
}

static void a_profile_is_the_string_of_what_it_demands(void **state)
{
    (void)state;
    assert_true(parsed("rva20") == parsed("rv64gc_zicntr"));
    assert_true(parsed("RVA22_zfa") == (parsed("rva22") | EXTS_Zfa));
    assert_true(parsed("rva22") & EXTS_Zfhmin);
    assert_false(parsed("rva22") & EXTS_Zfh);
    assert_true((parsed("rva23") & parsed("rva22")) == parsed("rva22"));
    assert_true(parsed("rva23") & EXTS_Zvkb);
    assert_false(parsed("rva23") & EXTS_Zvkned);
}

static void what_an_extension_includes_need_not_be_named(void **state)
{
    (void)state;
    assert_true(parsed("rv64gc_zfh") == parsed("rv64gc_zfhmin_zfh"));
    assert_true(parsed("rv64gcb") == parsed("rv64gc_zba_zbb_zbs"));
}

static void a_name_of_several_is_all_of_them(void **state)
{
    (void)state;
    assert_true(parsed("rv64gcv_zvkng") == parsed("rv64gcv_zvkb_zvkned_zvknha_zvknhb_zvkt_zvkg"));
    assert_true(parsed("rv64gcv_zvksc") == parsed("rv64gcv_zvksed_zvksh_zvkb_zvbc"));
    assert_true(parsed("rv64gcv_zvbb_zvknhb") == parsed("rv64gcv_zvbb_zvkb_zvknha_zvknhb"));
}

static void a_promise_may_be_named_and_changes_nothing(void **state)
{
    (void)state;
    assert_true(parsed("rv64gc_zic64b_ziccif_svade") == parsed("rv64gc"));
}

static void a_compressed_instruction_needs_what_it_expands_to(void **state)
{
    struct insn i;

    (void)state;
    assert_true(insn_decode(0x4501, &i)); /* c.li a0,0 */
    assert_true(insn_in(&i, parsed("rv64ic")));
    assert_false(insn_in(&i, parsed("rv64i")));
    assert_true(insn_decode(0x02b50533, &i)); /* mul a0,a0,a1 */
    assert_true(insn_in(&i, parsed("rv64im")));
    assert_false(insn_in(&i, parsed("rv64iac")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_extensions_survive_being_written_and_read),
        cmocka_unit_test(each_extension_is_written_in_lower_case_behind_its_underscore),
        cmocka_unit_test(what_every_machine_has_need_not_be_named),
        cmocka_unit_test(what_is_no_isa_string_is_refused_with_the_reason),
        cmocka_unit_test(a_profile_is_the_string_of_what_it_demands),
        cmocka_unit_test(what_an_extension_includes_need_not_be_named),
        cmocka_unit_test(a_name_of_several_is_all_of_them),
        cmocka_unit_test(a_promise_may_be_named_and_changes_nothing),
        cmocka_unit_test(a_compressed_instruction_needs_what_it_expands_to),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
