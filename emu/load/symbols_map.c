/*
 * symbols_map.c - symbols of a text file: nm, nm -S, System.map, kallsyms.
 */
#include <ctype.h>
#include <string.h>

#include "load/file.h"
#include "load/image_priv.h"
#include "load/symbols_priv.h"

/* The assumed size of the last symbol, whose end is not in the file. */
static const uint64_t LAST_SYMBOL_BYTES = 4096;

/* The fields of a line. */
struct map_line {
    uint64_t addr, size;
    char type;
    const char *name;
    size_t name_len;
};

/* Parses a hexadecimal number that ends with white space. Returns what follows; NULL: not one. */
static const char *parse_hex(const char *p, const char *end, uint64_t *value)
{
    const char *start = p;

    *value = 0;
    while (p < end && isxdigit((unsigned char)*p)) {
        int c = tolower((unsigned char)*p++);

        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return p > start && p - start <= 16 && p < end && isblank((unsigned char)*p) ? p : NULL;
}

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && isblank((unsigned char)*p))
        p++;
    return p;
}

static bool parse_type_and_name(const char *p, const char *end, struct map_line *line)
{
    if (end - p < 3 || !isblank((unsigned char)p[1]))
        return false;
    line->type = *p;
    p = skip_blanks(p + 1, end);
    line->name = p;
    while (p < end && !isspace((unsigned char)*p)) /* a module's name may follow, in brackets */
        p++;
    line->name_len = (size_t)(p - line->name);
    return line->name_len > 0;
}

static bool parse_map_line(const char *p, const char *end, struct map_line *line)
{
    const char *next = parse_hex(p, end, &line->addr), *after_size;
    uint64_t size;

    if (!next)
        return false;
    next = skip_blanks(next, end);
    line->size = 0;
    /* A type is one letter, so two hexadecimal digits or more are a size. */
    after_size = parse_hex(next, end, &size);
    if (after_size && after_size - next > 1) {
        line->size = size;
        next = skip_blanks(after_size, end);
    }
    return parse_type_and_name(next, end, line);
}

static enum symbol_kind kind_of_letter(char type)
{
    switch (tolower((unsigned char)type)) {
    case 'a': return SYMBOL_ABSOLUTE;
    case 't':
    case 'w':
    case 'i': return SYMBOL_FUNC;
    case 'b':
    case 'd':
    case 'g':
    case 'r':
    case 's':
    case 'v': return SYMBOL_OBJECT;
    default: return SYMBOL_LABEL;
    }
}

static bool ends_with(const char *name, size_t len, const char *end)
{
    size_t end_len = strlen(end);

    return len >= end_len && !memcmp(name + len - end_len, end, end_len);
}

/*
 * Whether the symbol marks the start or end of a part of the text, from the linker script. In an
 * ELF their type says that they are not functions; a text file has no such type.
 */
static bool is_boundary(const char *name, size_t len)
{
    static const char *const ends[] = {"_stext",     "_etext",     "_text_start", "_text_end",
                                       "_sinittext", "_einittext", "_init_begin", "_text_begin"};

    if (len == 5 && !memcmp(name, "_text", 5))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(ends); i++)
        if (name[0] == '_' && ends_with(name, len, ends[i]))
            return true;
    return false;
}

void symbols_add_lettered(struct symbols *s, uint64_t addr, uint64_t size, char letter,
                          const char *name, size_t len)
{
    bool weak = letter == 'w' || letter == 'v';
    enum symbol_kind kind = is_boundary(name, len) ? SYMBOL_LABEL : kind_of_letter(letter);
    struct symbol y = {
        .addr = addr,
        .kind = kind,
        .global = weak || isupper((unsigned char)letter),
        .weak = weak || letter == 'W' || letter == 'V',
        .end = addr > UINT64_MAX - LAST_SYMBOL_BYTES ? UINT64_MAX : addr + LAST_SYMBOL_BYTES,
    };

    symbols_add(s, y, size, name, len);
}

/* The others are bounded by their successors. */
void symbols_bound_last(struct symbols *s)
{
    uint64_t last = 0;

    for (size_t i = 0; i < s->entries.len; i++)
        if (s->entries.at[i].addr > last)
            last = s->entries.at[i].addr;
    for (size_t i = 0; i < s->entries.len; i++)
        if (s->entries.at[i].addr != last && !s->entries.at[i].sized)
            s->entries.at[i].end = UINT64_MAX;
}

/* An undefined symbol: nm prints blanks instead of an address. */
static bool is_skipped_line(const char *p, const char *end)
{
    p = skip_blanks(p, end);
    return p == end || *p == '\r' ||
           (end - p > 1 && *p && strchr("Uwv", *p) && isblank((unsigned char)p[1]));
}

/* The number of the first bad line; 0: all are good. */
static size_t parse_map(struct symbols *s, const struct file *f)
{
    const char *p = (const char *)f->bytes, *end = p + f->size;

    for (size_t number = 1; p < end; number++) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *line_end = newline ? newline : end;
        struct map_line line = {0};

        if (parse_map_line(p, line_end, &line))
            symbols_add_lettered(s, line.addr, line.size, line.type, line.name, line.name_len);
        else if (!is_skipped_line(p, line_end))
            return number;
        p = line_end + 1;
    }
    return 0;
}

static bool all_addresses_are_zero(const struct symbols *s)
{
    for (size_t i = 0; i < s->entries.len; i++)
        if (s->entries.at[i].addr)
            return false;
    return s->entries.len > 1;
}

static enum exit_status read_map(const char *path, const struct file *f, const struct diag *d,
                                 struct symbols **out)
{
    struct symbols *s = symbols_new();
    size_t bad_line = parse_map(s, f);

    if (bad_line)
        diag_error(d, "%s:%zu: not a symbol; give an ELF or the output of nm", path, bad_line);
    else if (!s->entries.len)
        diag_error(d, "%s: has no symbols; give an ELF or the output of nm", path);
    else if (all_addresses_are_zero(s))
        diag_error(d, "%s: all addresses are hidden; copy kallsyms as root", path);
    else {
        symbols_bound_last(s);
        symbols_finish(s);
        *out = s;
        return EXIT_PASS;
    }
    symbols_free(s);
    return EXIT_BAD_FILE;
}

enum exit_status symbols_read_map(const char *path, const struct diag *d, struct symbols **out)
{
    struct file f;
    enum exit_status status = file_read(path, d, &f);

    if (status != EXIT_PASS)
        return status;
    status = read_map(path, &f, d, out);
    file_free(&f);
    return status;
}

enum exit_status symbols_read(const char *path, const struct diag *d, struct symbols **out)
{
    struct file f;
    enum exit_status status = file_read(path, d, &f);

    if (status != EXIT_PASS)
        return status;
    if (elf_is_elf(&f))
        *out = symbols_from_elf(f.bytes, f.size);
    else
        status = read_map(path, &f, d, out);
    file_free(&f);
    return status;
}
