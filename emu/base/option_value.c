/*
 * option_value.c - see option_value.h.
 */
#include "base/option_value.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool option_parse_number(const char *text, uint64_t unit, uint64_t *value)
{
    static const char suffixes[] = "KMG";
    char *end;
    unsigned long long n;
    const char *suffix;
    uint64_t scale = 1;

    errno = 0;
    n = strtoull(text, &end, 0);
    if (errno || text[0] < '0' || text[0] > '9') /* no blanks, no sign */
        return false;
    if (*end) {
        suffix = strchr(suffixes, *end >= 'a' ? *end - 'a' + 'A' : *end);
        if (!suffix || end[1])
            return false;
        for (const char *s = suffixes; s <= suffix; s++)
            scale *= unit;
    }
    *value = n * scale;
    return *value / scale == n;
}

bool option_parse_word(const char *text, const struct option_word *words, int *value)
{
    for (; words->text; words++)
        if (!strcmp(words->text, text)) {
            *value = words->value;
            return true;
        }
    return false;
}

/* Stores a number in a member of that many bytes. */
static void store(void *member, size_t size, uint64_t n)
{
    switch (size) {
    case sizeof(bool): *(bool *)member = n; break;
    case sizeof(unsigned): *(unsigned *)member = (unsigned)n; break;
    default: assert(size == sizeof n); *(uint64_t *)member = n;
    }
}

static bool set_number(const struct option_value *v, void *member, const char *text)
{
    uint64_t n;

    if (!option_parse_number(text, v->unit, &n) || n < v->min || n > v->max || n % v->step)
        return false;
    store(member, v->size, n);
    return true;
}

static bool set_choice(const struct option_value *v, void *member, const char *text)
{
    int value;

    if (!option_parse_word(text, v->words, &value))
        return false;
    store(member, v->size, (uint64_t)value);
    return true;
}

static bool set_value(const struct option_value *v, void *owner, const char *text,
                      char problem[OPTION_PROBLEM_MAX])
{
    void *member = (char *)owner + v->at;

    switch (v->kind) {
    case KIND_FLAG: *(bool *)member = true; return true;
    case KIND_TEXT: *(const char **)member = text; return *text || !v->expected;
    case KIND_NUMBER: return set_number(v, member, text);
    case KIND_CHOICE: return set_choice(v, member, text);
    case KIND_OWN: break;
    }
    return v->set(owner, text, problem);
}

/* "a, b or c" */
static void list_words(const struct option_word *words, char *list, size_t room)
{
    size_t used = 0;

    for (unsigned i = 0; words[i].text && used < room; i++)
        used += (size_t)snprintf(list + used, room - used, "%s%s",
                                 !i                  ? ""
                                 : words[i + 1].text ? ", "
                                                     : " or ",
                                 words[i].text);
}

static void describe_expected(const struct option_value *v, char problem[OPTION_PROBLEM_MAX])
{
    char words[OPTION_PROBLEM_MAX - sizeof "expected "] = "";

    if (v->expected) {
        snprintf(problem, OPTION_PROBLEM_MAX, "expected %s", v->expected);
    } else if (v->kind == KIND_NUMBER) {
        snprintf(problem, OPTION_PROBLEM_MAX, "expected a number from %" PRIu64 " to %" PRIu64,
                 v->min, v->max);
    } else {
        list_words(v->words, words, sizeof words);
        snprintf(problem, OPTION_PROBLEM_MAX, "expected %s", words);
    }
}

bool option_value_set(const struct option_value *v, void *owner, const char *text,
                      char problem[OPTION_PROBLEM_MAX])
{
    problem[0] = '\0';
    if (set_value(v, owner, text, problem))
        return true;
    if (!problem[0])
        describe_expected(v, problem);
    return false;
}
