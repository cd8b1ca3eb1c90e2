/*
 * sites.h - the places that ftrace patches, and what their bytes mean.
 *
 * A site is an auipc/jalr pair or the nops in its place: eight bytes at a
 * 2-byte boundary. The table is immutable once made; ids are dense, in
 * ascending order of address. Encodings: RISC-V Linux 4.18 to 5.11
 * (arch/riscv/include/asm/ftrace.h), layout `mcount`.
 */
#ifndef FTRACE_SITES_H
#define FTRACE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct image;
struct symbols;
struct site_table;

enum { SITE_BYTES = 8, NO_SITE = UINT32_MAX };

enum site_kind {
    SITE_FUNCTION,   /* at a function's entry; one for each traced function */
    SITE_TRACE_CALL, /* ftrace_call: which tracer the trampoline calls */
    SITE_GRAPH_CALL, /* ftrace_graph_call: whether it calls prepare_ftrace_return */
};

enum site_state {
    SITE_INIT,  /* calls _mcount, as the compiler left it */
    SITE_OFF,   /* two nops */
    SITE_ON,    /* calls something else */
    SITE_OTHER, /* neither: half a patch, or no site at all */
    SITE_STATES,
};

struct site {
    uint64_t va, pa; /* of the pair */
    const char
        *function; /* that holds it; "ftrace_call" and the like for the trampoline's; "" unknown */
    enum site_kind kind;
    bool passes_ra; /* a `mv a0,ra` for _mcount stands before the pair, and is executed in every
                       state */
};

/*
 * From __start_mcount_loc..__stop_mcount_loc and the trampoline's labels. An
 * image without them has an empty table. Entries that lie outside of the
 * image's text are left out with a warning. Never NULL.
 */
struct site_table *site_table_new(const struct image *im, const struct symbols *symbols,
                                  const struct diag *d);
void site_table_free(struct site_table *t);

size_t site_count(const struct site_table *t);
const struct site *site_get(const struct site_table *t, uint32_t id); /* id < site_count() */

/* The site that has a byte in [pa, pa+size), or NO_SITE. */
uint32_t site_find(const struct site_table *t, uint64_t pa, unsigned size);

/* The address of _mcount; 0: the image has none. */
uint64_t site_mcount(const struct site_table *t);

/* What the eight bytes at a site of that address do. `target`, if not NULL: where the pair leads.
 */
enum site_state site_state(const struct site_table *t, uint64_t va, const uint8_t bytes[SITE_BYTES],
                           uint64_t *target);

const char *site_state_name(enum site_state state); /* "init", "off", "on", "other" */
const char *site_kind_name(enum site_kind kind);

#endif
