/*
 * wrs.c - two harts hand a ball to each other; who has not got it sleeps on its
 * reservation (wrs.nto). Then one waits for nobody, and time ends it (wrs.sto).
 */
#include "virt.h"

enum { TURNS = 500, TICKS = 1000 };

static volatile unsigned int ball __attribute__((aligned(64)));
static volatile unsigned int nobody __attribute__((aligned(64)));
static volatile unsigned long looks[2] __attribute__((aligned(64)));

static unsigned int reserve(volatile unsigned int *at)
{
    unsigned int value;

    __asm__ volatile("lr.w %0, (%1)" : "=r"(value) : "r"(at) : "memory");
    return value;
}

#define WRS(kind) \
    __asm__ volatile(".option push\n.option arch, +zawrs\nwrs." kind "\n.option pop" ::: "memory")

static void wait_for_ball(unsigned int turn, unsigned int hart)
{
    while (reserve(&ball) != turn) {
        looks[hart]++;
        WRS("nto");
    }
}

static void play(unsigned int hart)
{
    for (unsigned int turn = hart; turn < 2 * TURNS; turn += 2) {
        wait_for_ball(turn, hart);
        ball = turn + 1;
    }
}

void second(void)
{
    play(1);
}

int main(void)
{
    unsigned long began, waits = 0;

    play(0);
    wait_for_ball(2 * TURNS, 0);
    put_number("turns", ball);
    for (began = MTIME; MTIME - began < TICKS; waits++) {
        reserve(&nobody);
        WRS("sto");
    }
    /* Who is woken has what it waited for, and a short timeout is not a spin. */
    return looks[0] > TURNS + 1 || looks[1] > TURNS + 1 || waits > TICKS / 2;
}
