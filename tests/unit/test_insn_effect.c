/*
 * test_insn_effect.c - the model of what an instruction does to registers and pc.
 */
#include <string.h>

#include "isa/world.h"

#include "cpu/isa/decode.h"
#include "ftrace/audit/breakpoints/insn_effect.h"

/* What the engine does with each of these, the model must do, too. */
static void the_effect_is_that_of_the_instruction(void **state)
{
    static const uint32_t words[] = {
        AUIPC(A0, 0xfffff),
        AUIPC(ZERO, 1),
        JAL(RA, -0x20),
        JAL(ZERO, 0x40),
        JALR(A1, A1, -3),
        JALR(ZERO, A2, 2),
        BEQ(A3, A3, 0x10),
        BEQ(A3, A4, 0x10),
        BNE(A3, A4, -0x10),
        BNE(A3, A3, 0x10),
        BLT(A5, A3, 0x10),
        BLT(A3, A5, 0x10),
        BGE(A3, A5, 0x10),
        BGE(A5, A3, 0x10),
        BLTU(A5, A3, 0x10),
        BLTU(A3, A5, 0x10),
        BGEU(A3, A5, 0x10),
        BGEU(A5, A3, 0x10),
        LUI(A0, 0x80000),
        ADDI(A0, A5, -1),
        ANDI(A0, A5, -16),
        ORI(A0, A3, 0x7ff),
        XORI(A0, A3, -1),
        SLTI(A0, A5, 1),
        SLTIU(A0, A5, -1),
        SLLI(A0, A5, 33),
        SRLI(A0, A5, 33),
        ADD(A0, A3, A5),
        SUB(A0, A3, A5),
        AND(A0, A3, A5),
        OR(A0, A3, A5),
        XOR(A0, A3, A5),
        SLT(A0, A5, A3),
        SLTU(A0, A5, A3),
        ADDIW(A0, A5, 1),
        ADDW(A0, A5, A5),
        SUBW(A0, A3, A5),
        0xa019, /* c.j .+6 */
        0xbfd5, /* c.j .-12 */
        0x8582, /* c.jr a1 */
        0x9082, /* c.jalr ra */
        0x9602, /* c.jalr a2 */
        0xc299, /* c.beqz a3, .+6 */
        0xe299, /* c.bnez a3, .+6 */
        0xfaf5, /* c.bnez a3, .-12 */
        0x157d, /* c.addi a0, -1 */
        0x852e, /* c.mv a0, a1 */
    };

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        struct world w = world_new();
        struct insn_effect e;
        uint64_t before[32];
        struct insn i;

        put(&w, words[n]);
        for (unsigned reg = 1; reg < 32; reg++)
            hart_set_reg(w.hart, reg, reg == A5 ? UINT64_C(-5) << 31 : DATA + 6 * reg);
        memcpy(before, hart_regs(w.hart), sizeof before);
        assert_true(insn_decode(words[n], &i));
        assert_true(insn_effect(&i, CODE, before, &e));
        step_at(&w, CODE);
        assert_int_equal(hart_pc(w.hart), e.pc);
        for (unsigned reg = 1; reg < 32; reg++)
            assert_int_equal(hart_reg(w.hart, reg), reg == e.rd ? e.value : before[reg]);
        world_free(&w);
    }
}

static void what_uses_more_has_no_effect_that_is_known(void **state)
{
    static const uint32_t words[] = {LD(A0, A1, 0), SD(A0, A1, 0), MUL(A0, A1, A2),
                                     CSRRS(A0, 0x100, ZERO), ECALL};
    const uint64_t regs[32] = {0};
    struct insn_effect e;
    struct insn i;

    (void)state;
    for (size_t n = 0; n < sizeof words / sizeof words[0]; n++) {
        assert_true(insn_decode(words[n], &i));
        assert_false(insn_effect(&i, CODE, regs, &e));
        assert_int_equal(e.pc, CODE + 4);
        assert_false(insn_uses_pc(&i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_effect_is_that_of_the_instruction),
        cmocka_unit_test(what_uses_more_has_no_effect_that_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
