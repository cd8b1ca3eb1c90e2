/*
 * option_value.h - the value of an option: the texts that it takes, and the member of a struct that
 * keeps it.
 *
 * The row of an option (cli/options.def, commands/log.def, commands/report.def) gives it by one of
 * the macros at the end. Before such a table is included, OPTION_OWNER is defined as the type with
 * the members.
 */
#ifndef BASE_OPTION_VALUE_H
#define BASE_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { OPTION_PROBLEM_MAX = 512 };

enum option_kind {
    KIND_FLAG,   /* no text: a bool that becomes true */
    KIND_TEXT,   /* a const char * to the text */
    KIND_NUMBER, /* an unsigned, uint64_t or size_t */
    KIND_CHOICE, /* one of some words: a bool, or an enum without negative values */
    KIND_OWN,    /* a function of its own sets it */
};

struct option_word {
    const char *text; /* NULL: the end of the list */
    int value;
};

struct option_value {
    enum option_kind kind;
    size_t at, size; /* offset and bytes of the member */
    /*
     * What the message about an invalid text names as expected. NULL: for KIND_NUMBER and
     * KIND_CHOICE the message is made of bounds or words; KIND_TEXT takes any text, also an empty
     * one; for KIND_OWN the function gives the message.
     */
    const char *expected;
    uint64_t min, max;
    uint64_t unit; /* of the suffixes K, M, G: 1000 or 1024 */
    uint64_t step; /* the number is a multiple of it */
    const struct option_word *words;
    bool adds; /* each time the option is given it adds a value, instead of replacing the former */
    /* False: the text is invalid; problem: the message, or empty for `expected'. */
    bool (*set)(void *owner, const char *text, char problem[OPTION_PROBLEM_MAX]);
};

/*
 * Parses the text and stores the value in the owner, which keeps a pointer to a KIND_TEXT. False:
 * the text is invalid, and `problem' describes it, to be printed after "invalid value `TEXT': ".
 * The owner's member may have changed then. text: not used for a KIND_FLAG.
 */
MUST_USE bool option_value_set(const struct option_value *v, void *owner, const char *text,
                               char problem[OPTION_PROBLEM_MAX]);

/*
 * Parses a number without sign, decimal, hexadecimal with 0x, or octal with 0, with an optional
 * suffix K, M, G that multiplies by unit, unit^2, unit^3.
 */
MUST_USE bool option_parse_number(const char *text, uint64_t unit, uint64_t *value);

/* False: the text is not in the list; *value is not changed. */
MUST_USE bool option_parse_word(const char *text, const struct option_word *words, int *value);

/* ---- for the rows of tables, which put braces around each ---- */

/* The member's place. A member of another type does not compile. */
#define OPTION_MEMBER(member, ...)                                    \
    .at = offsetof(OPTION_OWNER, member) +                            \
          0 * _Generic(&((OPTION_OWNER *)NULL)->member, __VA_ARGS__), \
    .size = sizeof((OPTION_OWNER *)NULL)->member

#define FLAG(member) .kind = KIND_FLAG, OPTION_MEMBER(member, bool * : 1)

/* Any text but an empty one; what NULL: any text. */
#define TEXT(member, what) \
    .kind = KIND_TEXT, OPTION_MEMBER(member, const char ** : 1), .expected = (what)
#define PATH(member) TEXT(member, "a file")

/*
 * A number; least and most are included. The message about an invalid one names them, or for AMOUNT
 * and SIZE `what'. K is 1000, for SIZE 1024.
 */
#define NUMBER(member, least, most)       AMOUNT(member, least, most, NULL)
#define AMOUNT(member, least, most, what) OPTION_NUMBER(member, least, most, 1, 1000, what)
#define SIZE(member, least, most, multiple, what) \
    OPTION_NUMBER(member, least, most, multiple, 1024, what)
#define OPTION_NUMBER(member, least, most, multiple, k, what)                   \
    .kind = KIND_NUMBER, OPTION_MEMBER(member, unsigned * : 1, uint64_t * : 1), \
    .expected = (what), .min = (least), .max = (most), .unit = (k), .step = (multiple)

/* CHOICE(member, {"word", value}, ...) */
/* clang-format off */
#define CHOICE(member, ...)                                                 \
    .kind = KIND_CHOICE, OPTION_MEMBER(member, unsigned * : 1, bool * : 1), \
    .words = (const struct option_word[]){__VA_ARGS__, {NULL, 0}}
/* clang-format on */

/* A function, set_NAME; for ADDS see option_value.adds. */
#define OWN(name, what)  .kind = KIND_OWN, .expected = (what), .set = set_##name
#define ADDS(name, what) OWN(name, what), .adds = true

#endif
