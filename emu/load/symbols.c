/*
 * symbols.c - see symbols.h.
 *
 * One array sorted by address; of symbols at one address the best name is last.
 * Each symbol has the index of the nearest one before it that extends over its
 * start ("outer"), so a look-up is a binary search and a short walk outwards.
 * Names are found by a hash table: sorting a kernel's 150,000 names takes longer
 * than restoring its memory from a snapshot.
 */
#include "load/symbols.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "load/symbols_priv.h"

static const uint32_t NONE = UINT32_MAX;
enum { NONE_WIDER = SYMBOLS_MAX }; /* no function with a size before it */

enum { CHUNK_BYTES = 1 << 16 };

static bool is_wanted_name(const char *name, size_t len)
{
    bool mapping = len > 1 && name[0] == '$' && (name[1] == 'x' || name[1] == 'd');

    return len && !mapping && !(len > 1 && name[0] == '.' && name[1] == 'L');
}

/* Memory for a name, until symbols_free. */
static char *new_name(struct symbols *s, size_t bytes)
{
    size_t chunk = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

    if (s->chunk_left < bytes) {
        VEC_PUSH(&s->chunks, xmalloc(chunk));
        s->chunk_left = s->chunk_bytes = chunk;
    }
    s->chunk_left -= bytes;
    return s->chunks.at[s->chunks.len - 1] + (s->chunk_bytes - s->chunk_left - bytes);
}

void symbols_add(struct symbols *s, struct symbol y, uint64_t size, const char *name, size_t len)
{
    char *copy;

    len = strnlen(name, len);
    if (!is_wanted_name(name, len) || s->entries.len == SYMBOLS_MAX)
        return;
    copy = new_name(s, len + 1);
    memcpy(copy, name, len);
    copy[len] = '\0';
    y.name = copy;
    y.sized = size;
    if (size)
        y.end = size > UINT64_MAX - y.addr ? UINT64_MAX : y.addr + size;
    VEC_PUSH(&s->entries, y);
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
static int compare_rank(const struct symbol *a, const struct symbol *b)
{
    int order = compare_numbers(a->kind, b->kind);

    if (!order)
        order = compare_numbers(a->global, b->global);
    if (!order)
        order = compare_numbers(b->weak, a->weak);
    if (!order)
        order = compare_numbers(a->sized, b->sized);
    if (!order)
        order = compare_numbers(leading_underscores(b->name), leading_underscores(a->name));
    return order ? order : strcmp(b->name, a->name);
}

static int compare_places(const void *left, const void *right)
{
    const struct symbol *a = left, *b = right;
    int order = compare_numbers(a->addr, b->addr);

    return order ? order : compare_rank(a, b);
}

static void step_back(uint64_t addr, uint64_t *here, uint64_t *next)
{
    if (addr == *here)
        return;
    *next = *here;
    *here = addr;
}

static uint64_t end_of(const struct symbol *y, uint64_t next)
{
    uint64_t end = next < y->end && !y->sized ? next : y->end;

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
        struct symbol *y = &s->entries.at[i];

        if (y->kind == SYMBOL_ABSOLUTE) { /* is not an address and ends no other symbol */
            y->end = y->addr;
            continue;
        }
        step_back(y->addr, &here, &next);
        if (y->kind != SYMBOL_LABEL)
            step_back(y->addr, &solid_here, &solid_next);
        y->end = end_of(y, y->kind == SYMBOL_FUNC ? solid_next : next);
    }
}

static void find_outers(struct symbols *s)
{
    uint32_t top = NONE;

    for (uint32_t i = 0; i < s->entries.len; i++) {
        struct symbol *y = &s->entries.at[i];

        while (top != NONE && s->entries.at[top].end <= y->addr)
            top = s->entries.at[top].outer;
        y->outer = top;
        top = i;
    }
}

/* The index of the last entry at or below addr, or NONE. */
static size_t last_at_or_below(const struct symbols *s, uint64_t addr)
{
    size_t count = PARTITION_POINT(i, s->entries.len, s->entries.at[i].addr <= addr);

    return count ? count - 1 : NONE;
}

