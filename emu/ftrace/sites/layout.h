/*
 * layout.h - what the layouts of call sites have in common and how they differ: the traits of each
 * one, as a row of layout.def. Code asks for a trait, not for a layout.
 */
#ifndef FTRACE_LAYOUT_H
#define FTRACE_LAYOUT_H

#include <stdint.h>

enum site_layout {
#define L(id, name, patching, place, size, pair, link, back, tracer, literal) LAYOUT_##id,
#include "ftrace/sites/layout.def"
#undef L
    SITE_LAYOUTS,
};

/* How the kernel turns sites on and off. */
enum site_patching {
    PATCHED_NO_SITES, /* there are none */
    PATCHED_NEVER,    /* every site calls _mcount, always */
    PATCHED_STOPPED,  /* by several stores, while the other harts are stopped */
    PATCHED_AT_ONCE,  /* by one aligned store, to the second word, while other harts run */
};

enum site_place {
    SITE_AFTER_PROLOGUE, /* the function has a frame, and has saved ra there */
    SITE_AT_ENTRY,       /* before the function's first own instruction */
};

/* Where the return address of a function is while its site calls. */
enum return_place {
    RETURN_IN_FRAME, /* below s0, where the prologue has stored ra; `mv a0,ra` has put it in a0 */
    RETURN_BELOW_SP, /* in the doubleword below sp, where the site has stored ra */
    RETURN_IN_RA,    /* in ra still, as the site links through another register */
};

/* What determines the function that is called for a site that is on. */
enum tracer_source {
    TRACER_BY_MCOUNT,     /* _mcount, which is not patched, reads a variable */
    TRACER_BY_TRAMPOLINE, /* the trampoline has sites of its own, ftrace_call and the like */
    TRACER_BY_VARIABLE,   /* the trampoline reads ftrace_call_dest */
    TRACER_BY_SITE, /* the trampoline reads the address of an ftrace_ops before the function */
};

struct layout_traits {
    const char *name;
    enum site_patching patching;
    enum site_place place;
    enum return_place return_place;
    enum tracer_source tracer;
    uint8_t size;    /* bytes of a function's site */
    uint8_t pair;    /* offset in bytes of the auipc/jalr pair in it */
    uint8_t link;    /* the register through which the pair calls: REG_RA or REG_T0 */
    uint8_t literal; /* bytes of the ftrace_ops pointer before the function; 0: there is none */
};

/* layout < SITE_LAYOUTS */
const struct layout_traits *layout_traits(enum site_layout layout);

#endif
