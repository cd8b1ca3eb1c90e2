/*
 * expect.c - see expect.h.
 */
#include "litmus/expect.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/map.h"
#include "load/file.h"

struct expectations {
    VEC_OF(struct expectation) list;
    struct map by_name; /* hash of the name -> index + 1 */
};

static uint64_t key_of(const char *name)
{
    return fnv1a(FNV1A_START, (const uint8_t *)name, strlen(name)) >> 1;
}

const struct expectation *expectations_find(const struct expectations *e, const char *name)
{
    uint64_t at;

    return e && map_get(&e->by_name, key_of(name), &at) ? &e->list.at[at] : NULL;
}

static void clear(struct expectation *x)
{
    for (size_t i = 0; i < x->states.len; i++)
        free(x->states.at[i]);
    VEC_FREE(&x->states);
    x->has_states = false;
    x->verdict = VERDICT_NONE;
}

/* The expectation with the name, with nothing in it. */
static struct expectation *begin(struct expectations *e, const char *name)
{
    uint64_t at;

    if (map_get(&e->by_name, key_of(name), &at)) {
        clear(&e->list.at[at]);
        return &e->list.at[at];
    }
    map_put(&e->by_name, key_of(name), e->list.len);
    VEC_PUSH(&e->list, ((struct expectation){.name = xstrdup(name)}));
    return &e->list.at[e->list.len - 1];
}

/* The word at *s, which moves on after it; an empty one: there is none. */
static void take_word(const char **s, char word[256])
{
    size_t len = 0;

    while (isspace((unsigned char)**s))
        ++*s;
    while ((*s)[len] && !isspace((unsigned char)(*s)[len]) && len < 255)
        len++;
    memcpy(word, *s, len);
    word[len] = '\0';
    *s += len;
}

/* ---- lists of verdicts ---- */

static enum verdict verdict_of(const char *word)
{
    if (!strncmp(word, "Allow", 5) || !strncmp(word, "allow", 5))
        return VERDICT_ALLOW;
    if (!strncmp(word, "Forbid", 6) || !strncmp(word, "forbid", 6))
        return VERDICT_FORBID;
    return VERDICT_NONE;
}

static void take_kind(struct expectations *e, const char *line)
{
    char name[256], word[256];
    enum verdict v;

    take_word(&line, name);
    take_word(&line, word);
    v = verdict_of(word);
    if (v != VERDICT_NONE)
        begin(e, name)->verdict = v;
}

/* ---- logs ---- */

/* "0:x5=1; x=2;", perhaps after "12:>" or "12*>"; "via ..." and the like may follow. */
static void take_state(struct expectation *x, const char *line)
{
    const char *arrow = strchr(line, '>'), *end = strrchr(line, ';');
    char *text;

    if (arrow && arrow > line && (arrow[-1] == ':' || arrow[-1] == '*'))
        line = arrow + 1;
    if (!end || end < line || !strchr(line, '=')) {
        if (strspn(line, " \t\r") == strlen(line))
            VEC_PUSH(&x->states, xstrdup(""));
        return;
    }
    text = xstrdup(line);
    text[end + 1 - line] = '\0';
    VEC_PUSH(&x->states, text);
}

static void take_observation(struct expectation *x, const char *line)
{
    char word[256];

    take_word(&line, word); /* the name */
    take_word(&line, word);
    if (!strcmp(word, "Never"))
        x->verdict = VERDICT_FORBID;
    else if (!strcmp(word, "Sometimes") || !strcmp(word, "Always"))
        x->verdict = VERDICT_ALLOW;
}

struct log_reader {
    struct expectations *to;
    struct expectation *now; /* the test that the lines are of; NULL: none yet */
    unsigned long states;    /* lines that are still to come */
};

static void take_log_line(struct log_reader *r, const char *line)
{
    char word[256], name[256];
    const char *rest = line;

    if (r->now && r->states) {
        r->states--;
        take_state(r->now, line);
        return;
    }
    take_word(&rest, word);
    if (!strcmp(word, "Test")) {
        take_word(&rest, name);
        r->now = begin(r->to, name);
    } else if (r->now && !strcmp(word, "States")) {
        r->states = strtoul(rest, NULL, 10);
        r->now->has_states = true;
    } else if (r->now && !strcmp(word, "Histogram")) { /* (3 states) */
        r->states = strtoul(rest + strcspn(rest, "0123456789"), NULL, 10);
        r->now->has_states = true;
    } else if (r->now && !strcmp(word, "Observation")) {
        take_observation(r->now, rest);
    } else if (r->now && !strcmp(word, "Condition") && r->now->verdict == VERDICT_NONE) {
        /* litmus: "Condition exists (...) is validated" */
        if (strstr(line, "is NOT validated") || strstr(line, "is not validated"))
            r->now->verdict = strstr(line, "~exists") ? VERDICT_ALLOW : VERDICT_FORBID;
    }
}

/* ---- files ---- */

static bool is_log(const char *text)
{
    return !strncmp(text, "Test ", 5) || strstr(text, "\nTest ") != NULL;
}

enum exit_status expectations_read(struct expectations **e, const char *path, const struct diag *d)
{
    struct log_reader reader = {0};
    struct file f;
    enum exit_status status = file_read(path, d, &f);
    size_t before;
    char *text;
    bool log;

    if (status != EXIT_PASS)
        return status;
    if (!*e)
        *e = xcalloc(1, sizeof **e);
    before = (*e)->list.len;
    text = xcalloc(f.size + 1, 1);
    memcpy(text, f.bytes, f.size);
    file_free(&f);
    log = is_log(text);
    reader.to = *e;
    for (char *line = text, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        if (log)
            take_log_line(&reader, line);
        else
            take_kind(*e, line);
    }
    free(text);
    if ((*e)->list.len == before && !before) {
        diag_error(
            d, "%s: neither a log with lines `Test NAME', nor lines `NAME Allow' or `NAME Forbid'",
            path);
        return EXIT_BAD_FILE;
    }
    return EXIT_PASS;
}

void expectations_free(struct expectations *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->list.len; i++) {
        clear(&e->list.at[i]);
        free(e->list.at[i].name);
    }
    VEC_FREE(&e->list);
    map_free(&e->by_name);
    free(e);
}
