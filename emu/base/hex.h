/* hex.h - digits of hexadecimal numbers. */
#ifndef BASE_HEX_H
#define BASE_HEX_H

/* The value of a digit, 0 to 15; -1: it is none. */
static inline int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

#endif
