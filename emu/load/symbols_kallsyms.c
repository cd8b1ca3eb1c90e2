/*
 * symbols_kallsyms.c - reads kallsyms, the symbol table inside of a Linux kernel.
 *
 * scripts/kallsyms.c of Linux writes it into .rodata. No header points to it, but its tables can
 * be recognised by their contents. In order of address, each at a multiple of 4 (8 before 6.19):
 *
 *   num_syms      number of symbols, 32 bits
 *   names         for each a length in bytes (as ULEB128, two bytes from 128 on) and that many
 *                 tokens; expanded, the first character is the letter of nm
 *   markers       the offset in `names` of each 256th symbol, 32 bits each
 *   token_table   256 strings, each with a 0 at its end; token '0' is "0"
 *   token_index   the offset of each in token_table, 16 bits each
 *
 * Addresses are 32 bits each: up to 6.3 before num_syms and followed by their base; from 6.4 on
 * after token_index and followed by their base; in the newest kernels (7.2) without a base,
 * relative to the entry's own address. The right form is the one in which `_start` is the image's
 * first byte.
 */
#include <stdlib.h>
#include <string.h>

#include "load/symbols_priv.h"

enum {
    TOKENS = 256,
    NAME_MAX_BYTES = 512, /* KSYM_NAME_LEN, include/linux/kallsyms.h */
    PER_MARKER = 256,
    SYMBOLS_LEAST = 256, /* so that there is at least one marker to check */
    SYMBOLS_MOST = 1 << 21,
    TEXT_MOST = 256 << 20, /* bytes of all names together */
    /*
     * Names read in search of the table. Few words before it look like a count of names; an image
     * made of nothing else would take hours.
     */
    NAMES_TRIED_MOST = 2 * SYMBOLS_MOST,
};

/* The link address of the 64-bit kernel: KERNEL_LINK_ADDR in arch/riscv/include/asm/pgtable.h. */
static const uint64_t LINK_ADDRESS = UINT64_C(0xffffffff80000000);

/* Offsets into the image. */
struct tables {
    const uint8_t *bytes;
    size_t size;
    size_t token_table, token_index;
    struct token {
        const char *text;
        size_t len; /* NAME_MAX_BYTES if it is longer */
    } tokens[TOKENS];
    size_t num_syms, names, count;
    size_t tried; /* names read in search of the table */
};

static uint16_t half_at(const struct tables *t, size_t at)
{
    uint16_t half;

    memcpy(&half, t->bytes + at, sizeof half);
    return half;
}

static uint32_t word_at(const struct tables *t, size_t at)
{
    uint32_t word;

    memcpy(&word, t->bytes + at, sizeof word);
    return word;
}

static bool is_within(const struct tables *t, size_t at, size_t size)
{
    return at <= t->size && size <= t->size - at;
}

/* ---- tokens ---- */

/* Whether each offset of the index is that of a string in a table at `table`. */
static bool is_token_table(const struct tables *t, size_t table, size_t index)
{
    if (t->bytes[index - 1])
        return false; /* the last string has no end */
    for (unsigned i = 1; i < TOKENS; i++)
        if (t->bytes[table + half_at(t, index + 2 * i) - 1])
            return false;
    return !memcmp(t->bytes + table + half_at(t, index + 2 * '0'), "0", 2);
}

static void read_tokens(struct tables *t)
{
    for (unsigned i = 0; i < TOKENS; i++) {
        const char *text =
            (const char *)t->bytes + t->token_table + half_at(t, t->token_index + 2 * i);

        t->tokens[i] = (struct token){text, strnlen(text, NAME_MAX_BYTES)};
    }
}

/* Finds the token table, which ends right before the index, except for alignment. */
static bool find_token_table(struct tables *t, size_t index)
{
    enum { LAST_TOKEN_MAX = 64 };
    size_t last = half_at(t, index + 2 * (TOKENS - 1));

    for (size_t tail = 4 - last % 4; tail <= LAST_TOKEN_MAX && last + tail <= index; tail += 4)
        if (is_token_table(t, index - last - tail, index)) {
            t->token_table = index - last - tail;
            t->token_index = index;
            read_tokens(t);
            return true;
        }
    return false;
}

