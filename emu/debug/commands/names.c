/*
 * names.c - `info symbol', `info address', `info functions', `info variables', `info types'.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/commands/args.h"
#include "debug/commands/commands.h"
#include "debug/commands/session.h"
#include "debug/frames/place.h"
#include "debug/lang/dwarf.h"
#include "load/symbols.h"

/* ---- symbol, address ---- */

void info_symbol(struct debugger *d, const char *args)
{
    const struct language_env *env = language_env(d->language);
    uint64_t address, offset = 0;
    const char *name, *section, *text = args;

    if (!arg_value(d, &args, "an address", &address) || !arg_end(d, args))
        return;
    name = env->name_at(env->ctx, address, &offset);
    if (!name) {
        fprintf(d->out, "No symbol matches %s.\n", text);
        return;
    }
    fprintf(d->out, "%s", name);
    if (offset)
        fprintf(d->out, " + %" PRIu64, offset);
    section = debug_section(d->info, place_canonical(&d->guest, address));
    if (section)
        fprintf(d->out, " in section %s", section);
    fprintf(d->out, "\n");
}

static const char *kind_of(const struct debug_symbol *s)
{
    if (s->class == DEBUG_CONSTANT)
        return "constant";
    if (s->class == DEBUG_FUNCTION)
        return "a function at address";
    return s->fixed ? "static storage at address"
                    : "a variable of a frame, whose place depends on pc";
}

void info_address(struct debugger *d, const char *args)
{
    const struct language_env *env = language_env(d->language);
    struct plain_symbol plain;
    struct frame_scope f;
    struct debug_symbol s;

    if (!*args) {
        complain(d, "Argument required.");
        return;
    }
    env->frame(env->ctx, &f);
    if (debug_find(d->info, f.canonical, f.level, args, &s)) {
        fprintf(d->out, "Symbol \"%s\" is %s", args, kind_of(&s));
        if (s.fixed)
            fprintf(d->out, " 0x%" PRIx64, s.address);
        fprintf(d->out, ".\n");
    } else if (env->symbol(env->ctx, args, &plain)) {
        fprintf(d->out, "Symbol \"%s\" is at 0x%" PRIx64 " in a file compiled without debugging.\n",
                args, plain.address);
    } else {
        complain(d, "No symbol \"%s\" in current context.", args);
    }
}

/* ---- scope ---- */

static void describe_local(struct debugger *d, Dwarf_Die *die)
{
    struct debug_symbol s;
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;

    if (!debug_symbol_of(d->info, die, &s))
        return;
    fprintf(d->out, "Symbol %s is ", s.name);
    if (s.fixed)
        fprintf(d->out, "static storage at address 0x%" PRIx64, s.address);
    else if (dwarf_hasattr_integrate(die, DW_AT_const_value))
        fprintf(d->out, "constant");
    else if (!dwarf_attr_integrate(die, DW_AT_location, &attr))
        fprintf(d->out, "optimized out");
    else if (dwarf_getlocation(&attr, &ops, &count) != 0)
        fprintf(d->out, "multi-location");
    else
        fprintf(d->out, "a variable at one place in the frame");
    fprintf(d->out, ", length %" PRIu64 ".\n", type_size(debug_types(d->info), s.type));
}

static unsigned describe_block(struct debugger *d, Dwarf_Die *block)
{
    unsigned found = 0;
    Dwarf_Die child;
    int end = dwarf_child(block, &child);

    for (; end == 0; end = dwarf_siblingof(&child, &child)) {
        int tag = dwarf_tag(&child);

        if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter)
            continue;
        describe_local(d, &child);
        found++;
    }
    return found;
}

void info_scope(struct debugger *d, const char *args)
{
    const char *text = args;
    struct blocks b;
    uint64_t address;
    unsigned found = 0;

    if (!arg_value(d, &args, "a function or address", &address) || !arg_end(d, args))
        return;
    if (debug_blocks(d->info, place_canonical(&d->guest, address), &b))
        for (unsigned n = b.count; n-- > 0;)
            found += describe_block(d, &b.at[n]);
    if (!found)
        fprintf(d->out, "Symbol table has no variables for the scope of %s.\n", text);
}

/* ---- lists of names ---- */

struct entry {
    const char *file, *name;
    unsigned line;
    char *text;
};

struct search {
    struct debugger *d;
    regex_t regex;
    bool any;  /* no regular expression was given: all names match */
    int class; /* enum debug_class: FUNCTION, VARIABLE, TYPEDEF for types */
    VEC_OF(struct entry) found;
};

static bool is_static(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    bool external = false;

    (void)!dwarf_formflag(dwarf_attr_integrate(die, DW_AT_external, &attr), &external);
    return !external;
}

