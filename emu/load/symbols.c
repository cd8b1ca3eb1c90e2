/*
 * symbols.c - see symbols.h.
 *
 * One array sorted by address; of symbols at one address the best name is last.
 * Each symbol has the index of the nearest one before it that extends over its
 * start ("outer"), so a look-up is a binary search and a short walk outwards.
 */
#include "load/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "load/symbols_priv.h"

static const size_t NONE = SIZE_MAX;

static bool is_wanted_name(const char *name, size_t len)
{
    bool mapping = len > 1 && name[0] == '$' && (name[1] == 'x' || name[1] == 'd');

    return len && !mapping && !(len > 1 && name[0] == '.' && name[1] == 'L');
}

void symbols_add(struct symbols *s, struct symbols_entry e, const char *name, size_t len)
{
    char *copy;

    len = strnlen(name, len);
    if (!is_wanted_name(name, len))
        return;
    copy = xmalloc(len + 1);
    memcpy(copy, name, len);
    copy[len] = '\0';
    VEC_PUSH(&s->names, copy);
    e.symbol.name = copy;
    VEC_PUSH(&s->entries, e);
}

static size_t leading_underscores(const char *name)
{
    return strspn(name, "_");
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares two names at one address; positive: the first is the better one. */
static int compare_rank(const struct symbols_entry *a, const struct symbols_entry *b)
{
    int order = compare_numbers(a->symbol.kind, b->symbol.kind);

    if (!order)
        order = compare_numbers(a->symbol.global, b->symbol.global);
    if (!order)
        order = compare_numbers(b->weak, a->weak);
    if (!order)
        order = compare_numbers(a->symbol.size != 0, b->symbol.size != 0);
    if (!order)
        order = compare_numbers(leading_underscores(b->symbol.name),
                                leading_underscores(a->symbol.name));
    return order ? order : strcmp(b->symbol.name, a->symbol.name);
}

static int compare_places(const void *left, const void *right)
{
    const struct symbols_entry *a = left, *b = right;
    int order = compare_numbers(a->symbol.addr, b->symbol.addr);

    return order ? order : compare_rank(a, b);
}

/* Orders by name; of equal names the one that symbols_find returns comes first. */
static int compare_names(const void *left, const void *right, void *ctx)
{
    const struct symbols *s = ctx;
    const struct symbols_entry *a = &s->entries.at[*(const size_t *)left];
    const struct symbols_entry *b = &s->entries.at[*(const size_t *)right];
    int order = strcmp(a->symbol.name, b->symbol.name);

    if (!order)
        order = compare_numbers(b->symbol.global, a->symbol.global);
    return order ? order : compare_numbers(a->symbol.addr, b->symbol.addr);
}

static void step_back(uint64_t addr, uint64_t *here, uint64_t *next)
{
    if (addr == *here)
        return;
    *next = *here;
    *here = addr;
}

static uint64_t end_of(const struct symbols_entry *e, uint64_t next)
{
    const struct symbol *y = &e->symbol;
    uint64_t end = next < e->limit ? next : e->limit;

    if (y->size)
        end = y->size > UINT64_MAX - y->addr ? UINT64_MAX : y->addr + y->size;
    return end < y->addr ? y->addr : end;
}

/*
 * Computes where each symbol ends, from the last to the first, because a symbol
 * without a size ends at the next one. A function without a size extends over
 * labels, to the next function or object.
 */
static void find_ends(struct symbols *s)
{
    uint64_t here = UINT64_MAX, next = UINT64_MAX;             /* of any symbol */
    uint64_t solid_here = UINT64_MAX, solid_next = UINT64_MAX; /* of functions and objects */

    for (size_t i = s->entries.len; i-- > 0;) {
        struct symbol *y = &s->entries.at[i].symbol;

        y->end = y->addr;
        if (y->kind == SYMBOL_ABSOLUTE)
            continue; /* an absolute symbol is not an address and ends no other symbol */
        step_back(y->addr, &here, &next);
        if (y->kind != SYMBOL_LABEL)
            step_back(y->addr, &solid_here, &solid_next);
        y->end = end_of(&s->entries.at[i], y->kind == SYMBOL_FUNC ? solid_next : next);
    }
}

static void find_outers(struct symbols *s)
{
    size_t top = NONE;

    for (size_t i = 0; i < s->entries.len; i++) {
        struct symbols_entry *e = &s->entries.at[i];

        while (top != NONE && s->entries.at[top].symbol.end <= e->symbol.addr)
            top = s->entries.at[top].outer;
        e->outer = top;
        top = i;
    }
}

static void index_names(struct symbols *s)
{
    s->by_name = xmalloc(s->entries.len * sizeof *s->by_name);
    for (size_t i = 0; i < s->entries.len; i++)
        s->by_name[i] = i;
    qsort_r(s->by_name, s->entries.len, sizeof *s->by_name, compare_names, s);
}

void symbols_finish(struct symbols *s)
{
    if (s->entries.len)
        qsort(s->entries.at, s->entries.len, sizeof *s->entries.at, compare_places);
    find_ends(s);
    find_outers(s);
    index_names(s);
}

struct symbols *symbols_new(void)
{
    return xcalloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->names.len; i++)
        free(s->names.at[i]);
    VEC_FREE(&s->names);
    VEC_FREE(&s->entries);
    free(s->by_name);
    free(s);
}

