/*
 * print.c - prints values as gdb does.
 *
 * At most `elements` elements of an array or characters of a text are shown; `repeats` equal ones
 * in sequence are written once (struct print_options).
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "debug/lang/value.h"

enum { NESTING_MAX = 40, TEXT_MAX = 4096 };

struct printer {
    struct language *l;
    FILE *out;
    struct print_format format;
    bool summary; /* structs and arrays as `...' */
    unsigned depth;
};

static void print_any(struct printer *p, struct value v);

static struct type *strip(struct printer *p, struct type *type)
{
    return type_strip(language_types(p->l), type);
}

static void print_why(struct printer *p)
{
    fprintf(p->out, "<error: %s>", language_why(p->l));
}

/* ---- text ---- */

static void print_char(FILE *out, uint8_t c, char quote)
{
    static const char escapes[] = "\n\r\t\b\f\a\v", letters[] = "nrtbfav";
    const char *known = c ? strchr(escapes, c) : NULL;

    if (known)
        fprintf(out, "\\%c", letters[known - escapes]);
    else if (c == quote || c == '\\')
        fprintf(out, "\\%c", c);
    else if (c >= 0x20 && c < 0x7f)
        fputc(c, out);
    else
        fprintf(out, "\\%03o", c);
}

static size_t run_length(const uint8_t *text, size_t len)
{
    size_t n = 1;

    while (n < len && text[n] == text[0])
        n++;
    return n;
}

/*
 * Prints a string. Runs of more than `repeats` equal characters are printed outside of the quotes.
 */
void print_text(struct language *l, FILE *out, const uint8_t *text, size_t len, bool cut)
{
    const unsigned repeats = language_options(l)->repeats;
    bool quoted = false, first = true;

    if (!len)
        fputs("\"\"", out);
    for (size_t at = 0, run; at < len; at += run) {
        run = run_length(text + at, len - at);
        if (run <= repeats) {
            if (!quoted)
                fputs(first ? "\"" : ", \"", out);
            quoted = true;
            for (size_t i = 0; i < run; i++)
                print_char(out, text[at], '"');
        } else {
            fputs(quoted ? "\", '" : first ? "'" : ", '", out);
            quoted = false;
            print_char(out, text[at], '\'');
            fprintf(out, "' <repeats %zu times>", run);
        }
        first = false;
    }
    if (quoted)
        fputc('"', out);
    if (cut)
        fputs("...", out);
}

/* Prints the string at an address, up to its NUL. */
static void print_text_at(struct printer *p, uint64_t address)
{
    const struct language_env *env = language_env(p->l);
    uint8_t text[TEXT_MAX + 1];
    size_t len = 0, max = language_options(p->l)->elements;

    if (max > TEXT_MAX)
        max = TEXT_MAX;
    while (len < max && env->load(env->ctx, address + len, &text[len], 1) && text[len])
        len++;
    if (!len && !env->load(env->ctx, address, text, 1)) {
        fprintf(p->out, "<error: Cannot access memory at address 0x%" PRIx64 ">", address);
        return;
    }
    print_text(p->l, p->out, text, len,
               len == max && env->load(env->ctx, address + len, &text[len], 1) && text[len]);
    if (len < max && !env->load(env->ctx, address + len, &text[len], 1))
        fprintf(p->out, "<error: Cannot access memory at address 0x%" PRIx64 ">", address + len);
}

/* ---- numbers ---- */

void print_address_name(struct language *l, FILE *out, uint64_t address)
{
    const struct language_env *env = language_env(l);
    uint64_t offset = 0;
    const char *name = env->name_at(env->ctx, address, &offset);

    if (name && offset)
        fprintf(out, " <%s+%" PRIu64 ">", name, offset);
    else if (name)
        fprintf(out, " <%s>", name);
}

static void print_binary(FILE *out, uint64_t number, unsigned digits)
{
    unsigned top = 63;

    while (top && !(number >> top & 1))
        top--;
    if (digits > top + 1)
        top = digits - 1;
    do {
        fputc('0' + (int)(number >> top & 1), out);
    } while (top--);
}

