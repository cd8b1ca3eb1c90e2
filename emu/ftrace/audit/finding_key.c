/*
 * finding_key.c - see finding_key.h.
 */
#include "ftrace/audit/finding_key.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/installed.h"
#include "base/nearest.h"
#include "cpu/isa/isa.h"
#include "ftrace/sites/sites.h"
#include "load/symbols.h"

static const struct fact *store_of(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_STORE)
            return &f->facts[i];
    return NULL;
}

const struct writer *finding_writer(const struct finding *f)
{
    const struct fact *store = store_of(f);

    return store ? &store->writer : NULL;
}

/* The call stack of the hart at whose end of a change the finding was made; NULL: none. */
static const struct fact *stack_of_judged(const struct finding *f)
{
    for (unsigned i = 0; i + 1 < f->fact_count; i++)
        if (f->facts[i].label == LABEL_JUDGED && f->facts[i + 1].kind == FACT_STACK)
            return &f->facts[i + 1];
    return NULL;
}

bool finding_is_of_end(const struct finding *f)
{
    return (rule_family(f->rule) == FAMILY_state || !store_of(f)) && stack_of_judged(f);
}

bool finding_patcher(const struct finding *f, uint64_t *code, uint64_t *next)
{
    const struct fact *store = store_of(f), *stack;
    uint64_t after;

    if (finding_is_of_end(f)) {
        stack = stack_of_judged(f);
        *code = call_stack_code(&stack->stack, stack->stack.patcher);
        if (next)
            *next = stack->stack.at[stack->stack.patcher];
        return true;
    }
    if (!store || store->writer.kind != WRITER_HART || !store->writer.pc)
        return false;
    *code = after = store->writer.pc;
    stack = store + 1;
    if (stack < f->facts + f->fact_count && stack->kind == FACT_STACK) {
        *code = call_stack_code(&stack->stack, stack->stack.patcher);
        after = stack->stack.at[stack->stack.patcher];
    }
    if (next)
        *next = after;
    return true;
}

const char *finding_program(const struct finding *f)
{
    const struct fact *store = store_of(f), *end = f->facts + f->fact_count;

    return store && store->size && store + 1 < end && store[1].kind == FACT_TASK
               ? (const char *)store[1].bytes
               : NULL;
}

void finding_keep_names(const struct finding *f, const struct symbols *symbols)
{
    const struct writer *who = finding_writer(f);

    if (who && who->kind == WRITER_HART)
        (void)symbols_name_at(symbols, who->pc, NULL);
    for (unsigned i = 0; i < f->fact_count; i++) {
        const struct fact *fact = &f->facts[i];

        if (fact->pc)
            (void)symbols_name_at(symbols, fact->pc, NULL);
        if (fact->kind == FACT_PLACE)
            (void)symbols_name_at(symbols, fact->va, NULL);
        for (unsigned n = 0; n < fact->stack.count; n++)
            (void)symbols_name_at(symbols, call_stack_code(&fact->stack, n), NULL);
    }
}

const struct example *finding_place(const struct finding *f)
{
    assert(f->example_count);
    for (unsigned i = 0; i < f->example_count; i++)
        if (f->examples[i].rule == f->rule)
            return &f->examples[i];
    return &f->examples[0];
}

void finding_key_cut(char *name)
{
    size_t end = strcspn(name, ".");

    if (end)
        name[end] = '\0';
}

void finding_key_name(char key[KEY_NAME_MAX], const char *function)
{
    snprintf(key, KEY_NAME_MAX, "%s", function[0] ? function : KEY_UNKNOWN);
    finding_key_cut(key);
    for (char *c = key; *c; c++) /* a key is one word */
        if ((unsigned char)*c <= ' ' || *c == 0x7f)
            *c = '?';
}

void finding_key_code(char key[KEY_NAME_MAX], const struct symbols *symbols, uint64_t pc)
{
    const struct symbol *function = symbols_function_at(symbols, pc);
    const char *label = function ? function->name : symbols_name_at(symbols, pc, NULL);

    finding_key_name(key, label ? label : "");
}

static void name_of_writer(char key[KEY_NAME_MAX], const struct symbols *symbols,
                           const struct finding *f)
{
    static const char *const kinds[] = {
        [WRITER_HART] = KEY_UNKNOWN, [WRITER_FIRMWARE] = "@firmware",
        [WRITER_DMA] = "@device",    [WRITER_DEBUGGER] = "@debugger",
        [WRITER_LOADER] = "@loader", [WRITER_DEBUGGER_FENCED] = "@debugger",
    };
    const struct writer *who = finding_writer(f);
    char program[FACT_BYTES_MAX + sizeof "@program:"];
    uint64_t code;

    if (finding_program(f)) {
        snprintf(program, sizeof program, "@program:%s", finding_program(f));
        finding_key_name(key, program);
    } else if (finding_patcher(f, &code, NULL)) {
        finding_key_code(key, symbols, code);
    } else {
        snprintf(key, KEY_NAME_MAX, "%s", who ? kinds[who->kind] : KEY_UNKNOWN);
    }
}

