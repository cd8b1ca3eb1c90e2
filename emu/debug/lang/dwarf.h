/*
 * dwarf.h - names, types and scopes by a program's debug information (libdw).
 *
 * Nothing is read before the first call that needs it. The first search for a name makes an index
 * of all global names, which takes about 0.1 s for Linux. Without debug information nothing is
 * found. This header is for the files of the debugger that read DWARF themselves; all others use
 * symbols.h of expressions (expr.h).
 */
#ifndef DEBUG_DWARF_H
#define DEBUG_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "debug/lang/type.h"

struct lines;
struct debug_info;

/* `lines` may be NULL and must outlive it. Never NULL. */
struct debug_info *debug_info_new(struct lines *lines);
void debug_info_free(struct debug_info *i); /* NULL is allowed */

struct types *debug_types(struct debug_info *i);
Dwarf *debug_dwarf(struct debug_info *i); /* NULL: none */
struct lines *debug_lines(struct debug_info *i);

/* Whether an address of the image is in a section of instructions. False without the ELF. */
bool debug_is_code(struct debug_info *i, uint64_t address);
/* Returns the name of the section with the address; NULL: unknown. */
const char *debug_section(struct debug_info *i, uint64_t address);

/* Calls back for each section that is in memory. False: there are none. */
bool debug_each_section(struct debug_info *i,
                        void (*found)(void *ctx, const char *name, uint64_t start, uint64_t size),
                        void *ctx);

/* ---- scopes ---- */

/*
 * The blocks around an address: the function first, then blocks and inlined functions, the
 * innermost last. One frame of the machine is as many frames of the program as there are
 * functions among them.
 */
enum { BLOCKS_MAX = 32 };

struct blocks {
    Dwarf_Die unit;
    Dwarf_Die at[BLOCKS_MAX];
    unsigned count; /* 0: the address is in no function with debug information */
};

MUST_USE bool debug_blocks(struct debug_info *i, uint64_t pc, struct blocks *b);

/* Returns the number of inlined functions among the blocks, one in the other. */
unsigned debug_inlined(const struct blocks *b);
/* Returns the index in b->at of the function of frame `level`: 0 is the innermost inlined one. */
unsigned debug_function_of(const struct blocks *b, unsigned level);

/* ---- names ---- */

enum debug_class {
    DEBUG_VARIABLE, /* with a location */
    DEBUG_FUNCTION,
    DEBUG_CONSTANT, /* a value of an enum */
    DEBUG_TYPEDEF,
};

struct debug_symbol {
    enum debug_class class;
    const char *name;
    struct type *type;
    Dwarf_Die die;
    uint64_t address; /* FUNCTION; VARIABLE, if `fixed` */
    bool fixed;       /* its address does not depend on a frame */
    bool local;       /* found in a block of a function */
    int64_t value;    /* CONSTANT */
};

/*
 * Finds the symbol of this name that is seen from frame `level` at `pc`: in its blocks, then in its
 * file, then in any file. pc 0: only the last.
 */
MUST_USE bool debug_find(struct debug_info *i, uint64_t pc, unsigned level, const char *name,
                         struct debug_symbol *s);

/*
 * Finds the symbol of this name in a function and its blocks, or in a source file, whose name may
 * be the end of a path. *known: there is such a function or file.
 */
MUST_USE bool debug_find_in(struct debug_info *i, const char *scope, const char *name,
                            struct debug_symbol *s, bool *known);
/* Whether the DIE is in the function with this address. */
bool debug_is_in(struct debug_info *i, uint64_t pc, Dwarf_Die *die);

/*
 * Returns the type of a variable or function that is only declared; NULL: there is no declaration.
 */
struct type *debug_find_declared(struct debug_info *i, const char *name);

/* Returns the STRUCT, UNION, ENUM or TYPEDEF (also a base type) of this name; NULL: none. */
struct type *debug_find_type(struct debug_info *i, enum type_kind kind, const char *name);

/*
 * Makes the symbol of a DIE that is a variable, parameter or function; false: it has no name or
 * type.
 */
MUST_USE bool debug_symbol_of(struct debug_info *i, Dwarf_Die *die, struct debug_symbol *s);
struct type *debug_type_of(struct debug_info *i,
                           Dwarf_Die *die); /* by its DW_AT_type; NULL: void */

/* Calls back for each global name: die, its tag, its unit. */
void debug_each_name(struct debug_info *i,
                     void (*found)(void *ctx, Dwarf_Die *die, int tag, const char *name),
                     void *ctx);

#endif
