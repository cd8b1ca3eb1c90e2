/*
 * value.h - values with a type of C: what expressions compute and what is printed.
 *
 * A struct language has what outlives one command: the value history ($1, $$), the convenience
 * variables ($name), and the memory of the values of the present command, which
 * language_release frees. Registers, memory, symbols and the selected frame come from its
 * environment, so that nothing here depends on a machine.
 *
 *     type.c        types                     dwarf.c     names and scopes of the debug information
 *     language.c    history, variables        location.c  where a variable is in a frame
 *     value.c       values and places         print.c     prints values as gdb does
 *     arithmetic.c  operators                 expr.c      expressions (expr_priv.h)
 *
 * A function that fails returns false and leaves the reason, one line, in language_why.
 */
#ifndef DEBUG_VALUE_H
#define DEBUG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/compiler.h"
#include "debug/lang/type.h"

struct debug_info;
struct language;

enum { LANGUAGE_WHY_MAX = 512, VALUE_BYTES_MAX = 65536 };

enum value_place { VALUE_COMPUTED, VALUE_IN_MEMORY, VALUE_IN_REGISTER, VALUE_IN_VARIABLE };

struct value {
    struct type *type;
    enum value_place place;
    uint64_t address; /* IN_MEMORY */
    unsigned number;  /* IN_REGISTER: its number (language_env); IN_VARIABLE: of the variable */
    unsigned offset;  /* of a part of a register or variable */
    unsigned bit_offset, bit_size; /* of a bit-field; bit_size 0: none */
    bool lost;                     /* optimised out */
    bool unsaved;                  /* lost, because a call may have changed the register */
    const uint8_t *bytes;          /* the contents; NULL: not read yet (IN_MEMORY) */
    uint64_t size;                 /* of `bytes` */
};

/* A symbol of the ELF, without a type. */
struct plain_symbol {
    uint64_t address;
    uint64_t size; /* 0: not known */
    bool code;
};

/* The frame in which names of variables are looked up. */
struct frame_scope {
    uint64_t pc; /* 0: there is no frame; else in the function's code, of a caller: in its call */
    uint64_t canonical; /* pc as the debug information has it */
    unsigned level;     /* of the functions that are inlined at pc: 0 is the innermost */
};

/*
 * What the language asks of the machine. Registers have the numbers that find_register and
 * dwarf_register return. Each function that returns bool returns false for what does not exist.
 */
struct language_env {
    void *ctx;
    int (*find_register)(void *ctx, const char *name); /* without the $; -1: none */
    /*
     * A register by its number in the debug information; -1: none. NULL: there are no such
     * registers.
     */
    int (*dwarf_register)(void *ctx, unsigned dwarf_register);
    /*
     * The size of a register in bits (64, 32), and its type: 0 integer, 1 code address, 2 data
     * address, 3 floating point.
     */
    void (*register_kind)(void *ctx, unsigned number, unsigned *bits, unsigned *kind);
    /* The value of a register in the selected frame. False: unknown. */
    bool (*get_register)(void *ctx, unsigned number, uint64_t *value);
    bool (*set_register)(void *ctx, unsigned number, uint64_t value);
    /*
     * The bytes of a vector register, *bytes of them; NULL: the register is none. The other one
     * writes as many. Both may be NULL.
     */
    const uint8_t *(*get_vector)(void *ctx, unsigned number, unsigned *bytes);
    bool (*set_vector)(void *ctx, unsigned number, const uint8_t *bytes);
    bool (*load)(void *ctx, uint64_t address, void *to, size_t len);
    bool (*store)(void *ctx, uint64_t address, const void *from, size_t len);
    bool (*symbol)(void *ctx, const char *name, struct plain_symbol *s);
    /* The name of an address, as in "schedule+4", without the offset; NULL: it has none. */
    const char *(*name_at)(void *ctx, uint64_t address, uint64_t *offset);
    void (*frame)(void *ctx, struct frame_scope *f); /* NULL: there are no frames */
    bool (*frame_address)(void *ctx, uint64_t *cfa); /* of the selected frame; may be NULL */
    /* The value that a register had when the frame's function was entered; may be NULL. */
    bool (*entry_register)(void *ctx, unsigned dwarf_register, uint64_t *value);
};

/* `info` must outlive the language. */
struct language *language_new(const struct language_env *env, struct debug_info *info);
void language_free(struct language *l); /* NULL is allowed */
const struct language_env *language_env(const struct language *l);
struct debug_info *language_debug(const struct language *l);
struct types *language_types(const struct language *l);
const char *language_why(const struct language *l);

/* Sets the reason; returns false, for the caller to return. */
bool language_fail(struct language *l, const char *format, ...) PRINTF_LIKE(2, 3);
/* Allocates zeroed memory, which language_release frees. */
void *language_alloc(struct language *l, size_t size);
/* Frees the values of the last command except those in the history. */
void language_release(struct language *l);

/*
 * While this is on, only types are computed: every value that is read is 0, and no operation fails
 * by a value. Returns the former setting.
 */