static bool reaches(const struct symbol *y, uint64_t addr)
{
    if (y->kind == SYMBOL_ABSOLUTE)
        return false;
    return addr == y->addr || (addr > y->addr && addr < y->end);
}

/* The innermost of entry i and those around it that extends over addr; NONE: none does. */
static size_t nearest(const struct symbols *s, size_t i, uint64_t addr)
{
    while (i != NONE && i >= s->first && !reaches(&s->entries.at[i], addr))
        i = s->entries.at[i].outer;
    return i != NONE && i >= s->first ? i : NONE;
}

/* The first function from entry i outwards; NONE: none extends over addr. */
static size_t function_from(const struct symbols *s, size_t i, uint64_t addr)
{
    while ((i = nearest(s, i, addr)) != NONE && s->entries.at[i].kind != SYMBOL_FUNC)
        i = s->entries.at[i].outer;
    return i;
}

static size_t function_index(const struct symbols *s, uint64_t addr)
{
    return function_from(s, last_at_or_below(s, addr), addr);
}

/*
 * Computes for each function without a size the one with a size that is found by going back from
 * function to function. The symbols of an Image have no sizes, so that this way has their number.
 */
static void find_wider(struct symbols *s)
{
    size_t below = NONE; /* the last entry at a lower address */

    for (size_t i = 0; i < s->entries.len; i++) {
        struct symbol *y = &s->entries.at[i];
        uint64_t addr = y->addr;
        size_t before = NONE;

        if (i && s->entries.at[i - 1].addr != addr)
            below = i - 1;
        if (y->kind == SYMBOL_FUNC && !y->sized)
            before = function_from(s, below, addr - 1);
        if (before == NONE)
            y->wider = NONE_WIDER;
        else
            y->wider =
                s->entries.at[before].sized ? before & NONE_WIDER : s->entries.at[before].wider;
    }
}

/* Whether symbols_find prefers `a` of two symbols with one name: global ones, then lower ones. */
static bool is_better(const struct symbol *a, const struct symbol *b)
{
    return a->global != b->global ? a->global : a->addr < b->addr;
}

