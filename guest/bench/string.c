/* string.c - memory and string functions: copy, move, set, compare, length, find. */
#include "bench.h"

const char bench_name[] = "string";
const unsigned long bench_scale = 4000;

enum { BYTES = 64 << 10, WORDS = 2000 };

#define NOINLINE __attribute__((noinline, noclone))

static NOINLINE void copy(void *to, const void *from, size_t n)
{
    uint64_t *t = to;
    const uint64_t *f = from;

    for (; n >= 32; n -= 32, t += 4, f += 4) {
        uint64_t a = f[0], b = f[1], c = f[2], d = f[3];

        t[0] = a, t[1] = b, t[2] = c, t[3] = d;
    }
    for (size_t i = 0; i < n; i++)
        ((char *)t)[i] = ((const char *)f)[i];
}

static NOINLINE void move_up(char *base, size_t n, size_t by)
{
    while (n--)
        base[n + by] = base[n];
}

static NOINLINE void set(void *to, uint64_t pattern, size_t n)
{
    uint64_t *t = to;

    for (; n >= 8; n -= 8)
        *t++ = pattern;
}

static NOINLINE size_t length(const char *s)
{
    const char *end = s;

    while (*end)
        end++;
    return (size_t)(end - s);
}

static NOINLINE int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

static NOINLINE const char *find(const char *s, char c)
{
    while (*s && *s != c)
        s++;
    return s;
}

/* Writes words of one to sixteen letters, each followed by a NUL. */
static size_t make_words(char *text, uint64_t *random)
{
    size_t len = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        unsigned letters = 1 + (bench_random(random) >> 60);

        while (letters--)
            text[len++] = (char)('a' + (bench_random(random) >> 40) % 3);
        text[len++] = 0;
    }
    return len;
}

static uint64_t read_words(const char *text)
{
    const char *last = "";
    uint64_t sum = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        size_t len = length(text);

        sum += len + (compare(last, text) < 0) * 3;
        sum += (size_t)(find(text, 'c') - text);
        last = text;
        text += len + 1;
    }
    return sum;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    char *words = memory, *from = words + BYTES, *to = from + BYTES;
    uint64_t random = 3, sum = 0;
    size_t len = make_words(words, &random);

    while (scale--) {
        set(from, bench_random(&random), BYTES);
        copy(from + 64, words, len);
        copy(to, from, BYTES);
        move_up(to, 4096, 1 + scale % 7);
        sum = bench_mix(sum, read_words(words));
        sum = bench_mix(sum, *(const uint64_t *)(const void *)(to + (sum % (BYTES / 8)) * 8));
    }
    return sum;
}
