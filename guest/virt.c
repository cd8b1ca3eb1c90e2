/* virt.c - console functions; see virt.h. */
#include "virt.h"

enum { LSR = 5, LSR_ROOM = 0x20 };

void put_char(char c)
{
    while (!(REG8(UART + LSR) & LSR_ROOM))
        ;
    REG8(UART) = (uint8_t)c;
}

void put_text(const char *text)
{
    while (*text)
        put_char(*text++);
}

static void put_decimal(unsigned long n)
{
    if (n >= 10)
        put_decimal(n / 10);
    put_char((char)('0' + n % 10));
}

void put_number(const char *what, unsigned long n)
{
    put_text(what);
    put_char(' ');
    put_decimal(n);
    put_char('\n');
}
