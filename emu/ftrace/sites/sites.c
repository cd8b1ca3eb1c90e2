/*
 * sites.c - see sites.h.
 */
#include "ftrace/sites/sites.h"

#include <assert.h>
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/state_io.h"
#include "base/vec.h"
#include "cpu/hart.h"
#include "cpu/isa/decode.h"
#include "cpu/isa/isa.h"
#include "cpu/observer.h"
#include "load/image.h"
#include "load/symbols.h"
#include "mem/ram.h"

/* `mv a0,ra`, as GCC puts it before the call of _mcount: compressed and not. */
enum { C_MV_A0_RA = 0x8506, MV_A0_RA = 0x00008513, NOP = 0x00000013, C_NOP = 0x0001 };

/* The instructions before and after the pair of `pfe16`. */
#define SD_RA_BELOW_SP 0xfe113c23u
#define LD_RA_BELOW_SP 0xff813083u

/* Longer than any prologue: sites farther from the start of their function are not examined. */
enum { PROLOGUE_MAX = UINT8_MAX };

/* The end of a site and its id: all that a search reads. Packed: there may be a million. */
struct placed {
    uint64_t end;
    uint32_t id;
} __attribute__((packed));

struct names {
    char *function, *module;
};

struct site_table {
    VEC_OF(struct site) sites;
    VEC_OF(struct placed) by_pa; /* the sites that are not gone, by address */
    VEC_OF(uint32_t) by_place;   /* those of the image by pa; empty: their ids are in this order */
    VEC_OF(struct names) names;  /* of added sites */
    VEC_OF(uint64_t) left_out;   /* addresses to which entries of the table lead */
    VEC_OF(uint32_t) freeable;   /* sites of modules, and of the image those that are gone */
    struct site_listener listeners[SITE_LISTENERS_MAX];
    unsigned listener_count;
    enum site_layout layout;
    const struct layout_traits *traits;
    uint64_t mcount;
    size_t *found; /* the last answer of first_ending_after: the next one is often the same */
};

/* ---- the state that the bytes mean ---- */

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof word);
    return word;
}

static bool all_nops(const uint8_t *bytes, unsigned size)
{
    for (unsigned at = 0; at < size; at += 4)
        if (word_at(bytes + at) != NOP)
            return false;
    return true;
}

static bool all_compressed_nops(const uint8_t *bytes, unsigned size)
{
    for (unsigned at = 0; at < size; at += 2)
        if (bytes[at] != C_NOP || bytes[at + 1] != 0)
            return false;
    return true;
}

/* The fields of the two instructions (vol. I, 2.4, 2.5): decoding both by the table takes long. */
enum {
    OPCODE_MASK = 0x7f,
    AUIPC = 0x17,
    JALR_MASK = 0x707f,
    JALR = 0x67,
    RD_SHIFT = 7,
    RS1_SHIFT = 15,
    REG_MASK = 31,
    IMM_I_SHIFT = 20
};
#define IMM_U_MASK 0xfffff000u

/* Whether the bytes are an auipc/jalr pair that links; *target: the address that it calls. */
static bool is_pair(uint64_t va, const uint8_t *bytes, uint64_t *target)
{
    uint32_t auipc = word_at(bytes), jalr = word_at(bytes + 4);
    int32_t high = (int32_t)(auipc & IMM_U_MASK), low = (int32_t)jalr >> IMM_I_SHIFT;

    if ((auipc & OPCODE_MASK) != AUIPC || (jalr & JALR_MASK) != JALR ||
        (jalr >> RS1_SHIFT & REG_MASK) != (auipc >> RD_SHIFT & REG_MASK) ||
        !(jalr >> RD_SHIFT & REG_MASK))
        return false;
    *target = (va + (uint64_t)(int64_t)high + (uint64_t)(int64_t)low) & ~UINT64_C(1);
    return true;
}

static bool is_auipc_and_nop(const uint8_t *bytes)
{
    return (word_at(bytes) & OPCODE_MASK) == AUIPC && word_at(bytes + 4) == NOP;
}

