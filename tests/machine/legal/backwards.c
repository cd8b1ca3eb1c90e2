/*
 * backwards.c - a nop of four bytes becomes the jalr of a pair, and back, by two stores of two
 * bytes, the last half first, while the other harts wait. The upper half of this jalr is a
 * c.ebreak, so that between the two stores a breakpoint seems to be in the middle of an
 * instruction.
 *
 * With MISS the second half is never stored.
 */
#include "legal.h"

enum { ROUNDS = 4, DISTANCE = 0x700 };
enum { JALR = 0x90028067 }; /* jalr zero,-DISTANCE(t0) */

/* Text with symbols as a kernel's, which is judged. */
__asm__(".section .text\n"
        ".balign 4\n"
        ".globl _stext, _etext, patched\n"
        "_stext:\n"
        ".type target, @function\n"
        "target: .option push; .option norvc\n"
        "li a0, 2; ret\n"
        ".size target, . - target\n"
        ".org _stext + 0x700\n"
        ".type patched, @function\n"
        "patched: auipc t0, 0; nop; li a0, 1; ret\n"
        ".size patched, . - patched\n"
        ".option pop\n"
        "_etext:\n");
extern uint32_t patched[4];

static void check(void)
{
    unsigned long result = as_function(patched)();

    EXPECT(result == (patched[1] == NOP ? 1 : 2));
}

void helper(unsigned long hart)
{
    (void)hart;
    for (unsigned long work = 0;;) {
        work = next_work(work);
        fence_i();
        check();
        work_done();
    }
}

static void patch(uint32_t word)
{
    volatile uint16_t *halves = (volatile uint16_t *)&patched[1];

    halves[1] = (uint16_t)(word >> 16);
#ifndef MISS
    halves[0] = (uint16_t)word;
#endif
}

int main(void)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        patch(round % 2 ? JALR : NOP);
        fence_i();
        check();
        tell_others(round);
    }
    return 0;
}