static void name_of_place(char key[KEY_NAME_MAX], const struct site_table *sites,
                          const struct symbols *symbols, const struct example *e)
{
    const struct site *s = e->site == NO_SITE ? NULL : site_get(sites, e->site);
    char function[KEY_NAME_MAX];

    if (!s || !s->function[0]) {
        finding_key_code(key, symbols, e->pc);
        return;
    }
    finding_key_name(function, s->function);
    if (s->module && s->module[0])
        snprintf(key, KEY_NAME_MAX, "%.60s:%.120s", s->module, function);
    else
        snprintf(key, KEY_NAME_MAX, "%s", function);
}

/* ---- details ---- */

static bool has_detail(enum rule rule)
{
    return rule == RULE_clobbered_register || rule == RULE_clobbered_csr;
}

/* The register that was changed: each is a finding of its own. */
static void detail_of(char detail[KEY_DETAIL_MAX], const struct finding *f)
{
    detail[0] = '\0';
    for (unsigned i = 0; i < f->fact_count && has_detail(f->rule); i++)
        if (f->facts[i].kind == FACT_REGISTER)
            snprintf(detail, KEY_DETAIL_MAX, "%s", fact_register_name(&f->facts[i]));
}

static bool read_detail(const char *where, const char *text, const struct diag *d, enum rule rule,
                        char detail[KEY_DETAIL_MAX])
{
    if (!has_detail(rule)) {
        diag_error(d,
                   "%s: only `clobbered-register' and `clobbered-csr' can have a register, as in "
                   "`clobbered-register/a1'",
                   where);
        return false;
    }
    if (fact_register_number(rule, text) < 0) {
        diag_error(d, "%s: there is no register `%.80s'", where, text);
        return false;
    }
    snprintf(detail, KEY_DETAIL_MAX, "%s", text);
    return true;
}

static bool find_rule(const char *where, const char *word, const struct diag *d, enum rule *rule)
{
    struct nearest near = nearest_to(word);
    char document[DOCUMENT_NAME];

    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (!strcmp(rule_name((enum rule)i), word)) {
            *rule = (enum rule)i;
            return true;
        }
        nearest_offer(&near, rule_name((enum rule)i));
    }
    diag_error(d, "%s: there is no rule `%.80s'; %s%s%s", where, word,
               near.found ? "did you mean `" : installed_document("rules.md", document),
               near.found ? near.found : " lists them", near.found ? "'?" : "");
    return false;
}

bool finding_key_read_rule(const char *where, const char *word, const struct diag *d,
                           enum rule *rule, char detail[KEY_DETAIL_MAX])
{
    const char *slash = strchr(word, '/');
    char *name = xasprintf("%.*s", (int)(slash ? (size_t)(slash - word) : strlen(word)), word);
    bool found = find_rule(where, name, d, rule);

    free(name);
    detail[0] = '\0';
    return found && (!slash || read_detail(where, slash + 1, d, *rule, detail));
}

/* ---- keys ---- */

void finding_key(struct finding_key *key, const struct finding *f, const struct site_table *sites,
                 const struct symbols *symbols)
{
    key->rule = f->rule;
    key->place_count = 0;
    detail_of(key->detail, f);
    name_of_writer(key->writer, symbols, f);
    for (unsigned i = 0; i < f->example_count; i++) {
        char *new = key->places[key->place_count];
        unsigned same = 0;

        name_of_place(new, sites, symbols, &f->examples[i]);
        while (strcmp(key->places[same], new) != 0)
            same++;
        key->place_count += same == key->place_count;
    }
}

void finding_key_rule(char text[KEY_RULE_MAX], const struct finding_key *key)
{
    snprintf(text, KEY_RULE_MAX, "%s%s%s", rule_name(key->rule), key->detail[0] ? "/" : "",
             key->detail);
}

void finding_key_text(char text[KEY_TEXT_MAX], const struct finding_key *key)
{
    bool by = strcmp(key->writer, KEY_UNKNOWN) != 0;
    char rule[KEY_RULE_MAX];

    finding_key_rule(rule, key);
    snprintf(text, KEY_TEXT_MAX, "%s %s %s", rule, by ? "by" : "at",
             by ? key->writer : key->places[0]);
}
