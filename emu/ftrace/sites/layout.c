/*
 * layout.c - see layout.h.
 */
#include "ftrace/sites/layout.h"

#include "cpu/isa/isa.h"

const struct layout_traits *layout_traits(enum site_layout layout)
{
    static const struct layout_traits rows[] = {
#define L(id, name_, patching_, place_, size_, pair_, link_, back, tracer_, literal_) \
    [LAYOUT_##id] = {.name = (name_),                                                 \
                     .patching = (patching_),                                         \
                     .place = (place_),                                               \
                     .return_place = (back),                                          \
                     .tracer = (tracer_),                                             \
                     .size = (size_),                                                 \
                     .pair = (pair_),                                                 \
                     .link = (link_),                                                 \
                     .literal = (literal_)},
#include "ftrace/sites/layout.def"
#undef L
    };

    return &rows[layout];
}
