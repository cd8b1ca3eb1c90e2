/* kstrtox.c - converts strings to numbers. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/kernel.h>

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 32) >= 'a' && (c | 32) <= 'f')
        return (c | 32) - 'a' + 10;
    return 99;
}

int kstrtoul(const char *s, unsigned int base, unsigned long *res)
{
    unsigned long value = 0;

    if (s[0] == '0' && (s[1] | 32) == 'x' && (base == 0 || base == 16)) {
        s += 2;
        base = 16;
    }
    if (!base)
        base = *s == '0' ? 8 : 10;
    if (digit_value(*s) >= (int)base)
        return -EINVAL;
    for (; digit_value(*s) < (int)base; s++) {
        unsigned long next;

        if (__builtin_mul_overflow(value, base, &next) ||
            __builtin_add_overflow(next, digit_value(*s), &value))
            return -ERANGE;
    }
    if (*s == '\n')
        s++;
    if (*s)
        return -EINVAL;
    *res = value;
    return 0;
}
EXPORT_SYMBOL(kstrtoul);
