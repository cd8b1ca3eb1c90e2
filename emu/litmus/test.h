/*
 * test.h - a litmus test in herd's format: what it starts with, a program for each hart, and the
 * condition on how it ends.
 *
 *     RISCV MP
 *     { 0:x6=x; 0:x8=y; 1:x6=y; 1:x8=x; }
 *      P0          | P1          ;
 *      ori x5,x0,1 | lw x5,0(x6) ;
 *      sw x5,0(x6) | lw x7,0(x8) ;
 *      sw x5,0(x8) |             ;
 *     exists (1:x5=1 /\ 1:x7=0)
 *
 * Beyond numbers and locations, a register or a location may start with an instruction
 * (instr:"nop"), with a label of a program (P1:mod), with a page table entry
 * ((oa:PA(p), valid:1)) or the address of one (PTE(x)).
 */
#ifndef LITMUS_TEST_H
#define LITMUS_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"

enum { LITMUS_HARTS_MAX = 8, LITMUS_LOCATIONS_MAX = 64 };

enum value_kind {
    VALUE_NUMBER,
    VALUE_LOCATION, /* the address of the location `name' */
    VALUE_LABEL,    /* the address of the label `name' in the program of `hart' */
    VALUE_INSN,     /* the encoding of the instruction `name' */
    VALUE_ENTRY,    /* a page table entry that leads to the page of the location `name' */
    VALUE_ENTRY_OF, /* the address of the page table entry of the location `name' */
};

struct value {
    enum value_kind kind;
    uint64_t number; /* VALUE_NUMBER; VALUE_LOCATION: bytes after its start; VALUE_ENTRY: the bits
                      * that the entry has besides the page */
    char *name;
    unsigned hart;
};

/* A place that the test names: a register of a hart, or a location in memory. */
struct place {
    bool is_register;
    unsigned hart, reg; /* a register */
    size_t location;    /* memory: index in the test's locations */
    unsigned element;   /* of an array */
};

bool place_equal(const struct place *a, const struct place *b);

struct location {
    char *name;
    unsigned size;  /* bytes of an element: 1, 2, 4 or 8 */
    unsigned count; /* elements; 1 unless it is an array */
    bool is_signed;
    bool is_pointer;
    bool has_entry; /* it has a page table entry of its own choice */
    struct value entry;
    struct value start;            /* of each element */
    VEC_OF(struct value) elements; /* the first ones, if they start with different values */
};

struct start {
    unsigned hart, reg;
    struct value value;
};

/* A line of a hart's program: a label, an instruction, or both. */
struct line {
    char *label, *insn; /* NULL: none */
    unsigned number;    /* of the line in the file */
};

struct program {
    VEC_OF(struct line) lines;
};

enum condition_kind {
    CONDITION_TRUE,
    CONDITION_EQUAL,
    CONDITION_NOT,
    CONDITION_AND,
    CONDITION_OR,
    CONDITION_IMPLIES,
};

struct condition {
    enum condition_kind kind;
    struct place place; /* CONDITION_EQUAL */
    struct value value;
    struct condition *left, *right; /* CONDITION_NOT: left only */
};

enum quantifier { QUANTIFIER_EXISTS, QUANTIFIER_NOT_EXISTS, QUANTIFIER_FORALL };

struct test {
    char *path, *name, *arch;
    VEC_OF(struct location) locations;
    VEC_OF(struct start) starts;
    struct program programs[LITMUS_HARTS_MAX];
    unsigned harts;
    bool translated; /* Variant=vm, or page table entries are named: harts run in S-mode, by Sv39 */
    bool fetches;    /* Variant=self, or code is named: fetches are accesses of the memory model */
    enum quantifier quantifier;
    struct condition *condition;
    struct condition *filter; /* only ends for which it holds count; NULL: all do */
    char *condition_text;     /* as in the file, in one line */
    /* The places whose values make a final state, in the order in which they are printed. */
    VEC_OF(struct place) observed;
};

/*
 * Parses a test. NULL: it is malformed, and *problem says why, after the number of the line ("3:
 * ..."); the caller frees it. A test for another architecture has an `arch' that is not "RISCV",
 * and nothing of it was read but its name.
 */
MUST_USE struct test *test_parse(const char *path, const char *text, char **problem);
void test_delete(struct test *t); /* NULL is allowed */

bool test_is_riscv(const struct test *t);

/* The index of the location; SIZE_MAX: there is none with that name. */
size_t test_find_location(const struct test *t, const char *name);

/* The number of a register by any of its names, x10 or a0; 32: it is none. */
unsigned register_number(const char *name);

#endif
