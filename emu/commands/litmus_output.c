/*
 * litmus_output.c - see litmus_priv.h: the lines of a test, as herd and litmus7 print them, what
 * differs from what is expected, and the sums.
 */
#include "commands/litmus_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "litmus/condition.h"
#include "litmus/image.h"

/* ---- what is printed ---- */

static const char *quantifier_word(enum quantifier q)
{
    return q == QUANTIFIER_EXISTS ? "Allowed" : q == QUANTIFIER_FORALL ? "Required" : "Forbidden";
}

struct counts {
    uint64_t positive, negative; /* executions in whose outcome the condition holds, or not */
    size_t holds;                /* outcomes in which it holds */
};

static struct counts count(const struct outcomes *o)
{
    struct counts c = {0};

    for (size_t i = 0; i < o->list.len; i++) {
        c.holds += o->list.at[i].holds;
        *(o->list.at[i].holds ? &c.positive : &c.negative) += o->list.at[i].executions;
    }
    return c;
}

/* Whether what the test asks holds: its quantifier over its outcomes. */
static bool is_validated(const struct test *t, const struct outcomes *o, const struct counts *c)
{
    switch (t->quantifier) {
    case QUANTIFIER_EXISTS: return c->holds != 0;
    case QUANTIFIER_NOT_EXISTS: return c->holds == 0;
    case QUANTIFIER_FORALL: return c->holds == o->list.len;
    }
    return false;
}

static void print_outcomes(FILE *out, const struct test *t, const struct outcomes *o)
{
    const struct counts c = count(o);
    bool valid = is_validated(t, o, &c);

    fprintf(out, "Test %s %s\nStates %zu\n", t->name, quantifier_word(t->quantifier), o->list.len);
    for (size_t i = 0; i < o->list.len; i++)
        fprintf(out, "%-8" PRIu64 "%s>%s\n", o->list.at[i].executions,
                o->list.at[i].holds == (t->quantifier != QUANTIFIER_FORALL) ? "*" : ":",
                o->list.at[i].text);
    fprintf(out, "%s\nWitnesses\nPositive: %" PRIu64 " Negative: %" PRIu64 "\n",
            valid ? "Ok" : "No", c.positive, c.negative);
    fprintf(out, "Condition %s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n", t->condition_text,
            t->name,
            !c.holds                 ? "Never"
            : c.holds == o->list.len ? "Always"
                                     : "Sometimes",
            c.positive, c.negative);
    if (o->cut)
        fprintf(out, "Not complete: %" PRIu64 " executions were tried\n", o->executions);
}

/* ---- what is expected ---- */

static bool has_text(const struct outcomes *o, const char *text)
{
    for (size_t i = 0; i < o->list.len; i++)
        if (!strcmp(o->list.at[i].text, text))
            return true;
    return false;
}

/* Compares the states with those expected. */
static void compare_states(struct request *q, const struct job *j, const struct test_image *image,
                           const struct expectation *x, FILE *out, bool *forbidden, bool *missing)
{
    char **texts = xcalloc(x->states.len + 1, sizeof *texts);
    size_t known = 0;

    for (size_t i = 0; i < x->states.len; i++) {
        char *text = final_state_normalize(image, x->states.at[i]);

        if (text)
            texts[known++] = text;
    }
    for (size_t i = 0; i < j->outcomes.list.len && known; i++) {
        bool found = false;

        for (size_t n = 0; n < known; n++)
            found |= !strcmp(texts[n], j->outcomes.list.at[i].text);
        if (found)
            continue;
        fprintf(out, "Forbidden and seen: %s\n", j->outcomes.list.at[i].text);
        q->sums.forbidden++;
        *forbidden = true;
    }
    for (size_t n = 0; n < known; n++) {
        q->sums.allowed++;
        if (has_text(&j->outcomes, texts[n])) {
            q->sums.shown++;
        } else {
            fprintf(out, "Allowed and not seen: %s\n", texts[n]);
            *missing = true;
        }
        free(texts[n]);
    }
    free(texts);
}

/* Prints how the outcomes differ from what is expected; false: nothing is expected. */
static bool compare(struct request *q, struct job *j, const struct test_image *image, FILE *out)
{
    const struct expectation *x = expectations_find(q->expected, j->test->name);
    const struct counts c = count(&j->outcomes);
    bool forbidden = false, missing = false;

    if (!x)
        return false;
    q->sums.expected++;
    if (x->has_states)
        compare_states(q, j, image, x, out, &forbidden, &missing);
    if (x->verdict == VERDICT_FORBID && c.holds && !forbidden) {
        q->sums.forbidden += c.holds;
        forbidden = true;
    }
    if (x->verdict == VERDICT_ALLOW) {
        q->sums.allowed_tests++;
        q->sums.shown_tests += c.holds != 0;
        missing |= !c.holds;
    }
    j->differs = forbidden || missing;
    q->sums.as_expected += !j->differs;
    fprintf(out, "Expected %s %s: %s\n", j->test->name,
            x->verdict == VERDICT_ALLOW    ? "Allow"
            : x->verdict == VERDICT_FORBID ? "Forbid"
                                           : "these states",
            forbidden ? "FORBIDDEN, but seen"
            : missing ? "allowed, but not seen"
                      : "as seen");
    if (forbidden)
        q->failed = EXIT_AUDIT;
    return true;
}

/* ---- the whole ---- */

void result_take(struct request *q, struct job *j, const struct test_image *image)
{
    const struct outcomes *o = &j->outcomes;
    const struct counts c = count(o);
    size_t size;
    FILE *out = open_memstream(&j->text, &size);

    if (!out)
        abort();
    q->sums.run++;
    q->sums.states += o->list.len;
    q->sums.executions += o->executions;
    q->sums.cut += o->cut;
    print_outcomes(out, j->test, o);
    if (!compare(q, j, image, out) && !q->expected && !is_validated(j->test, o, &c) &&
        q->failed == EXIT_PASS)
        q->failed = 1;
    j->differs |= o->cut;
    fputc('\n', out);
    fclose(out);
}

void result_bad(struct request *q, struct job *j)
{
    bool has_line = j->problem[0] >= '0' && j->problem[0] <= '9';

    j->text = xasprintf("Test %s\nCannot be run: %s:%s%s\n\n", j->test ? j->test->name : j->path,
                        j->path, has_line ? "" : " ", j->problem);
    j->differs = true;
    q->sums.bad++;
}

static double a_minute(uint64_t executions, double seconds)
{
    return seconds > 0 ? (double)executions / seconds * 60 : 0.0;
}

void sums_print(const struct request *q, double seconds, double processor_seconds)
{
    const struct sums *s = &q->sums;

    printf("Tests %zu: %zu run", q->jobs.len, s->run);
    if (s->skipped)
        printf(", %zu not of RISC-V", s->skipped);
    if (s->bad)
        printf(", %zu cannot be run", s->bad);
    if (s->cut)
        printf(", %zu not complete", s->cut);
    printf("\nFinal states %zu, executions %" PRIu64 ", %.0f a minute, %.0f a processor-minute\n",
           s->states, s->executions, a_minute(s->executions, seconds),
           a_minute(s->executions, processor_seconds));
    if (!q->expected)
        return;
    printf("Expected %zu: %zu as seen; forbidden and seen %zu\n", s->expected, s->as_expected,
           s->forbidden);
    if (s->allowed)
        printf("Allowed states %zu, of these seen %zu\n", s->allowed, s->shown);
    if (s->allowed_tests)
        printf("Allowed conditions %zu, of these seen %zu\n", s->allowed_tests, s->shown_tests);
}
