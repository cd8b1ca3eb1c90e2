/* bytes.c - workloads on bytes and text. */
#include "cycles.h"

enum { CRC_BYTES = 3000, BUCKETS = 256, KEYS = 400, LZ_BYTES = 3000, NUMBERS = 60 };

static uint32_t crc_table[256];

uint64_t crc_run(void)
{
    uint32_t crc = ~0u;

    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;

        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        crc_table[i] = c;
    }
    for (uint32_t i = 0; i < CRC_BYTES; i++)
        arena[i] = (uint8_t)(i * 31 ^ i >> 5);
    for (uint32_t i = 0; i < CRC_BYTES; i++)
        crc = crc >> 8 ^ crc_table[(crc ^ arena[i]) & 0xff];
    return ~crc;
}

struct entry {
    uint64_t key, value;
    struct entry *next;
};

uint64_t hash_run(void)
{
    struct entry **buckets = (void *)arena, *entries = (void *)(arena + BUCKETS * sizeof *buckets);
    uint64_t state = 1234567, found = 0;

    for (size_t i = 0; i < BUCKETS; i++)
        buckets[i] = NULL;
    for (size_t i = 0; i < KEYS; i++) {
        uint64_t key = next_random(&state) % (4 * KEYS);
        struct entry **head = &buckets[(key * 0x9e3779b97f4a7c15) >> 56];

        entries[i] = (struct entry){key, i, *head};
        *head = &entries[i];
    }
    for (uint64_t key = 0; key < 4 * KEYS; key++)
        for (struct entry *e = buckets[(key * 0x9e3779b97f4a7c15) >> 56]; e; e = e->next)
            if (e->key == key) {
                found += e->value;
                break;
            }
    return found;
}

/*
 * Unpacks bytes: one below 128 is a literal; another one, b, is followed by a distance, and
 * copies b - 125 bytes from there.
 */
static size_t unpack(const uint8_t *in, size_t bytes, uint8_t *out)
{
    const uint8_t *end = in + bytes;
    uint8_t *to = out;

    while (in < end) {
        unsigned b = *in++;

        if (b < 128) {
            *to++ = (uint8_t)b;
            continue;
        }
        const uint8_t *from = to - *in++;
        for (unsigned n = b - 125; n; n--)
            *to++ = *from++;
    }
    return (size_t)(to - out);
}

uint64_t lz_run(void)
{
    uint8_t *packed = arena, *out = arena + 16384;
    uint64_t state = 424242, sum = 0;
    size_t n = 0, made;

    for (size_t length = 0; length < LZ_BYTES; n++) {
        uint64_t r = next_random(&state);

        if (length < 256 || r & 3) {
            packed[n] = (uint8_t)(r >> 8 & 127);
            length++;
        } else {
            packed[n++] = (uint8_t)(128 + (r >> 16) % 20);
            packed[n] = (uint8_t)(1 + (r >> 32) % 250);
            length += packed[n - 1] - 125u;
        }
    }
    made = unpack(packed, n, out);
    for (size_t i = 0; i < made; i++)
        sum = sum * 31 + out[i];
    return sum;
}

static const char prose[] = "A site is a place that ftrace patches. Off, it holds nops; on, it "
                            "holds a call. What the nops take is the "
                            "question: the pipeline fetches them, issues them, and forgets them, "
                            "and a cache holds them all the while. ";

static size_t length_of(const char *text)
{
    const char *end = text;

    while (*end)
        end++;
    return (size_t)(end - text);
}

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a - *b;
}

static unsigned occurrences(const char *text, const char *word)
{
    unsigned count = 0;

    for (; *text; text++) {
        size_t i = 0;

        while (word[i] && text[i] == word[i])
            i++;
        count += !word[i];
    }
    return count;
}

uint64_t strings_run(void)
{
    char *text = (char *)arena;
    size_t length = length_of(prose);
    uint64_t sum = 0;

    for (int copy = 0; copy < 2; copy++)
        for (size_t i = 0; i <= length; i++)
            text[copy * length + i] = prose[i];
    sum = length_of(text) + occurrences(text, "nops") * 100 + occurrences(text, "them") * 1000;
    for (size_t i = 0; i < 12; i++)
        sum += compare(text + i, text + length + i) == 0;
    for (char *c = text; *c; c++)
        if (*c >= 'a' && *c <= 'z')
            *c = (char)(*c - 'a' + 'A');
    return sum + (uint8_t)text[5];
}

static char *put_signed(char *to, int64_t n, unsigned base)
{
    char digits[24];
    unsigned count = 0;
    uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

    if (n < 0)
        *to++ = '-';
    do {
        digits[count++] = "0123456789abcdef"[rest % base];
        rest /= base;
    } while (rest);
    while (count)
        *to++ = digits[--count];
    return to;
}

uint64_t format_run(void)
{
    char *to = (char *)arena;
    uint64_t state = 99991, sum = 0;

    for (int i = 0; i < NUMBERS; i++) {
        uint64_t r = next_random(&state);

        to = put_signed(to, (int64_t)r >> (r & 63), i % 3 ? 10 : 16);
        *to++ = ' ';
    }
    for (char *c = (char *)arena; c < to; c++)
        sum = sum * 7 + (uint8_t)*c;
    return sum;
}

static const char document[] = "{\"core\": \"c906\", \"rows\": [1, 22, 333, -4444, 55.5], "
                               "\"sites\": {\"off\": true, \"on\": false, "
                               "\"none\": null, \"names\": [\"mcount\", \"pfe8\", \"pfe16\", "
                               "\"atomic\"]}, \"cycles\": 1234567890}";

struct parser {
    const char *at;
    uint64_t sum;
};

static char skip_blanks(struct parser *p)
{
    while (*p->at == ' ' || *p->at == '\n')
        p->at++;
    return *p->at;
}

static void parse_text(struct parser *p)
{
    for (p->at++; *p->at != '"'; p->at++)
        p->sum = p->sum * 33 + (uint8_t)*p->at;
    p->at++;
}

static void parse_value(struct parser *p);

static void parse_members(struct parser *p, char end)
{
    p->at++;
    while (skip_blanks(p) != end) {
        parse_value(p);
        if (skip_blanks(p) == ':' || *p->at == ',')
            p->at++;
    }
    p->at++;
}

static void parse_number(struct parser *p)
{
    int64_t n = 0;
    int negative = *p->at == '-';

    for (p->at += negative; (*p->at >= '0' && *p->at <= '9') || *p->at == '.'; p->at++)
        if (*p->at != '.')
            n = n * 10 + (*p->at - '0');
    p->sum += (uint64_t)(negative ? -n : n);
}

static __attribute__((noinline)) void parse_value(struct parser *p)
{
    switch (skip_blanks(p)) {
    case '{': parse_members(p, '}'); break;
    case '[': parse_members(p, ']'); break;
    case '"': parse_text(p); break;
    case 't':
    case 'n':
        p->at += 4;
        p->sum ^= 5;
        break;
    case 'f': p->at += 5; break;
    default: parse_number(p);
    }
}

uint64_t json_run(void)
{
    struct parser p = {.sum = 1};

    for (int i = 0; i < 16; i++) {
        p.at = document;
        parse_value(&p);
    }
    return p.sum;
}
