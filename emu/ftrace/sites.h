/*
 * sites.h - the places that ftrace patches, and what their bytes mean.
 *
 * A site is an auipc/jalr pair or the nops in its place, at a 2-byte boundary;
 * what else belongs to it is a matter of its layout, which one image has one
 * of. Ids are dense and never used again: first those of the image, in ascending
 * order of address, then those that are added while the guest runs (modules). A
 * site that is gone (its memory was freed and is used for something else) keeps
 * its id and its counts, and is found no more.
 */
#ifndef FTRACE_SITES_H
#define FTRACE_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct diag;
struct image;
struct probe_view;
struct symbols;
struct site_table;
struct state_io;

enum { SITE_BYTES = 8, SITE_BYTES_MAX = 16, NO_SITE = UINT32_MAX };

/* The forms that RISC-V Linux has had, by its versions; arch/riscv/include/asm/ftrace.h of each. */
enum site_layout {
    LAYOUT_NONE,    /* nothing is patched, and nothing is called either */
    LAYOUT_STATIC,  /* 4.16: calls of _mcount that stay */
    LAYOUT_MCOUNT,  /* 4.18: calls of _mcount become nops, nops become calls through ra */
    LAYOUT_PFE16,   /* 5.12: sd ra / auipc ra / jalr ra / ld ra at the function's entry */
    LAYOUT_PFE8,    /* 6.3: auipc t0 / jalr t0 at the function's entry */
    LAYOUT_ATOMIC,  /* 6.16: the same, of which only the aligned jalr changes */
    LAYOUT_CALLOPS, /* 6.16: the same, after the address of an ftrace_ops */
};

enum site_kind {
    SITE_FUNCTION,        /* at a function's entry; one for each traced function */
    SITE_TRACE_CALL,      /* ftrace_call: which tracer the trampoline calls */
    SITE_GRAPH_CALL,      /* ftrace_graph_call: whether it calls prepare_ftrace_return */
    SITE_REGS_CALL,       /* ftrace_regs_call, ftrace_graph_regs_call: the same where all */
    SITE_GRAPH_REGS_CALL, /* registers are saved */
};

enum site_state {
    SITE_INIT,  /* as the compiler left it: a call of _mcount, or compressed nops */
    SITE_OFF,   /* nops; or, for good, an auipc and a nop */
    SITE_ON,    /* calls something else */
    SITE_OTHER, /* neither: half a patch, or no site at all */
    SITE_STATES,
};

struct site {
    uint64_t va, pa; /* of its first instruction */
    const char
        *function; /* that holds it; "ftrace_call" and the like for the trampoline's; "" unknown */
    enum site_kind kind;
    uint8_t size;   /* bytes: 8 or 16 */
    bool gone;      /* there is something else at its address now */
    bool passes_ra; /* a `mv a0,ra` for _mcount comes before the pair, and is executed in every
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

/* Of all that there are or were. */
size_t site_count(const struct site_table *t);

/* id < site_count(); good until a site is added. */
const struct site *site_get(const struct site_table *t, uint32_t id);

/* Of those that the table began with; the others were added while the guest ran, as of modules. */
bool site_is_of_image(const struct site_table *t, uint32_t id);

/*
 * A site of the table's layout at an address that has none. Copies the function's name. Answers
 * its id; NO_SITE: there is one already.
 */
uint32_t site_add(struct site_table *t, const struct site *s);
void site_remove(struct site_table *t, uint32_t id); /* it is gone; it must not be yet */

/* Is told when the table has changed: a site was added, or one is gone now. */
struct site_listener {
    void (*changed)(void *ctx, uint32_t id);
    void *ctx;
};
enum { SITE_LISTENERS_MAX = 4 };
void site_table_listen(struct site_table *t, struct site_listener listener);

/*
 * Saves or restores which sites there are. Listeners are not told of a restore: they restore their
 * own state after this.
 */
void site_table_state_io(struct state_io *io, struct site_table *t);

/* The site that has a byte in [pa, pa+size), or NO_SITE. */
uint32_t site_find(const struct site_table *t, uint64_t pa, unsigned size);

/* In `callops`: the site whose ops the eight bytes at pa name, for they stand before it; or
 * NO_SITE. */
uint32_t site_find_literal(const struct site_table *t, uint64_t pa, unsigned size);

/* The address of _mcount; 0: the image has none. */
uint64_t site_mcount(const struct site_table *t);

enum site_layout site_layout(const struct site_table *t);
const char *site_layout_name(enum site_layout layout); /* "none", "mcount", ... */

/* Whether these four bytes end with the `mv a0,ra` that GCC puts before a call of _mcount. */
bool site_is_mv_a0_ra(const uint8_t bytes[4]);

/*
 * Whether these can be the bytes of a site, also while it is being patched from one form to another
 * by stores of any size: each word has the opcode of some form. Poison and zeroes have none.
 */
bool site_may_hold(const struct site *s, const uint8_t *bytes);

/* Whether one aligned store to its second word is a whole patch, so that no hart has to be stopped.
 */
bool site_is_atomic(const struct site_table *t, const struct site *s);

/* Whether the site calls other code in this state, and at which offset from its start that returns.
 */
bool site_calls(const struct site_table *t, const struct site *s, enum site_state state);
unsigned site_resume_offset(const struct site_table *t, const struct site *s);

/* What the site's bytes do, s->size of them. `target`, if not NULL: where the pair leads. */
enum site_state site_state(const struct site_table *t, const struct site *s, const uint8_t *bytes,
                           uint64_t *target);

/* The same for the hart that decodes `view`, which begins `offset` bytes after the site's start. */
enum site_state site_state_fetched(const struct site_table *t, const struct site *s,
                                   const struct probe_view *view, unsigned offset);

const char *site_state_name(enum site_state state); /* "init", "off", "on", "other" */
const char *site_kind_name(enum site_kind kind);

#endif
