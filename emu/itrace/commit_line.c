/*
 * commit_line.c - see commit_line.h. A trace has a line for each instruction, so nothing here goes
 * through stdio.
 */
#include "itrace/commit_line.h"

#include <string.h>

#include "base/hex.h"

/* ---- writing ---- */

char *commit_put_text(char *to, const char *text)
{
    size_t len = strlen(text);

    memcpy(to, text, len);
    return to + len;
}

/* Eight hexadecimal digits at once: a byte for each nibble, then the letters. */
static void put_eight(char *to, uint32_t value)
{
    uint64_t v = value, letters;

    v = (v << 16 | v) & 0x0000ffff0000ffff;
    v = (v << 8 | v) & 0x00ff00ff00ff00ff;
    v = (v << 4 | v) & 0x0f0f0f0f0f0f0f0f;
    v = __builtin_bswap64(v);
    letters = (v + 0x0606060606060606) >> 4 & 0x0101010101010101;
    v += 0x3030303030303030 + letters * ('a' - '9' - 1);
    memcpy(to, &v, sizeof v);
}

char *commit_put_hex(char *to, uint64_t value, unsigned digits)
{
    char all[16];

    *to++ = '0';
    *to++ = 'x';
    put_eight(all, (uint32_t)(value >> 32));
    put_eight(all + 8, (uint32_t)value);
    if (digits == 16)
        memcpy(to, all, 16);
    else
        memcpy(to, all + 16 - digits, digits);
    return to + digits;
}

/* A decimal number, with blanks before it up to `width' characters. */
static char *put_decimal(char *to, unsigned value, unsigned width)
{
    char digits[10];
    unsigned count = 0;

    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (unsigned i = count; i < width; i++)
        *to++ = ' ';
    while (count)
        *to++ = digits[--count];
    return to;
}

char *commit_put_core(char *to, unsigned hart)
{
    to = put_decimal(commit_put_text(to, "core"), hart, 4);
    return commit_put_text(to, ": ");
}

char *commit_put_head(char *to, const struct commit_line *head)
{
    to = commit_put_core(to, head->hart);
    *to++ = (char)('0' + head->mode);
    *to++ = ' ';
    to = commit_put_hex(to, head->pc, 16);
    to = commit_put_text(to, " (");
    to = commit_put_hex(to, head->word, head->size * 2);
    *to++ = ')';
    return to;
}

char *commit_put_item(char *to, const struct commit_item *item, const char *csr_name)
{
    unsigned digits = 16;

    switch (item->kind) {
    case COMMIT_X:
    case COMMIT_F:
        *to++ = ' ';
        *to++ = item->kind == COMMIT_X ? 'x' : 'f';
        to = put_decimal(to, item->number, 0);
        to = commit_put_text(to, item->number < 10 ? "  " : " ");
        break;
    case COMMIT_CSR:
        to = put_decimal(commit_put_text(to, " c"), item->number, 0);
        *to++ = '_';
        to = commit_put_text(to, csr_name);
        *to++ = ' ';
        break;
    case COMMIT_LOAD: return commit_put_hex(commit_put_text(to, " mem "), item->va, 16);
    case COMMIT_STORE:
        to = commit_put_hex(commit_put_text(to, " mem "), item->va, 16);
        *to++ = ' ';
        digits = item->size * 2;
        break;
    case COMMIT_OTHER: return to;
    }
    return commit_put_hex(to, item->value, digits);
}

/* ---- reading ---- */

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

/* 0x and digits; of more than 16 the last ones count. */
static bool read_hex(const char **at, uint64_t *value, unsigned *digits)
{
    const char *c = *at;
    uint64_t v = 0;
    unsigned count = 0;
    int digit;

    if (c[0] != '0' || c[1] != 'x')
        return false;
    for (c += 2; (digit = hex_digit(*c)) >= 0; c++, count++)
        v = v << 4 | (unsigned)digit;
    *at = c;
    *value = v;
    *digits = count;
    return count > 0;
}

static bool read_decimal(const char **at, unsigned *value)
{
    const char *c = *at;
    unsigned v = 0;

    for (; *c >= '0' && *c <= '9' && v < 100000; c++)
        v = v * 10 + (unsigned)(*c - '0');
    if (c == *at)
        return false;
    *at = c;
    *value = v;
    return true;
}

static bool read_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

bool commit_read(const char *line, struct commit_line *head, const char **rest)
{
    unsigned digits;
    uint64_t word;

    if (strncmp(line, "core", 4) != 0)
        return false;
    line += 4;
    skip_blanks(&line);
    if (!read_decimal(&line, &head->hart) || !read_char(&line, ':'))
        return false;
    skip_blanks(&line);
    if (line[0] < '0' || line[0] > '3' || line[1] != ' ')
        return false;
    head->mode = (unsigned)(*line++ - '0');
    skip_blanks(&line);
    if (!read_hex(&line, &head->pc, &digits))
        return false;
    skip_blanks(&line);
    if (!read_char(&line, '(') || !read_hex(&line, &word, &digits) || !read_char(&line, ')'))
        return false;
    head->word = (uint32_t)word;
    head->size = (word & 3) == 3 ? 4 : 2;
    *rest = line;
    return digits <= 8;
}

/* The next word of the line, without the blanks before it; its length, 0 at the end. */
static size_t word_at(const char **rest)
{
    skip_blanks(rest);
    return strcspn(*rest, " \t\r\n");
}

/* "mem ADDRESS", and a value if a number follows. */
static bool read_access(const char **rest, struct commit_item *item)
{
    const char *value;
    unsigned digits;

    skip_blanks(rest);
    if (!read_hex(rest, &item->va, &digits))
        return false;
    item->kind = COMMIT_LOAD;
    value = *rest;
    skip_blanks(&value);
    if (!read_hex(&value, &item->value, &digits))
        return true;
    *rest = value;
    item->kind =
        digits == 2 || digits == 4 || digits == 8 || digits == 16 ? COMMIT_STORE : COMMIT_OTHER;
    item->size = digits / 2;
    return true;
}

/* "x5 VALUE", "f5 VALUE", "c384_satp VALUE". */
static bool read_register(const char **rest, struct commit_item *item, size_t len)
{
    const char *word = *rest, *end = word + len;
    unsigned digits;

    switch (*word++) {
    case 'x': item->kind = COMMIT_X; break;
    case 'f': item->kind = COMMIT_F; break;
    case 'c': item->kind = COMMIT_CSR; break;
    default: return false;
    }
    if (!read_decimal(&word, &item->number) ||
        (item->kind == COMMIT_CSR ? *word != '_' : word != end))
        return false;
    skip_blanks(&end);
    if (!read_hex(&end, &item->value, &digits))
        return false;
    *rest = end;
    return true;
}

bool commit_next(const char **rest, struct commit_item *item)
{
    size_t len = word_at(rest);
    const char *end = *rest + len;

    *item = (struct commit_item){.kind = COMMIT_OTHER};
    if (!len)
        return false;
    if (len == 3 && !strncmp(*rest, "mem", 3)) {
        *rest = end;
        if (read_access(rest, item))
            return true;
        *item = (struct commit_item){.kind = COMMIT_OTHER};
        return true;
    }
    if (read_register(rest, item, len))
        return true;
    *item = (struct commit_item){.kind = COMMIT_OTHER};
    *rest = end;
    return true;
}
