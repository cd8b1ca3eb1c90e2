/*
 * decode-insn.c - which instructions can be probed, and how each is carried out.
 *
 * An instruction that uses its own address cannot run elsewhere and is simulated. One that changes
 * the mode, or orders instruction fetches, is refused. The others run as a copy.
 */
#include "decode-insn.h"
#include "simulate-insn.h"
#include <linux/kernel.h>

struct pattern {
    u32 mask, match;
};

static const struct pattern rejected[] = {
    {0x0000007f, 0x00000073}, /* ecall, ebreak, sret, wfi, sfence.vma, csr* */
    {0x0000007f, 0x0000000f}, /* fence, fence.i */
    {0x0000ffff, 0x00009002}, /* c.ebreak */
};

/* In quadrant 1 with funct3 001 RV64 has c.addiw, so there is no c.jal here. */
static const struct {
    struct pattern form;
    void (*handler)(u32 opcode, unsigned long addr, struct pt_regs *regs);
} simulated[] = {
    {{0x0000007f, 0x0000006f}, simulate_jal},    {{0x0000707f, 0x00000067}, simulate_jalr},
    {{0x0000007f, 0x00000017}, simulate_auipc},  {{0x0000007f, 0x00000063}, simulate_branch},
    {{0x0000e003, 0x0000a001}, simulate_c_j},    {{0x0000f07f, 0x00008002}, simulate_c_jr},
    {{0x0000f07f, 0x00009002}, simulate_c_jalr}, {{0x0000e003, 0x0000c001}, simulate_c_beqz},
    {{0x0000e003, 0x0000e001}, simulate_c_bnez},
};

static bool matches(const struct pattern *p, u32 insn)
{
    return (insn & p->mask) == p->match;
}

enum probe_insn riscv_probe_decode_insn(u32 insn, struct arch_specific_insn *api)
{
    unsigned int i;

    api->handler = NULL;
    for (i = 0; i < ARRAY_SIZE(rejected); i++)
        if (matches(&rejected[i], insn))
            return INSN_REJECTED;
    for (i = 0; i < ARRAY_SIZE(simulated); i++)
        if (matches(&simulated[i].form, insn)) {
            api->handler = simulated[i].handler;
            return INSN_GOOD_NO_SLOT;
        }
    return INSN_GOOD;
}