/* The state of a site at a function's entry: nops as compiled, nops, or a call. */
static enum site_state entry_state(const struct site_table *t, const struct site *s,
                                   const uint8_t *bytes, uint64_t *target)
{
    if (all_compressed_nops(bytes, s->size))
        return SITE_INIT;
    if (site_is_atomic(t, s) ? is_auipc_and_nop(bytes) : all_nops(bytes, s->size))
        return SITE_OFF;
    if (t->traits->return_place != RETURN_BELOW_SP)
        return is_pair(s->va, bytes, target) ? SITE_ON : SITE_OTHER;
    return word_at(bytes) == SD_RA_BELOW_SP && word_at(bytes + 12) == LD_RA_BELOW_SP &&
                   is_pair(s->va + 4, bytes + 4, target)
               ? SITE_ON
               : SITE_OTHER;
}

/* The state of a site of the trampoline or after a prologue: a pair or nops. */
static enum site_state pair_state(const struct site_table *t, const struct site *s,
                                  const uint8_t *bytes, uint64_t *target)
{
    if (all_nops(bytes, SITE_BYTES))
        return SITE_OFF;
    if (!is_pair(s->va, bytes, target))
        return SITE_OTHER;
    return *target == t->mcount ? SITE_INIT : SITE_ON;
}

static bool at_entry(const struct site_table *t, const struct site *s)
{
    return s->kind == SITE_FUNCTION && t->traits->place == SITE_AT_ENTRY;
}

enum site_state site_state(const struct site_table *t, const struct site *s, const uint8_t *bytes,
                           uint64_t *target)
{
    uint64_t to = 0;
    enum site_state state =
        at_entry(t, s) ? entry_state(t, s, bytes, &to) : pair_state(t, s, bytes, &to);

    if (target)
        *target = to;
    return state;
}

enum site_state site_state_fetched(const struct site_table *t, const struct site *s,
                                   const struct probe_code *code, int offset)
{
    uint8_t bytes[SITE_BYTES_MAX] = {0};

    for (unsigned i = 0; i < s->size; i++) {
        uint64_t in_code = (uint64_t)((int)i - offset);

        if (in_code < code->size)
            bytes[i] = code->bytes[in_code];
        else if (!hart_peek(code->hart, code->pc + in_code, &bytes[i], 1))
            return SITE_OTHER;
    }
    return site_state(t, s, bytes, NULL);
}

/*
 * Whether a byte can be the lowest byte of a word of a site, in any state: of c.nop, nop, auipc and
 * jalr of ra or t0, of the ebreak of a kprobe; in pfe16 also of sd and ld.
 */
static bool begins_word(uint8_t byte, bool pfe16)
{
    return byte == 0x01 || byte == 0x13 || byte == 0x97 || byte == 0xe7 ||
           byte == (uint8_t)INSN_EBREAK ||
           (pfe16 && (byte == (uint8_t)SD_RA_BELOW_SP || byte == (uint8_t)LD_RA_BELOW_SP));
}

unsigned site_ra_copy(const uint8_t bytes[4])
{
    uint32_t word = word_at(bytes);

    return word == MV_A0_RA ? 4 : word >> 16 == C_MV_A0_RA ? 2 : 0;
}

bool site_has_breakpoint(const struct site *s, const uint8_t *bytes)
{
    for (unsigned at = 0; at < s->size; at += 4)
        if (ebreak_size(word_at(bytes + at)))
            return true;
    return false;
}

bool site_may_hold(const struct site *s, const uint8_t *bytes)
{
    for (unsigned at = 0; at < s->size; at += 4)
        if (!begins_word(bytes[at], s->size > SITE_BYTES))
            return false;
    return true;
}

bool site_is_atomic(const struct site_table *t, const struct site *s)
{
    return s->kind == SITE_FUNCTION && t->traits->patching == PATCHED_AT_ONCE;
}

unsigned site_link(const struct site_table *t, const struct site *s)
{
    return s->kind == SITE_FUNCTION ? t->traits->link : REG_RA;
}

bool site_calls(const struct site_table *t, const struct site *s, enum site_state state)
{
    return state == SITE_ON || (state == SITE_INIT && !at_entry(t, s));
}

unsigned site_resume_offset(const struct site_table *t, const struct site *s)
{
    return (s->kind == SITE_FUNCTION ? t->traits->pair : 0) + SITE_BYTES;
}

enum site_layout site_layout(const struct site_table *t)
{
    return t->layout;
}

const struct layout_traits *site_traits(const struct site_table *t)
{
    return t->traits;
}

bool sites_are_patched(const struct site_table *t)
{
    return t->traits->patching >= PATCHED_STOPPED;
}

