/*
 * location.h - where a variable is in a frame, by the expressions of its debug information.
 */
#ifndef DEBUG_LOCATION_H
#define DEBUG_LOCATION_H

#include "debug/lang/dwarf.h"
#include "debug/lang/value.h"

/* Reads a variable or parameter; one that is optimised out is value_lost. */
MUST_USE bool variable_read(struct language *l, struct debug_symbol *s, struct value *out);

/* Finds the value that a parameter of the selected frame had when its function was called. */
MUST_USE bool variable_at_entry(struct language *l, struct debug_symbol *s, struct value *out);

/* Evaluates a parameter's expression at a call, in the selected frame. */
MUST_USE bool location_call_value(struct language *l, Dwarf_Attribute *expression, uint64_t *value);

#endif
