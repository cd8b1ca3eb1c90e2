/*
 * complete.c - see complete.h.
 */
#include "debug/commands/complete.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/commands.h"
#include "debug/commands/context.h"
#include "debug/commands/points.h"
#include "debug/commands/session.h"
#include "debug/commands/stack.h"
#include "debug/lang/dwarf.h"
#include "debug/lang/expr.h"
#include "ftrace/audit/rules.h"
#include "ftrace/sites/sites.h"
#include "ftrace/watch.h"
#include "load/symbols.h"

struct gathering {
    struct debugger *d;
    const char *prefix;
    size_t len;
    VEC_OF(char *) words;
};

static void offer(void *ctx, const char *word)
{
    struct gathering *g = ctx;

    if (word && !strncmp(word, g->prefix, g->len))
        VEC_PUSH(&g->words, xstrdup(word));
}

/* ---- words to offer ---- */

static void offer_symbols(struct gathering *g)
{
    const struct symbols *s = g->d->config.symbols;

    for (size_t i = 0; i < symbols_count(s); i++)
        offer(g, symbols_get(s, i)->name);
}

static void offer_value(void *ctx, const char *name, struct value v)
{
    char text[EXPR_NAME_MAX + 1];

    (void)v;
    snprintf(text, sizeof text, "$%s", name);
    offer(ctx, text);
}

/* v0 to v31, where the harts have them. */
static void offer_vectors(struct gathering *g)
{
    for (unsigned n = 0; n < 32; n++) {
        char name[4];

        snprintf(name, sizeof name, "v%u", n);
        if (target_find_vector(g->d->target, name) >= 0)
            offer_value(g, name, (struct value){.lost = true});
    }
}

static void offer_registers(struct gathering *g)
{
    struct target_register r;

    for (unsigned number = 0; number < TARGET_REGISTERS; number++)
        if (target_register(g->d->target, number, &r))
            offer_value(g, r.name, (struct value){.lost = true});
    offer_vectors(g);
    variables_each(g->d->language, offer_value, g);
}

struct wanted {
    struct gathering *g;
    enum type_kind kind;
};

static void offer_type(void *ctx, Dwarf_Die *die, int tag, const char *name)
{
    const struct wanted *w = ctx;
    int fits = w->kind == TYPE_STRUCT  ? DW_TAG_structure_type
               : w->kind == TYPE_UNION ? DW_TAG_union_type
                                       : DW_TAG_enumeration_type;

    (void)die;
    if (tag == fits)
        offer(w->g, name);
}

static void offer_name(void *ctx, Dwarf_Die *die, int tag, const char *name)
{
    (void)die;
    if (tag == DW_TAG_enumerator || tag == DW_TAG_typedef || tag == DW_TAG_variable)
        offer(ctx, name);
}

/* Offers the variables of all blocks of the selected frame. */
static void offer_locals(struct gathering *g)
{
    struct blocks b;

    if (!debug_blocks(g->d->info, frame_code(g->d), &b))
        return;
    for (unsigned n = 0; n < b.count; n++) {
        Dwarf_Die block = b.at[n], child;
        int end = dwarf_child(&block, &child);

        for (; end == 0; end = dwarf_siblingof(&child, &child))
            if (dwarf_tag(&child) == DW_TAG_variable ||
                dwarf_tag(&child) == DW_TAG_formal_parameter)
                offer(g, dwarf_diename(&child));
    }
}

static void offer_sites(struct gathering *g)
{
    const struct site_table *sites = g->d->config.ftrace ? watch_sites(g->d->config.ftrace) : NULL;

    for (uint32_t id = 0; sites && id < site_count(sites); id++)
        offer(g, site_get(sites, id)->function);
}

/* Offers the names of the source files of units, without their folders. */
static void offer_files(struct gathering *g)
{
    Dwarf *dwarf = debug_dwarf(g->d->info);
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;

    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
        const char *name = dwarf_diename(&unit), *slash = name ? strrchr(name, '/') : NULL;
        char text[NAME_MAX_LEN];

        snprintf(text, sizeof text, "%s:", slash ? slash + 1 : name ? name : "");
        offer(g, text);
    }
}

static void offer_members(struct gathering *g, struct type *type)
{
    struct types *t = debug_types(g->d->info);

    type = type_strip(t, type);
    if (type->kind == TYPE_POINTER)
        type = type_strip(t, type->target);
    if (type->kind != TYPE_STRUCT && type->kind != TYPE_UNION)
        return;
    for (size_t i = 0; i < type->fields.len; i++)
        if (type->fields.at[i].name)
            offer(g, type->fields.at[i].name);
        else
            offer_members(g, type->fields.at[i].type);
}