/* Returns the declaration as gdb lists it. */
static char *declaration(struct search *s, Dwarf_Die *die, int tag, const char *name)
{
    struct types *t = language_types(s->d->language);
    struct debug_symbol symbol;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return xstrdup(name);
    if (tag == DW_TAG_variable || tag == DW_TAG_subprogram) {
        if (is_static(die))
            fputs("static ", out);
        if (debug_symbol_of(s->d->info, die, &symbol))
            type_print(t, out, symbol.type, name, 0, 0);
    } else if (tag == DW_TAG_typedef) {
        fputs("typedef ", out);
        if (debug_type_of(s->d->info, die))
            type_print(t, out, debug_type_of(s->d->info, die), name, 0, 0);
        else
            fprintf(out, "void %s", name);
    } else {
        fprintf(out, "%s%s",
                tag == DW_TAG_structure_type     ? "struct "
                : tag == DW_TAG_union_type       ? "union "
                : tag == DW_TAG_enumeration_type ? "enum "
                                                 : "",
                name);
    }
    fclose(out);
    return text;
}

static bool is_wanted(const struct search *s, Dwarf_Die *die, int tag)
{
    Dwarf_Addr entry;

    switch (s->class) {
    case DEBUG_FUNCTION: return tag == DW_TAG_subprogram && dwarf_entrypc(die, &entry) == 0;
    case DEBUG_VARIABLE:
        return tag == DW_TAG_variable && dwarf_hasattr_integrate(die, DW_AT_location);
    default:
        return tag != DW_TAG_subprogram && tag != DW_TAG_variable && tag != DW_TAG_enumerator &&
               !dwarf_hasattr(die, DW_AT_declaration);
    }
}

static void consider(void *ctx, Dwarf_Die *die, int tag, const char *name)
{
    struct search *s = ctx;
    struct entry e = {.name = name};
    int line = 0;

    if (!s->any && regexec(&s->regex, name, 0, NULL, 0) != 0)
        return;
    if (!is_wanted(s, die, tag))
        return;
    e.file = dwarf_decl_file(die);
    (void)!dwarf_decl_line(die, &line);
    e.line = (unsigned)line;
    e.text = declaration(s, die, tag, name);
    VEC_PUSH(&s->found, e);
}

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = strcmp(a->file ? a->file : "", b->file ? b->file : "");

    if (!order)
        order = strcmp(a->name, b->name);
    return order ? order : strcmp(a->text, b->text);
}

static const char *short_name(const char *file)
{
    const char *cut = strstr(file, "/./");

    return cut ? cut + 3 : file;
}

static void print_found(struct search *s)
{
    const char *file = NULL;

    if (s->found.len)
        qsort(s->found.at, s->found.len, sizeof *s->found.at, compare);
    for (size_t i = 0; i < s->found.len; i++) {
        const struct entry *e = &s->found.at[i];

        if (i && !compare(e, &s->found.at[i - 1]))
            continue;
        if (e->file && (!file || strcmp(file, e->file) != 0))
            fprintf(s->d->out, "\nFile %s:\n", short_name(e->file));
        file = e->file ? e->file : file;
        if (e->line)
            fprintf(s->d->out, "%u:", e->line);
        fprintf(s->d->out, "\t%s;\n", e->text);
    }
}

/* Prints the symbols of the ELF that have no debug information. */
static void print_plain(struct search *s)
{
    const struct symbols *symbols = s->d->config.symbols;
    bool any = false;

    for (size_t i = 0; i < symbols_count(symbols); i++) {
        const struct symbol *at = symbols_get(symbols, i);
        struct debug_symbol known;
        bool code = at->kind == SYMBOL_FUNC || debug_is_code(s->d->info, at->addr);

        if (at->kind == SYMBOL_ABSOLUTE || code != (s->class == DEBUG_FUNCTION) ||
            (!s->any && regexec(&s->regex, at->name, 0, NULL, 0) != 0) ||
            debug_find(s->d->info, 0, 0, at->name, &known))
            continue;
        if (!any)
            fprintf(s->d->out, "\nNon-debugging symbols:\n");
        any = true;
        fprintf(s->d->out, "0x%016" PRIx64 "  %s\n", at->addr, at->name);
    }
}

static void list_names(struct debugger *d, const char *args, int class, const char *what)
{
    struct search s = {.d = d, .any = !*args, .class = class};
    char why[128];
    int error = *args ? regcomp(&s.regex, args, REG_NOSUB) : 0;

    if (error) {
        regerror(error, &s.regex, why, sizeof why);
        complain(d, "%s", why);
        return;
    }
    if (*args)
        fprintf(d->out, "All %ss matching regular expression \"%s\":\n", what, args);
    else
        fprintf(d->out, "All defined %ss:\n", what);
    debug_each_name(d->info, consider, &s);
    print_found(&s);
    if (class != DEBUG_TYPEDEF)
        print_plain(&s);
    for (size_t i = 0; i < s.found.len; i++)
        free(s.found.at[i].text);
    VEC_FREE(&s.found);
    if (*args)
        regfree(&s.regex);
}

void info_functions(struct debugger *d, const char *args)
{
    list_names(d, args, DEBUG_FUNCTION, "function");
}

void info_variables(struct debugger *d, const char *args)
{
    list_names(d, args, DEBUG_VARIABLE, "variable");
}

void info_types(struct debugger *d, const char *args)
{
    list_names(d, args, DEBUG_TYPEDEF, "type");
}
