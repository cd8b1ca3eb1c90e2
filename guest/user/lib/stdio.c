/* stdio.c - formatted output. */
#include "../libc.h"

struct sink {
    char *buf;
    size_t size, used;
};

struct spec {
    bool is_long, zero;
    unsigned int width;
};

static void put(struct sink *out, char c)
{
    if (out->used + 1 < out->size)
        out->buf[out->used] = c;
    out->used++;
}

static void put_padded(struct sink *out, const char *s, size_t n, const struct spec *spec)
{
    size_t i;

    for (i = n; i < spec->width; i++)
        put(out, spec->zero ? '0' : ' ');
    for (i = 0; i < n; i++)
        put(out, s[i]);
}

static void put_number(struct sink *out, unsigned long value, unsigned int base, bool negative,
                       const struct spec *spec)
{
    char digits[24];
    size_t at = sizeof(digits);

    do {
        digits[--at] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    if (negative)
        digits[--at] = '-';
    put_padded(out, digits + at, sizeof(digits) - at, spec);
}

static void put_signed(struct sink *out, long value, const struct spec *spec)
{
    put_number(out, value < 0 ? -(unsigned long)value : (unsigned long)value, 10, value < 0, spec);
}

/* Flags and width; answers where the conversion stands. */
static const char *parse_spec(const char *fmt, struct spec *spec)
{
    *spec = (struct spec){.zero = *fmt == '0'};
    for (; *fmt >= '0' && *fmt <= '9'; fmt++)
        spec->width = spec->width * 10 + (*fmt - '0');
    spec->is_long = *fmt == 'l';
    return fmt + spec->is_long;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
    struct sink out = {buf, size, 0};
    struct spec spec;
    const char *s;

    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            put(&out, *fmt);
            continue;
        }
        fmt = parse_spec(fmt + 1, &spec);
        switch (*fmt) {
        case 'd':
            put_signed(&out, spec.is_long ? va_arg(args, long) : va_arg(args, int), &spec);
            break;
        case 'u':
        case 'x':
            put_number(&out,
                       spec.is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned int),
                       *fmt == 'x' ? 16 : 10, false, &spec);
            break;
        case 's':
            s = va_arg(args, const char *);
            put_padded(&out, s, strlen(s), &spec);
            break;
        case 'c': put(&out, va_arg(args, int)); break;
        default: put(&out, *fmt); break;
        }
    }
    if (size)
        buf[out.used < size ? out.used : size - 1] = 0;
    return out.used;
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
