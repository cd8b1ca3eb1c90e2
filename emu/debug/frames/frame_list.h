/*
 * frame_list.h - the frames of a hart or a task as the program has them, found as far as they are
 * asked for. The machine's frame has one for each function that is inlined at its pc.
 */
#ifndef DEBUG_FRAME_LIST_H
#define DEBUG_FRAME_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/vec.h"
#include "debug/frames/unwind.h"
#include "debug/lang/sources.h"

struct blocks;
struct guest;

struct stack_frame {
    struct unwound u;
    unsigned level; /* of the inlined functions: 0 is the innermost */
};

/* All zeroes: no list was begun. */
struct frame_list {
    VEC_OF(struct stack_frame) frames; /* found until now, the innermost first */
    bool complete;                     /* there are no more */
};

enum { ALL_INLINED = UINT32_MAX };

/*
 * Begins a list with the frame `first`. Of the functions that are inlined at its pc, only the
 * `inlined_max` outermost ones have a frame.
 */
void frame_list_begin(struct frame_list *l, const struct guest *g, const struct unwound *first,
                      unsigned inlined_max);
void frame_list_clear(struct frame_list *l); /* no list was begun */
void frame_list_free(struct frame_list *l);

/*
 * Returns the frame with that number, from 0, of a list that was begun. False: there are no more.
 */
MUST_USE bool frame_list_at(struct frame_list *l, const struct guest *g, unsigned number,
                            struct stack_frame *f);
/*
 * Sets *cfa to sp at the entry of the frame's function. False: that is unknown, and *cfa is the
 * frame's sp.
 */
bool frame_list_cfa(struct frame_list *l, const struct guest *g, unsigned number, uint64_t *cfa);

/* Finds file and line of a frame. False: unknown. */
MUST_USE bool frame_line(const struct guest *g, const struct stack_frame *f,
                         struct source_range *r);
/*
 * Returns the name of the frame's function, NULL if none is known, and in *b the blocks of its
 * code; b->count is 0 without debug information.
 */
const char *frame_function(const struct guest *g, const struct stack_frame *f, struct blocks *b);

#endif
