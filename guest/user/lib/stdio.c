/* stdio.c - printf(); the formatting is the kernel's lib/vsprintf.c. */
#include "../libc.h"

int printf(const char *fmt, ...)
{
    char line[512];
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    return write(1, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}
