/*
 * installed.h - the files that come with rvftrace, where they were installed or in the checkout:
 * core models, guest kernels, litmus tests, documents. Found from the program's own folder.
 */
#ifndef BASE_INSTALLED_H
#define BASE_INSTALLED_H

#include <limits.h>
#include <stdbool.h>

#include "base/compiler.h"
#include "base/diag.h"

enum supply { SUPPLY_CORES, SUPPLY_GUESTS, SUPPLY_LITMUS, SUPPLY_DOCS };

/* The folder; NULL: there is none. The caller frees it. */
char *installed_folder(enum supply what);

/*
 * The path of a file that is named by where it is: `guest:pfe8' is the kernel of that layout,
 * `guest:initrd.cpio' another file of that folder, `litmus:two-spots' a litmus test. Another name
 * is copied. NULL: there is no such file, EXIT_NO_FILE; a message was given. The caller frees it.
 */
MUST_USE char *installed_path(const char *name, const struct diag *d);

enum { DOCUMENT_NAME = PATH_MAX + 64 };

/* What to call a document, "rules.md": its path where it is installed, else docs/rules.md. */
const char *installed_document(const char *name, char text[DOCUMENT_NAME]);

#endif
