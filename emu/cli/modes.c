/*
 * modes.c - see modes.h.
 */
#include "cli/modes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

static char *mode(const char *word, bool has_seed, uint64_t seed)
{
    return has_seed ? xasprintf("%s:%" PRIu64, word, seed) : xstrdup(word);
}

char *modes_fetch(const struct cluster_config *c)
{
    return mode(options_fetch_name(c->fetch), fetch_has_choices(c->fetch), c->fetch_seed);
}

char *modes_translate(const struct cluster_config *c)
{
    return mode(options_translate_name(c->translate), c->translate == TRANSLATE_RANDOM,
                c->translate_seed);
}

char *modes_agnostic(const struct cluster_config *c)
{
    return mode(options_agnostic_name(c->agnostic), c->agnostic == AGNOSTIC_RANDOM,
                c->agnostic_seed);
}

char *modes_stores(const struct cluster_config *c)
{
    return mode(options_stores_name(c), c->stores == STORES_RANDOM, c->stores_seed);
}

char *modes_words(const struct options *o)
{
    const struct cluster_config *c = &o->machine.cluster;
    char *fetch = modes_fetch(c), *translate = modes_translate(c), *stores = modes_stores(c);
    char *words = xasprintf("fetch %s, translate %s, stores %s, seed %" PRIu64, fetch, translate,
                            stores, o->machine.seed);

    free(fetch);
    free(translate);
    free(stores);
    return words;
}

/* ---- the command ---- */

typedef VEC_OF(char *) word_list;

/* Adds an option and its value, which it frees; NULL: it has none. */
static void add(word_list *words, const char *option, char *value)
{
    VEC_PUSH(words, xasprintf("--%s", option));
    if (value)
        VEC_PUSH(words, value);
}

static bool is_mode(const char *option)
{
    static const char *const modes[] = {"fetch", "translate", "stores", "seed"};

    for (unsigned i = 0; i < ARRAY_LEN(modes); i++)
        if (!strcmp(option, modes[i]))
            return true;
    return false;
}

static void add_options(word_list *words, const struct options *o)
{
    add(words, "fetch", modes_fetch(&o->machine.cluster));
    add(words, "translate", modes_translate(&o->machine.cluster));
    add(words, "stores", modes_stores(&o->machine.cluster));
    add(words, "seed", xasprintf("%" PRIu64, o->machine.seed));
    for (unsigned i = 0; i < o->saved_count; i++)
        if (!is_mode(o->saved[i].name))
            add(words, o->saved[i].name, o->saved[i].arg ? xstrdup(o->saved[i].arg) : NULL);
}

char **modes_command(const struct options *o)
{
    word_list words = {0};

    VEC_PUSH(&words, xstrdup("rvftrace"));
    VEC_PUSH(&words, xstrdup("run"));
    add_options(&words, o);
    if (o->machine.follow_data)
        add(&words, "follow-data", NULL);
    VEC_PUSH(&words, xstrdup(o->machine.image));
    VEC_PUSH(&words, NULL);
    return words.at;
}

void modes_free_command(char **command)
{
    for (size_t i = 0; command && command[i]; i++)
        free(command[i]);
    free(command);
}

/* Puts a word within quotes, if a shell would read anything else. */
static void put_quoted(const char *word, FILE *out)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";

    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *modes_command_line(char *const *command)
{
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);

    for (size_t i = 0; out && command[i]; i++) {
        if (i)
            fputc(' ', out);
        put_quoted(command[i], out);
    }
    if (out)
        (void)fclose(out);
    return line ? line : xstrdup("");
}
