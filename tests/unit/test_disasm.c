/*
 * test_disasm.c - properties of the disassembler that objdump cannot check, and a
 * word of each kind, so that errors are found without a cross toolchain. The
 * whole encoding space is compared in tests/isa/disasm_against_objdump.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../isa/encode.h"
#include "base/compiler.h"
#include "cpu/isa/disasm.h"

struct sample {
    uint32_t word;
    const char *text;
};

static void assert_texts(const struct sample *samples, size_t count)
{
    char text[DISASM_MAX];

    for (size_t n = 0; n < count; n++) {
        (void)disasm(0x80001000, samples[n].word, NULL, text);
        assert_string_equal(text, samples[n].text);
    }
}

static void each_operand_format_reads_as_in_assembly(void **state)
{
    static const struct sample samples[] = {
        {LUI(A0, 0xfffff), "lui\ta0,0xfffff"},
        {AUIPC(T0, 1), "auipc\tt0,0x1"},
        {JAL(T0, 8), "jal\tt0,0x80001008"},
        {JALR(T0, A5, -4), "jalr\tt0,-4(a5)"},
        {BEQ(A0, A1, -16), "beq\ta0,a1,0x80000ff0"},
        {LD(A0, SP, -8), "ld\ta0,-8(sp)"},
        {SD(RA, SP, -8), "sd\tra,-8(sp)"},
        {ADDI(SP, SP, -16), "addi\tsp,sp,-16"},
        {SLLI(A0, A0, 32), "slli\ta0,a0,0x20"},
        {SRAIW(A0, A1, 31), "sraiw\ta0,a1,0x1f"},
        {MULHSU(S11, T6, GP), "mulhsu\ts11,t6,gp"},
        {FENCE(0, 3, 1), "fence\trw,w"},
        {FENCE(0, 15, 8), "fence\tiorw,i"},
        {CSRRW(SP, 0x140, SP), "csrrw\tsp,sscratch,sp"},
        {CSRRSI(A0, 0x300, 8), "csrrsi\ta0,mstatus,8"},
        {CSRRW(A0, 0x7c0, A1), "csrrw\ta0,0x7c0,a1"},
        {LR_W(0, A0, A1), "lr.w\ta0,(a1)"},
        {SC_D(1, A0, A2, A1), "sc.d.rl\ta0,a2,(a1)"},
        {AMOSWAP_W(2, ZERO, ZERO, A0), "amoswap.w.aq\tzero,zero,(a0)"},
        {AMOMAXU_D(3, A0, A2, A1), "amomaxu.d.aqrl\ta0,a2,(a1)"},
        {SFENCE_VMA(A0, A1), "sfence.vma\ta0,a1"},
        {FENCE_I, "fence.i"},
        {ECALL, "ecall"},
        {MRET, "mret"},
    };

    (void)state;
    assert_texts(samples, ARRAY_LEN(samples));
}

static void usual_aliases_are_used(void **state)
{
    static const struct sample samples[] = {
        {ADDI(ZERO, ZERO, 0), "nop"},
        {ADDI(A0, ZERO, -1), "li\ta0,-1"},
        {ADDI(A0, RA, 0), "mv\ta0,ra"},
        {ADDIW(A0, A1, 0), "sext.w\ta0,a1"},
        {XORI(A0, A1, -1), "not\ta0,a1"},
        {SUB(A0, ZERO, A1), "neg\ta0,a1"},
        {SUBW(A0, ZERO, A1), "negw\ta0,a1"},
        {SLTIU(A0, A1, 1), "seqz\ta0,a1"},
        {SLTU(A0, ZERO, A1), "snez\ta0,a1"},
        {SLT(A0, A1, ZERO), "sltz\ta0,a1"},
        {SLT(A0, ZERO, A1), "sgtz\ta0,a1"},
        {ANDI(A0, A1, 255), "zext.b\ta0,a1"},
        {BEQ(A0, ZERO, 8), "beqz\ta0,0x80001008"},
        {BNE(A0, ZERO, 8), "bnez\ta0,0x80001008"},
        {BGE(ZERO, A0, 8), "blez\ta0,0x80001008"},
        {BGE(A0, ZERO, 8), "bgez\ta0,0x80001008"},
        {BLT(A0, ZERO, 8), "bltz\ta0,0x80001008"},
        {BLT(ZERO, A0, 8), "bgtz\ta0,0x80001008"},
        {JAL(ZERO, -4), "j\t0x80000ffc"},
        {JAL(RA, 4), "jal\t0x80001004"},
        {JALR(ZERO, RA, 0), "ret"},
        {JALR(ZERO, T0, 0), "jr\tt0"},
        {JALR(ZERO, T1, 8), "jr\t8(t1)"},
        {JALR(RA, T0, 0), "jalr\tt0"},
        {JALR(RA, RA, -4), "jalr\t-4(ra)"},
        {JALR(T0, T0, 0), "jalr\tt0,t0"},
        {CSRRS(A0, 0xf14, ZERO), "csrr\ta0,mhartid"},
        {CSRRW(ZERO, 0x180, A0), "csrw\tsatp,a0"},
        {CSRRS(ZERO, 0x100, A0), "csrs\tsstatus,a0"},
        {CSRRC(ZERO, 0x104, A0), "csrc\tsie,a0"},
        {CSRRWI(ZERO, 0x100, 3), "csrwi\tsstatus,3"},
        {CSRRSI(ZERO, 0x100, 2), "csrsi\tsstatus,2"},
        {CSRRCI(ZERO, 0x100, 2), "csrci\tsstatus,2"},
        {CSRRS(A0, 0xc00, ZERO), "rdcycle\ta0"},
        {CSRRS(A0, 0xc01, ZERO), "rdtime\ta0"},
        {CSRRS(A0, 0xc02, ZERO), "rdinstret\ta0"},
        {CSRRW(ZERO, 0xc00, ZERO), "unimp"},
        {FENCE(0, 15, 15), "fence"},
        {FENCE_TSO, "fence.tso"},
        {SFENCE_VMA(ZERO, ZERO), "sfence.vma"},
        {SFENCE_VMA(A0, ZERO), "sfence.vma\ta0"},
    };

    (void)state;
    assert_texts(samples, ARRAY_LEN(samples));
}

static void compressed_instructions_read_as_what_they_expand_to(void **state)
{
    static const struct sample samples[] = {
        {C_ADDI16SP(-64), "addi\tsp,sp,-64"},
        {C_ADDI4SPN(S0, 16), "addi\ts0,sp,16"},
        {C_ADDI(A0, 1), "addi\ta0,a0,1"},
        {C_ADDI(ZERO, 0), "nop"},
        {C_LI(A0, 0), "li\ta0,0"},
        {C_LUI(A0, -1), "lui\ta0,0xfffff"},
        {C_MV(A0, RA), "mv\ta0,ra"},
        {C_ADD(A0, A1), "add\ta0,a0,a1"},
        {C_SUB(A0, A1), "sub\ta0,a0,a1"},
        {C_LDSP(RA, 8), "ld\tra,8(sp)"},
        {C_SDSP(RA, 8), "sd\tra,8(sp)"},
        {C_JR(RA), "ret"},
        {C_JALR(T0), "jalr\tt0"},
        {C_J(-2), "j\t0x80000ffe"},
        {C_BEQZ(A0, 4), "beqz\ta0,0x80001004"},
        {C_EBREAK, "ebreak"},
    };

    (void)state;
    assert_texts(samples, ARRAY_LEN(samples));
}

/* Binutils calls only c.mv a mv, not a full-size add of zero. */
static void a_full_size_add_of_zero_stays_an_add(void **state)
{
    static const struct sample samples[] = {
        {ADD(A0, ZERO, A1), "add\ta0,zero,a1"},
        {ADD(A0, A1, ZERO), "add\ta0,a1,zero"},
    };

    (void)state;
    assert_texts(samples, ARRAY_LEN(samples));
}

