/* bitops.h - counting and finding bits, without instructions of the Zbb extension. */
#ifndef LINUX_BITOPS_H
#define LINUX_BITOPS_H

#include <linux/compiler.h>

static __always_inline unsigned int hweight_long(unsigned long w)
{
    unsigned int n = 0;

    for (; w; w &= w - 1)
        n++;
    return n;
}

/* Number of the lowest bit set; w is not 0. */
static __always_inline unsigned int __ffs(unsigned long w)
{
    unsigned int n = 0;

    for (; !(w & 1); w >>= 1)
        n++;
    return n;
}

/* Number of the highest bit set, from 1; 0 for 0. */
static __always_inline unsigned int fls_long(unsigned long w)
{
    unsigned int n = 0;

    for (; w; w >>= 1)
        n++;
    return n;
}

#endif
