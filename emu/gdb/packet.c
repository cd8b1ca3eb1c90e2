/*
 * packet.c - see packet.h.
 */
#include "gdb/packet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hex.h"

enum { CTRL_C = 3, ESCAPE = '}', ESCAPE_FLIPS = 0x20 };

/* ---- bytes into packets ---- */

static void begin(struct packet_reader *r)
{
    r->state = INSIDE;
    r->too_long = false;
    r->len = 0;
    r->sum = 0;
}

static void keep(struct packet_reader *r, uint8_t byte)
{
    if (r->len < PACKET_MAX)
        r->text[r->len++] = (char)byte;
    else
        r->too_long = true;
}

static enum packet_item between(struct packet_reader *r, uint8_t byte)
{
    switch (byte) {
    case '$': begin(r); return ITEM_NONE;
    case '-': return ITEM_NAK;
    case CTRL_C: return ITEM_INTERRUPT;
    default: return ITEM_NONE; /* acknowledgements, and bytes left by a lost connection */
    }
}

static void inside(struct packet_reader *r, uint8_t byte)
{
    if (byte == '$') { /* the rest of the former packet was lost */
        begin(r);
        return;
    }
    if (byte == '#') {
        r->state = SUM_HIGH;
        return;
    }
    r->sum = (uint8_t)(r->sum + byte);
    if (byte == ESCAPE)
        r->state = ESCAPED;
    else
        keep(r, byte);
}

static void escaped(struct packet_reader *r, uint8_t byte)
{
    r->sum = (uint8_t)(r->sum + byte);
    keep(r, byte ^ ESCAPE_FLIPS);
    r->state = INSIDE;
}

static enum packet_item end(struct packet_reader *r, uint8_t byte, bool any_sum)
{
    int high = hex_digit((char)r->wanted), low = hex_digit((char)byte);

    r->state = BETWEEN;
    r->text[r->len] = '\0';
    if (high < 0 || low < 0 || (!any_sum && r->sum != high * 16 + low))
        return ITEM_DAMAGED;
    return r->too_long ? ITEM_TOO_LONG : ITEM_PACKET;
}

enum packet_item packet_take(struct packet_reader *r, uint8_t byte, bool any_sum)
{
    switch (r->state) {
    case BETWEEN: return between(r, byte);
    case INSIDE: inside(r, byte); return ITEM_NONE;
    case ESCAPED: escaped(r, byte); return ITEM_NONE;
    case SUM_HIGH:
        r->wanted = byte;
        r->state = SUM_LOW;
        return ITEM_NONE;
    case SUM_LOW: return end(r, byte, any_sum);
    }
    return ITEM_NONE;
}

/* ---- replies ---- */

void reply_bytes(reply_text *r, const void *bytes, size_t len)
{
    if (!len)
        return;
    VEC_RESERVE(r, len);
    memcpy(r->at + r->len, bytes, len);
    r->len += len;
}

void reply_print(reply_text *r, const char *format, ...)
{
    char line[512];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (len > 0)
        reply_bytes(r, line, (size_t)len < sizeof line ? (size_t)len : sizeof line - 1);
}

void reply_hex(reply_text *r, const void *bytes, size_t len)
{
    static const char digits[] = "0123456789abcdef";
    const uint8_t *byte = bytes;

    VEC_RESERVE(r, 2 * len);
    for (size_t i = 0; i < len; i++) {
        r->at[r->len++] = digits[byte[i] >> 4];
        r->at[r->len++] = digits[byte[i] & 15];
    }
}

static bool must_be_escaped(char c)
{
    return c == '$' || c == '#' || c == ESCAPE || c == '*';
}

void packet_wrap(reply_text *out, const char *contents, size_t len)
{
    uint8_t sum = 0;
    size_t start;

    VEC_RESERVE(out, 2 * len + 4);
    out->at[out->len++] = '$';
    start = out->len;
    for (size_t i = 0; i < len; i++)
        if (must_be_escaped(contents[i])) {
            out->at[out->len++] = ESCAPE;
            out->at[out->len++] = (char)(contents[i] ^ ESCAPE_FLIPS);
        } else {
            out->at[out->len++] = contents[i];
        }
    for (size_t i = start; i < out->len; i++)
        sum = (uint8_t)(sum + (uint8_t)out->at[i]);
    out->at[out->len++] = '#';
    reply_hex(out, &sum, 1);
}

/* ---- parts of a packet ---- */

bool take_char(const char **at, char c)
{
    if (**at != c || !c)
        return false;
    ++*at;
    return true;
}

bool take_word(const char **at, const char *word)
{
    size_t len = strlen(word);

    if (strncmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

bool take_number(const char **at, uint64_t *value)
{
    enum { DIGITS_MAX = 16 };
    unsigned digits = 0;
    uint64_t v = 0;

    for (; hex_digit((*at)[digits]) >= 0; digits++) {
        if (digits == DIGITS_MAX)
            return false;
        v = v << 4 | (uint64_t)hex_digit((*at)[digits]);
    }
    if (!digits)
        return false;
    *at += digits;
    *value = v;
    return true;
}

bool take_bytes(const char **at, void *to, size_t len)
{
    uint8_t *byte = to;

    for (size_t i = 0; i < len; i++) {
        int high = hex_digit((*at)[0]), low = high < 0 ? -1 : hex_digit((*at)[1]);

        if (low < 0)
            return false;
        byte[i] = (uint8_t)(high << 4 | low);
        *at += 2;
    }
    return true;
}
