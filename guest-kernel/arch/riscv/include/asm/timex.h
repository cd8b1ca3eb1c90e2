/* timex.h - the counters time, cycle and instret. */
#ifndef ASM_TIMEX_H
#define ASM_TIMEX_H

#include <asm/csr.h>
#include <linux/compiler.h>
#include <linux/types.h>

static __always_inline u64 get_time(void)
{
    return csr_read(time);
}

static __always_inline u64 get_cycles(void)
{
    return csr_read(cycle);
}

static __always_inline u64 get_instret(void)
{
    return csr_read(instret);
}

#endif
