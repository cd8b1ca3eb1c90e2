/*
 * file_uses.h - whether the files of a command line can be used together: an output must not take
 * the place of an input.
 */
#ifndef BASE_FILE_USES_H
#define BASE_FILE_USES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"

enum file_use_kind {
    FILE_IS_READ,
    FILE_IS_REPLACED, /* by new_file.h, which lets no two of them be the same */
    FILE_IS_CHANGED,  /* written where it is */
};

struct file_use {
    const char *option; /* that names it, or the name of the argument */
    const char *path;   /* NULL: none */
    enum file_use_kind kind;
};

/*
 * False: two of them are one file, and one would destroy the other; a message was given. Pipes,
 * devices and `-' can be used as often as one likes.
 */
MUST_USE bool file_uses_check(const struct file_use *uses, size_t count, const struct diag *d);

#endif
