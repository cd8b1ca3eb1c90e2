/*
 * guest_text.c - see guest_text.h.
 */
#include "ftrace/kernel/guest_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu/hart.h"
#include "cpu/isa/isa.h"
#include "load/symbols.h"

bool guest_string(struct hart *h, uint64_t va, char text[GUEST_STRING_MAX])
{
    size_t used = 0;

    while (used < GUEST_STRING_MAX - 1 && hart_peek(h, va + used, text + used, 1) && text[used])
        used++;
    text[used] = '\0';
    return used || (hart_peek(h, va, text, 1) && !text[0]);
}

/* The values of a call: those in registers, then those on the stack. */
struct values {
    struct hart *hart;
    unsigned next; /* counts all arguments of the call */
};

enum { ARGUMENT_REGISTERS = 8, VALUE_TEXT_MAX = 96 };

static uint64_t next_value(struct values *v)
{
    unsigned number = v->next++;
    uint64_t value = 0;

    if (number < ARGUMENT_REGISTERS)
        return hart_reg(v->hart, REG_A0 + number);
    if (!hart_peek(v->hart, hart_reg(v->hart, REG_SP) + (number - ARGUMENT_REGISTERS) * 8, &value,
                   sizeof value))
        return 0;
    return value;
}

/* A conversion of a format: "%-16.8llx", "%pS". */
struct conversion {
    char type;
    char extension;  /* of %p: the letter after it; 0: none */
    bool is_long;    /* the value has 64 bits */
    size_t length;   /* of its text in the format */
    unsigned spared; /* values for width and precision */
};

static struct conversion read_conversion(const char *text)
{
    struct conversion c = {0};
    const char *at = text + 1;

    for (; *at && strchr("-+ #0123456789.*", *at); at++)
        c.spared += *at == '*';
    for (; *at && strchr("hlLzjtq", *at); at++)
        c.is_long |= *at != 'h';
    c.type = *at;
    at += *at != '\0';
    if (c.type == 'p') {
        c.extension = *at;
        while (isalnum((unsigned char)*at))
            at++;
    }
    c.length = (size_t)(at - text);
    return c;
}

static void put_pointer(const struct symbols *symbols, char extension, uint64_t value,
                        char text[VALUE_TEXT_MAX])
{
    text[0] = '\0';
    if (extension && strchr("sSBfF", extension))
        symbols_text_at(symbols, value, text, VALUE_TEXT_MAX);
    if (!text[0])
        snprintf(text, VALUE_TEXT_MAX, "0x%" PRIx64, value);
}

static void put_string(struct hart *h, uint64_t va, char text[VALUE_TEXT_MAX])
{
    char string[GUEST_STRING_MAX];

    if (guest_string(h, va, string))
        snprintf(text, VALUE_TEXT_MAX, "%.90s", string);
    else
        snprintf(text, VALUE_TEXT_MAX, "(null)");
}

static void put_value(struct values *v, const struct symbols *symbols, const struct conversion *c,
                      char text[VALUE_TEXT_MAX])
{
    uint64_t value;

    for (unsigned i = 0; i < c->spared; i++)
        (void)next_value(v);
    value = next_value(v);
    switch (c->type) {
    case 's': put_string(v->hart, value, text); break;
    case 'c': snprintf(text, VALUE_TEXT_MAX, "%c", (char)(value ? value : ' ')); break;
    case 'd':
    case 'i':
        snprintf(text, VALUE_TEXT_MAX, "%" PRId64, c->is_long ? (int64_t)value : (int32_t)value);
        break;
    case 'u':
        snprintf(text, VALUE_TEXT_MAX, "%" PRIu64, c->is_long ? value : value & UINT32_MAX);
        break;
    case 'o':
    case 'x':
    case 'X':
        snprintf(text, VALUE_TEXT_MAX, "%" PRIx64, c->is_long ? value : value & UINT32_MAX);
        break;
    default: put_pointer(symbols, c->extension, value, text); break;
    }
}

static bool is_line_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

/* Keeps the first line, of printable ASCII. */
static void clean(char *text)
{
    for (; !is_line_end(*text); text++)
        if (*text < ' ' || *text > '~')
            *text = '?';
    *text = '\0';
}

void guest_format(struct hart *h, const struct symbols *symbols, unsigned format, char *text,
                  size_t size)
{
    struct values values = {.hart = h, .next = format + 1};
    char string[GUEST_STRING_MAX], value[VALUE_TEXT_MAX];
    const char *at = string;
    size_t used = 0;

    text[0] = '\0';
    if (!guest_string(h, hart_reg(h, REG_A0 + format), string))
        return;
    if (at[0] == '\001' && at[1]) /* the level of the message */
        at += 2;
    while (!is_line_end(*at) && used + 1 < size) {
        struct conversion c = read_conversion(at);

        if (*at != '%' || !c.type || c.type == '%') {
            text[used++] = *at;
            text[used] = '\0';
            at += *at == '%' && c.type == '%' ? c.length : 1;
            continue;
        }
        put_value(&values, symbols, &c, value);
        used += (size_t)snprintf(text + used, size - used, "%s", value);
        at += c.length;
    }
    clean(text);
}
