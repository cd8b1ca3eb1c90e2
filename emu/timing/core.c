/*
 * core.c - reads core files (core.h). The format is described in docs/cores.md.
 */
#include "timing/core.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/installed.h"
#include "timing/ooo_direction.h"

/* ---- keys ---- */

#define CORE_WORD(prefix, name) #name,
#define LIST(list)              static const char *const words_##list[] = {WORDS_##list(CORE_WORD) NULL};
LIST(confidence)
LIST(predictor)
LIST(btb_holds)
LIST(replacement)
LIST(prefetch)
LIST(write)
#undef LIST
#undef CORE_WORD

static const struct key {
    const char *name;
    size_t offset; /* in struct core */
    uint32_t least, most, without;
    const char *const *words; /* NULL: a number */
    size_t size;
} keys[] = {
#define N(field, key, least, most, without) \
    {key, offsetof(struct core, field), least, most, without, NULL, sizeof(uint32_t)},
#define W(field, key, list, without) \
    {key, offsetof(struct core, field), 0, 0, without, words_##list, sizeof(uint32_t)},
#include "timing/core.def"
#undef N
#undef W
#define MOST_NONE         CORE_CYCLES_MAX
#define MOST_MULTIPLY     CORE_CYCLES_MAX
#define MOST_DIVIDE       CORE_CYCLES_MAX
#define MOST_MEMORY       CORE_CYCLES_MAX
#define MOST_BRANCH       CORE_CYCLES_MAX
#define MOST_FLOAT        CORE_CYCLES_MAX
#define MOST_FLOAT_DIVIDE CORE_CYCLES_MAX
#define MOST_BLOCK        CORE_BLOCK_CYCLES_MAX
#define AT(array, name) \
    (offsetof(struct core, array) + CORE_##name * sizeof((struct core *)0)->array[0])
#define C(name, unit)                                                                    \
    {"latency." #name, AT(latency, name), 0, CORE_CYCLES_MAX, 1, NULL, sizeof(uint8_t)}, \
        {"interval." #name, AT(interval, name), 1, MOST_##unit, 1, NULL, sizeof(uint16_t)},
#include "timing/class.def"
#undef C
};

enum { KEYS = ARRAY_LEN(keys) };

const uint8_t core_units[CORE_CLASSES] = {
#define C(name, unit) UNIT_##unit,
#include "timing/class.def"
#undef C
};

const char *core_confidence_name(const struct core *core)
{
    return words_confidence[core->confidence];
}

static void set(struct core *core, const struct key *key, uint32_t value)
{
    memcpy((char *)core + key->offset, &value, key->size); /* hosts are little-endian */
}

/* ---- lines ---- */

struct parser {
    const struct diag *diag;
    const char *name;
    struct core *core;
    unsigned line;
    unsigned at_line[KEYS]; /* where a key was set; 0: not yet */
};

/* A word in a file may have '-' where the name in C has '_'. */
static bool same_word(const char *text, size_t len, const char *word)
{
    for (size_t i = 0; i < len; i++)
        if (!word[i] || (text[i] == '-' ? '_' : text[i]) != word[i] || text[i] == '_')
            return false;
    return !word[len];
}

static void list_words(const char *const *words, char *to, size_t size)
{
    size_t len = 0;

    to[0] = '\0';
    for (unsigned i = 0; words[i] && len < size; i++)
        len += (size_t)snprintf(to + len, size - len, "%s%s",
                                i == 0         ? ""
                                : words[i + 1] ? ", "
                                               : " or ",
                                words[i]);
    for (char *c = to; *c; c++)
        if (*c == '_')
            *c = '-';
}

static bool set_word(struct parser *p, const struct key *key, const char *text, size_t len)
{
    char expected[128];

    for (uint32_t i = 0; key->words[i]; i++)
        if (same_word(text, len, key->words[i])) {
            set(p->core, key, i);
            return true;
        }
    list_words(key->words, expected, sizeof expected);
    diag_error(p->diag, "%s:%u: %s: invalid value `%.*s': expected %s", p->name, p->line, key->name,
               (int)len, text, expected);
    return false;
}

static bool set_number(struct parser *p, const struct key *key, const char *text, size_t len)
{
    uint64_t n = 0;
    bool ok = len > 0 && len < 12;
    uint32_t scale = 1;

    if (ok && (text[len - 1] == 'K' || text[len - 1] == 'M')) {
        scale = text[len - 1] == 'K' ? 1 << 10 : 1 << 20;
        ok = --len > 0;
    }
    for (size_t i = 0; i < len && ok; i++) {
        ok = isdigit((unsigned char)text[i]);
        n = n * 10 + (uint64_t)(text[i] - '0');
    }
    n *= scale;
    if (ok && n >= key->least && n <= key->most) {
        set(p->core, key, (uint32_t)n);
        return true;
    }
    diag_error(p->diag, "%s:%u: %s: invalid value `%.*s': expected a number from %u to %u", p->name,
               p->line, key->name, (int)(scale > 1 ? len + 1 : len), text, key->least, key->most);
    return false;
}

static size_t trim(const char **text, size_t len)
{
    while (len && isspace((unsigned char)**text)) {
        ++*text;
        len--;
    }
    while (len && isspace((unsigned char)(*text)[len - 1]))
        len--;
    return len;
}

static const struct key *find_key(const char *text, size_t len)
{
    for (unsigned i = 0; i < KEYS; i++)
        if (same_word(text, len, keys[i].name) ||
            (strlen(keys[i].name) == len && !memcmp(keys[i].name, text, len)))
            return &keys[i];
    return NULL;
}

static bool set_key(struct parser *p, const char *name, size_t name_len, const char *value,
                    size_t len)
{
    static const char title[] = "core.title";
    const struct key *key;
    char document[DOCUMENT_NAME];
    unsigned *at;

    if (name_len == sizeof title - 1 && !memcmp(name, title, name_len)) {
        free(p->core->title);
        p->core->title = xasprintf("%.*s", (int)len, value);
        return true;
    }
    key = find_key(name, name_len);
    if (!key) {
        diag_error(p->diag, "%s:%u: unknown key `%.*s'; %s lists the keys", p->name, p->line,
                   (int)name_len, name, installed_document("cores.md", document));
        return false;
    }
    at = &p->at_line[key - keys];
    if (*at) {
        diag_error(p->diag, "%s:%u: %s is already set in line %u", p->name, p->line, key->name,
                   *at);
        return false;
    }
    *at = p->line;
    return key->words ? set_word(p, key, value, len) : set_number(p, key, value, len);
}

/* Counts a line that sets a figure; `source' is what follows its `#'. */
static void count_figure(struct core *core, const char *key, const char *source, size_t len)
{
    static const char of_file[] = "core.", estimate[] = "[E]";

    if (!strncmp(key, of_file, sizeof of_file - 1))
        return;
    core->figures++;
    len = trim(&source, len);
    if (len >= sizeof estimate - 1 && !memcmp(source, estimate, sizeof estimate - 1))
        core->estimates++;
}

/* A line: KEY = VALUE # SOURCE, or only # SOURCE, or empty. */
static bool parse_line(struct parser *p, const char *text, size_t len)
{
    const char *comment = memchr(text, '#', len), *end = text + len, *equals, *value;
    size_t name_len, value_len;

    if (comment)
        len = (size_t)(comment - text);
    len = trim(&text, len);
    if (!len)
        return true;
    equals = memchr(text, '=', len);
    if (!equals) {
        diag_error(p->diag, "%s:%u: expected KEY = VALUE # SOURCE", p->name, p->line);
        return false;
    }
    value = equals + 1;
    name_len = trim(&text, (size_t)(equals - text));
    value_len = trim(&value, len - (size_t)(value - text));
    if (!set_key(p, text, name_len, value, value_len))
        return false;
    count_figure(p->core, text, comment ? comment + 1 : end,
                 comment ? (size_t)(end - comment) - 1 : 0);
    return true;
}

/* ---- combinations that are refused ---- */

/* Reports an error at the line of the key whose field has this offset. */
static bool wrong(const struct parser *p, const void *field, const char *why)
{
    size_t offset = (size_t)((const char *)field - (const char *)p->core);

    for (unsigned i = 0; i < KEYS; i++)
        if (keys[i].offset == offset) {
            unsigned line = p->at_line[i];

            diag_error(p->diag, "%s:%u: %s: %s", p->name, line ? line : p->line, keys[i].name, why);
        }
    return false;
}

static bool is_power_of_2(uint32_t n)
{
    return n && !(n & (n - 1));
}

static bool check_cache(const struct parser *p, const struct core_cache *c, uint32_t least_sets)
{
    if (!is_power_of_2(c->line))
        return wrong(p, &c->line, "expected a power of two");
    if (!c->size)
        return true;
    if (c->size % (c->ways * c->line) || !is_power_of_2(c->size / (c->ways * c->line)))
        return wrong(p, &c->size,
                     "size, ways and line do not give a number of sets that is a power of two");
    if (c->size / (c->ways * c->line) < least_sets)
        return wrong(p, &c->size, "expected at least two sets");
    if (c->prefetch && c->ahead >= c->size / (c->ways * c->line))
        return wrong(p, &c->ahead, "expected less than there are sets");
    if (c->policy == REPLACEMENT_plru && !is_power_of_2(c->ways))
        return wrong(p, &c->policy, "plru needs a number of ways that is a power of two");
    return true;
}

/* `ways` 0: fully associative. */
static bool check_ways(const struct parser *p, const uint32_t *entries, uint32_t ways)
{
    if (!*entries || !ways)
        return true;
    if (*entries % ways || !is_power_of_2(*entries / ways))
        return wrong(p, entries,
                     "entries and ways do not give a number of sets that is a power of two");
    return true;
}

static bool check_tlb(const struct parser *p, const uint32_t *entries, uint32_t ways)
{
    if (*entries && p->core->tlb_policy == REPLACEMENT_plru &&
        !is_power_of_2(ways ? ways : *entries))
        return wrong(p, entries, "plru needs a number of ways that is a power of two");
    if (*entries && p->core->tlb_policy == REPLACEMENT_plru && (ways ? ways : *entries) > 64)
        return wrong(p, entries, "plru needs at most 64 ways");
    return check_ways(p, entries, ways);
}

static bool check(const struct parser *p)
{
    const struct core *c = p->core;

    if (!check_cache(p, &c->icache, 2) || !check_cache(p, &c->dcache, 1) ||
        !check_cache(p, &c->l2, 1) || !check_ways(p, &c->btb_entries, c->btb_ways) ||
        !check_tlb(p, &c->itlb_entries, c->itlb_ways) ||
        !check_tlb(p, &c->dtlb_entries, c->dtlb_ways) ||
        !check_tlb(p, &c->tlb2_entries, c->tlb2_ways))
        return false;
    if (c->l2.size && (c->l2.line < c->dcache.line || c->l2.line < c->icache.line))
        return wrong(p, &c->l2.line, "a line of the second level holds less than one of the first");
    if (!is_power_of_2(c->fetch_bytes))
        return wrong(p, &c->fetch_bytes, "expected a power of two");
    if (!is_power_of_2(c->memory_width))
        return wrong(p, &c->memory_width, "expected a power of two");
    if (!is_power_of_2(c->counters))
        return wrong(p, &c->counters, "expected a power of two");
    if ((c->predictor == PREDICTOR_bimode) != (c->window != 0))
        return wrong(p, &c->predictor, "bimode is for a core with window.entries, which needs it");
    if (!is_power_of_2(c->choices))
        return wrong(p, &c->choices, "expected a power of two");
    if (c->window && c->counters < DIRECTION_ROW)
        return wrong(p, &c->counters, "bimode has at least 16");
    if (c->window && c->read_ahead % DIRECTION_AHEAD)
        return wrong(p, &c->read_ahead, "bimode reads no counter or two ahead");
    if (!is_power_of_2(c->indirect_entries))
        return wrong(p, &c->indirect_entries, "expected a power of two");
    if (c->ras_kept && c->ras_depth % c->ras_kept)
        return wrong(p, &c->ras_kept, "expected a divisor of return-stack.depth");
    if (c->window && c->write != WRITE_back)
        return wrong(p, &c->write, "a core with window.entries needs a cache that writes back");
    if (c->history && c->predictor < PREDICTOR_gshare)
        return wrong(p, &c->history, "only gshare and global have a history");
    if (c->predictor >= PREDICTOR_gshare && !c->history)
        return wrong(p, &c->predictor, "gshare and global need branch.history");
    if (c->history_hash && (c->predictor != PREDICTOR_gshare || c->history_hash > c->history ||
                            UINT64_C(1) << c->history_hash > c->counters))
        return wrong(p, &c->history_hash,
                     "only with gshare, and expected at most branch.history and the bits of a "
                     "counter's number");
    if (c->history_hash && c->history > HASHED_HISTORY_MAX)
        return wrong(p, &c->history, "expected at most 16 with branch.history-hash");
    if (c->read_ahead && c->predictor != PREDICTOR_global && c->predictor != PREDICTOR_bimode)
        return wrong(p, &c->read_ahead, "only global and bimode know the counter so early");
    if (c->update_busy && !c->read_ahead)
        return wrong(p, &c->update_busy, "only with branch.read-ahead");
    if (c->stray && !c->read_ahead)
        return wrong(p, &c->stray, "only with branch.read-ahead");
    if (c->history_skip && (!c->read_ahead || c->history_skip >= c->history))
        return wrong(p, &c->history_skip,
                     "only with branch.read-ahead, and expected less than branch.history");
    if (c->btb_first && (!c->btb_entries || c->btb_holds == BTB_HOLDS_indirect))
        return wrong(p, &c->btb_first, "needs a target buffer that holds direct targets");
    if (c->store_entries && c->write != WRITE_through)
        return wrong(p, &c->store_entries, "only with dcache.write = through");
    if (c->ras_loses && c->ras_loses >= c->ras_depth)
        return wrong(p, &c->ras_loses, "expected less than return-stack.depth");
    return true;
}

struct core *core_parse(const char *text, const char *name, const struct diag *d)
{
    struct parser p = {.diag = d, .name = name, .core = xcalloc(1, sizeof *p.core)};
    const char *end;
    bool ok = true;

    for (unsigned i = 0; i < KEYS; i++)
        set(p.core, &keys[i], keys[i].without);
    for (const char *line = text; *line && ok; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        p.line++;
        ok = parse_line(&p, line, (size_t)(end - line));
    }
    if (!ok || !check(&p)) {
        core_free(p.core);
        return NULL;
    }
    p.core->text = xstrdup(text);
    p.core->hash = fnv1a(FNV1A_START, (const uint8_t *)text, strlen(text));
    return p.core;
}

void core_free(struct core *core)
{
    if (!core)
        return;
    free(core->title);
    free(core->text);
    free(core);
}
