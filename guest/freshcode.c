/*
 * freshcode.c - code written to memory that never held code, then overwritten, with (-DFENCE)
 * and without fence.i.
 *
 * The first time there is no old code to fetch, so the new code runs although nothing
 * guarantees that. The second time there is.
 */
#include "version.h"
#include "virt.h"

static uint32_t room[1024] __attribute__((aligned(4096)));

static unsigned long run(uint32_t first)
{
    union {
        uint32_t *code;
        unsigned long (*call)(void);
    } at = {room};

    ((volatile uint32_t *)room)[0] = first;
    ((volatile uint32_t *)room)[1] = RET;
#ifdef FENCE
    fence_i();
#endif
    return at.call();
}

int main(void)
{
    put_number("written once: version", run(LI_A0_1));
    put_number("written twice: version", run(LI_A0_2));
    return 0;
}