static void print_double(FILE *out, double number, unsigned size)
{
    char text[64];

    if (number != number) {
        uint64_t bits;

        memcpy(&bits, &number, sizeof bits);
        fprintf(out, "%snan(0x%" PRIx64 ")", bits >> 63 ? "-" : "",
                size == 4 ? bits >> 29 & 0x7fffff : bits & UINT64_C(0xfffffffffffff));
        return;
    }
    snprintf(text, sizeof text, "%.*g", size == 4 ? 9 : 17, number);
    fputs(text, out);
}

static double real_of(uint64_t bits, unsigned size)
{
    uint32_t low = (uint32_t)bits;
    double number;
    float single;

    if (size == 4) {
        memcpy(&single, &low, sizeof single);
        return (double)single;
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

static unsigned size_of_letter(char letter)
{
    return letter == 'b' ? 1 : letter == 'h' ? 2 : letter == 'w' ? 4 : letter == 'g' ? 8 : 0;
}

static uint64_t cut_to(uint64_t number, unsigned bits)
{
    return bits < 64 ? number & ((UINT64_C(1) << bits) - 1) : number;
}

static int64_t signed_of(uint64_t number, unsigned bits)
{
    return bits && bits < 64 ? (int64_t)(number << (64 - bits)) >> (64 - bits) : (int64_t)number;
}

/* Prints a number of `bits` bits by a letter of the format. */
static void print_by_letter(struct printer *p, uint64_t number, unsigned bits, bool is_signed)
{
    uint64_t plain = cut_to(number, bits);

    switch (p->format.letter) {
    case 'x': fprintf(p->out, "0x%" PRIx64, plain); break;
    case 'z': fprintf(p->out, "0x%0*" PRIx64, (int)((bits + 7) / 8 * 2), plain); break;
    case 'o': fprintf(p->out, plain ? "0%" PRIo64 : "%" PRIo64, plain); break;
    case 't': print_binary(p->out, plain, p->format.size ? bits : 0); break;
    case 'd': fprintf(p->out, "%" PRId64, signed_of(number, bits)); break;
    case 'u': fprintf(p->out, "%" PRIu64, plain); break;
    case 'a':
        fprintf(p->out, "0x%" PRIx64, plain);
        print_address_name(p->l, p->out, plain);
        break;
    case 'c':
        fprintf(p->out, is_signed ? "%" PRId64 " '" : "%" PRIu64 " '",
                is_signed ? (uint64_t)signed_of(number, 8) : number & 0xff);
        print_char(p->out, (uint8_t)number, '\'');
        fputc('\'', p->out);
        break;
    case 'f':
        if (bits == 32 || bits == 64)
            print_double(p->out, real_of(plain, bits / 8), bits / 8);
        else
            fprintf(p->out, is_signed ? "%" PRId64 : "%" PRIu64,
                    is_signed ? (uint64_t)signed_of(number, bits) : plain);
        break;
    default: fprintf(p->out, "%" PRId64, (int64_t)number); break;
    }
}

static void print_int(struct printer *p, const struct type *type, uint64_t number)
{
    if (type->is_bool && number < 2)
        fputs(number ? "true" : "false", p->out);
    else if (type->is_signed)
        fprintf(p->out, "%" PRId64, (int64_t)number);
    else
        fprintf(p->out, "%" PRIu64, number);
    if (type->is_char) {
        fputs(" '", p->out);
        print_char(p->out, (uint8_t)number, '\'');
        fputc('\'', p->out);
    }
}

static const char *enumerator_of(const struct type *type, uint64_t number)
{
    for (size_t i = 0; i < type->values.len; i++)
        if ((uint64_t)type->values.at[i].value == number)
            return type->values.at[i].name;
    return NULL;
}

/* Prints (A | B), and as a number the bits that no value has. */
static void print_flags(struct printer *p, const struct type *type, uint64_t number)
{
    const char *before = "(";

    if (!number) {
        fputs("0", p->out);
        return;
    }
    for (size_t i = 0; i < type->values.len; i++) {
        uint64_t bits = (uint64_t)type->values.at[i].value;

        if (!bits || (number & bits) != bits)
            continue;
        fprintf(p->out, "%s%s", before, type->values.at[i].name);
        before = " | ";
        number &= ~bits;
    }
    if (number)
        fprintf(p->out, "%sunknown: 0x%" PRIx64, before, number);
    fputc(')', p->out);
}

static void print_enum(struct printer *p, const struct type *type, uint64_t number)
{
    const char *name = enumerator_of(type, number);

    if (name)
        fputs(name, p->out);
    else if (type->flags && type->values.len)
        print_flags(p, type, number);
    else
        fprintf(p->out, "%" PRId64, (int64_t)number);
}

/* ---- pointers ---- */

static void print_pointer(struct printer *p, const struct type *type, uint64_t address)
{
    fprintf(p->out, "0x%" PRIx64, address);
    if (type->target && !p->format.letter && type_is_text(language_types(p->l), type->target)) {
        if (address) {
            print_address_name(p->l, p->out, address);
            fputc(' ', p->out);
            print_text_at(p, address);
        }
    } else if (address) {
        print_address_name(p->l, p->out, address);
    }
}

/* ---- parts ---- */

static bool is_same(const struct value *array, uint64_t size, uint64_t a, uint64_t b)
{
    return !memcmp(array->bytes + a * size, array->bytes + b * size, size);
}

static void print_elements(struct printer *p, const struct value *v, const struct type *type)
{
    uint64_t size = type_size(language_types(p->l), type->target), count = type->count, i, run;
    const struct print_options *o = language_options(p->l);
    unsigned shown = 0;

    fputc('{', p->out);
    for (i = 0; i < count && shown < o->elements; i += run) {
        for (run = 1; i + run < count && is_same(v, size, i, i + run);)
            run++;
        if (run < o->repeats)
            run = 1;
        if (i)
            fputs(", ", p->out);
        print_any(p, value_part(p->l, v, type->target, i * size));
        if (run >= o->repeats)
            fprintf(p->out, " <repeats %" PRIu64 " times>", run);
        shown += run >= o->repeats ? o->repeats : 1;
    }
    if (i < count)
        fputs("...", p->out);
    fputc('}', p->out);
}

/* Prints an array of char without one NUL at its end. */
static void print_char_array(struct printer *p, const struct value *v, uint64_t count)
{
    const struct print_options *o = language_options(p->l);
    uint64_t len = count;
    bool cut = false;
    size_t shown = 0, at = 0;

    if (len && !v->bytes[len - 1] && len <= o->elements)
        len--;
    else if (len > o->elements) { /* a long run takes as much room as `repeats` characters */
        while (at < len && shown < o->elements) {
            size_t run = run_length(v->bytes + at, len - at);

            if (run > o->repeats) {
                shown += o->repeats;
                at += run;
            } else {
                shown++;
                at++;
            }
        }
        cut = at < len;
        if (!cut && !v->bytes[len - 1])
            at--;
        len = at;
    }
    print_text(p->l, p->out, v->bytes, len, cut);
}

static void print_array(struct printer *p, struct value v, const struct type *type)
{
    struct types *t = language_types(p->l);
    char letter = p->format.letter;

    if (!type->bounded || !type->count) {
        if (v.place == VALUE_IN_MEMORY)
            print_pointer(p, type, v.address);
        else
            fputs("{}", p->out);
        return;
    }
    if (p->summary && !type_is_text(t, type->target)) {
        fputs("...", p->out);
        return;
    }
    if (!value_fetch(p->l, &v)) {
        print_why(p);
        return;
    }
    if (type_is_text(t, type->target) && (!letter || letter == 's'))
        print_char_array(p, &v, type->count);
    else
        print_elements(p, &v, type);
}

static void print_struct(struct printer *p, struct value v, const struct type *type)
{
    bool pretty;

    if (type->declared && !type->fields.len) {
        fputs("<incomplete type>", p->out);
        return;
    }
    if (p->summary) {
        fputs("...", p->out);
        return;
    }
    if (!type->fields.len) {
        fputs("{<No data fields>}", p->out);
        return;
    }
    pretty = language_options(p->l)->pretty;
    fputc('{', p->out);
    for (size_t i = 0; i < type->fields.len; i++) {
        const struct type_field *f = &type->fields.at[i];

        if (i)
            fputs(pretty ? "," : ", ", p->out);
        if (pretty)
            fprintf(p->out, "\n%*s", (int)(2 * p->depth), "");
        if (f->name)
            fprintf(p->out, "%s = ", f->name);
        print_any(p, value_field(p->l, &v, f));
    }
    if (pretty)
        fprintf(p->out, "\n%*s", (int)(2 * p->depth - 2), "");
    fputc('}', p->out);
}

/* ---- a value ---- */

static void print_code(struct printer *p, const struct value *v)
{
    fputc('{', p->out);
    type_print(language_types(p->l), p->out, v->type, NULL, -1, 0);
    fprintf(p->out, "} 0x%" PRIx64, v->address);
    print_address_name(p->l, p->out, v->address);
}

static void print_scalar(struct printer *p, struct value v, const struct type *type)
{
    char letter = p->format.letter;
    unsigned bits = (unsigned)type->size * 8; /* also of a bit-field, as gdb has it */
    uint64_t number = 0;
    double real = 0;

    if (!value_fetch(p->l, &v)) {
        print_why(p);
        return;
    }
    if (type->kind == TYPE_FLOAT && (!letter || letter == 'f' || letter == 's')) {
        if (value_number(p->l, v, &real))
            print_double(p->out, real, (unsigned)type->size);
        return;
    }
    if (type->kind == TYPE_FLOAT)
        memcpy(&number, v.bytes, v.size < 8 ? v.size : 8);
    else if (!value_integer(p->l, v, &number))
        return;
    if (letter && letter != 's')
        print_by_letter(p, number, p->format.size ? 8 * size_of_letter(p->format.size) : bits,
                        type->is_signed);
    else if (type->kind == TYPE_POINTER)
        print_pointer(p, type, number);
    else if (type->kind == TYPE_ENUM)
        print_enum(p, type, number);
    else
        print_int(p, type, number);
}

static void print_any(struct printer *p, struct value v)
{
    const struct type *type = strip(p, v.type);

    if (v.lost) {
        fputs(v.unsaved ? "<not saved>" : "<optimized out>", p->out);
        return;
    }
    if (p->depth == NESTING_MAX) {
        fputs("...", p->out);
        return;
    }
    p->depth++;
    switch (type->kind) {
    case TYPE_VOID: fputs("void", p->out); break;
    case TYPE_STRUCT:
    case TYPE_UNION: print_struct(p, v, type); break;
    case TYPE_ARRAY: print_array(p, v, type); break;
    case TYPE_FUNCTION:
    case TYPE_NO_CODE: print_code(p, &v); break;
    default: print_scalar(p, v, type); break;
    }
    p->depth--;
}

/* Whether the type of a pointer is shown: not of one to char. */
static bool shows_type(struct language *l, struct type *type)
{
    struct types *t = language_types(l);
    const struct type *stripped = type_strip(t, type);
    const struct type *target;

    if (stripped->kind != TYPE_POINTER)
        return false;
    if (type->kind != TYPE_POINTER)
        return true;
    target = stripped->target;
    while (target && target->kind == TYPE_QUALIFIED)
        target = target->target;
    return !target || !target->name || strcmp(target->name, "char") != 0;
}

bool value_print(struct language *l, FILE *out, struct value v, struct print_format f)
{
    struct printer p = {.l = l, .out = out, .format = f};
    const struct type *type = type_strip(language_types(l), v.type);

    if (f.letter && (type->kind == TYPE_FUNCTION || type->kind == TYPE_NO_CODE))
        return language_fail(l, "Value can't be converted to integer.");
    if (type->kind == TYPE_NO_DATA)
        return language_fail(l, "a variable without debug information has unknown type; cast it to "
                                "its declared type");
    if (!v.lost && type->kind != TYPE_VOID && type->kind != TYPE_FUNCTION &&
        type->kind != TYPE_NO_CODE && !value_fetch(l, &v))
        return false;
    if (!v.lost && (!f.letter || f.letter == 's') && shows_type(l, v.type)) {
        fputc('(', out);
        type_print(language_types(l), out, v.type, NULL, -1, 0);
        fputs(") ", out);
    }
    print_any(&p, v);
    return true;
}

void value_print_inside(struct language *l, FILE *out, struct value v, struct print_format f,
                        bool summary)
{
    struct printer p = {.l = l, .out = out, .format = f, .summary = summary};

    print_any(&p, v);
}
