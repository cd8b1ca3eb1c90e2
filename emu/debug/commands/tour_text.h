/*
 * tour_text.h - the explanations of the tour (tour.c), each of two lines.
 */
#ifndef DEBUG_TOUR_TEXT_H
#define DEBUG_TOUR_TEXT_H

#include "ftrace/sites/sites.h"

enum tour_text {
    TEXT_COMPILED,       /* the site as the compiler left it */
    TEXT_OFF,            /* the site was switched off at boot */
    TEXT_ON,             /* the site calls the trampoline */
    TEXT_BOOT_HALF,      /* half of the site is switched off at boot */
    TEXT_HALF,           /* half of the site is new */
    TEXT_TRAMPOLINE,     /* the call in the trampoline was switched */
    TEXT_OPS,            /* the address of the ftrace_ops was stored */
    TEXT_FENCE,          /* the hart that has stored has fenced */
    TEXT_FENCED,         /* another hart has fenced */
    TEXT_CALL,           /* the function calls the trampoline */
    TEXT_GRAPH_CALL,     /* the trampoline's second call was switched */
    TEXT_GRAPH,          /* function_graph uses the same call */
    TEXT_HOOK,           /* the return address was replaced */
    TEXT_HOOK_REGISTERS, /* the same, among the saved registers */
    TEXT_RETURN,         /* the function has returned to return_to_handler */
    TEXT_BACK,           /* the caller continues */
};

const char *tour_text(enum tour_text text, enum site_layout layout);

#endif