/* ---- where the word is ---- */

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether an expression may begin at the index: not inside a name, and not with a member. */
static bool may_begin(const char *text, size_t at)
{
    char before = at ? text[at - 1] : ' ';

    return !(is_name_char(text[at]) && (is_name_char(before) || before == '$')) && before != '.' &&
           before != '>';
}

/* Offers the members of the struct before `.' or `->': the shortest expression that ends there. */
static void offer_members_of(struct gathering *g, const char *text, size_t len)
{
    char *copy = xasprintf("%.*s", (int)len, text);
    struct value v;

    for (size_t at = len; at-- > 0;) {
        const char *from = copy + at;
        struct expr *e = may_begin(copy, at) ? expr_parse(g->d->language, &from, EXPR_WHOLE) : NULL;
        bool found = e && !expr_type_name(e) && expr_evaluate_type(g->d->language, e, &v);

        expr_free(e);
        if (found) {
            offer_members(g, v.type);
            break;
        }
    }
    free(copy);
    language_release(g->d->language);
}

/* Returns the length of `.' or `->' before the word; 0: there is no such operator. */
static size_t member_operator(const char *line, size_t start)
{
    if (start > 1 && line[start - 1] == '.' &&
        (is_name_char(line[start - 2]) || strchr(")]", line[start - 2])))
        return 1;
    return start > 2 && line[start - 1] == '>' && line[start - 2] == '-' ? 2 : 0;
}

static bool follows_word(const char *line, size_t start, const char *word)
{
    size_t len = strlen(word);

    while (start && line[start - 1] == ' ')
        start--;
    return start >= len && !strncmp(line + start - len, word, len) &&
           (start == len || !is_name_char(line[start - len - 1]));
}

static bool takes_places(const char *command)
{
    static const char *const names[] = {"break",   "tbreak", "hbreak", "thbreak", "until",
                                        "advance", "list",   "clear",  "skip"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(command, names[i]))
            return true;
    return false;
}

static bool takes_sites(const char *command)
{
    static const char *const names[] = {"site", "sites", "patches", "watch-patch"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(command, names[i]))
            return true;
    return false;
}

static bool takes_catch(const char *command)
{
    return !strcmp(command, "catch") || !strcmp(command, "tcatch");
}

/* Whether words of the command may have a hyphen or a dot in them. */
static bool takes_words(const char *command)
{
    return takes_catch(command) || !strcmp(command, "info") || !strcmp(command, "help");
}

/*
 * Whether the arguments of the command are no expressions, but words of its own or files of the
 * host.
 */
static bool takes_no_expression(const char *command)
{
    return !strcmp(command, "save") || !strcmp(command, "tour");
}

/* The words that a command takes in the place of its first argument, or beside others. */
static const struct {
    const char *command, *words[7];
} first_words[] = {
    {"set", {"var", "print", "listsize", "autofence"}},
    {"show", {"print", "listsize", "directories", "autofence", "values", "convenience", "user"}},
    {"skip", {"function", "file", "delete", "enable", "disable"}},
    {"save", {"breakpoints"}},
    {"enable", {"once", "delete", "count", "breakpoints"}},
    {"disable", {"breakpoints"}},
    {"delete", {"checkpoint", "display", "breakpoints"}},
    {"thread", {"apply"}},
    {"tour", {"patching", "stop"}},
    {"goto", {"cycle"}},
    {"frame", {"function"}},
    {"backtrace", {"full"}},
};

static void offer_first_words(struct gathering *g, const char *command)
{
    for (size_t i = 0; i < ARRAY_LEN(first_words); i++)
        for (size_t n = 0; !strcmp(command, first_words[i].command) &&
                           n < ARRAY_LEN(first_words[i].words) && first_words[i].words[n];
             n++)
            offer(g, first_words[i].words[n]);
}

/* Offers names of registers, as `info registers' and `catch csr' take them. */
static void offer_plain_registers(struct gathering *g)
{
    struct target_register r;

    for (unsigned number = 0; number < TARGET_REGISTERS; number++)
        if (target_register(g->d->target, number, &r))
            offer(g, r.name);
}

