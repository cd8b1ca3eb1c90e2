/*
 * cfi.h - call frame information: where the registers of a function's caller are, by .debug_frame
 * (DWARF 5, 6.4).
 *
 * libdw reads each entry until it comes to that of the address, which takes long in a kernel. Here
 * the addresses of all entries are listed first, and one entry is read. What compilers seldom write
 * is not read: expressions, and other versions of the section.
 */
#ifndef LOAD_CFI_H
#define LOAD_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

enum { CFI_REGISTERS = 32 };

/* Where the caller's value of a register is. */
enum cfi_rule {
    CFI_UNSPECIFIED,
    CFI_SAME,
    CFI_UNDEFINED,
    CFI_IN_MEMORY,   /* at the CFA + value */
    CFI_FROM_CFA,    /* it is the CFA + value */
    CFI_IN_REGISTER, /* in register `value' */
};

/* What holds at one instruction. The CFA is the sp at the function's entry. */
struct cfi_row {
    unsigned cfa_register;
    int64_t cfa_offset;
    struct {
        enum cfi_rule rule;
        int64_t value;
    } registers[CFI_REGISTERS];
};

struct cfi;

/*
 * The section must outlive the result. NULL: something about all of it is of a kind that is not
 * read.
 */
struct cfi *cfi_new(const uint8_t *section, size_t size);
void cfi_free(struct cfi *c); /* NULL is allowed */

enum cfi_answer {
    CFI_NONE, /* no entry has the address */
    CFI_FOUND,
    CFI_OTHER, /* it has one of a kind that is not read */
};
MUST_USE enum cfi_answer cfi_find(const struct cfi *c, uint64_t pc, struct cfi_row *row);

#endif