bool language_types_only(struct language *l, bool on);
bool language_types_only_now(const struct language *l);

/* ---- making values ---- */

struct value value_of_int(struct language *l, struct type *type, uint64_t number);
struct value value_of_float(struct language *l, struct type *type, double number);
struct value value_of_bytes(struct language *l, struct type *type, const void *bytes,
                            uint64_t size);
struct value value_at(struct type *type, uint64_t address);
struct value value_of_register(struct language *l, unsigned number);
struct value value_lost(struct type *type);

/* ---- reading values ---- */

MUST_USE bool value_fetch(struct language *l, struct value *v); /* v->bytes become valid */
/* Converts to an integer: numbers, pointers; the address of an array or a function. */
MUST_USE bool value_integer(struct language *l, struct value v, uint64_t *number);
MUST_USE bool value_number(struct language *l, struct value v, double *number);
/*
 * Converts to an address: as value_integer, but a struct or a symbol without a type gives its own
 * address.
 */
MUST_USE bool value_address(struct language *l, struct value v, uint64_t *address);
/* Whether both values have the same bytes. */
bool value_is_same(struct language *l, struct value a, struct value b);
MUST_USE bool value_is_true(struct language *l, struct value v, bool *is_true);

/* ---- operators ---- */

enum value_operator {
    VALUE_ADD,
    VALUE_SUBTRACT,
    VALUE_MULTIPLY,
    VALUE_DIVIDE,
    VALUE_REMAINDER,
    VALUE_LEFT,
    VALUE_RIGHT,
    VALUE_AND,
    VALUE_OR,
    VALUE_XOR,
    VALUE_EQUAL,
    VALUE_DIFFERENT,
    VALUE_LESS,
    VALUE_GREATER,
    VALUE_AT_MOST,
    VALUE_AT_LEAST,
};

MUST_USE bool value_binary(struct language *l, enum value_operator op, struct value a,
                           struct value b, struct value *out);
MUST_USE bool value_negate(struct language *l, struct value v, struct value *out);
MUST_USE bool value_complement(struct language *l, struct value v, struct value *out);
MUST_USE bool value_cast(struct language *l, struct type *type, struct value v, struct value *out);
MUST_USE bool value_dereference(struct language *l, struct value v, struct value *out);
MUST_USE bool value_address_of(struct language *l, struct value v, struct value *out);
MUST_USE bool value_member(struct language *l, struct value v, const char *name, struct value *out);
/* Returns a part of a struct or array. */
struct value value_part(struct language *l, const struct value *v, struct type *type,
                        uint64_t offset);
struct value value_field(struct language *l, const struct value *v, const struct type_field *f);
MUST_USE bool value_index(struct language *l, struct value v, struct value index,
                          struct value *out);
MUST_USE bool value_repeat(struct language *l, struct value v, struct value count,
                           struct value *out); /* v @ count */
MUST_USE bool value_assign(struct language *l, struct value to, struct value from,
                           struct value *out);

/* ---- history and variables ---- */

/* Adds a value to the history and returns its number. */
MUST_USE bool value_record(struct language *l, struct value *v, unsigned *number);
/*
 * Finds a value of the history: with `absolute', number `number'; else that many before the last.
 * In an empty history the value is void.
 */
MUST_USE bool value_recall(struct language *l, bool absolute, uint64_t number, struct value *out);
unsigned value_history_count(const struct language *l);
/* Returns the number of the variable $name, which is made if there is none. */
unsigned variable_number(struct language *l, const char *name);
struct value variable_value(struct language *l, unsigned number);
MUST_USE bool variable_set(struct language *l, unsigned number, struct value v);
/* Calls back for each variable that has a value. */
void variables_each(struct language *l, void (*found)(void *ctx, const char *name, struct value v),
                    void *ctx);

/* ---- print.c ---- */

struct print_options {
    bool pretty;       /* a line for each member */
    unsigned elements; /* the most elements of arrays and strings that are printed; at first 200 */
    unsigned repeats;  /* as many equal elements or more are printed once; at first 10 */
};

struct print_options *language_options(struct language *l);

struct print_format {
    char letter; /* of x/d/u/o/t/z/c/a/f/s/i; 0: by the value's type */
    char size;   /* b, h, w, g; 0: none given */
    int64_t count;
};

/*
 * Prints a value as `print` does: with the types of pointers, and the strings that they point to.
 */
MUST_USE bool value_print(struct language *l, FILE *out, struct value v, struct print_format f);
/* Prints a value as a member of a struct or an argument of a function; errors are printed in <>. */
void value_print_inside(struct language *l, FILE *out, struct value v, struct print_format f,
                        bool summary);
/* Prints text as a literal of C, with "..." after it if it was cut. */
void print_text(struct language *l, FILE *out, const uint8_t *text, size_t len, bool cut);
void print_address_name(struct language *l, FILE *out, uint64_t address); /* " <schedule+4>" */

#endif
