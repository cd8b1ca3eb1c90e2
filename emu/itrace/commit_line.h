/*
 * commit_line.h - a line of an instruction trace, in the format of Spike's commit log.
 *
 *     core   0: 3 0x0000000080000004 (0x0002a503) x10 0x0000000000000011 mem 0x0000000080001000
 *
 * That is hart, mode (0 U, 1 S, 3 M), pc, and the word with as many digits as it has; then the
 * registers that were written (x, f, and CSRs as c384_satp), the addresses that were read, and
 * those that were written, each with its value. Other lines begin with `core', too: exceptions,
 * names of functions, and disassembly (spike -l). They are no commits.
 */
#ifndef ITRACE_COMMIT_LINE_H
#define ITRACE_COMMIT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct commit_line {
    unsigned hart, mode;
    unsigned size; /* bytes of the instruction: 2 or 4 */
    uint32_t word; /* a compressed one in the low half */
    uint64_t pc;
};

/* What follows in a line. */
enum commit_kind { COMMIT_X, COMMIT_F, COMMIT_CSR, COMMIT_LOAD, COMMIT_STORE, COMMIT_OTHER };

struct commit_item {
    enum commit_kind kind;
    unsigned number; /* of the register */
    unsigned size;   /* STORE: bytes, 1 to 8 */
    uint64_t va;     /* LOAD, STORE */
    uint64_t value;
};

/* ---- reading ---- */

/*
 * Reads the line's head. False: it is no commit. *rest: what follows, for commit_next. A commit of
 * an instruction that is longer than four bytes is none.
 */
MUST_USE bool commit_read(const char *line, struct commit_line *head, const char **rest);

/* Reads the next item. False: there is none. An item that is not known here is COMMIT_OTHER. */
MUST_USE bool commit_next(const char **rest, struct commit_item *item);

/* ---- writing ---- */

/*
 * Each function writes at `to' and returns the end of what it has written: at most COMMIT_HEAD_MAX
 * or COMMIT_ITEM_MAX bytes.
 */
enum { COMMIT_HEAD_MAX = 64, COMMIT_ITEM_MAX = 64 };
char *commit_put_head(char *to, const struct commit_line *head);
char *commit_put_item(char *to, const struct commit_item *item, const char *csr_name);

/* "core   0: ", with which also the lines that are no commits begin. */
char *commit_put_core(char *to, unsigned hart);
char *commit_put_hex(char *to, uint64_t value, unsigned digits); /* with 0x */
char *commit_put_text(char *to, const char *text);

#endif
