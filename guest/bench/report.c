/* report.c - formats a workload's line, and parses its options. */
#include "bench.h"

static void add_text(struct bench_line *line, const char *text)
{
    while (*text)
        line->text[line->len++] = *text++;
}

static void add_number(struct bench_line *line, unsigned long n, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[n % base];
        n /= base;
    } while (n);
    while (count)
        line->text[line->len++] = digits[--count];
}

void bench_report(struct bench_line *line, unsigned long scale, uint64_t checksum)
{
    line->len = 0;
    add_text(line, "bench ");
    add_text(line, bench_name);
    add_text(line, ": scale=");
    add_number(line, scale, 10);
    add_text(line, " checksum=");
    add_number(line, checksum, 16);
    add_text(line, "\n");
}

static const char *after(const char *text, const char *key)
{
    for (; *text; text++) {
        const char *t = text, *k = key;

        while (*k && *t == *k)
            t++, k++;
        if (!*k)
            return t;
    }
    return NULL;
}

unsigned long bench_option(const char *text, const char *key, unsigned long otherwise)
{
    unsigned long n = 0;

    text = after(text, key);
    if (!text || *text < '0' || *text > '9')
        return otherwise;
    while (*text >= '0' && *text <= '9')
        n = n * 10 + (unsigned long)(*text++ - '0');
    return n;
}
