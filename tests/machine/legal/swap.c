/*
 * swap.c - as jump labels do: hart 0 swaps one aligned instruction by one store while the
 * others run it, and has them execute fence.i some time later. Either version is right
 * until then.
 */
#include "legal.h"

enum { SWAPS = 20, CALLS = 50 };

static uint32_t room[PAGE / 4] __attribute__((aligned(PAGE)));
static volatile unsigned long stop, calls[HARTS_MAX];

#ifdef MISS
static volatile unsigned long asleep;

/* Deliberately without fence.i. */
static TRAP_HANDLER void on_timer(void)
{
    MTIMECMP(csr_read(mhartid)) = UINT64_MAX;
}

/* A fifth of a second: no update takes so long. */
static void sleep_long(unsigned long hart)
{
    csr_clear(mstatus, MSTATUS_MIE);
    csr_write(mtvec, on_timer);
    MTIMECMP(hart) = MTIME + 2000000;
    csr_write(mie, MIE_MTIE);
    wait_for_interrupt();
    csr_set(mstatus, MSTATUS_MIE);
}
#define MAY_SLEEP(hart)       \
    do {                      \
        if (asleep && !stop)  \
            sleep_long(hart); \
    } while (0)
#else
#define MAY_SLEEP(hart) ((void)0)
#endif

/* 1 with the nop, 2 with the jump over three instructions. */
static void write_label(void)
{
    static const uint32_t code[] = {NOP, LI_A0(1), RET, NOP, LI_A0(2), RET};

    for (unsigned n = 0; n < sizeof code / sizeof *code; n++)
        ((volatile uint32_t *)room)[n] = code[n];
}

static void swap(unsigned n)
{
    ((volatile uint32_t *)room)[0] = n % 2 ? JUMP(16) : NOP;
}

void helper(unsigned long hart)
{
    accept_fences();
    (void)next_work(0);
    fence_i();
    work_done();
    while (!stop) {
        unsigned long version = as_function(room)();

        EXPECT(version == 1 || version == 2);
        calls[hart]++;
        MAY_SLEEP(hart);
    }
    (void)next_work(1);
    work_done();
}

static void let_them_run(void)
{
    for (unsigned long hart = 1; hart < harts(); hart++)
        for (unsigned long from = calls[hart]; calls[hart] - from < CALLS;)
            ;
}

int main(void)
{
    write_label();
    fence_i();
    tell_others(1);
    for (unsigned n = 1; n <= SWAPS; n++) {
        swap(n);
        fence_i();
        EXPECT(as_function(room)() == n % 2 + 1);
        let_them_run();
#ifdef MISS
        if (n == SWAPS) {
            asleep = 1;
            sleep_long(0);
            break;
        }
#endif
        fence_others(0);
        let_them_run();
    }
    stop = 1;
    tell_others(2);
    return 0;
}