const char *site_state_name(enum site_state state)
{
    static const char *const names[] = {"init", "off", "on", "other"};

    return names[state];
}

const char *site_kind_name(enum site_kind kind)
{
    static const char *const names[] = {"function", "ftrace_call", "ftrace_graph_call",
                                        "ftrace_regs_call", "ftrace_graph_regs_call"};

    return names[kind];
}

/* ---- reading the image ---- */

/*
 * The distance from the pair back to the instruction that copies ra to a0; 0: there is none. GCC
 * may schedule prologue stores in between, so all instructions from the entry to the pair are
 * examined.
 */
static uint8_t find_ra_copy(const struct image *im, uint64_t function, uint64_t va)
{
    uint8_t distance = 0;

    for (uint64_t at = function; at < va;) {
        uint32_t word = 0;
        unsigned size;

        if (va - at > PROLOGUE_MAX || !image_read(im, at, &word, va - at < 4 ? 2 : 4))
            return 0;
        size = insn_size((uint16_t)word);
        if (size == 2 ? (word & 0xffff) == C_MV_A0_RA : word == MV_A0_RA)
            distance = (uint8_t)(va - at);
        at += size;
    }
    return distance;
}

/* NULL, or why no site can be at the address. */
static const char *objection_to(const struct image *im, uint64_t va, unsigned size)
{
    uint64_t pa;

    if (va % 2)
        return "an odd address";
    if (!image_va_to_pa(im, va, &pa))
        return "not in the image";
    return image_is_text(im, va, size) ? NULL : "not in its text";
}

static bool add_site(struct site_table *t, const struct image *im, uint64_t va, enum site_kind kind,
                     const struct symbol *function)
{
    struct site s = {.va = va,
                     .size = kind == SITE_FUNCTION ? t->traits->size : SITE_BYTES,
                     .kind = kind,
                     .function = function ? function->name : ""};

    if (objection_to(im, va, s.size) || !image_va_to_pa(im, va, &s.pa))
        return false;
    if (kind == SITE_FUNCTION && t->traits->place == SITE_AFTER_PROLOGUE && function)
        s.ra_copy = find_ra_copy(im, function->addr, va);
    VEC_PUSH(&t->sites, s);
    return true;
}

/* ---- the table of sites ---- */

/* The addresses between __start_mcount_loc and __stop_mcount_loc. */
struct entries {
    VEC_OF(uint64_t) all;
    size_t unreadable; /* entries for whose address the image has no bytes */
};

/* Finds __mcount_loc; false: there is none, or its size is impossible. */
static bool find_table(const struct image *im, const struct symbols *symbols, uint64_t *start,
                       uint64_t *stop, const struct diag *d)
{
    if (!symbols_find(symbols, "__start_mcount_loc", start) ||
        !symbols_find(symbols, "__stop_mcount_loc", stop))
        return false;
    if (*stop >= *start && *stop - *start <= im->file.size)
        return true;
    diag_warn(d, "%s: __mcount_loc is longer than the file; no sites", im->path);
    return false;
}

/*
 * A relocatable kernel (CONFIG_RELOCATABLE) fills in the table's addresses when it starts: the file
 * has zeroes there, and relocations that the kernel applies to itself. This reads the relocations
 * of [low, high) into the map, from the relocated location to its address.
 */
static void read_relocations(const struct image *im, const struct symbols *symbols, uint64_t low,
                             uint64_t high, struct map *addresses)
{
    uint64_t at, stop;
    Elf64_Rela r;

    if (!symbols_find(symbols, "__rela_dyn_start", &at) ||
        !symbols_find(symbols, "__rela_dyn_end", &stop) || stop < at || stop - at > im->file.size)
        return;
    for (; stop - at >= sizeof r && image_read(im, at, &r, sizeof r); at += sizeof r)
        if (ELF64_R_TYPE(r.r_info) == R_RISCV_RELATIVE && r.r_offset >= low && r.r_offset < high)
            map_put(addresses, r.r_offset, (uint64_t)r.r_addend);
}

static void read_entries(const struct image *im, const struct symbols *symbols, struct entries *e,
                         const struct diag *d)
{
    struct map relocated = {0};
    uint64_t at, stop, va;

    if (!find_table(im, symbols, &at, &stop, d))
        return;
    read_relocations(im, symbols, at, stop, &relocated);
    VEC_RESERVE_EXACTLY(&e->all, (stop - at) / sizeof va);
    for (; stop - at >= sizeof va; at += sizeof va)
        if (map_get(&relocated, at, &va) || image_read(im, at, &va, sizeof va))
            VEC_PUSH(&e->all, va);
        else
            e->unreadable++;
    map_free(&relocated);
}

