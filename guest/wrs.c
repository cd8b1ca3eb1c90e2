/*
 * wrs.c - two harts pass a token to each other; the one without it waits on its reservation
 * (wrs.nto). Then hart 0 waits for a store that never comes, and the timeout ends the wait
 * (wrs.sto).
 */
#include "virt.h"

enum { TURNS = 500, TICKS = 1000 };

static volatile unsigned int token __attribute__((aligned(64)));
static volatile unsigned int never_written __attribute__((aligned(64)));
static volatile unsigned long checks[2] __attribute__((aligned(64)));

static unsigned int reserve(volatile unsigned int *at)
{
    unsigned int value;

    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(at) : "memory");
    return value;
}

#define WRS(kind) \
    __asm__ volatile(".option push\n.option arch, +zawrs\nwrs." kind "\n.option pop" ::: "memory")

static void wait_for_token(unsigned int turn, unsigned int hart)
{
    while (reserve(&token) != turn) {
        checks[hart]++;
        WRS("nto");
    }
}

static void pass_token(unsigned int hart)
{
    for (unsigned int turn = hart; turn < 2 * TURNS; turn += 2) {
        wait_for_token(turn, hart);
        token = turn + 1;
    }
}

void second(void)
{
    pass_token(1);
}

int main(void)
{
    unsigned long began, waits = 0;

    pass_token(0);
    wait_for_token(2 * TURNS, 0);
    put_number("turns", token);
    for (began = MTIME; MTIME - began < TICKS; waits++) {
        reserve(&never_written);
        WRS("sto");
    }
    /*
     * A hart is woken only by the store it waits for, and a short timeout does not become a
     * spin.
     */
    return checks[0] > TURNS + 1 || checks[1] > TURNS + 1 || waits > TICKS / 2;
}
