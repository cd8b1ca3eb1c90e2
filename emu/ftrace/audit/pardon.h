/*
 * pardon.h - findings that do not fail a run: those that the user allows (--allow), and those
 * that are known from an earlier run (--baseline).
 */
#ifndef FTRACE_PARDON_H
#define FTRACE_PARDON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "ftrace/audit/rules.h"

struct audit;
struct baseline;
struct pardons;
struct site_table;
struct symbols;

enum pardon { PARDON_NONE, PARDON_ALLOWED, PARDON_KNOWN };

struct pardons *pardons_new(void);
void pardons_free(struct pardons *p); /* may be NULL */

/*
 * Adds a value of --allow: RULE, or RULE@FUNCTION for findings of code that the function has
 * written, or that are in no other function; RULE may be clobbered-register/REGISTER. EXIT_USAGE:
 * there is no such rule, register or function; a message was given. Functions of modules,
 * MODULE:FUNCTION, are not looked up.
 */
MUST_USE enum exit_status pardons_allow(struct pardons *p, const char *text,
                                        const struct symbols *symbols, const struct diag *d);

/* Takes a baseline, which is freed with the pardons. */
void pardons_know(struct pardons *p, struct baseline *b);
struct baseline *pardons_baseline(const struct pardons *p); /* NULL: none */

/*
 * Why the finding with that index is pardoned: by itself, or because the one that explains it is
 * (finding.h). `p' may be NULL: it is not.
 */
enum pardon pardons_of(const struct pardons *p, const struct audit *a, size_t index,
                       const struct site_table *sites, const struct symbols *symbols);

/*
 * Whether the finding fails a run: it is an error, is not pardoned, and is not explained by one
 * that does not fail the run.
 */
bool pardons_fails(const struct pardons *p, const struct audit *a, size_t index,
                   const struct site_table *sites, const struct symbols *symbols);

/* Whether all findings of a rule are allowed. */
bool pardons_allow_all(const struct pardons *p, enum rule rule);

/* Of all findings: errors that fail the run, and those of any severity that are pardoned. */
struct pardon_counts {
    size_t failing, allowed, known;
};
struct pardon_counts pardons_count(const struct pardons *p, const struct audit *a,
                                   const struct site_table *sites, const struct symbols *symbols);

/* At the end of a run: marks the lines of the baseline that still occur. */
void pardons_mark(const struct pardons *p, const struct audit *a, const struct site_table *sites,
                  const struct symbols *symbols);

#endif