/* The ends of the ascending numbers around `at`: the first one's place, and the last one's. */
static size_t first_ascending(const struct tables *t, size_t at)
{
    while (at >= 2 && half_at(t, at - 2) < half_at(t, at))
        at -= 2;
    return at;
}

static size_t last_ascending(const struct tables *t, size_t at)
{
    while (is_within(t, at + 2, 2) && half_at(t, at + 2) > half_at(t, at))
        at += 2;
    return at;
}

/*
 * Finds the token index: 256 ascending numbers from 0, after the strings that they point to. One of
 * any 256 numbers is at a multiple of 255, so only those are looked at, and what is around them.
 */
static bool find_tokens(struct tables *t)
{
    enum { STRIDE = 2 * (TOKENS - 1) };

    for (size_t at = STRIDE; is_within(t, at, 2); at += STRIDE) {
        size_t first = first_ascending(t, at);

        if (first % 4 == 0 && !half_at(t, first) && last_ascending(t, at) - first >= STRIDE &&
            find_token_table(t, first))
            return true;
    }
    return false;
}

/* ---- names ---- */

/* The length of the name at *at, which moves to its first token; 0: there is none. */
static size_t name_length(const struct tables *t, size_t *at)
{
    size_t length;

    if (!is_within(t, *at, 2))
        return 0;
    length = t->bytes[(*at)++];
    if (length & 0x80)
        length = (length & 0x7f) | (size_t)t->bytes[(*at)++] << 7;
    return is_within(t, *at, length) && *at + length <= t->token_table ? length : 0;
}

/* The length of a name, with the letter of its type first; 0: it is not valid. */
static size_t expanded_length(const struct tables *t, size_t at, size_t length)
{
    static const char letters[] = "aAbBcCdDgGiInNrRsStTuUvVwW";
    size_t len = 0;
    char letter = '\0';

    for (size_t i = 0; i < length && len < NAME_MAX_BYTES; i++) {
        const struct token *part = &t->tokens[t->bytes[at + i]];

        letter = len ? letter : part->text[0];
        len += part->len;
    }
    return len > 1 && len < NAME_MAX_BYTES && strchr(letters, letter) ? len : 0;
}

/* Expands a valid name. Returns its length. */
static size_t expand(const struct tables *t, size_t at, size_t length, char text[NAME_MAX_BYTES])
{
    enum { SHORT = 16 }; /* the index follows the table, so that this number of bytes can be read */
    size_t len = 0;

    for (size_t i = 0; i < length; i++) {
        const struct token *part = &t->tokens[t->bytes[at + i]];
        bool is_short = part->len <= SHORT && len + SHORT <= NAME_MAX_BYTES;

        if (is_short)
            memcpy(text + len, part->text, SHORT);
        else
            memcpy(text + len, part->text, part->len);
        len += part->len;
    }
    text[len] = '\0';
    return len;
}

static size_t aligned(size_t at, size_t to)
{
    return (at + to - 1) / to * to;
}

/* Whether there are `count` names at `names`, and the markers after them are right. */
static bool are_names(struct tables *t, size_t names, size_t count)
{
    size_t markers = 0, at = names, text = 0;
    uint32_t starts[SYMBOLS_MOST / PER_MARKER];
    bool good = true;

    for (size_t i = 0; i < count && good; i++) {
        size_t length, len;

        if (i % PER_MARKER == 0)
            starts[markers++] = (uint32_t)(at - names);
        length = name_length(t, &at);
        len = length ? expanded_length(t, at, length) : 0;
        at += length;
        text += len;
        good = len && text <= TEXT_MOST && ++t->tried <= NAMES_TRIED_MOST;
    }
    if (good)
        good = (is_within(t, aligned(at, 4), 4 * markers) &&
                !memcmp(t->bytes + aligned(at, 4), starts, 4 * markers)) ||
               (is_within(t, aligned(at, 8), 4 * markers) &&
                !memcmp(t->bytes + aligned(at, 8), starts, 4 * markers));
    return good;
}