/* ---- the layout ---- */

/* The number of bytes of nops at an address of the image, at most 8 if they are not compressed. */
static unsigned nops_at(const struct image *im, uint64_t va)
{
    uint8_t bytes[SITE_BYTES_MAX];

    if (image_read(im, va, bytes, SITE_BYTES_MAX) && all_compressed_nops(bytes, SITE_BYTES_MAX))
        return SITE_BYTES_MAX;
    if (image_read(im, va, bytes, SITE_BYTES) &&
        (all_compressed_nops(bytes, SITE_BYTES) || all_nops(bytes, SITE_BYTES)))
        return SITE_BYTES;
    return 0;
}

static bool function_begins_at(const struct symbols *symbols, uint64_t va)
{
    const struct symbol *function = symbols_function_at(symbols, va);

    return function && function->addr == va;
}

static bool calls_at(const struct image *im, uint64_t va, uint64_t callee)
{
    uint8_t bytes[SITE_BYTES];
    uint64_t target;

    return callee && image_read(im, va, bytes, SITE_BYTES) && is_pair(va, bytes, &target) &&
           target == callee;
}

/*
 * Finds the layout by the smallest number of nops at a site: a function may have
 * nops of its own after them. `atomic` has the nops of `pfe8`, but its trampoline is
 * not patched. LAYOUT_NONE: the entries point to neither nops nor calls of _mcount.
 */
static enum site_layout find_layout(const struct image *im, const struct symbols *symbols,
                                    uint64_t mcount, const struct entries *e)
{
    const unsigned literal = layout_traits(LAYOUT_CALLOPS)->literal;
    unsigned narrowest = SITE_BYTES_MAX, padded = 0, calls = 0;
    unsigned before = 0, at = 0; /* numbers of entries that point before a function, and at one */
    uint64_t va;

    for (size_t i = 0; i < e->all.len; i++) {
        unsigned nops = nops_at(im, e->all.at[i]);

        calls += calls_at(im, e->all.at[i], mcount);
        if (!nops)
            continue;
        va = e->all.at[i];
        padded++;
        before += nops == SITE_BYTES_MAX && function_begins_at(symbols, va + literal);
        at += function_begins_at(symbols, va);
        narrowest = nops < narrowest ? nops : narrowest;
    }
    if (!padded)
        return calls ? LAYOUT_MCOUNT : LAYOUT_NONE;
    if (before > at)
        return LAYOUT_CALLOPS;
    if (narrowest == SITE_BYTES_MAX)
        return LAYOUT_PFE16;
    return symbols_find(symbols, "ftrace_call", &va) ? LAYOUT_PFE8 : LAYOUT_ATOMIC;
}

uint64_t site_of_entry(const struct site_table *t, uint64_t entry)
{
    return entry + t->traits->literal;
}

static void set_layout(struct site_table *t, enum site_layout layout)
{
    t->layout = layout;
    t->traits = layout_traits(layout);
}

/* Entries that lead to no site. */
enum { NAMED_MAX = 3, REFUSAL_MAX = 300 };

struct refusals {
    size_t count;
    char first[REFUSAL_MAX]; /* the first ones, with the reason */
    unsigned named;
};

/* Counts an entry, whose site would be at the address, and notes the first ones. */
static void refuse(struct refusals *r, const struct symbols *symbols, uint64_t va, const char *why)
{
    size_t used = strlen(r->first);
    char name[64];

    r->count++;
    if (r->named == NAMED_MAX)
        return;
    symbols_text_at(symbols, va, name, sizeof name);
    snprintf(r->first + used, sizeof r->first - used, "%s0x%" PRIx64 "%s%s (%s)",
             r->named ? ", " : "", va, name[0] ? " " : "", name, why);
    r->named++;
}

/*
 * From Linux 6.15 on the build clears the entries of weak functions that others override: their
 * code is not in the kernel.
 */
static void say_cleared(const struct image *im, size_t cleared, const struct diag *d)
{
    if (cleared)
        diag_note(d,
                  "%s: %zu entries of __mcount_loc are 0: the kernel's build clears those of weak "
                  "functions that others override",
                  im->path, cleared);
}

