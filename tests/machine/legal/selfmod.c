/* selfmod.c - a hart changes code that it has run, by every kind of store, and fences. */
#include "legal.h"

static uint32_t room[HARTS_MAX][PAGE / 4] __attribute__((aligned(PAGE)));

static void by_bytes(uint32_t *code, unsigned n)
{
    uint32_t word = LI_A0(n);

    for (int i = 3; i >= 0; i--)
        ((volatile uint8_t *)code)[i] = (uint8_t)(word >> 8 * i);
}

static void by_halves(uint32_t *code, unsigned n)
{
    ((volatile uint16_t *)code)[1] = (uint16_t)(LI_A0(n) >> 16);
    ((volatile uint16_t *)code)[0] = (uint16_t)LI_A0(n);
}

static void by_words(uint32_t *code, unsigned n)
{
    write_function(code, n);
}

static void by_doubles(uint32_t *code, unsigned n)
{
    *(volatile uint64_t *)(void *)code = (uint64_t)RET << 32 | LI_A0(n);
}

static void by_atomics(uint32_t *code, unsigned n)
{
    (void)__atomic_exchange_n(code, LI_A0(n), __ATOMIC_RELAXED);
}

/* Written, erased and written again: only the bytes at the fence matter. */
static void in_a_detour(uint32_t *code, unsigned n)
{
    by_words(code, 2000);
    by_bytes(code, n + 1);
    by_halves(code, n);
}

static void fence_alone(void)
{
    fence_i();
}

static void fence_after_data_fence(void)
{
    full_fence();
    fence_i();
}

static void fence_twice(void)
{
    fence_i();
    full_fence();
    fence_i();
}

static void modify(unsigned long hart)
{
    static void (*const ways[])(uint32_t * code, unsigned n) = {
        by_words, by_bytes, by_halves, by_doubles, by_atomics, in_a_detour};
    static void (*const fences[])(void) = {fence_alone, fence_after_data_fence, fence_twice};
    uint32_t *code = room[hart];

    by_words(code, 0);
    fence_i();
    for (unsigned n = 1; n <= 36; n++) {
        EXPECT(as_function(code)() == n - 1);
        ways[n % 6](code, n);
#ifdef MISS
        if (hart == 0 && n == 36)
            continue;
#endif
        fences[n % 3]();
    }
    EXPECT(as_function(code)() == 36);
}

void helper(unsigned long hart)
{
    (void)next_work(0);
    modify(hart);
    work_done();
}

int main(void)
{
    modify(0);
    tell_others(1);
    return 0;
}
