/*
 * sites.h - the places that ftrace patches, and the states that their bytes mean.
 *
 * A site is an auipc/jalr pair or the nops in its place, at a 2-byte boundary; the image's layout
 * determines what else belongs to it (layout.h). Ids are consecutive and not reused: first the
 * sites of the image, in ascending order of address, then those that are added while the guest runs
 * (modules). A site is gone when its memory was freed and used for something else: it keeps its id
 * and its counts, but is no longer found by its address.
 */
#ifndef FTRACE_SITES_H
#define FTRACE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ftrace/sites/layout.h"

struct diag;
struct image;
struct probe_code;
struct symbols;
struct site_table;
struct state_io;

enum { SITE_BYTES = 8, SITE_BYTES_MAX = 16, NO_SITE = UINT32_MAX };

enum site_kind {
    SITE_FUNCTION,        /* at a function's entry; one for each traced function */
    SITE_TRACE_CALL,      /* ftrace_call: the trampoline's call of the tracer */
    SITE_GRAPH_CALL,      /* ftrace_graph_call: its call of prepare_ftrace_return */
    SITE_REGS_CALL,       /* ftrace_regs_call, ftrace_graph_regs_call: the same in the */
    SITE_GRAPH_REGS_CALL, /* trampoline that saves all registers */
    SITE_KINDS,
};

enum site_state {
    SITE_INIT,  /* as the compiler left it: a call of _mcount, or compressed nops */
    SITE_OFF,   /* nops; in `atomic` and `callops` an auipc that stays, and a nop */
    SITE_ON,    /* a call of the trampoline or tracer */
    SITE_OTHER, /* none of these: half of a patch, or not a site at all */
    SITE_STATES,
};

struct site {
    uint64_t va, pa;      /* of its first instruction */
    const char *function; /* the function with the site; for the trampoline's "ftrace_call" etc.;
                             "": unknown */
    const char *module;   /* of a site that was added; "": not known; NULL: of the image */
    enum site_kind kind;
    uint8_t size;    /* bytes: 8 or 16 */
    bool gone;       /* its memory is used for something else */
    uint8_t ra_copy; /* bytes from a `mv a0,ra` for _mcount, executed in every state, to the pair;
                        0: none */
};

/*
 * Builds the table from __start_mcount_loc..__stop_mcount_loc and the labels of the
 * trampoline. An image without them has an empty table. Entries outside of the
 * image's text are left out with a warning. Never NULL.
 */
struct site_table *site_table_new(const struct image *im, const struct symbols *symbols,
                                  const struct diag *d);
void site_table_free(struct site_table *t);

/* The number of sites, including those that are gone. */
size_t site_count(const struct site_table *t);

/* id < site_count(). The pointer is valid until a site is added. */
const struct site *site_get(const struct site_table *t, uint32_t id);

/*
 * Adds a site of the table's layout, with copies of the names of its function and module. Returns
 * its id; NO_SITE: there is a site at this address already.
 */
uint32_t site_add(struct site_table *t, const struct site *s);
void site_remove(struct site_table *t, uint32_t id); /* marks it as gone; must not be gone yet */

/* Called after the table has changed: the site `id` was added or is gone. */
struct site_listener {
    void (*changed)(void *ctx, uint32_t id);
    void *ctx;
};
enum { SITE_LISTENERS_MAX = 4 };
void site_table_listen(struct site_table *t, struct site_listener listener);

/*
 * Saves or restores the table. Listeners are not called by a restore: they restore their own state
 * after it.
 */
void site_table_state_io(struct state_io *io, struct site_table *t);

/*
 * Of the code that a kernel may free (that of modules) or has freed, in the page of the virtual
 * address pc: the last site at or before pc, else the first one after it; NO_SITE: none is there.
 * `gone`: only sites whose memory is used for something else.
 */
uint32_t site_freeable_near(const struct site_table *t, uint64_t pc, bool gone);

/* The site that has a byte in [pa, pa+size), or NO_SITE. */
uint32_t site_find(const struct site_table *t, uint64_t pa, unsigned size);

/*
 * The sites of the image in ascending order of their physical addresses, also those that are gone:
 * the id of number i, and the number of the first one at or after pa; their count if there is none.
 */
uint32_t site_of_image(const struct site_table *t, uint32_t i);
uint32_t site_first_of_image(const struct site_table *t, uint64_t pa);

/*
 * In `callops`: the site whose ftrace_ops pointer, which is stored before it, has a byte in
 * [pa, pa+size); or NO_SITE.
 */
uint32_t site_find_literal(const struct site_table *t, uint64_t pa, unsigned size);

/* The address of _mcount; 0: the image has none. */
uint64_t site_mcount(const struct site_table *t);

/* The address of the site of an entry of __mcount_loc. */
uint64_t site_of_entry(const struct site_table *t, uint64_t entry);

/* Whether an entry of the image's __mcount_loc leads to the address, and is no site of the table.
 */
bool site_is_left_out(const struct site_table *t, uint64_t va);

enum site_layout site_layout(const struct site_table *t);
const struct layout_traits *site_traits(const struct site_table *t); /* of its layout */

/* Whether the kernel turns its sites on and off. */
bool sites_are_patched(const struct site_table *t);

/*
 * The size of the `mv a0,ra` at the end of these bytes, which GCC puts before a call of _mcount; 0:
 * there is none.
 */
unsigned site_ra_copy(const uint8_t bytes[4]);

/*
 * Whether these can be the bytes of a site, in any state or between two states during a patch with
 * stores of any size: the lowest byte of each word is that of a possible instruction. Zeroes and
 * poison values are not.
 */
bool site_may_hold(const struct site *s, const uint8_t *bytes);

/*
 * Whether one of its words is a breakpoint: Linux allows a kprobe in a site. The instruction below
 * is then executed elsewhere, or simulated.
 */
bool site_has_breakpoint(const struct site *s, const uint8_t *bytes);

/* Whether a patch is one aligned store, to the second word, so that no hart must be stopped. */
bool site_is_atomic(const struct site_table *t, const struct site *s);

/* The register through which the site's pair calls: REG_RA or REG_T0. */
unsigned site_link(const struct site_table *t, const struct site *s);

/* Whether the site is a call in this state; and the offset in bytes to which the call returns. */
bool site_calls(const struct site_table *t, const struct site *s, enum site_state state);
unsigned site_resume_offset(const struct site_table *t, const struct site *s);

/* The state that a site's bytes mean (s->size bytes). *target, if not NULL: the pair's target. */
enum site_state site_state(const struct site_table *t, const struct site *s, const uint8_t *bytes,
                           uint64_t *target);

/* The same for the bytes that a hart decodes; `code` begins `offset` bytes after the site's start.
 */
enum site_state site_state_fetched(const struct site_table *t, const struct site *s,
                                   const struct probe_code *code, int offset);

const char *site_state_name(enum site_state state); /* "init", "off", "on", "other" */
const char *site_kind_name(enum site_kind kind);

#endif