static void what_is_no_instruction_is_a_directive_of_its_size(void **state)
{
    char text[DISASM_MAX];

    (void)state;
    assert_int_equal(disasm(0, 0xffffffff, NULL, text), 4);
    assert_string_equal(text, ".4byte\t0xffffffff");
    assert_int_equal(disasm(0, 0xabcd0000, NULL, text), 2);
    assert_string_equal(text, ".2byte\t0x0");
    assert_int_equal(disasm(0, 0x8002, NULL, text), 2);
    assert_string_equal(text, ".2byte\t0x8002");
}

static void the_size_in_bytes_is_returned(void **state)
{
    char text[DISASM_MAX];

    (void)state;
    assert_int_equal(disasm(0, ADDI(ZERO, ZERO, 0), NULL, text), 4);
    assert_int_equal(disasm(0, C_ADDI(ZERO, 0), NULL, text), 2);
}

static void name_multiples_of_16(void *ctx, uint64_t address, char *text, size_t size)
{
    (*(unsigned *)ctx)++;
    if (address % 16 == 0)
        snprintf(text, size, "schedule+0x%x", 28);
}

static void targets_are_named_when_they_have_a_name(void **state)
{
    unsigned calls = 0;
    const struct disasm_names names = {name_multiples_of_16, &calls};
    char text[DISASM_MAX];

    (void)state;
    (void)disasm(0x80001000, JAL(RA, 0x10), &names, text);
    assert_string_equal(text, "jal\t80001010 <schedule+0x1c>");
    (void)disasm(0x80001000, JAL(RA, 0x12), &names, text);
    assert_string_equal(text, "jal\t0x80001012");
    (void)disasm(0x80001000, ADDI(A0, A0, 16), &names, text);
    assert_int_equal(calls, 2);
}

