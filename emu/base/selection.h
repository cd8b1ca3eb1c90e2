/*
 * selection.h - which events of a run are wanted: of some time, of some harts, of a function, of a
 * task. For the options --from, --until, --hart, --function and --task, which several commands
 * have.
 */
#ifndef BASE_SELECTION_H
#define BASE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "base/option_value.h"

/* Both ends are within it. */
struct span {
    uint64_t from, to;
};

static inline bool span_has(const struct span *s, uint64_t value)
{
    return value >= s->from && value <= s->to;
}

struct selection {
    const char *function;      /* a shell pattern; NULL: all */
    const char *task;          /* a pattern of names, or a pid; NULL: all */
    uint64_t harts;            /* a bit each */
    struct span cycles, steps; /* steps: instructions of all harts together */
};

/* Wants all events. */
extern const struct selection selection_all;

/* Whether something was selected. */
bool selection_is_made(const struct selection *s);

/* Whether the time is selected. */
bool selection_has_time(const struct selection *s, uint64_t cycle, uint64_t step);

/* Whether a task of this name and number is. */
bool selection_has_task(const struct selection *s, const char *name, int64_t pid);

/* Whether a function of this name is. */
bool selection_has_function(const struct selection *s, const char *name);

/* The values of the options; false: invalid, as of option_value.set. */
MUST_USE bool selection_add_hart(struct selection *s, const char *text,
                                 char problem[OPTION_PROBLEM_MAX]);
MUST_USE bool selection_set_from(struct selection *s, const char *text,
                                 char problem[OPTION_PROBLEM_MAX]);
MUST_USE bool selection_set_until(struct selection *s, const char *text,
                                  char problem[OPTION_PROBLEM_MAX]);

#endif
