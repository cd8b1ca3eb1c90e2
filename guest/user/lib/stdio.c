/* stdio.c - formatted output. */
#include "../libc.h"

struct sink {
    char *buf;
    size_t size, used; /* used counts what did not fit, too */
};

struct spec {
    bool left, zero;
    int width, precision; /* precision -1: not given */
    int longs;
};

static void put(struct sink *out, char c)
{
    if (out->used + 1 < out->size)
        out->buf[out->used] = c;
    out->used++;
}

static void put_times(struct sink *out, char c, int n)
{
    while (n-- > 0)
        put(out, c);
}

/* sign, zeros and text together fill the width. */
static void put_padded(struct sink *out, const char *sign, int zeros, const char *s, int n,
                       const struct spec *spec)
{
    int blanks = spec->width - (int)strlen(sign) - zeros - n;

    if (!spec->left)
        put_times(out, ' ', blanks);
    while (*sign)
        put(out, *sign++);
    put_times(out, '0', zeros);
    while (n--)
        put(out, *s++);
    if (spec->left)
        put_times(out, ' ', blanks);
}

static void put_string(struct sink *out, const char *s, const struct spec *spec)
{
    size_t most = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;

    put_padded(out, "", 0, s, strnlen(s, most), spec);
}

static void put_number(struct sink *out, unsigned long value, unsigned int base,
                       const char *alphabet, const char *sign, const struct spec *spec)
{
    char digits[24];
    int at = sizeof(digits), n, zeros;

    do {
        digits[--at] = alphabet[value % base];
        value /= base;
    } while (value);
    n = sizeof(digits) - at;
    if (spec->precision >= 0)
        zeros = spec->precision - n;
    else
        zeros = spec->zero && !spec->left ? spec->width - n - (int)strlen(sign) : 0;
    put_padded(out, sign, max(zeros, 0), digits + at, n, spec);
}

static void put_signed(struct sink *out, long value, const struct spec *spec)
{
    put_number(out, value < 0 ? -(unsigned long)value : (unsigned long)value, 10, "0123456789",
               value < 0 ? "-" : "", spec);
}

static const char *parse_digits(const char *fmt, int *n)
{
    for (*n = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
        *n = *n * 10 + (*fmt - '0');
    return fmt;
}

/* Flags, width, precision, length; answers where the conversion's letter is. */
static const char *parse_spec(const char *fmt, struct spec *spec)
{
    *spec = (struct spec){.precision = -1};
    for (; *fmt == '-' || *fmt == '0'; fmt++) {
        spec->left |= *fmt == '-';
        spec->zero |= *fmt == '0';
    }
    fmt = parse_digits(fmt, &spec->width);
    if (*fmt == '.')
        fmt = parse_digits(fmt + 1, &spec->precision);
    for (; *fmt == 'l' || *fmt == 'z' || *fmt == 'h'; fmt++)
        spec->longs += *fmt != 'h';
    return fmt;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
    struct sink out = {buf, size, 0};
    struct spec spec;

    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            put(&out, *fmt);
            continue;
        }
        fmt = parse_spec(fmt + 1, &spec);
        switch (*fmt) {
        case 'd':
        case 'i':
            put_signed(&out, spec.longs ? va_arg(args, long) : va_arg(args, int), &spec);
            break;
        case 'u':
        case 'x':
        case 'X':
            put_number(&out, spec.longs ? va_arg(args, unsigned long) : va_arg(args, unsigned int),
                       *fmt == 'u' ? 10 : 16, *fmt == 'X' ? "0123456789ABCDEF" : "0123456789abcdef",
                       "", &spec);
            break;
        case 's': put_string(&out, va_arg(args, const char *), &spec); break;
        case 'c': put(&out, va_arg(args, int)); break;
        default: put(&out, *fmt); break;
        }
    }
    if (size)
        buf[out.used < size ? out.used : size - 1] = 0;
    return out.used;
}

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(buf, size, fmt, args);
    va_end(args);
    return n;
}

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
