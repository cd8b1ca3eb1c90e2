/*
 * vsprintf.c - formatted output to strings; also built into the programs of guest/user.
 *
 * %d %i %u %o %x %X %c %s %p %% with width, precision, '-', '0', and h/l/ll/L/z. %pS and %ps print
 * the function at an address, %pB the function that a return address belongs to, even if the
 * call was its last instruction. Not instrumented: printk() and the tracers' output use it.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#ifndef __DISABLE_EXPORTS
#include <asm/irqflags.h>
#include <linux/kallsyms.h>
#endif

struct spec {
    bool left, zero, upper;
    int width, precision; /* -1: not given */
    int longs;
};

struct out {
    char *buf;
    size_t size, used; /* used also counts what did not fit */
};

static void put(struct out *o, char c)
{
    if (o->used < o->size)
        o->buf[o->used] = c;
    o->used++;
}

static void pad(struct out *o, char c, int n)
{
    while (n-- > 0)
        put(o, c);
}

static void put_string(struct out *o, const char *s, const struct spec *spec)
{
    int n = strnlen(s, spec->precision < 0 ? (size_t)-1 : (size_t)spec->precision);

    if (!spec->left)
        pad(o, ' ', spec->width - n);
    for (int i = 0; i < n; i++)
        put(o, s[i]);
    if (spec->left)
        pad(o, ' ', spec->width - n);
}

static void put_number(struct out *o, u64 value, unsigned int base, bool negative,
                       const struct spec *spec)
{
    const char *digits = spec->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char text[24];
    int n = 0, zeros = 0, len;

    do {
        text[n++] = digits[value % base];
        value /= base;
    } while (value);
    if (spec->precision > n)
        zeros = spec->precision - n;
    else if (spec->precision < 0 && spec->zero && !spec->left)
        zeros = spec->width - n - negative;
    zeros = max(zeros, 0);
    len = n + zeros + negative;
    if (!spec->left)
        pad(o, ' ', spec->width - len);
    if (negative)
        put(o, '-');
    pad(o, '0', zeros);
    while (n)
        put(o, text[--n]);
    if (spec->left)
        pad(o, ' ', spec->width - len);
}

#ifndef __DISABLE_EXPORTS

/* Formats name+0xoffset/0xsize [module]; for %ps without offset and size. */
static int format_symbol(char *text, size_t size, unsigned long addr, char form)
{
    unsigned long back = form == 'B';
    struct ksym sym;
    int n;

    if (!kallsyms_find(addr - back, &sym))
        return scnprintf(text, size, "0x%lx", addr);
    n = scnprintf(text, size, "%s", sym.name);
    if (form != 's')
        n += scnprintf(text + n, size - n, "+0x%lx/0x%lx", addr - sym.start, sym.size);
    if (sym.modname)
        n += scnprintf(text + n, size - n, " [%s]", sym.modname);
    return n;
}

/* The name is copied with interrupts off, so that its module is not freed meanwhile. */
static bool put_symbol(struct out *o, unsigned long addr, char form, const struct spec *spec)
{
    char text[KSYM_NAME_LEN + 96];
    unsigned long flags;

    if (form != 'S' && form != 's' && form != 'B')
        return false;
    raw_local_irq_save(flags);
    format_symbol(text, sizeof(text), addr, form);
    raw_local_irq_restore(flags);
    put_string(o, text, spec);
    return true;
}

#else

/* A program has no symbol table. */
static bool put_symbol(struct out *o, unsigned long addr, char form, const struct spec *spec)
{
    (void)o, (void)addr, (void)form, (void)spec;
    return false;
}

#endif

static const char *parse_number(const char *fmt, int *n, va_list *args)
{
    if (*fmt == '*') {
        *n = va_arg(*args, int);
        return fmt + 1;
    }
    for (*n = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
        *n = *n * 10 + *fmt - '0';
    return fmt;
}

static const char *parse_spec(const char *fmt, struct spec *spec, va_list *args)
{
    *spec = (struct spec){.precision = -1};
    for (;; fmt++) {
        if (*fmt == '-')
            spec->left = true;
        else if (*fmt == '0')
            spec->zero = true;
        else
            break;
    }
    fmt = parse_number(fmt, &spec->width, args);
    if (spec->width < 0) {
        spec->left = true;
        spec->width = -spec->width;
    }
    if (*fmt == '.')
        fmt = parse_number(fmt + 1, &spec->precision, args);
    for (; *fmt == 'l' || *fmt == 'L' || *fmt == 'z' || *fmt == 'h'; fmt++)
        spec->longs += *fmt != 'h';
    return fmt;
}

static u64 unsigned_arg(const struct spec *spec, va_list *args)
{
    return spec->longs ? va_arg(*args, unsigned long) : va_arg(*args, unsigned int);
}

static void put_signed(struct out *o, const struct spec *spec, va_list *args)
{
    s64 value = spec->longs ? va_arg(*args, long) : va_arg(*args, int);

    put_number(o, value < 0 ? -(u64)value : (u64)value, 10, value < 0, spec);
}

static const char *put_pointer(struct out *o, const char *fmt, struct spec *spec, va_list *args)
{
    unsigned long addr = (unsigned long)va_arg(*args, void *);

    if (put_symbol(o, addr, fmt[1], spec))
        return fmt + 1;
    spec->precision = 16;
    put_number(o, addr, 16, false, spec);
    return fmt;
}

static const char *put_directive(struct out *o, const char *fmt, va_list *args)
{
    struct spec spec;

    fmt = parse_spec(fmt, &spec, args);
    switch (*fmt) {
    case 'd':
    case 'i': put_signed(o, &spec, args); break;
    case 'u': put_number(o, unsigned_arg(&spec, args), 10, false, &spec); break;
    case 'o': put_number(o, unsigned_arg(&spec, args), 8, false, &spec); break;
    case 'X': spec.upper = true; /* fallthrough */
    case 'x': put_number(o, unsigned_arg(&spec, args), 16, false, &spec); break;
    case 'c': put(o, va_arg(*args, int)); break;
    case 's': put_string(o, va_arg(*args, const char *), &spec); break;
    case 'p': fmt = put_pointer(o, fmt, &spec, args); break;
    default: put(o, *fmt); break;
    }
    return fmt;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
    struct out o = {buf, size, 0};
    va_list copy;

    va_copy(copy, args);
    for (; *fmt; fmt++) {
        if (*fmt != '%')
            put(&o, *fmt);
        else if (fmt[1])
            fmt = put_directive(&o, fmt + 1, &copy);
    }
    va_end(copy);
    if (size)
        buf[min(o.used, size - 1)] = 0;
    return o.used;
}
EXPORT_SYMBOL(vsnprintf);

int snprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(buf, size, fmt, args);
    va_end(args);
    return n;
}
EXPORT_SYMBOL(snprintf);

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(buf, size, fmt, args);
    va_end(args);
    if (!size)
        return 0;
    return min(n, (int)size - 1);
}
EXPORT_SYMBOL(scnprintf);
