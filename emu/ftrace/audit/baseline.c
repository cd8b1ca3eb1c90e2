/*
 * baseline.c - see baseline.h.
 */
#include "ftrace/audit/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "ftrace/audit/finding_key.h"
#include "load/file.h"

#define MAGIC  "rvftrace-baseline 2"
#define FORMER "rvftrace-baseline 1"

static const char blanks[] = " \t\r";

/* A line of the file. The words point into `words`. */
struct entry {
    char *text, *words;
    enum rule rule;
    char detail[KEY_DETAIL_MAX]; /* "": any */
    const char *writer;
    VEC_OF(const char *) places;
    unsigned line;
    bool marked;
};

struct baseline {
    char *name;
    VEC_OF(struct entry) entries;
};

static void free_entry(struct entry *e)
{
    free(e->text);
    free(e->words);
    VEC_FREE(&e->places);
}

void baseline_free(struct baseline *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->entries.len; i++)
        free_entry(&b->entries.at[i]);
    VEC_FREE(&b->entries);
    free(b->name);
    free(b);
}

/* ---- reading ---- */

struct reader {
    const char *name;
    const struct diag *diag;
    unsigned line;
};

static bool read_rule(const struct reader *r, const char *word, struct entry *e)
{
    char *where = xasprintf("%s:%u", r->name, r->line);
    bool good = finding_key_read_rule(where, word, r->diag, &e->rule, e->detail);

    free(where);
    return good;
}

static bool is_word(const char *word, const char *expected)
{
    return word && !strcmp(word, expected);
}

static bool read_words(const struct reader *r, struct entry *e)
{
    char *rest, *rule = strtok_r(e->words, blanks, &rest);
    char *by = strtok_r(NULL, blanks, &rest), *writer = strtok_r(NULL, blanks, &rest);
    char *at = strtok_r(NULL, blanks, &rest), *place = strtok_r(NULL, blanks, &rest);

    if (!read_rule(r, rule, e))
        return false;
    if (!is_word(by, "by") || !writer || !is_word(at, "at") || !place) {
        diag_error(r->diag,
                   "%s:%u: not a line of a baseline; expected `RULE by FUNCTION at FUNCTION...'",
                   r->name, r->line);
        return false;
    }
    finding_key_cut(writer);
    e->writer = writer;
    for (; place; place = strtok_r(NULL, blanks, &rest)) {
        finding_key_cut(place);
        VEC_PUSH(&e->places, place);
    }
    return true;
}

/* `text` without the end of the line. */
static bool read_line(const struct reader *r, const char *text, size_t len, struct baseline *b)
{
    struct entry e = {.line = r->line};
    size_t indent;

    while (len && strchr(blanks, text[len - 1]))
        len--;
    if (memchr(text, '\0', len)) {
        diag_error(r->diag, "%s:%u: has a NUL byte, so this is no baseline", r->name, r->line);
        return false;
    }
    e.text = xasprintf("%.*s", (int)len, text);
    indent = strspn(e.text, blanks);
    if (!e.text[indent] || e.text[indent] == '#') {
        free_entry(&e);
        return true;
    }
    e.words = xstrdup(e.text);
    if (!read_words(r, &e)) {
        free_entry(&e);
        return false;
    }
    VEC_PUSH(&b->entries, e);
    return true;
}

static bool is_first_line(const char *text, size_t len, const char *expected)
{
    while (len && strchr(blanks, text[len - 1]))
        len--;
    return len == strlen(expected) && !memcmp(text, expected, len);
}

static bool read_magic(const struct reader *r, const char *text, size_t len)
{
    if (is_first_line(text, len, MAGIC))
        return true;
    if (is_first_line(text, len, FORMER))
        diag_error(r->diag,
                   "%s: its first line is `%s': its lines have the function that made a store, "
                   "where now the function is named that had it made; write it again with "
                   "--write-baseline",
                   r->name, FORMER);
    else
        diag_error(r->diag, "%s: no baseline: its first line is not `%s'", r->name, MAGIC);
    return false;
}

static bool read_lines(struct reader *r, const char *text, size_t size, struct baseline *b)
{
    for (size_t at = 0; at < size || !r->line;) {
        const char *end = size ? memchr(text + at, '\n', size - at) : NULL;
        size_t len = end ? (size_t)(end - (text + at)) : size - at;

        r->line++;
        if (r->line == 1 && !read_magic(r, text, len))
            return false;
        if (r->line > 1 && !read_line(r, text + at, len, b))
            return false;
        at += len + 1;
    }
    return true;
}

enum exit_status baseline_parse(const char *name, const char *text, size_t size,
                                const struct diag *d, struct baseline **out)
{
    struct reader r = {.name = name, .diag = d};
    struct baseline *b = xcalloc(1, sizeof *b);

    b->name = xstrdup(name);
    if (!read_lines(&r, text, size, b)) {
        baseline_free(b);
        return EXIT_BAD_FILE;
    }
    *out = b;
    return EXIT_PASS;
}

enum exit_status baseline_read(const char *path, const struct diag *d, struct baseline **out)
{
    struct file file;
    enum exit_status status = file_read(path, d, &file);

    if (status != EXIT_PASS)
        return status;
    status = baseline_parse(path, (const char *)file.bytes, file.size, d, out);
    file_free(&file);
    return status;
}

/* ---- comparing ---- */

static bool is_meant(const char *word, const char *name)
{
    return !strcmp(word, "*") || !strcmp(word, name);
}

static bool has_place(const struct entry *e, const char *name)
{
    for (size_t i = 0; i < e->places.len; i++)
        if (is_meant(e->places.at[i], name))
            return true;
    return false;
}

static bool is_about(const struct entry *e, const struct finding_key *key)
{
    bool writer_known = strcmp(key->writer, KEY_UNKNOWN) != 0;
    unsigned common = 0;

    if (e->rule != key->rule || (e->detail[0] && strcmp(e->detail, key->detail) != 0) ||
        !is_meant(e->writer, key->writer))
        return false;
    for (unsigned i = 0; i < key->place_count; i++)
        common += has_place(e, key->places[i]);
    return common && (writer_known || common == key->place_count);
}

bool baseline_has(const struct baseline *b, const struct finding_key *key)
{
    for (size_t i = 0; i < b->entries.len; i++)
        if (is_about(&b->entries.at[i], key))
            return true;
    return false;
}

void baseline_mark(struct baseline *b, const struct finding_key *key)
{
    for (size_t i = 0; i < b->entries.len; i++)
        b->entries.at[i].marked |= is_about(&b->entries.at[i], key);
}

const char *baseline_gone(const struct baseline *b, size_t *at, unsigned *line)
{
    while (*at < b->entries.len) {
        const struct entry *e = &b->entries.at[(*at)++];

        *line = e->line;
        if (!e->marked)
            return e->text + strspn(e->text, blanks);
    }
    return NULL;
}

const char *baseline_name(const struct baseline *b)
{
    return b->name;
}

/* ---- writing ---- */

void baseline_write_head(FILE *out)
{
    fputs(MAGIC "\n# RULE by FUNCTION-THAT-PATCHED at FUNCTIONS-IT-WAS-FOUND-IN; see docs/ci.md\n",
          out);
}

void baseline_write(FILE *out, const struct finding_key *key)
{
    char rule[KEY_RULE_MAX];

    finding_key_rule(rule, key);
    fprintf(out, "%s by %s at", rule, key->writer);
    for (unsigned i = 0; i < key->place_count; i++)
        fprintf(out, " %s", key->places[i]);
    fputc('\n', out);
}
