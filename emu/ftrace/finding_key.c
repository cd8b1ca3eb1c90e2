/*
 * finding_key.c - see finding_key.h.
 */
#include "ftrace/finding_key.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ftrace/sites.h"
#include "load/symbols.h"

const struct writer *finding_writer(const struct finding *f)
{
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].kind == FACT_STORE)
            return &f->facts[i].writer;
    return NULL;
}

const struct example *finding_place(const struct finding *f)
{
    assert(f->example_count);
    for (unsigned i = 0; i < f->example_count; i++)
        if (f->examples[i].rule == f->rule)
            return &f->examples[i];
    return &f->examples[0];
}

void finding_key_name(char key[KEY_NAME_MAX], const char *function)
{
    size_t end;

    snprintf(key, KEY_NAME_MAX, "%s", function[0] ? function : KEY_UNKNOWN);
    end = strcspn(key, ".");
    if (end)
        key[end] = '\0';
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
                           const struct writer *who)
{
    static const char *const kinds[] = {
        [WRITER_HART] = KEY_UNKNOWN,     [WRITER_FIRMWARE] = "@firmware", [WRITER_DMA] = "@device",
        [WRITER_DEBUGGER] = "@debugger", [WRITER_LOADER] = "@loader",
    };

    if (who && who->kind == WRITER_HART && who->pc)
        finding_key_code(key, symbols, who->pc);
    else
        snprintf(key, KEY_NAME_MAX, "%s", who ? kinds[who->kind] : KEY_UNKNOWN);
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

void finding_key(struct finding_key *key, const struct finding *f, const struct site_table *sites,
                 const struct symbols *symbols)
{
    key->rule = f->rule;
    key->place_count = 0;
    name_of_writer(key->writer, symbols, finding_writer(f));
    for (unsigned i = 0; i < f->example_count; i++) {
        char *new = key->places[key->place_count];
        unsigned same = 0;

        name_of_place(new, sites, symbols, &f->examples[i]);
        while (strcmp(key->places[same], new) != 0)
            same++;
        key->place_count += same == key->place_count;
    }
}

void finding_key_text(char text[KEY_TEXT_MAX], const struct finding_key *key)
{
    bool by = strcmp(key->writer, KEY_UNKNOWN) != 0;

    snprintf(text, KEY_TEXT_MAX, "%s %s %s", rule_name(key->rule), by ? "by" : "at",
             by ? key->writer : key->places[0]);
}