static void offer_for_catch(struct gathering *g, const char *line, size_t start, size_t args)
{
    if (start == args)
        catch_for_each(offer, g);
    else if (follows_word(line, start, "csr"))
        offer_plain_registers(g);
    else if (follows_word(line, start, "patch"))
        offer_sites(g);
    else if (follows_word(line, start, "finding"))
        for (unsigned rule = 0; rule < RULE_COUNT; rule++)
            offer(g, rule_name((enum rule)rule));
}

static void offer_for_expression(struct gathering *g, const char *line, size_t start, size_t args)
{
    struct wanted w = {.g = g, .kind = TYPE_STRUCT};
    size_t operator_len = member_operator(line, start);

    if (operator_len) {
        offer_members_of(g, line + args, start - operator_len - args);
        return;
    }
    if (follows_word(line, start, "struct") || follows_word(line, start, "union") ||
        follows_word(line, start, "enum")) {
        w.kind = follows_word(line, start, "union")  ? TYPE_UNION
                 : follows_word(line, start, "enum") ? TYPE_ENUM
                                                     : TYPE_STRUCT;
        debug_each_name(g->d->info, offer_type, &w);
        return;
    }
    if (g->prefix[0] == '$') {
        offer_registers(g);
        return;
    }
    offer_symbols(g);
    offer_locals(g);
    if (g->len) /* there are many */
        debug_each_name(g->d->info, offer_name, g);
}

static void offer_for_command(struct gathering *g, const char *command, const char *line,
                              size_t start, size_t args)
{
    if (start == args && !strcmp(command, "info")) {
        info_for_each(g->prefix, offer, g);
    } else if (takes_catch(command)) {
        offer_for_catch(g, line, start, args);
    } else if (!strcmp(command, "info") &&
               (follows_word(line, start, "registers") || follows_word(line, start, "r"))) {
        offer_plain_registers(g);
    } else if (start == args && !strcmp(command, "help")) {
        commands_for_each(g->prefix, offer, g);
    } else if (takes_sites(command)) {
        offer_sites(g);
    } else {
        if (start == args)
            offer_first_words(g, command);
        if (takes_places(command))
            offer_files(g);
        if (!takes_no_expression(command))
            offer_for_expression(g, line, start, args);
    }
}

static int compare(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void finish(struct gathering *g, struct completions *c)
{
    c->word = g->words.at;
    c->count = 0;
    if (g->words.len)
        qsort(g->words.at, g->words.len, sizeof *g->words.at, compare);
    for (size_t i = 0; i < g->words.len; i++)
        if (c->count && !strcmp(c->word[c->count - 1], g->words.at[i]))
            free(g->words.at[i]);
        else
            c->word[c->count++] = g->words.at[i];
}

void complete_line(struct debugger *d, const char *line, struct completions *c)
{
    size_t first = strspn(line, " \t"), len = strlen(line), end = first, start = len;
    struct gathering g = {.d = d};
    char command[NAME_MAX_LEN];

    while (isalnum((unsigned char)line[end]) || line[end] == '-' || line[end] == '_')
        end++;
    if (end == len) { /* still in the command's name */
        c->start = first;
        g.prefix = line + first;
        g.len = len - first;
        commands_for_each(g.prefix, offer, &g);
        user_for_each(d, offer, &g);
        aliases_for_each(d, offer, &g);
        finish(&g, c);
        return;
    }
    command_meant(d, line + first, end - first, command, sizeof command);
    end += line[end] == '/' ? strcspn(line + end, " \t") : 0;
    end += strspn(line + end, " \t");
    while (start > end &&
           (is_name_char(line[start - 1]) || line[start - 1] == '$' ||
            ((takes_sites(command) || takes_places(command) || takes_words(command)) &&
             line[start - 1] == '.') ||
            (takes_words(command) && line[start - 1] == '-')))
        start--;
    c->start = start;
    g.prefix = line + start;
    g.len = len - start;
    context_command(d);
    offer_for_command(&g, command, line, start, end);
    finish(&g, c);
}

void completions_free(struct completions *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->word[i]);
    free(c->word);
}

size_t completions_common(const struct completions *c)
{
    size_t same = 0;

    /* The words are sorted, so the first and the last differ the most. */
    while (c->count && c->word[0][same] && c->word[0][same] == c->word[c->count - 1][same])
        same++;
    return same;
}

void do_complete(struct debugger *d, const char *args)
{
    struct completions c;

    complete_line(d, args, &c);
    for (size_t i = 0; i < c.count; i++)
        fprintf(d->out, "%.*s%s\n", (int)c.start, args, c.word[i]);
    completions_free(&c);
}