/* The index of the last entry at or below addr, or NONE. */
static size_t last_at_or_below(const struct symbols *s, uint64_t addr)
{
    size_t low = 0, high = s->entries.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->entries.at[middle].symbol.addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : NONE;
}

static bool reaches(const struct symbol *y, uint64_t addr)
{
    if (y->kind == SYMBOL_ABSOLUTE)
        return false;
    return addr == y->addr || (addr > y->addr && addr < y->end);
}

/* From entry i outwards, the first one that extends over addr; NONE if none does. */
static size_t nearest(const struct symbols *s, size_t i, uint64_t addr)
{
    while (i != NONE && i >= s->first && !reaches(&s->entries.at[i].symbol, addr))
        i = s->entries.at[i].outer;
    return i != NONE && i >= s->first ? i : NONE;
}

/* The first function from entry i outwards. */
static const struct symbol *function_from(const struct symbols *s, size_t i, uint64_t addr)
{
    while ((i = nearest(s, i, addr)) != NONE) {
        const struct symbol *y = &s->entries.at[i].symbol;

        if (y->kind == SYMBOL_FUNC)
            return y;
        i = s->entries.at[i].outer;
    }
    return NULL;
}

void symbols_hide_below(struct symbols *s, uint64_t lowest)
{
    size_t last = s && lowest ? last_at_or_below(s, lowest - 1) : NONE;

    if (s)
        s->first = last == NONE ? 0 : last + 1;
}

const struct symbol *symbols_lookup(const struct symbols *s, uint64_t addr)
{
    const struct symbol *found, *around;
    size_t i;

    if (!s)
        return NULL;
    i = nearest(s, last_at_or_below(s, addr), addr);
    if (i == NONE)
        return NULL;
    found = &s->entries.at[i].symbol;
    if (found->kind != SYMBOL_LABEL || found->global || found->size)
        return found;
    around = function_from(s, s->entries.at[i].outer, addr);
    return around && around->size ? around : found;
}

const struct symbol *symbols_function_at(const struct symbols *s, uint64_t addr)
{
    return s ? function_from(s, last_at_or_below(s, addr), addr) : NULL;
}

const char *symbols_at(const struct symbols *s, uint64_t addr, uint64_t *offset)
{
    const struct symbol *y = symbols_lookup(s, addr);

    if (!y)
        return NULL;
    if (offset)
        *offset = addr - y->addr;
    return y->name;
}

void symbols_set_more(struct symbols *s, struct symbols_more more)
{
    if (s)
        s->more = more;
}

const char *symbols_name_at(const struct symbols *s, uint64_t addr, uint64_t *offset)
{
    const char *name = symbols_at(s, addr, offset);

    return name || !s || !s->more.name_at ? name : s->more.name_at(s->more.ctx, addr, offset);
}

/* The index in by_name of the first entry that is not less than name (a lower bound). */
static size_t first_named(const struct symbols *s, const char *name)
{
    size_t low = 0, high = s->entries.len;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(s->entries.at[s->by_name[middle]].symbol.name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr)
{
    size_t i;

    if (!s)
        return false;
    i = first_named(s, name);
    if (i == s->entries.len || strcmp(symbols_get(s, s->by_name[i])->name, name) != 0)
        return false;
    *addr = symbols_get(s, s->by_name[i])->addr;
    return true;
}

size_t symbols_count(const struct symbols *s)
{
    return s ? s->entries.len : 0;
}

const struct symbol *symbols_get(const struct symbols *s, size_t i)
{
    return &s->entries.at[i].symbol;
}
