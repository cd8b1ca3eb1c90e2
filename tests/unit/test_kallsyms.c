/*
 * test_kallsyms.c - the symbol tables inside of a Linux Image, in each form that kernels have had.
 * The images are made here: a token for each character, names in order of address.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/symbols.h"

#define LINKED UINT64_C(0xffffffff80000000)

enum { COUNT = 700, STEP = 24, ROOM = 1 << 20, START = 0x1234 };

/* Where the addresses are, and what they are relative to. */
enum form { BEFORE, AFTER, FROM_ENTRY };

struct world {
    uint8_t *bytes;
    size_t size;
    size_t names, markers, token_table, token_index, offsets;
    struct symbols *s;
};

static void align(struct world *w, size_t to)
{
    w->size = (w->size + to - 1) / to * to;
}

static void put(struct world *w, const void *bytes, size_t size)
{
    memcpy(w->bytes + w->size, bytes, size);
    w->size += size;
}

static void put32(struct world *w, uint32_t word)
{
    put(w, &word, sizeof word);
}

static void put64(struct world *w, uint64_t word)
{
    put(w, &word, sizeof word);
}

/* With the letter in front. Symbol 300 has a name that needs two bytes of length. */
static void name_of(unsigned i, char text[200])
{
    snprintf(text, 200, i == 0 ? "T_start" : i % 2 ? "tlocal_%u" : "Tglobal_%u", i);
    if (i == 300)
        snprintf(text, 200, "T%0150d", 300);
}

static void put_addresses(struct world *w, enum form form)
{
    w->offsets = w->size;
    for (unsigned i = 0; i < COUNT; i++)
        put32(w, i * STEP - (form == FROM_ENTRY ? (uint32_t)w->size : 0));
    if (form == FROM_ENTRY)
        return;
    align(w, 8);
    put64(w, LINKED);
}

static void put_names(struct world *w, size_t alignment)
{
    uint32_t starts[COUNT / 256 + 1];
    char name[200];

    put32(w, COUNT);
    align(w, alignment);
    w->names = w->size;
    for (unsigned i = 0; i < COUNT; i++) {
        size_t len;

        if (i % 256 == 0)
            starts[i / 256] = (uint32_t)(w->size - w->names);
        name_of(i, name);
        len = strlen(name);
        if (len >= 128)
            put(w, (uint8_t[]){(uint8_t)(len | 0x80), (uint8_t)(len >> 7)}, 2);
        else
            put(w, (uint8_t[]){(uint8_t)len}, 1);
        put(w, name, len);
    }
    align(w, alignment);
    w->markers = w->size;
    put(w, starts, sizeof starts);
    align(w, alignment);
}

/* The tokens of characters that no name has are `other`. */
static void put_tokens_of(struct world *w, size_t alignment, const char *other)
{
    uint16_t at[256];

    w->token_table = w->size;
    for (unsigned i = 0; i < 256; i++) {
        char token[4] = {(char)i};

        if (i <= ' ' || i >= 127)
            snprintf(token, sizeof token, "%s", other);
        at[i] = (uint16_t)(w->size - w->token_table);
        /* bytes of 0 follow, as they do for alignment */
        put(w, token, i == 255 ? 4 : strlen(token) + 1);
    }
    align(w, alignment);
    w->token_index = w->size;
    put(w, at, sizeof at);
    align(w, alignment);
}

static void put_tokens(struct world *w, size_t alignment)
{
    put_tokens_of(w, alignment, "x");
}

static void build(struct world *w, enum form form)
{
    size_t alignment = form == FROM_ENTRY ? 4 : 8;

    *w = (struct world){.bytes = calloc(1, ROOM), .size = START};
    align(w, 8);
    if (form == BEFORE)
        put_addresses(w, form);
    put_names(w, alignment);
    put_tokens(w, alignment);
    if (form != BEFORE)
        put_addresses(w, form);
    w->size += 100; /* other bytes follow */
}

static void read_symbols(struct world *w)
{
    /* A copy of exactly this size, so that a sanitizer detects reads beyond it. */
    uint8_t *copy = malloc(w->size);

    memcpy(copy, w->bytes, w->size);
    w->s = symbols_from_kallsyms(copy, w->size);
    free(copy);
}

static void wreck(struct world *w)
{
    symbols_free(w->s);
    free(w->bytes);
}

