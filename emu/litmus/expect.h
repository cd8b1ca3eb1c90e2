/*
 * expect.h - what others say of litmus tests: the logs of herd, rmem and litmus, which have the
 * final states of each test, and lists of verdicts, "NAME Allow" or "NAME Forbid".
 */
#ifndef LITMUS_EXPECT_H
#define LITMUS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/diag.h"
#include "base/vec.h"

/* Whether the condition's states may occur: a log says Never, Sometimes or Always. */
enum verdict { VERDICT_NONE, VERDICT_ALLOW, VERDICT_FORBID };

struct expectation {
    char *name;
    enum verdict verdict;
    bool has_states;
    VEC_OF(char *) states; /* as they were written */
};

struct expectations;

/* Adds those of a file to *e, which is NULL at first. A later word on a test replaces an earlier
 * one. */
MUST_USE enum exit_status expectations_read(struct expectations **e, const char *path,
                                            const struct diag *d);
void expectations_free(struct expectations *e); /* NULL is allowed */

/* NULL: nothing is said of the test. */
const struct expectation *expectations_find(const struct expectations *e, const char *name);

#endif
