/*
 * layout.c - prints where the members of a struct are, for `ptype/o', in gdb's form.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/lang/type.h"

enum { COLUMNS = 27, STEP = 4 }; /* the width of offset and size; of one level */

struct layout {
    struct types *types;
    FILE *out;
    bool hex;
};

static bool is_compound(const struct type *type)
{
    return type->kind == TYPE_STRUCT || type->kind == TYPE_UNION;
}

/* Returns the struct or union without its qualifiers; NULL: the type is another one. */
static struct type *compound_of(struct types *t, struct type *type)
{
    struct type *at = type;

    while (at && at->kind == TYPE_QUALIFIED)
        at = at->target;
    if (!at || !is_compound(at))
        return NULL;
    at = type_strip(t, at);
    return at->declared ? NULL : at;
}

/* Prints "const struct list_head {", also for a struct without a name. */
static void print_opening(const struct layout *l, struct type *type)
{
    static const char cut[] = "{...}";
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return;
    type_print(l->types, to, type, NULL, -1, 0);
    fclose(to);
    if (size >= strlen(cut) && !strcmp(text + size - strlen(cut), cut))
        text[size - strlen(cut)] = '\0';
    else
        text = xrealloc(text, size + 2), memcpy(text + size, " ", 2);
    fprintf(l->out, "%s{\n", text);
    free(text);
}

/* Prints the size of a hole: bytes or bits that belong to no member. */
static void print_gap(const struct layout *l, uint64_t bits, const char *what)
{
    if (bits % 8)
        fprintf(l->out, "/* XXX %2u-bit %-7s    */\n", (unsigned)(bits % 8), what);
    if (bits / 8)
        fprintf(l->out, "/* XXX %2" PRIu64 "-byte %-7s   */\n", bits / 8, what);
}

static void print_place(const struct layout *l, const struct type_field *f, bool in_union,
                        uint64_t bit, uint64_t size)
{
    if (in_union)
        fprintf(l->out, l->hex ? "/*                0x%04" PRIx64 " */" : "/*%22" PRIu64 " */",
                size);
    else if (f->bit_size)
        fprintf(l->out,
                l->hex ? "/* 0x%04" PRIx64 ": 0x%x |  0x%04" PRIx64 " */"
                       : "/*%7" PRIu64 ":%2u   |%8" PRIu64 " */",
                bit / 8, (unsigned)(bit % 8), size);
    else
        fprintf(l->out,
                l->hex ? "/* 0x%04" PRIx64 "      |  0x%04" PRIx64 " */"
                       : "/*%7" PRIu64 "      |%8" PRIu64 " */",
                bit / 8, size);
}

static void print_members(const struct layout *l, struct type *s, uint64_t base, unsigned indent);

static void print_member(const struct layout *l, const struct type_field *f, uint64_t base,
                         unsigned indent)
{
    struct type *inner = compound_of(l->types, f->type);

    fprintf(l->out, "%*s", (int)indent, "");
    if (inner) {
        print_opening(l, f->type);
        print_members(l, inner, base + f->offset, indent + STEP);
        fprintf(l->out, "%*s}%s%s", COLUMNS + (int)indent, "", f->name ? " " : "",
                f->name ? f->name : "");
    } else {
        type_print(l->types, l->out, f->type, f->name, 0, indent);
    }
    if (f->bit_size)
        fprintf(l->out, " : %u", f->bit_size);
    fprintf(l->out, ";\n");
}

/* Prints the members. `base': offset of the struct in the outermost one, in bytes. */
static void print_members(const struct layout *l, struct type *s, uint64_t base, unsigned indent)
{
    bool in_union = s->kind == TYPE_UNION;
    uint64_t end = 0;

    if (!s->fields.len)
        fprintf(l->out, "%*s%s\n", COLUMNS + (int)indent, "", "<no data fields>");
    for (size_t i = 0; i < s->fields.len; i++) {
        const struct type_field *f = &s->fields.at[i];
        uint64_t size = type_size(l->types, f->type), bit = f->offset * 8 + f->bit_offset;

        if (!in_union && end && bit > end)
            print_gap(l, bit - end, "hole");
        print_place(l, f, in_union, base * 8 + bit, size);
        print_member(l, f, base, indent);
        end = bit + (f->bit_size ? f->bit_size : size * 8);
    }
    if (!in_union && end && s->size * 8 > end)
        print_gap(l, s->size * 8 - end, "padding");
    fprintf(l->out, "\n%*s/* total size (bytes): %4" PRIu64 " */\n", COLUMNS + (int)indent, "",
            s->size);
}

bool type_print_layout(struct types *t, FILE *out, struct type *type, bool hex)
{
    const struct layout l = {t, out, hex};
    struct type *whole = compound_of(t, type_unalias(t, type));

    if (!whole)
        return false;
    fprintf(out, "%stype = ", compound_of(t, type) ? "/* offset      |    size */  " : "");
    print_opening(&l, type_unalias(t, type));
    print_members(&l, whole, 0, STEP);
    fprintf(out, "%*s}\n", COLUMNS + 2, "");
    return true;
}
