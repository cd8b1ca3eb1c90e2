/*
 * combinations.h - options that exclude or need each other.
 */
#ifndef CLI_COMBINATIONS_H
#define CLI_COMBINATIONS_H

#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "cli/options.h"

/* False: the options do not go together; a message says which, and what to do. */
MUST_USE bool options_check_combinations(const struct options *o, const struct diag *d);

#endif