/* Searches backwards from the tokens; with alignment 8, num_syms takes 8 bytes. */
static bool find_names(struct tables *t)
{
    for (size_t at = t->token_table / 4 * 4; at >= 4 && t->tried < NAMES_TRIED_MOST; at -= 4) {
        uint32_t count = word_at(t, at - 4);

        if (count < SYMBOLS_LEAST || count > SYMBOLS_MOST || count > t->token_table - at)
            continue;
        for (size_t gap = 0; gap <= 4; gap += 4)
            if (are_names(t, at + gap, count)) {
                t->num_syms = at - 4;
                t->names = at + gap;
                t->count = count;
                return true;
            }
    }
    return false;
}

/* ---- addresses ---- */

/* The form of the addresses. */
struct addresses {
    size_t at;
    bool from_entry; /* relative to the entry's own address */
    uint64_t base; /* virtual address for the number 0; if from_entry, of the image's first byte */
};

static uint64_t address_of(const struct tables *t, const struct addresses *a, size_t i)
{
    size_t at = a->at + 4 * i;
    int32_t offset = (int32_t)word_at(t, at);

    if (a->from_entry)
        return a->base + at + (uint64_t)(int64_t)offset;
    return a->base + (uint32_t)offset;
}

/* kallsyms sorts by address, and the first one is `_start`, the image's first byte. */
static bool are_addresses(const struct tables *t, const struct addresses *a)
{
    if (address_of(t, a, 0) != a->base || address_of(t, a, t->count - 1) == a->base)
        return false;
    for (size_t i = 1; i < t->count; i++)
        if (address_of(t, a, i) < address_of(t, a, i - 1))
            return false;
    return true;
}

/* The base, which is 0 in a relocatable kernel that fills it in by a relocation. */
static uint64_t base_at(const struct tables *t, size_t at)
{
    uint64_t base = 0;

    if (is_within(t, at, sizeof base))
        memcpy(&base, t->bytes + at, sizeof base);
    return base >> 32 == UINT32_MAX ? base : LINK_ADDRESS;
}

static bool find_addresses(const struct tables *t, struct addresses *a)
{
    size_t size = 4 * t->count, after = t->token_index + 2 * TOKENS;

    *a = (struct addresses){.at = after, .base = base_at(t, aligned(after + size, 8))};
    if (is_within(t, after, size) && are_addresses(t, a))
        return true;
    *a = (struct addresses){.at = after, .from_entry = true, .base = LINK_ADDRESS};
    if (is_within(t, after, size) && are_addresses(t, a))
        return true;
    if (t->num_syms < 8 + aligned(size, 8))
        return false;
    *a = (struct addresses){.at = t->num_syms - 8 - aligned(size, 8),
                            .base = base_at(t, t->num_syms - 8)};
    return are_addresses(t, a);
}

/* ---- the whole ---- */

static struct symbols *read_all(const struct tables *t, const struct addresses *a)
{
    struct symbols *s = symbols_new();
    char name[NAME_MAX_BYTES];
    size_t at = t->names;

    for (size_t i = 0; i < t->count; i++) {
        size_t length = name_length(t, &at), len = expand(t, at, length, name);

        at += length;
        symbols_add_lettered(s, address_of(t, a, i), 0, name[0], name + 1, len - 1);
    }
    symbols_bound_last(s);
    symbols_finish(s);
    return s;
}

struct symbols *symbols_from_kallsyms(const uint8_t *bytes, size_t size)
{
    struct tables t = {.bytes = bytes, .size = size};
    struct addresses a;

    if (!find_tokens(&t) || !find_names(&t) || !find_addresses(&t, &a))
        return NULL;
    return read_all(&t, &a);
}
