/* mix.c - integer code of usual programs: sorting, a CRC, a state machine, a matrix product. */
#include "bench.h"

const char bench_name[] = "mix";
const unsigned long bench_scale = 800;

enum { ITEMS = 2000, TEXT = 8192, SIDE = 40 };

struct item {
    uint32_t key, value;
};

struct data {
    struct item items[ITEMS];
    uint32_t crc_table[256];
    char text[TEXT];
    int32_t a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
};

/* ---- sorting: quicksort, insertion sort for small parts ---- */

static void insertion_sort(struct item *v, long n)
{
    for (long i = 1; i < n; i++) {
        struct item x = v[i];
        long j = i;

        for (; j > 0 && v[j - 1].key > x.key; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
}

static void quick_sort(struct item *v, long n)
{
    while (n > 12) {
        uint32_t pivot = v[n / 2].key;
        long i = 0, j = n - 1;

        while (i <= j) {
            while (v[i].key < pivot)
                i++;
            while (v[j].key > pivot)
                j--;
            if (i <= j) {
                struct item t = v[i];

                v[i++] = v[j];
                v[j--] = t;
            }
        }
        quick_sort(v, j + 1);
        v += i;
        n -= i;
    }
    insertion_sort(v, n);
}

static uint64_t sort_items(struct data *d, uint64_t *random)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < ITEMS; i++)
        d->items[i] = (struct item){(uint32_t)bench_random(random), i};
    quick_sort(d->items, ITEMS);
    for (unsigned i = 0; i < ITEMS; i += 37)
        sum = bench_mix(sum, d->items[i].key ^ d->items[i].value);
    return sum;
}

/* ---- CRC-32, by table ---- */

static void make_crc_table(uint32_t *table)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc(const uint32_t *table, const char *bytes, size_t n)
{
    uint32_t c = 0xffffffff;

    for (size_t i = 0; i < n; i++)
        c = c >> 8 ^ table[(c ^ (uint8_t)bytes[i]) & 255];
    return ~c;
}

/* ---- a state machine that classifies numbers in a text ---- */

enum state { START, SIGN, INTEGER, POINT, FRACTION, EXPONENT, EXPONENT_DIGITS, BAD, STATES };

static enum state next_state(enum state s, char c)
{
    int digit = c >= '0' && c <= '9';

    switch (s) {
    case START: return digit ? INTEGER : c == '-' || c == '+' ? SIGN : c == '.' ? POINT : BAD;
    case SIGN: return digit ? INTEGER : c == '.' ? POINT : BAD;
    case INTEGER: return digit ? INTEGER : c == '.' ? FRACTION : c == 'e' ? EXPONENT : BAD;
    case POINT: return digit ? FRACTION : BAD;
    case FRACTION: return digit ? FRACTION : c == 'e' ? EXPONENT : BAD;
    case EXPONENT: return digit || c == '-' ? EXPONENT_DIGITS : BAD;
    case EXPONENT_DIGITS: return digit ? EXPONENT_DIGITS : BAD;
    default: return BAD;
    }
}

/* Mostly digits; one in eight is something else. */
static void make_text(char *text, uint64_t *random)
{
    static const char others[8] = {'.', '-', '+', 'e', ',', ' ', ',', 'x'};

    for (unsigned i = 0; i < TEXT; i++) {
        unsigned r = (unsigned)(bench_random(random) >> 40);

        text[i] = r % 8 ? (char)('0' + r / 8 % 10) : others[r / 8 % 8];
    }
}

static uint64_t classify(const char *text, size_t n)
{
    unsigned counts[STATES] = {0};
    enum state s = START;
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (text[i] == ',' || text[i] == ' ') {
            counts[s]++;
            s = START;
        } else {
            s = next_state(s, text[i]);
        }
    }
    for (unsigned i = 0; i < STATES; i++)
        sum = bench_mix(sum, counts[i]);
    return sum;
}

/* ---- matrix product ---- */

static void fill_matrix(int32_t (*m)[SIDE], uint64_t *random)
{
    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++)
            m[i][j] = (int32_t)(bench_random(random) >> 48) - 32768;
}

static uint64_t multiply(struct data *d)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++) {
            int32_t dot = 0;

            for (unsigned k = 0; k < SIDE; k++)
                dot += d->a[i][k] * d->b[k][j] >> 4;
            d->c[i][j] = dot;
            sum = bench_mix(sum, (uint32_t)dot);
        }
    return sum;
}

uint64_t bench_run(unsigned long scale, void *memory)
{
    struct data *d = memory;
    uint64_t random = 42, sum = 0;

    make_crc_table(d->crc_table);
    make_text(d->text, &random);
    fill_matrix(d->a, &random);
    fill_matrix(d->b, &random);
    while (scale--) {
        sum = bench_mix(sum, sort_items(d, &random));
        sum = bench_mix(sum, crc(d->crc_table, d->text, TEXT));
        sum = bench_mix(sum, classify(d->text, TEXT));
        sum = bench_mix(sum, multiply(d));
        d->text[sum % TEXT] = "0123456789"[sum % 10];
    }
    return sum;
}
