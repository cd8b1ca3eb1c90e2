/*
 * selection.c - see selection.h.
 */
#include "base/selection.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/harts.h"

const struct selection selection_all = {
    .harts = UINT64_MAX, .cycles = {.to = UINT64_MAX}, .steps = {.to = UINT64_MAX}};

static bool is_all(const struct span *s)
{
    return !s->from && s->to == UINT64_MAX;
}

bool selection_is_made(const struct selection *s)
{
    return s->function || s->task || s->harts != UINT64_MAX || !is_all(&s->cycles) ||
           !is_all(&s->steps);
}

bool selection_has_time(const struct selection *s, uint64_t cycle, uint64_t step)
{
    return span_has(&s->cycles, cycle) && span_has(&s->steps, step);
}

bool selection_has_task(const struct selection *s, const char *name, int64_t pid)
{
    char *end;
    long wanted;

    if (!s->task)
        return true;
    wanted = strtol(s->task, &end, 10);
    return (!*end && wanted == pid) || (name && !fnmatch(s->task, name, 0));
}

bool selection_has_function(const struct selection *s, const char *name)
{
    return !s->function || (name && !fnmatch(s->function, name, 0));
}

bool selection_add_hart(struct selection *s, const char *text, char problem[OPTION_PROBLEM_MAX])
{
    uint64_t hart;

    if (!option_parse_number(text, 1000, &hart) || hart >= HARTS_MAX) {
        snprintf(problem, OPTION_PROBLEM_MAX, "expected a number from 0 to %d", HARTS_MAX - 1);
        return false;
    }
    s->harts = (s->harts == UINT64_MAX ? 0 : s->harts) | UINT64_C(1) << hart;
    return true;
}

/* `N', a cycle, or `step:N'. */
static bool parse_moment(const char *text, char *problem, uint64_t *cycle, uint64_t *step)
{
    const char *number = strncmp(text, "step:", 5) ? text : text + 5;

    if (option_parse_number(number, 1000, number == text ? cycle : step))
        return true;
    snprintf(problem, OPTION_PROBLEM_MAX,
             "expected a cycle or step:N, a number with K, M or G if you like");
    return false;
}

bool selection_set_from(struct selection *s, const char *text, char problem[OPTION_PROBLEM_MAX])
{
    return parse_moment(text, problem, &s->cycles.from, &s->steps.from);
}

bool selection_set_until(struct selection *s, const char *text, char problem[OPTION_PROBLEM_MAX])
{
    return parse_moment(text, problem, &s->cycles.to, &s->steps.to);
}