static void expect_all(const struct world *w)
{
    char name[200];

    assert_non_null(w->s);
    assert_int_equal(symbols_count(w->s), COUNT);
    for (unsigned i = 0; i < COUNT; i++) {
        uint64_t addr;

        name_of(i, name);
        assert_true(symbols_find(w->s, name + 1, &addr));
        assert_int_equal(addr, LINKED + i * STEP);
    }
}

static void each_form_is_read(void **state)
{
    (void)state;
    for (unsigned form = BEFORE; form <= FROM_ENTRY; form++) {
        struct world w;

        build(&w, (enum form)form);
        read_symbols(&w);
        expect_all(&w);
        wreck(&w);
    }
}

static void a_base_left_to_relocations_is_the_link_address(void **state)
{
    struct world w;

    (void)state;
    build(&w, AFTER);
    memset(w.bytes + (w.offsets + 4 * COUNT + 7) / 8 * 8, 0, 8);
    read_symbols(&w);
    expect_all(&w);
    wreck(&w);
}

static void letters_say_what_is_global(void **state)
{
    struct world w;
    const struct symbol *symbol;

    (void)state;
    build(&w, AFTER);
    read_symbols(&w);
    symbol = symbols_function_at(w.s, LINKED + 2 * STEP + 4);
    assert_non_null(symbol);
    assert_string_equal(symbol->name, "global_2");
    assert_true(symbol->global);
    symbol = symbols_function_at(w.s, LINKED + 3 * STEP);
    assert_string_equal(symbol->name, "local_3");
    assert_false(symbol->global);
    wreck(&w);
}

/* Each with one of the tables spoilt: it must not be accepted. */
static void damage_is_no_table(void **state)
{
    (void)state;
    for (unsigned what = 0; what < 6; what++) {
        struct world w;

        build(&w, AFTER);
        switch (what) {
        case 0: w.bytes[w.markers + 4]++; break;                   /* a marker leads elsewhere */
        case 1: w.bytes[w.names] = 0; break;                       /* a name of no length */
        case 2: w.bytes[w.token_table + 1] = 'a'; break;           /* a token goes on */
        case 3: w.bytes[w.token_index + 2 * 70] = 0; break;        /* the index goes back */
        case 4: memset(w.bytes + w.offsets + 400, 0x7f, 3); break; /* addresses go back */
        default: w.bytes[w.names + 1] = '!'; break;                /* no letter of a kind */
        }
        read_symbols(&w);
        assert_null(w.s);
        wreck(&w);
    }
}

static void a_truncated_image_has_none(void **state)
{
    struct world w;

    (void)state;
    for (unsigned cut = 0; cut < 40; cut++) {
        build(&w, AFTER);
        w.size = w.size * cut / 41;
        read_symbols(&w);
        assert_null(w.s);
        wreck(&w);
    }
}

/* Each word of 2 MiB is a count, and a name of two letters before and after it: 10^10 names. */
static void names_everywhere_are_given_up(void **state)
{
    enum { WORDS = 1 << 19, FALSE_COUNT = 0x00010101 };
    struct world w = {.bytes = calloc(1, 4 * WORDS + 4096)};

    (void)state;
    for (unsigned i = 0; i < WORDS; i++)
        put32(&w, FALSE_COUNT);
    put_tokens_of(&w, 4, "Ta");
    read_symbols(&w);
    assert_null(w.s);
    wreck(&w);
}

/* The sanitizers detect reads outside; names that are found must be complete. */
static void no_damage_is_followed_out_of_the_image(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct world w;

        build(&w, (enum form)(round % 3));
        for (unsigned i = 0; i < 1 + round % 4; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            w.bytes[START + (random >> 33) % (w.size - START)] = (uint8_t)(random >> 24);
        }
        read_symbols(&w);
        for (size_t i = 0; i < symbols_count(w.s); i++)
            assert_true(strlen(symbols_get(w.s, i)->name) > 0);
        wreck(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_read),
        cmocka_unit_test(a_base_left_to_relocations_is_the_link_address),
        cmocka_unit_test(letters_say_what_is_global),
        cmocka_unit_test(damage_is_no_table),
        cmocka_unit_test(a_truncated_image_has_none),
        cmocka_unit_test(names_everywhere_are_given_up),
        cmocka_unit_test(no_damage_is_followed_out_of_the_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