static void say_refused(const struct image *im, const struct refusals *r, bool all,
                        const struct diag *d)
{
    if (r->count)
        diag_warn(d,
                  "%s: %zu entries of __mcount_loc lead to no ftrace site in its text: %s%s; left "
                  "out%s",
                  im->path, r->count, r->first, r->count > r->named ? " and so on" : "",
                  all ? " (give the symbols of this very build; of a running kernel, one booted "
                        "with nokaslr)"
                      : "");
}

static void add_functions(struct site_table *t, const struct image *im,
                          const struct symbols *symbols, const struct diag *d)
{
    struct entries e = {0};
    struct refusals refused = {0};
    size_t cleared = 0;

    set_layout(t, t->mcount ? LAYOUT_STATIC : LAYOUT_NONE);
    read_entries(im, symbols, &e, d);
    if (e.all.len)
        set_layout(t, find_layout(im, symbols, t->mcount, &e));
    VEC_RESERVE_EXACTLY(&t->sites, e.all.len + SITE_KINDS - 1);
    for (size_t i = 0; i < e.all.len; i++) {
        uint64_t va = site_of_entry(t, e.all.at[i]);
        const char *why = objection_to(im, va, t->traits->size);

        if (!e.all.at[i])
            cleared++;
        else if (t->traits->patching == PATCHED_NO_SITES || why) {
            refuse(&refused, symbols, va, why ? why : "neither nops nor a call");
            VEC_PUSH(&t->left_out, va);
        } else
            (void)add_site(t, im, va, SITE_FUNCTION, symbols_function_at(symbols, va));
    }
    refused.count += e.unreadable;
    say_cleared(im, cleared, d);
    say_refused(im, &refused, refused.count + cleared == e.all.len + e.unreadable, d);
    VEC_FREE(&e.all);
}

static void add_trampoline(struct site_table *t, const struct image *im,
                           const struct symbols *symbols)
{
    for (enum site_kind kind = SITE_TRACE_CALL; kind <= SITE_GRAPH_REGS_CALL; kind++) {
        const struct symbol label = {.name = site_kind_name(kind)};
        uint64_t va;

        if (symbols_find(symbols, label.name, &va))
            (void)add_site(t, im, va, kind, &label);
    }
}

/* ---- order and search ---- */

static int compare_va(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    return (x->va > y->va) - (x->va < y->va);
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    return (x->end > y->end) - (x->end < y->end);
}

static struct placed place_of(const struct site_table *t, uint32_t id)
{
    return (struct placed){t->sites.at[id].pa + t->sites.at[id].size, id};
}

static int compare_end(const void *a, const void *b)
{
    const struct site *x = a, *y = b;
    uint64_t x_end = x->pa + x->size, y_end = y->pa + y->size;

    return x_end != y_end ? (x_end > y_end) - (x_end < y_end) : compare_va(a, b);
}

/* Drops sites that overlap an earlier one: no byte of memory belongs to two sites. */
static void drop_overlapping(struct site_table *t, const struct image *im, const struct diag *d)
{
    size_t kept = 0, count = t->sites.len;

    sort_unless_sorted(t->sites.at, count, sizeof *t->sites.at, compare_end);
    for (size_t i = 0; i < count; i++) {
        const struct site *s = &t->sites.at[i], *last = kept ? &t->sites.at[kept - 1] : NULL;

        if (!last || s->pa >= last->pa + last->size)
            t->sites.at[kept++] = *s;
        else
            VEC_PUSH(&t->left_out, s->va);
    }
    t->sites.len = kept;
    if (kept < count)
        diag_warn(d, "%s: %zu ftrace sites overlap others; left out", im->path, count - kept);
}

static void put_in_order(struct site_table *t)
{
    bool in_place = true;

    sort_unless_sorted(t->sites.at, t->sites.len, sizeof *t->sites.at, compare_va);
    VEC_RESERVE_EXACTLY(&t->by_pa, t->sites.len);
    for (uint32_t i = 0; i < t->sites.len; i++) {
        VEC_PUSH(&t->by_pa, place_of(t, i));
        in_place &= !i || t->sites.at[i - 1].pa <= t->sites.at[i].pa;
    }
    sort_unless_sorted(t->by_pa.at, t->by_pa.len, sizeof *t->by_pa.at, compare_placed);
    for (uint32_t i = 0; !in_place && i < t->by_pa.len; i++)
        VEC_PUSH(&t->by_place, t->by_pa.at[i].id);
}

