/* lrsc.c - two harts increment common counters with lr/sc and with amoadd; no increment is lost. */
#include "virt.h"

enum { TIMES = 2000 };

static volatile unsigned long by_lrsc, by_amo;
static volatile unsigned int done;

static void add_one(volatile unsigned long *counter)
{
    unsigned long value, failed;

    do {
        __asm__ volatile("lr.d %0, (%2)\n"
                         "addi %0, %0, 1\n"
                         "sc.d %1, %0, (%2)"
                         : "=&r"(value), "=&r"(failed)
                         : "r"(counter)
                         : "memory");
    } while (failed);
}

static void count(void)
{
    for (unsigned long n = 0; n < TIMES; n++) {
        add_one(&by_lrsc);
        __atomic_fetch_add(&by_amo, 1, __ATOMIC_RELAXED);
    }
    __atomic_fetch_add(&done, 1, __ATOMIC_RELEASE);
}

void second(void)
{
    count();
}

int main(void)
{
    count();
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) < 2)
        ;
    put_number("lr/sc", by_lrsc);
    put_number("amoadd", by_amo);
    return by_lrsc != 2 * TIMES || by_amo != 2 * TIMES;
}
