/*
 * pardon.c - see pardon.h.
 */
#include "ftrace/audit/pardon.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "ftrace/audit/audit.h"
#include "ftrace/audit/baseline.h"
#include "ftrace/audit/finding_key.h"
#include "load/symbols.h"

struct allowed {
    enum rule rule;
    char detail[KEY_DETAIL_MAX]; /* "": any */
    char function[KEY_NAME_MAX]; /* "": any */
};

struct pardons {
    VEC_OF(struct allowed) allowed;
    struct baseline *baseline;
};

struct pardons *pardons_new(void)
{
    return xcalloc(1, sizeof(struct pardons));
}

void pardons_free(struct pardons *p)
{
    if (!p)
        return;
    VEC_FREE(&p->allowed);
    baseline_free(p->baseline);
    free(p);
}

/* ---- --allow ---- */

/* Whether the image has a function of this name in its source. */
static bool is_named(const struct symbols *symbols, const char *key, struct nearest *near)
{
    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *s = symbols_get(symbols, i);
        char name[KEY_NAME_MAX];

        if (s->kind != SYMBOL_FUNC && s->kind != SYMBOL_LABEL)
            continue;
        finding_key_name(name, s->name);
        if (!strcmp(name, key))
            return true;
        nearest_offer(near, s->name);
    }
    return false;
}

static bool check_function(const char *key, const struct symbols *symbols, const struct diag *d)
{
    struct nearest near = nearest_to(key);

    /* A function of a module, which may come later; a writer that is no hart; not known. */
    if (strchr(key, ':') || key[0] == '@' || !strcmp(key, KEY_UNKNOWN))
        return true;
    if (!symbols_count(symbols)) {
        diag_error(d,
                   "--allow: the image has no symbols, so `%.80s' cannot be found; give --symbols",
                   key);
        return false;
    }
    if (is_named(symbols, key, &near))
        return true;
    diag_error(d, "--allow: there is no function `%.80s'%s%s%s", key,
               near.found ? "; did you mean `" : "; that of a module is MODULE:FUNCTION",
               near.found ? near.found : "", near.found ? "'?" : "");
    return false;
}

enum exit_status pardons_allow(struct pardons *p, const char *text, const struct symbols *symbols,
                               const struct diag *d)
{
    const char *function = strchr(text, '@');
    struct allowed a = {0};
    char *rule =
        xasprintf("%.*s", (int)(function ? (size_t)(function - text) : strlen(text)), text);
    bool good = finding_key_read_rule("--allow", rule, d, &a.rule, a.detail);

    free(rule);
    if (!good)
        return EXIT_USAGE;
    if (function) {
        finding_key_name(a.function, function + 1);
        if (!check_function(a.function, symbols, d))
            return EXIT_USAGE;
    }
    VEC_PUSH(&p->allowed, a);
    return EXIT_PASS;
}

void pardons_know(struct pardons *p, struct baseline *b)
{
    p->baseline = b;
}

struct baseline *pardons_baseline(const struct pardons *p)
{
    return p ? p->baseline : NULL;
}

/* ---- findings ---- */

static bool is_only_in(const struct finding_key *key, const char *function)
{
    for (unsigned i = 0; i < key->place_count; i++)
        if (strcmp(key->places[i], function) != 0)
            return false;
    return true;
}

static bool is_allowed(const struct pardons *p, const struct finding_key *key)
{
    for (size_t i = 0; i < p->allowed.len; i++) {
        const struct allowed *a = &p->allowed.at[i];

        if (a->rule == key->rule && (!a->detail[0] || !strcmp(a->detail, key->detail)) &&
            (!a->function[0] || !strcmp(a->function, key->writer) || is_only_in(key, a->function)))
            return true;
    }
    return false;
}

static enum pardon pardon_by_key(const struct pardons *p, const struct finding_key *key)
{
    if (is_allowed(p, key))
        return PARDON_ALLOWED;
    return p->baseline && baseline_has(p->baseline, key) ? PARDON_KNOWN : PARDON_NONE;
}

enum pardon pardons_of(const struct pardons *p, const struct audit *a, size_t index,
                       const struct site_table *sites, const struct symbols *symbols)
{
    const struct finding *f = audit_get(a, index);
    enum pardon pardon = PARDON_NONE;
    struct finding_key key;

    if (!p || (!p->allowed.len && !p->baseline))
        return PARDON_NONE;
    for (;; f = audit_get(a, f->caused_by)) {
        finding_key(&key, f, sites, symbols);
        pardon = pardon_by_key(p, &key);
        if (pardon != PARDON_NONE || !f->explained)
            return pardon;
    }
}

bool pardons_fails(const struct pardons *p, const struct audit *a, size_t index,
                   const struct site_table *sites, const struct symbols *symbols)
{
    const struct finding *f = audit_get(a, index);

    for (;; f = audit_get(a, index = f->caused_by)) {
        if (rule_severity(f->rule) < SEVERITY_error ||
            pardons_of(p, a, index, sites, symbols) != PARDON_NONE)
            return false;
        if (!f->explained)
            return true;
    }
}

bool pardons_allow_all(const struct pardons *p, enum rule rule)
{
    for (size_t i = 0; i < p->allowed.len; i++)
        if (p->allowed.at[i].rule == rule && !p->allowed.at[i].function[0] &&
            !p->allowed.at[i].detail[0])
            return true;
    return false;
}

struct pardon_counts pardons_count(const struct pardons *p, const struct audit *a,
                                   const struct site_table *sites, const struct symbols *symbols)
{
    struct pardon_counts counts = {0};

    for (size_t i = 0; i < audit_count(a); i++) {
        counts.failing += pardons_fails(p, a, i, sites, symbols);
        switch (pardons_of(p, a, i, sites, symbols)) {
        case PARDON_NONE: break;
        case PARDON_ALLOWED: counts.allowed++; break;
        case PARDON_KNOWN: counts.known++; break;
        }
    }
    return counts;
}

void pardons_mark(const struct pardons *p, const struct audit *a, const struct site_table *sites,
                  const struct symbols *symbols)
{
    struct finding_key key;

    for (size_t i = 0; p->baseline && i < audit_count(a); i++) {
        finding_key(&key, audit_get(a, i), sites, symbols);
        baseline_mark(p->baseline, &key);
    }
}