/* Whether `at` is the index of the first site that ends after pa. */
static bool is_first_ending_after(const struct site_table *t, size_t at, uint64_t pa)
{
    return at <= t->by_pa.len && (at == t->by_pa.len || t->by_pa.at[at].end > pa) &&
           (!at || t->by_pa.at[at - 1].end <= pa);
}

static size_t search_ending_after(const struct site_table *t, uint64_t pa)
{
    const struct placed *first = t->by_pa.at;
    size_t left = t->by_pa.len;

    while (left > 1) { /* no branch in the loop: it would be mispredicted half of the time */
        size_t half = left / 2;

        first = first[half - 1].end <= pa ? first + half : first;
        left -= half;
    }
    return (size_t)(first - t->by_pa.at) + (left && first->end <= pa);
}

/* The index in by_pa of the first site that ends after pa; by_pa.len: none does. */
static size_t first_ending_after(const struct site_table *t, uint64_t pa)
{
    if (!is_first_ending_after(t, *t->found, pa))
        *t->found = search_ending_after(t, pa);
    return *t->found;
}

struct site_table *site_table_new(const struct image *im, const struct symbols *symbols,
                                  const struct diag *d)
{
    struct site_table *t = xcalloc(1, sizeof *t);

    t->found = xcalloc(1, sizeof *t->found);
    (void)!symbols_find(symbols, "_mcount", &t->mcount);
    add_functions(t, im, symbols, d);
    add_trampoline(t, im, symbols);
    drop_overlapping(t, im, d);
    put_in_order(t);
    return t;
}

static void free_names(struct site_table *t)
{
    for (size_t i = 0; i < t->names.len; i++) {
        free(t->names.at[i].function);
        free(t->names.at[i].module);
    }
    VEC_FREE(&t->names);
}

void site_table_free(struct site_table *t)
{
    if (!t)
        return;
    free_names(t);
    VEC_FREE(&t->sites);
    VEC_FREE(&t->by_pa);
    VEC_FREE(&t->by_place);
    VEC_FREE(&t->left_out);
    VEC_FREE(&t->freeable);
    free(t->found);
    free(t);
}

bool site_is_left_out(const struct site_table *t, uint64_t va)
{
    for (size_t i = 0; i < t->left_out.len; i++)
        if (t->left_out.at[i] == va)
            return true;
    return false;
}

size_t site_count(const struct site_table *t)
{
    return t->sites.len;
}

const struct site *site_get(const struct site_table *t, uint32_t id)
{
    return &t->sites.at[id];
}

uint64_t site_mcount(const struct site_table *t)
{
    return t->mcount;
}

uint32_t site_find(const struct site_table *t, uint64_t pa, unsigned size)
{
    size_t first = first_ending_after(t, pa);

    if (first == t->by_pa.len || t->sites.at[t->by_pa.at[first].id].pa >= pa + size)
        return NO_SITE;
    return t->by_pa.at[first].id;
}

uint32_t site_of_image(const struct site_table *t, uint32_t i)
{
    return t->by_place.len ? t->by_place.at[i] : i;
}

uint32_t site_first_of_image(const struct site_table *t, uint64_t pa)
{
    return (uint32_t)PARTITION_POINT(i, t->sites.len - t->names.len,
                                     t->sites.at[site_of_image(t, (uint32_t)i)].pa < pa);
}

uint32_t site_find_literal(const struct site_table *t, uint64_t pa, unsigned size)
{
    return t->traits->literal ? site_find(t, pa + t->traits->literal, size) : NO_SITE;
}

/* ---- sites that come and go ---- */

void site_table_listen(struct site_table *t, struct site_listener listener)
{
    assert(t->listener_count < SITE_LISTENERS_MAX);
    t->listeners[t->listener_count++] = listener;
}

static void tell_changed(const struct site_table *t, uint32_t id)
{
    for (unsigned i = 0; i < t->listener_count; i++)
        t->listeners[i].changed(t->listeners[i].ctx, id);
}

