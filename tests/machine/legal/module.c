/*
 * module.c - a page with code and data, as a module without page protection has: loaded,
 * fenced on all harts; then its data is written and its code is run.
 */
#include "legal.h"

enum { ROUNDS = 6 };

/* The value of the module's first word, and the result of its code. */
static struct {
    uint32_t code[8];
    volatile unsigned long state, calls[HARTS_MAX];
} module __attribute__((aligned(PAGE)));

static void load(unsigned round)
{
    module.state = 0;
    write_function(module.code, round);
    fence_i();
    fence_others(0);
    module.state = round;
}

static void call(unsigned long round, unsigned long hart)
{
    module.calls[hart]++;
    EXPECT(module.state == round);
    EXPECT(as_function(module.code)() == round);
}

static void unload(void)
{
    for (unsigned n = 0; n < 8; n++)
        ((volatile uint32_t *)module.code)[n] = 0;
    module.state = 0;
}

void helper(unsigned long hart)
{
    accept_fences();
    for (unsigned long round = 0;;) {
        round = next_work(round);
        call(round, hart);
        work_done();
    }
}

int main(void)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        load(round);
        for (unsigned n = 0; n < 3; n++)
            call(round, 0);
        tell_others(round);
        unload();
    }
#ifdef MISS
    write_function(module.code, 7);
    call(0, 0);
#endif
    return 0;
}
