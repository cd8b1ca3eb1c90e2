/*
 * remote.c - hart 0 changes whole functions that the others run, while they wait, and has
 * each of them execute fence.i: by an interrupt, or by themselves when they continue.
 */
#include "legal.h"

enum { ROUNDS = 12, FUNCTIONS = 8 };

static uint32_t room[PAGE / 4] __attribute__((aligned(PAGE)));

/* Two instructions change: a mixture of both is wrong. */
static void write_sum(uint32_t *code, unsigned n)
{
    ((volatile uint32_t *)code)[0] = LI_A0(n - 1 - n / 2);
    ((volatile uint32_t *)code)[1] = ADD_A0(1 + n / 2);
    ((volatile uint32_t *)code)[2] = RET;
}

static void write_all(unsigned round)
{
    for (unsigned n = 0; n < FUNCTIONS; n++)
        write_sum(room + 8 * n, round * FUNCTIONS + n);
}

static void run_all(unsigned round)
{
    for (unsigned n = 0; n < FUNCTIONS; n++)
        EXPECT(as_function(room + 8 * n)() == round * FUNCTIONS + n);
}

/* In odd rounds each hart fences by itself before it continues. */
void helper(unsigned long hart)
{
    (void)hart;
    accept_fences();
    for (unsigned long round = 0;;) {
        round = next_work(round);
        if (round % 2)
            fence_i();
        run_all((unsigned)round);
        work_done();
    }
}

int main(void)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        write_all(round);
        fence_i();
#ifdef MISS
        if (round != ROUNDS)
#endif
            if (round % 2 == 0)
                fence_others(0);
        run_all(round);
        tell_others(round);
    }
    return 0;
}
