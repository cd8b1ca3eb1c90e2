/*
 * label.c - a module with a jump label: its text and its data are in one page. It is loaded and
 * fenced on all harts; while they run it and count in its data, hart 0 toggles the label by one
 * aligned store and has the others fence; then the module goes, and the next one is loaded there.
 */
#include "legal.h"

enum { MODULES = 4, TOGGLES = 6, CALLS = 20 };
enum { RUN = 1, REST = 2 }; /* what the others do: parity of the work's number */

static struct {
    uint32_t code[16];
    volatile unsigned long calls[HARTS_MAX], state;
} module __attribute__((aligned(PAGE)));

static volatile unsigned long stop;

/* Returns `low` where the label is a nop and `low` + 1 where it jumps. */
static void load(unsigned low)
{
    const uint32_t code[] = {NOP, LI_A0(low), RET, NOP, LI_A0(low + 1), RET};

    for (unsigned n = 0; n < sizeof code / sizeof *code; n++)
        ((volatile uint32_t *)module.code)[n] = code[n];
    fence_i();
}

static void unload(void)
{
    for (unsigned n = 0; n < 16; n++)
        ((volatile uint32_t *)module.code)[n] = 0;
    for (unsigned hart = 0; hart < HARTS_MAX; hart++)
        module.calls[hart] = 0;
}

static void call(unsigned long hart)
{
    unsigned long result = as_function(module.code)();

    EXPECT(result == module.state || result == module.state + 1);
    module.calls[hart]++;
}

void helper(unsigned long hart)
{
    accept_fences();
    for (unsigned long work = 0;;) {
        work = next_work(work);
        call(hart);
        work_done();
        while (!stop)
            call(hart);
        work = next_work(work);
        work_done();
    }
}

static void let_them_run(void)
{
    for (unsigned long hart = 1; hart < harts(); hart++)
        for (unsigned long from = module.calls[hart]; module.calls[hart] - from < CALLS;)
            ;
}

static void toggle(unsigned n)
{
    ((volatile uint32_t *)module.code)[0] = n % 2 ? JUMP(16) : NOP;
    fence_i();
    EXPECT(as_function(module.code)() == module.state + n % 2);
    let_them_run();
    fence_others(0);
    let_them_run();
}

int main(void)
{
    for (unsigned n = 0; n < MODULES; n++) {
        load(10 * n);
        module.state = 10 * n;
#ifdef MISS
        if (n != MODULES - 1)
#endif
            fence_others(0);
        module.state = 10 * n; /* data, after the fences */
        stop = 0;
        tell_others(2 * n + RUN);
        for (unsigned t = 1; t <= TOGGLES; t++)
            toggle(t);
        stop = 1;
        tell_others(2 * n + REST);
        unload();
    }
    return 0;
}
