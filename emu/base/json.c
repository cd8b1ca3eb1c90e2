/*
 * json.c - see json.h. RFC 8259.
 */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static void break_line(struct json *j)
{
    if (j->indent >= 0)
        fprintf(j->out, "\n%*s", j->indent, "");
    j->indent = -1;
}

static void put_string(struct json *j, const char *text);

/* Writes what comes before a value: a comma, a line break, its name. */
static void begin_value(struct json *j, const char *name)
{
    if (j->depth && j->has_some[j->depth - 1])
        fputc(',', j->out);
    if (j->depth)
        j->has_some[j->depth - 1] = true;
    break_line(j);
    if (!name)
        return;
    put_string(j, name);
    fputc(':', j->out);
}

static void begin(struct json *j, const char *name, char opening, char closing)
{
    begin_value(j, name);
    assert(j->depth < JSON_DEPTH_MAX);
    fputc(opening, j->out);
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
    fputc(j->closing[j->depth], j->out);
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
        fputc(c, j->out);
}

static void put_string(struct json *j, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', j->out);
    while (*s) {
        unsigned len = utf8_length(s);

        if (len == 1)
            put_ascii(j, *s);
        else if (len)
            fwrite(s, 1, len, j->out);
        else
            fputs("\xef\xbf\xbd", j->out); /* U+FFFD */
        s += len ? len : 1;
    }
    fputc('"', j->out);
}

/* ---- values ---- */

void json_number(struct json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    fprintf(j->out, "%" PRIu64, value);
}

void json_signed(struct json *j, const char *name, int64_t value)
{
    begin_value(j, name);
    fprintf(j->out, "%" PRId64, value);
}

void json_hex(struct json *j, const char *name, uint64_t value)
{
    begin_value(j, name);
    fprintf(j->out, "\"0x%" PRIx64 "\"", value);
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
