/*
 * symbols.h - names of virtual addresses, from an ELF's symbol table or from a
 * text file in the format of nm, System.map and /proc/kallsyms. Immutable once read,
 * except by symbols_hide_below and symbols_set_more.
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
    SYMBOL_ABSOLUTE, /* a number, not an address: found by name only */
    SYMBOL_LABEL,
    SYMBOL_OBJECT,
    SYMBOL_FUNC,
};

/* A kernel has a hundred thousand to a million of them, so it is small. */
struct symbol {
    const char *name;
    uint64_t addr;
    uint64_t end;   /* first address after it: by its size, or by the next symbol or section end */
    uint32_t outer; /* of symbols.c: the nearest symbol before it that extends over its start */
    uint32_t wider : 27; /* of symbols.c: the nearest function with a size before it */
    enum symbol_kind kind : 2;
    bool global : 1; /* not local; weak ones count as global */
    bool weak : 1;
    bool sized : 1; /* its size is known, and not 0 */
};

/*
 * Reads `path`, an ELF or a text file. On an error, EXIT_NO_FILE, EXIT_IO or
 * EXIT_BAD_FILE, a message is given through d and *out is unchanged. A stripped
 * ELF is not an error: it has no symbols.
 */
MUST_USE enum exit_status symbols_read(const char *path, const struct diag *d,
                                       struct symbols **out);

/*
 * The same for a text file: lines `address type name`, or with a size after the
 * address as nm -S writes it; undefined symbols (without address) are skipped.
 */
MUST_USE enum exit_status symbols_read_map(const char *path, const struct diag *d,
                                           struct symbols **out);

/* The symbols of an ELF in memory; empty if it has none or is not an ELF. Never NULL. */
struct symbols *symbols_from_elf(const uint8_t *bytes, size_t size);

/*
 * From Linux's `Image`: the kernel has the names of its functions, and with CONFIG_KALLSYMS_ALL of
 * its data, in a table of its own. The addresses are those it was linked to. NULL: it has none that
 * is known here.
 */
struct symbols *symbols_from_kallsyms(const uint8_t *bytes, size_t size);

void symbols_free(struct symbols *s); /* NULL is allowed here and in all functions below */

/*
 * The symbol that contains an address, and the offset in it (`offset` may be
 * NULL). NULL: no symbol contains it. The nearest one below is preferred; at the
 * same address functions to other symbols, and global names to local ones. A
 * local label inside a function of known size does not hide the function.
 */
const char *symbols_at(const struct symbols *s, uint64_t addr, uint64_t *offset);

/* A source of further names, such as those of modules that the guest has loaded. */
struct symbols_more {
    const char *(*name_at)(void *ctx, uint64_t addr, uint64_t *offset); /* as symbols_at */
    void *ctx;
};
void symbols_set_more(struct symbols *s, struct symbols_more more);

/* Like symbols_at, also with these further names. It takes longer, and is for text that users read.
 * The name is valid until the next call. */
const char *symbols_name_at(const struct symbols *s, uint64_t addr, uint64_t *offset);

/* The same as text, cut to `size` bytes: "schedule+0x1c"; "" where nothing has a name. */
void symbols_text_at(const struct symbols *s, uint64_t addr, char *text, size_t size);

/* The same, returning the symbol. */
const struct symbol *symbols_lookup(const struct symbols *s, uint64_t addr);

/* The function that contains the address; labels inside it, such as ftrace_call, are ignored. */
const struct symbol *symbols_function_at(const struct symbols *s, uint64_t addr);

/*
 * Finds the first address of the function that contains this one, and the address after its end;
 * also of functions of modules. False: no function is known there.
 */
MUST_USE bool symbols_bounds(const struct symbols *s, uint64_t addr, uint64_t *start,
                             uint64_t *end);

/*
 * Excludes symbols below `lowest` as names of addresses. Symbols below the image are not its code
 * or data, but sizes or offsets, and would give names to user addresses. symbols_find still finds
 * them.
 */
void symbols_hide_below(struct symbols *s, uint64_t lowest);

/* Finds a symbol by name: a global one before a local one, then the lowest address. */
MUST_USE bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr);

/* The symbols in ascending order of address; i < symbols_count(). */
size_t symbols_count(const struct symbols *s);
const struct symbol *symbols_get(const struct symbols *s, size_t i);

#endif