/* Eight bytes at a time. */
static size_t hash_name(const char *name)
{
    size_t len = strlen(name);
    uint64_t hash = len, word;

    for (; len; len -= len < sizeof word ? len : sizeof word) {
        word = 0;
        memcpy(&word, name, len < sizeof word ? len : sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        name += sizeof word;
    }
    return (size_t)hash;
}

/* The slot with the name, or the empty one for it. */
static uint32_t *slot_of(const struct symbols *s, const char *name)
{
    size_t i = hash_name(name) & (s->slots - 1);

    while (s->by_name[i] && strcmp(s->entries.at[s->by_name[i] - 1].name, name) != 0)
        i = (i + 1) & (s->slots - 1);
    return &s->by_name[i];
}

static void index_names(struct symbols *s)
{
    for (s->slots = 16; s->slots < 2 * s->entries.len;)
        s->slots *= 2;
    s->by_name = xcalloc(s->slots, sizeof *s->by_name);
    for (size_t i = 0; i < s->entries.len; i++) {
        const struct symbol *y = &s->entries.at[i];
        uint32_t *slot = slot_of(s, y->name);

        if (!*slot || is_better(y, &s->entries.at[*slot - 1]))
            *slot = (uint32_t)i + 1;
    }
}

/* For entries that are nearly in order, as of nm -n and kallsyms. False: they are not. */
static bool sort_by_insertion(struct symbols *s)
{
    size_t moves = 0;

    for (size_t i = 1; i < s->entries.len; i++) {
        struct symbol y = s->entries.at[i];
        size_t to = i;

        for (; to && compare_places(&s->entries.at[to - 1], &y) > 0; to--, moves++)
            s->entries.at[to] = s->entries.at[to - 1];
        s->entries.at[to] = y;
        if (moves > s->entries.len)
            return false;
    }
    return true;
}

void symbols_finish(struct symbols *s)
{
    VEC_TRIM(&s->entries);
    if (!sort_by_insertion(s))
        qsort(s->entries.at, s->entries.len, sizeof *s->entries.at, compare_places);
    find_ends(s);
    find_outers(s);
    find_wider(s);
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
    for (size_t i = 0; i < s->chunks.len; i++)
        free(s->chunks.at[i]);
    VEC_FREE(&s->chunks);
    VEC_FREE(&s->entries);
    free(s->by_name);
    free(s);
}

void symbols_hide_below(struct symbols *s, uint64_t lowest)
{
    size_t last = s && lowest ? last_at_or_below(s, lowest - 1) : NONE;

    if (s)
        s->first = last == NONE ? 0 : last + 1;
}

const struct symbol *symbols_lookup(const struct symbols *s, uint64_t addr)
{
    const struct symbol *found;
    size_t i, around;

    if (!s)
        return NULL;
    i = nearest(s, last_at_or_below(s, addr), addr);
    if (i == NONE)
        return NULL;
    found = &s->entries.at[i];
    if (found->kind != SYMBOL_LABEL || found->global || found->sized)
        return found;
    around = function_from(s, s->entries.at[i].outer, addr);
    return around != NONE && s->entries.at[around].sized ? &s->entries.at[around] : found;
}

const struct symbol *symbols_function_at(const struct symbols *s, uint64_t addr)
{
    size_t i = s ? function_index(s, addr) : NONE;

    return i == NONE ? NULL : &s->entries.at[i];
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

void symbols_text_at(const struct symbols *s, uint64_t addr, char *text, size_t size)
{
    uint64_t offset = 0;
    const char *name = symbols_name_at(s, addr, &offset);

    if (!name)
        text[0] = '\0';
    else if (offset)
        snprintf(text, size, "%s+0x%" PRIx64, name, offset);
    else
        snprintf(text, size, "%s", name);
}

/*
 * The function that contains the address. If it has no size it may be a label in a function that
 * has one, as ftrace_call is in ftrace_caller.
 */
static const struct symbol *outermost_function(const struct symbols *s, uint64_t addr)
{
    size_t i = s ? function_index(s, addr) : NONE;
    const struct symbol *f = i == NONE ? NULL : &s->entries.at[i], *around;

    if (!f || f->sized || f->wider == NONE_WIDER || f->wider < s->first)
        return f;
    around = &s->entries.at[f->wider];
    return addr < around->end ? around : f;
}

/* Whether the address is in the function that begins at start. */
static bool is_within(const struct symbols *s, uint64_t start, uint64_t addr)
{
    uint64_t offset;

    return symbols_name_at(s, addr, &offset) && addr - offset == start;
}

/*
 * Finds the bounds of a function of a module or a program of BPF: only names of addresses are
 * known, so the end is found by bisection.
 */
static bool named_function(const struct symbols *s, uint64_t addr, uint64_t *start, uint64_t *end)
{
    enum { BYTES_MAX = 1 << 16 };
    uint64_t offset, low = addr, high = addr + BYTES_MAX;

    if (!symbols_name_at(s, addr, &offset))
        return false;
    *start = addr - offset;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (is_within(s, *start, middle))
            low = middle;
        else
            high = middle;
    }
    *end = high;
    return true;
}

bool symbols_bounds(const struct symbols *s, uint64_t addr, uint64_t *start, uint64_t *end)
{
    const struct symbol *f = outermost_function(s, addr);

    if (!f)
        f = symbols_lookup(s, addr);
    if (!f)
        return named_function(s, addr, start, end);
    *start = f->addr;
    *end = f->end;
    return true;
}

bool symbols_find(const struct symbols *s, const char *name, uint64_t *addr)
{
    const uint32_t *slot = s ? slot_of(s, name) : NULL;

    if (!slot || !*slot)
        return false;
    *addr = s->entries.at[*slot - 1].addr;
    return true;
}

size_t symbols_count(const struct symbols *s)
{
    return s ? s->entries.len : 0;
}

const struct symbol *symbols_get(const struct symbols *s, size_t i)
{
    return &s->entries.at[i];
}
