/*
 * jump_label.c - writes the nop or jump of a static key's place.
 *
 * Not instrumented, like patch.c.
 */
#include <asm/patch.h>
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>

#define INSN_NOP 0x00000013u
#define INSN_JAL 0x0000006fu

/* Bits hi..lo of an offset, at position `to` of the instruction. */
static u32 bits(long offset, unsigned int hi, unsigned int lo, unsigned int to)
{
    return ((u32)(offset >> lo) & ((1u << (hi - lo + 1)) - 1)) << to;
}

static u32 jal(long offset)
{
    return INSN_JAL | bits(offset, 20, 20, 31) | bits(offset, 10, 1, 21) |
           bits(offset, 11, 11, 20) | bits(offset, 19, 12, 12);
}

void arch_jump_label_transform(const struct jump_entry *entry, enum jump_label_type type)
{
    unsigned long code = jump_entry_code(entry);
    long offset = (long)(jump_entry_target(entry) - code);
    u32 insn = type == JUMP_LABEL_JMP ? jal(offset) : INSN_NOP;

    BUG_ON(offset < -0x100000 || offset >= 0x100000);
    mutex_lock(&text_mutex);
    BUG_ON(patch_text_nosync((void *)code, &insn, sizeof(insn)));
    mutex_unlock(&text_mutex);
}