static void very_long(void *ctx, uint64_t address, char *text, size_t size)
{
    (void)ctx;
    (void)address;
    memset(text, 'x', size - 1);
    text[size - 1] = '\0';
}

static void a_long_name_is_cut_and_the_text_ends(void **state)
{
    const struct disasm_names names = {very_long, NULL};
    char text[DISASM_MAX + 1];

    (void)state;
    memset(text, 'y', sizeof text);
    (void)disasm(0x80001000, BEQ(A0, A1, 16), &names, text);
    assert_int_equal(strlen(text), DISASM_MAX - 1);
    assert_int_equal(text[DISASM_MAX], 'y');
}

static void branch_targets_wrap_at_either_end_of_the_address_space(void **state)
{
    char text[DISASM_MAX];

    (void)state;
    (void)disasm(0, JAL(ZERO, -4), NULL, text);
    assert_string_equal(text, "j\t0xfffffffffffffffc");
    (void)disasm(UINT64_C(0xfffffffffffffffc), JAL(ZERO, 8), NULL, text);
    assert_string_equal(text, "j\t0x4");
}

static void csrs_have_the_manuals_names(void **state)
{
    (void)state;
    assert_string_equal(csr_name(0x300), "mstatus");
    assert_string_equal(csr_name(0x180), "satp");
    assert_string_equal(csr_name(0xc01), "time");
    assert_string_equal(csr_name(0xf14), "mhartid");
    assert_string_equal(csr_name(0xc03), "hpmcounter3");
    assert_string_equal(csr_name(0xc1f), "hpmcounter31");
    assert_string_equal(csr_name(0xb03), "mhpmcounter3");
    assert_string_equal(csr_name(0xb11), "mhpmcounter17");
    assert_string_equal(csr_name(0x33f), "mhpmevent31");
}

static void a_register_that_does_not_exist_has_no_name(void **state)
{
    (void)state;
    assert_null(csr_name(0x7c0));
    assert_null(csr_name(0xb20));
    assert_null(csr_name(0xc23));
    assert_null(csr_name(0x1000));
    assert_null(csr_name(UINT32_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operand_format_reads_as_in_assembly),
        cmocka_unit_test(usual_aliases_are_used),
        cmocka_unit_test(compressed_instructions_read_as_what_they_expand_to),
        cmocka_unit_test(a_full_size_add_of_zero_stays_an_add),
        cmocka_unit_test(what_is_no_instruction_is_a_directive_of_its_size),
        cmocka_unit_test(the_size_in_bytes_is_returned),
        cmocka_unit_test(targets_are_named_when_they_have_a_name),
        cmocka_unit_test(a_long_name_is_cut_and_the_text_ends),
        cmocka_unit_test(branch_targets_wrap_at_either_end_of_the_address_space),
        cmocka_unit_test(csrs_have_the_manuals_names),
        cmocka_unit_test(a_register_that_does_not_exist_has_no_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