/* Adds the site to the order of addresses. */
static void insert(struct site_table *t, uint32_t id)
{
    size_t at = first_ending_after(t, t->sites.at[id].pa);

    VEC_PUSH(&t->by_pa, place_of(t, id));
    memmove(&t->by_pa.at[at + 1], &t->by_pa.at[at], (t->by_pa.len - 1 - at) * sizeof *t->by_pa.at);
    t->by_pa.at[at] = place_of(t, id);
}

uint32_t site_add(struct site_table *t, const struct site *s)
{
    uint32_t id = (uint32_t)t->sites.len;
    struct names names;

    if (site_find(t, s->pa, s->size) != NO_SITE)
        return NO_SITE;
    names = (struct names){xstrdup(s->function), xstrdup(s->module ? s->module : "")};
    VEC_PUSH(&t->names, names);
    VEC_PUSH(&t->sites, *s);
    t->sites.at[id].function = names.function;
    t->sites.at[id].module = names.module;
    insert(t, id);
    VEC_PUSH(&t->freeable, id);
    tell_changed(t, id);
    return id;
}

void site_remove(struct site_table *t, uint32_t id)
{
    size_t at = first_ending_after(t, t->sites.at[id].pa);

    assert(!t->sites.at[id].gone && t->by_pa.at[at].id == id);
    t->by_pa.len--;
    memmove(&t->by_pa.at[at], &t->by_pa.at[at + 1], (t->by_pa.len - at) * sizeof *t->by_pa.at);
    t->sites.at[id].gone = true;
    if (!t->sites.at[id].module)
        VEC_PUSH(&t->freeable, id);
    tell_changed(t, id);
}

uint32_t site_freeable_near(const struct site_table *t, uint64_t pc, bool gone)
{
    uint32_t found = NO_SITE;

    for (size_t i = 0; i < t->freeable.len; i++) {
        uint32_t id = t->freeable.at[i];
        const struct site *s = &t->sites.at[id];
        uint64_t best = found == NO_SITE ? 0 : t->sites.at[found].va;

        if (s->va / PAGE_BYTES == pc / PAGE_BYTES && (s->gone || !gone) &&
            (found == NO_SITE || (best > pc ? s->va < best : s->va <= pc && s->va >= best)))
            found = id;
    }
    return found;
}

/* ---- state ---- */

static void added_io(struct state_io *io, struct site *s, struct names *names)
{
    STATE_IO(io, s->va);
    STATE_IO(io, s->pa);
    STATE_IO_BELOW(io, s->kind, SITE_GRAPH_REGS_CALL + 1);
    STATE_IO_BELOW(io, s->size, SITE_BYTES_MAX + 1);
    STATE_IO(io, s->ra_copy);
    state_io_text(io, &names->function);
    state_io_text(io, &names->module);
    s->function = names->function;
    s->module = names->module;
}

/*
 * What is kept beside the sites themselves. False: two sites have the same memory, or one has
 * memory that cannot be.
 */
static bool index_sites(struct site_table *t)
{
    bool sound = true;

    t->by_pa.len = 0;
    t->freeable.len = 0;
    for (uint32_t id = 0; id < t->sites.len; id++) {
        const struct site *s = &t->sites.at[id];
        bool fits = s->pa <= UINT64_MAX - 2 * SITE_BYTES_MAX;

        sound &= s->gone || (fits && site_find(t, s->pa, s->size) == NO_SITE);
        if (!s->gone && sound)
            insert(t, id);
        if (s->gone || s->module)
            VEC_PUSH(&t->freeable, id);
    }
    return sound;
}

void site_table_state_io(struct state_io *io, struct site_table *t)
{
    size_t first = t->sites.len - t->names.len, added;

    state_io_section(io, "sites", 3);
    STATE_IO_SAME(io, first);
    added = state_io_count(io, t->names.len, UINT32_MAX - first);
    if (io->loading) {
        free_names(t);
        t->sites.len = first;
        for (size_t i = 0; i < added; i++) {
            VEC_PUSH(&t->names, ((struct names){NULL, NULL})); /* added_io reads them */
            VEC_PUSH(&t->sites, ((struct site){.size = SITE_BYTES}));
        }
    }
    for (size_t i = 0; i < added; i++)
        added_io(io, &t->sites.at[first + i], &t->names.at[i]);
    for (size_t id = 0; id < t->sites.len; id++)
        STATE_IO(io, t->sites.at[id].gone);
    if (io->loading && !index_sites(t))
        state_io_fail(io, STATE_OUT_OF_RANGE);
}
