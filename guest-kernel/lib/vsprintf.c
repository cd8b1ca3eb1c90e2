/*
 * vsprintf.c - formatted output to strings; also built into the programs of guest/user.
 *
 * %d %i %u %o %x %X %c %s %p %% with width, precision, '-', '0', '+', ' ', '#', and h/l/ll/L/z. %pS
 * and %ps print the function at an address, %pB the function that a return address belongs to, even
 * if the call was its last instruction. Not instrumented: printk() and the tracers' output use it.
 */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#ifndef __DISABLE_EXPORTS
#include <asm/irqflags.h>
#include <linux/kallsyms.h>
#endif

struct spec {
    bool left, zero, upper, prefix;
    char plus;            /* before a number that is not negative: '+', ' ', or 0: nothing */
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

/* sign: 0: none. */
static void put_number(struct out *o, u64 value, unsigned int base, char sign,
                       const struct spec *spec)
{
    const char *digits = spec->upper ? "0123456789ABCDEF" : "0123456789abcdef";
    const char *prefix = !spec->prefix || base == 10 ? "" : base == 8 ? "0" : "0x";
    char text[24];
    int n = 0, zeros = 0, len;

    if (base == 8 && !value)
        prefix = "";
    else if (spec->upper && *prefix)
        prefix = "0X";
    do {
        text[n++] = digits[value % base];
        value /= base;
    } while (value);
    len = strlen(prefix) + !!sign;
    if (spec->precision > n)
        zeros = spec->precision - n;
    else if (spec->precision < 0 && spec->zero && !spec->left)
        zeros = spec->width - n - len;
    zeros = max(zeros, 0);
    len += n + zeros;
    if (!spec->left)
        pad(o, ' ', spec->width - len);
    if (sign)
        put(o, sign);
    while (*prefix)
        put(o, *prefix++);
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

/*
 * Where the arguments of a format come from: the caller, or an array of words that vbin_printf()
 * has made of them. Programs know the first only.
 */
struct args {
    va_list *list; /* NULL: the words */
    char *bin;     /* the next of the words, or where to record the next; NULL: nowhere */
    char *end;     /* of the words that are recorded */
};

static const char *string_arg(struct args *args)
{
    const char *s = va_arg(*args->list, const char *);

    return s ? s : "(null)";
}

#ifndef __DISABLE_EXPORTS

/* The place of an argument of that size in the words; NULL: there is none. */
static void *bin_place(struct args *args, size_t size)
{
    char *at = args->bin;

    if (!at)
        return NULL;
    args->bin = at + ALIGN(size, sizeof(u32));
    return args->list && args->bin > args->end ? NULL : at;
}

static const char *next_string(struct args *args, int precision)
{
    const char *s = args->list ? string_arg(args) : args->bin;
    size_t len = strnlen(s, precision < 0 ? (size_t)-1 : (size_t)precision);
    char *at = bin_place(args, len + 1);

    if (args->list && at) {
        memcpy(at, s, len);
        at[len] = 0;
    }
    return s;
}

#else

static void *bin_place(struct args *args, size_t size)
{
    (void)args;
    (void)size;
    return NULL;
}

static const char *next_string(struct args *args, int precision)
{
    (void)precision;
    return string_arg(args);
}

#endif

static int next_int(struct args *args)
{
    int value = args->list ? va_arg(*args->list, int) : 0, *at = bin_place(args, sizeof(value));

    if (at && args->list)
        *at = value;
    return args->list ? value : *at;
}

static long next_long(struct args *args)
{
    long value = args->list ? va_arg(*args->list, long) : 0;
    char *at = bin_place(args, sizeof(value));

    if (at && args->list)
        memcpy(at, &value, sizeof(value));
    else if (at)
        memcpy(&value, at, sizeof(value));
    return value;
}

static const char *parse_number(const char *fmt, int *n, struct args *args)
{
    if (*fmt == '*') {
        *n = next_int(args);
        return fmt + 1;
    }
    for (*n = 0; *fmt >= '0' && *fmt <= '9'; fmt++)
        *n = *n * 10 + *fmt - '0';
    return fmt;
}

static const char *parse_spec(const char *fmt, struct spec *spec, struct args *args)
{
    *spec = (struct spec){.precision = -1};
    for (;; fmt++) {
        if (*fmt == '-')
            spec->left = true;
        else if (*fmt == '0')
            spec->zero = true;
        else if (*fmt == '#')
            spec->prefix = true;
        else if (*fmt == '+')
            spec->plus = '+';
        else if (*fmt == ' ')
            spec->plus = spec->plus ? spec->plus : ' ';
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

static u64 unsigned_arg(const struct spec *spec, struct args *args)
{
    return spec->longs ? (unsigned long)next_long(args) : (unsigned int)next_int(args);
}

static void put_signed(struct out *o, const struct spec *spec, struct args *args)
{
    s64 value = spec->longs ? next_long(args) : next_int(args);

    put_number(o, value < 0 ? -(u64)value : (u64)value, 10, value < 0 ? '-' : spec->plus, spec);
}

static const char *put_pointer(struct out *o, const char *fmt, struct spec *spec, struct args *args)
{
    unsigned long addr = next_long(args);

    if (put_symbol(o, addr, fmt[1], spec))
        return fmt + 1;
    spec->precision = 16;
    put_number(o, addr, 16, 0, spec);
    return fmt;
}

static const char *put_directive(struct out *o, const char *fmt, struct args *args)
{
    struct spec spec;

    fmt = parse_spec(fmt, &spec, args);
    switch (*fmt) {
    case 'd':
    case 'i': put_signed(o, &spec, args); break;
    case 'u': put_number(o, unsigned_arg(&spec, args), 10, 0, &spec); break;
    case 'o': put_number(o, unsigned_arg(&spec, args), 8, 0, &spec); break;
    case 'X': spec.upper = true; /* fallthrough */
    case 'x': put_number(o, unsigned_arg(&spec, args), 16, 0, &spec); break;
    case 'c': put(o, next_int(args)); break;
    case 's': put_string(o, next_string(args, spec.precision), &spec); break;
    case 'p': fmt = put_pointer(o, fmt, &spec, args); break;
    default: put(o, *fmt); break;
    }
    return fmt;
}

static int format(char *buf, size_t size, const char *fmt, struct args *args)
{
    struct out o = {buf, size, 0};

    for (; *fmt; fmt++) {
        if (*fmt != '%')
            put(&o, *fmt);
        else if (fmt[1])
            fmt = put_directive(&o, fmt + 1, args);
    }
    if (size)
        buf[min(o.used, size - 1)] = 0;
    return o.used;
}

int vsnprintf(char *buf, size_t size, const char *fmt, va_list args)
{
    va_list copy;
    int n;

    va_copy(copy, args);
    n = format(buf, size, fmt, &(struct args){.list = &copy});
    va_end(copy);
    return n;
}
EXPORT_SYMBOL(vsnprintf);

#ifndef __DISABLE_EXPORTS

int vbin_printf(u32 *bin, size_t words, const char *fmt, va_list args)
{
    struct args a = {.bin = (char *)bin, .end = (char *)(bin + words)};
    va_list copy;

    va_copy(copy, args);
    a.list = &copy;
    format(NULL, 0, fmt, &a);
    va_end(copy);
    return (u32 *)a.bin - bin;
}

int bstr_printf(char *buf, size_t size, const char *fmt, const u32 *bin)
{
    return format(buf, size, fmt, &(struct args){.bin = (char *)bin});
}

#endif

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
