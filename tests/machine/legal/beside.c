/*
 * beside.c - code and data in one page, placed there by the linker: counters are stored to
 * and functions next to them run, and no code is ever written.
 */
#include "legal.h"

enum { ROUNDS = 100 };

#ifdef MISS
#define PATCH 1
#else
#define PATCH 0
#endif

/* Counters, and functions that return theirs; 64 bytes for each hart. */
__asm__(".section .data.beside, \"aw\"\n"
        ".option push\n"
        ".option norvc\n"
        ".balign 4096\n"
        ".globl beside\n"
        "beside:\n"
        ".rept 4\n"
        ".dword 0\n"
        "1: auipc a0, 0\n"
        "ld a0, -8(a0)\n"
        "ret\n"
        ".balign 64\n"
        ".endr\n"
        ".balign 4096\n"
        ".option pop\n"
        ".text\n");

struct counted {
    volatile unsigned long count;
    uint32_t code[14];
};
extern struct counted beside[HARTS_MAX];

static void count(unsigned long hart)
{
    for (unsigned long n = 1; n <= ROUNDS; n++) {
        beside[hart].count = n;
        EXPECT(as_function(beside[hart].code)() == n);
    }
}

void helper(unsigned long hart)
{
    (void)next_work(0);
    count(hart);
    work_done();
}

int main(void)
{
    count(0);
    tell_others(1);
    if (PATCH) {
        write_function(beside[0].code, 1);
        (void)as_function(beside[0].code)();
    }
    return 0;
}
