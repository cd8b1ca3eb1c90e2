/*
 * symbols.h - names of virtual addresses, from an ELF's symbol table or from a
 * text file as nm, System.map and /proc/kallsyms have it. Immutable once read, but for
 * symbols_hide_below.
 *
 * Left out: undefined, section, file and TLS symbols, the mapping symbols of
 * the RISC-V ELF psABI ($x, $d) and assembler-local names (.L...).
 */
#ifndef LOAD_SYMBOLS_H
#define LOAD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/diag.h"

struct symbols;

enum symbol_kind {
    SYMBOL_ABSOLUTE, /* a number, not a place: found by name only */
    SYMBOL_LABEL,
    SYMBOL_OBJECT,
    SYMBOL_FUNC,
};

struct symbol {
    const char *name;
    uint64_t addr;
    uint64_t size; /* 0: not known */
    uint64_t end;  /* first address that is no longer its: by size, next symbol or section */
    enum symbol_kind kind;
    bool global; /* not local; weak ones count as global */
};

/*
 * Reads `path`, an ELF or a text file. On failure a message
 * was printed through d, *out is untouched, and the answer is EXIT_NO_FILE,
 * EXIT_IO, or EXIT_BAD_FILE. A stripped ELF is no failure: no symbols.
 */
MUST_USE enum exit_status symbols_read(const char *path, const struct diag *d,
                                       struct symbols **out);

/*
 * Text only: lines `address type name`, or with a size after the address as
 * nm -S writes it; undefined ones (no address) are skipped.
 */
MUST_USE enum exit_status symbols_read_map(const char *path, const struct diag *d,
                                           struct symbols **out);

/* From an ELF that is in memory already; empty if it has none, or is no ELF. Never NULL. */
struct symbols *symbols_from_elf(const uint8_t *bytes, size_t size);

/*
 * From Linux's `Image`: the kernel has the names of its functions, and with CONFIG_KALLSYMS_ALL of
 * its data, in a table of its own. The addresses are those it was linked to. NULL: it has none that
 * is known here.
 */
struct symbols *symbols_from_kallsyms(const uint8_t *bytes, size_t size);

void symbols_free(struct symbols *s); /* NULL is allowed; so it is in all below */

/*
 * The name for an address, and how far into it the address lies; offset may be
 * NULL. NULL: no symbol reaches there. The nearest one below wins, a function
 * before other names at the same address, a global name before a local one;
 * but a local label inside of a function of known size does not hide it.
 */
const char *symbols_at(const struct symbols *s, uint64_t addr, uint64_t *offset);

/* The same, with everything known of it. */
const struct symbol *symbols_lookup(const struct symbols *s, uint64_t addr);

/* Only functions count, so an inner label such as ftrace_call is not seen. */
const struct symbol *symbols_function_at(const struct symbols *s, uint64_t addr);

/*
 * From here on no symbol below `lowest` is a name of an address: what lies below the image is no
 * code or data of it, but a size or an offset that has a symbol, and user addresses are there.
 * symbols_find still finds them.
 */
void symbols_hide_below(struct symbols *s, uint64_t lowest);

/* By name, a global one before a local one, then the lowest address. */
MUST_USE bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr);

/* In ascending order of address; i < symbols_count(). */
size_t symbols_count(const struct symbols *s);
const struct symbol *symbols_get(const struct symbols *s, size_t i);

#endif
