/*
 * tornword.c - hart 1 turns a site of layout `atomic` on and off by one aligned store, while hart
 * 0 runs the site.
 *
 * A fetch of an aligned instruction of four bytes must be atomic (extension Ziccif): hart 0 runs
 * the nop or the jalr. The lower half of this jalr with the upper half of the nop is `jalr
 * t0,(ra)`, which returns to the caller, so that the function is skipped.
 */
#include "virt.h"

enum { ROUNDS = 1000000, ARGUMENT = 24, RESULT = 1, NOP = 0x00000013 };

extern volatile uint32_t site_word;
static volatile unsigned long done;

unsigned long traced(unsigned long argument);

__asm__(".pushsection .text\n"
        ".option push\n"
        ".option norvc\n"
        ".balign 4096\n"
        "traced:\n"
        "    auipc t0, 1\n"
        "site_word:\n"
        "    jalr t0, (t0)\n" /* to 4096 bytes after `traced` */
        "    li a0, 1\n"
        "    ret\n"
        ".balign 4096\n"
        "    jr t0\n"
        ".option pop\n"
        ".popsection\n");

void second(void)
{
    uint32_t jalr = site_word;

    while (!done) {
        site_word = NOP;
        for (volatile int i = 0; i < 100; i++)
            ;
        site_word = jalr;
        for (volatile int i = 0; i < 100; i++)
            ;
    }
}

int main(void)
{
    unsigned long skipped = 0;

    for (int i = 0; i < ROUNDS; i++) {
        skipped += traced(ARGUMENT) != RESULT;
        fence_i();
    }
    done = 1;
    put_number("skipped", skipped);
    return 0;
}
