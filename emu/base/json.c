/*
 * json.c - see json.h. RFC 8259.
 *
 * Reports of kernels with very many sites are hundreds of megabytes, so plain text and numbers are
 * written without printf and without the stream's lock.
 */
#include "base/json.h"

#include <assert.h>
#include <string.h>

static inline void put(struct json *j, char c)
{
    (void)putc_unlocked(c, j->out);
}

static void break_line(struct json *j)
{
    if (j->indent < 0)
        return;
    put(j, '\n');
    while (j->indent-- > 0)
        put(j, ' ');
    j->indent = -1;
}

static void put_string(struct json *j, const char *text);

/* Writes what comes before a value: a comma, a line break, its name. */
static void begin_value(struct json *j, const char *name)
{
    if (j->depth && j->has_some[j->depth - 1])
        put(j, ',');
    if (j->depth)
        j->has_some[j->depth - 1] = true;
    break_line(j);
    if (!name)
        return;
    put_string(j, name);
    put(j, ':');
}

static void begin(struct json *j, const char *name, char opening, char closing)
{
    begin_value(j, name);
    assert(j->depth < JSON_DEPTH_MAX);
    put(j, opening);
    j->closing[j->depth] = closing;
    j->has_some[j->depth++] = false;
}

void json_begin_object(struct json *j, const char *name)
{
    begin(j, name, '{', '}');
}

void json_begin_array(struct json *j, const char *name)
{
    begin(j, name, '[', ']');
}

void json_end(struct json *j)
{
    assert(j->depth);
    if (j->has_some[--j->depth])
        break_line(j);
    j->indent = -1;
    put(j, j->closing[j->depth]);
}

void json_line(struct json *j, unsigned indent)
{
    j->indent = (int)indent;
}

/* ---- strings ---- */

/* Bytes of the UTF-8 character that begins here (RFC 3629, section 4); 0: none does. */
static unsigned utf8_length(const unsigned char *s)
{
    unsigned len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

    if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    for (unsigned i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    return len;
}

static void put_ascii(struct json *j, unsigned char c)
{
    static const char escaped[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = strchr(escaped, c);

    if (found)
        fprintf(j->out, "\\%c", letters[found - escaped]);
    else if (c < ' ')
        fprintf(j->out, "\\u%04x", c);
    else
        put(j, (char)c);
}

/* Whether the byte is a character that is written as it is. */
static inline bool is_plain(unsigned char c)
{
    return c >= ' ' && c < 0x80 && c != '"' && c != '\\';
}

static void put_string(struct json *j, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    put(j, '"');
    while (*s) {
        unsigned len;

        for (; is_plain(*s); s++)
            put(j, (char)*s);
        len = utf8_length(s);
        if (!*s)
            break;
        if (len == 1)
            put_ascii(j, *s);
        else if (len)
            fwrite(s, 1, len, j->out);
        else
            fputs("\xef\xbf\xbd", j->out); /* U+FFFD */
        s += len ? len : 1;
    }
    put(j, '"');
}

/* ---- values ---- */

/* Writes a number to the base 10 or 16. */
static void put_number(struct json *j, uint64_t value, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value);
    while (count)
        put(j, digits[--count]);
}

void json_number(struct json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    put_number(j, value, 10);
}

void json_signed(struct json *j, const char *name, int64_t value)
{
    begin_value(j, name);
    if (value < 0)
        put(j, '-');
    put_number(j, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

void json_hex(struct json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    fputs("\"0x", j->out);
    put_number(j, value, 16);
    put(j, '"');
}

void json_text(struct json *j, const char *name, const char *text)
{
    if (!text) {
        json_null(j, name);
        return;
    }
    begin_value(j, name);
    put_string(j, text);
}

void json_bool(struct json *j, const char *name, bool value)
{
    begin_value(j, name);
    fputs(value ? "true" : "false", j->out);
}

void json_null(struct json *j, const char *name)
{
    begin_value(j, name);
    fputs("null", j->out);
}
