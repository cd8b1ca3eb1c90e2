/*
 * state_books.h - a scene with what the kernel believes of its code: records of ftrace, ops and
 * their filters, a jump label and its key, and a table of kprobes.
 */
#ifndef TESTS_UNIT_STATE_BOOKS_H
#define TESTS_UNIT_STATE_BOOKS_H

#include "unit/btf_text.h"
#include "unit/ftrace_world.h"

#include "ftrace/audit/rules.h"
#include "ftrace/kernel/ftrace_records.h"
#include "ftrace/kernel/jump_table.h"
#include "ftrace/kernel/key_labels.h"
#include "ftrace/kernel/kprobe_table.h"
#include "ftrace/kernel/text_map.h"

enum { HARTS = 2, WRITER = 0, OTHER = 1, OFF = NOP };

/* Where things are behind the table of sites, as offsets in the image. */
enum {
    BTF_AT = 0x1100,
    PAGES_START = 0x1800,
    OPS_LIST = 0x1808,
    DISABLED = 0x1810,
    ENABLED = 0x1818,
    LIST_END = 0x1820,
    PAGE = 0x1860,
    RECORDS = 0x1880,
    OPS = 0x1900, /* two of them */
    OPS_STEP = 0x80,
    SETS = 0x1a00, /* a set for each ops and use */
    SET_STEP = 0x80,
    KEY = 0x1d00,
    LABELS_AT = 0x1d10,
    PROBES = 0x1e00, /* three of them */
    PROBE_STEP = 0x40,
    PROBE_TABLE = 0x4000,
    ALL_OFF = 0x4300,
    MUTEX = 0x4308, /* of jump labels */
    CALLER = 0x800,
    LABEL = 0x300,
    TARGET = 0x340,
};

/* ---- the kernel's own description of its structs ---- */

enum { PAGE_BYTES_OF_IT = 24, RECORD_BYTES = 16 };

static const struct described structs[] = {
    {"ftrace_page", PAGE_BYTES_OF_IT, {{"next", 0}, {"records", 8}, {"index", 16}}},
    {"dyn_ftrace", RECORD_BYTES, {{"ip", 0}, {"flags", 8}}},
    {"ftrace_ops", 64, {{"next", 8}, {"flags", 16}, {"func_hash", 24}}},
    {"ftrace_ops_hash", 16, {{"notrace_hash", 0}, {"filter_hash", 8}}},
    {"ftrace_hash", 32, {{"size_bits", 0}, {"buckets", 8}, {"count", 16}, {"flags", 24}}},
    {"ftrace_func_entry", 24, {{"ip", 16}}},
    {"kprobe", 64, {{"hlist", 0}, {"list", 16}, {"addr", 40}, {"flags", 48}}},
};

/* ---- the kernel's memory ---- */

/* No address: of a hart without translation, above all memory that there can be. */
#define FREED UINT64_C(0xffffffff81000000)

struct books {
    struct scene s;
    struct ftrace_records *records;
    struct key_labels *labels;
    struct kprobe_table *kprobes;
    struct text_map *text;
    uint64_t counted; /* breaches that the test has seen */
};

static inline void store_word(struct books *b, uint64_t offset, uint64_t value)
{
    poke(&b->s.w, SITE_PA + offset, value, 8);
}

static inline void put_site(struct books *b, uint64_t offset, bool on)
{
    uint32_t pair[2] = {NOP, NOP};

    if (on)
        call_pair(pair, offset, CALLER);
    store_word(b, offset, (uint64_t)pair[1] << 32 | pair[0]);
}

static inline void put_record(struct books *b, unsigned i, uint64_t site, uint64_t flags)
{
    store_word(b, RECORDS + RECORD_BYTES * i, SITE_VA + site);
    store_word(b, RECORDS + RECORD_BYTES * i + 8, flags);
}

static inline void put_count(struct books *b, unsigned count)
{
    store_word(b, PAGE + 16, count);
}

enum use { FILTER, NOTRACE };

/* A set of an ops: of one function, or empty (0). */
static inline void put_set(struct books *b, unsigned ops, enum use use, uint64_t function)
{
    uint64_t set = SETS + SET_STEP * (2 * ops + use), hash = OPS + OPS_STEP * ops + 0x40;

    store_word(b, hash + (use == FILTER ? 8 : 0), SITE_VA + set);
    store_word(b, set, 1); /* two lists */
    store_word(b, set + 8, SITE_VA + set + 32);
    store_word(b, set + 16, function ? 1 : 0);
    store_word(b, set + 24, 0);
    store_word(b, set + 32, 0);
    store_word(b, set + 40, function ? SITE_VA + set + 48 : 0);
    store_word(b, set + 48, 0);
    store_word(b, set + 64, SITE_VA + function);
}

/* That many ops are registered, without filters. */
static inline void put_ops(struct books *b, unsigned count)
{
    store_word(b, OPS_LIST, SITE_VA + (count ? OPS : LIST_END));
    for (unsigned i = 0; i < count; i++) {
        uint64_t ops = OPS + OPS_STEP * i;

        store_word(b, ops + 8, SITE_VA + (i + 1 < count ? ops + OPS_STEP : LIST_END));
        store_word(b, ops + 16, 1);
        store_word(b, ops + 24, SITE_VA + ops + 0x40);
        put_set(b, i, FILTER, 0);
        put_set(b, i, NOTRACE, 0);
    }
}

static inline void put_entry(struct books *b, uint64_t code, uint64_t target, unsigned flags)
{
    uint64_t at = SITE_VA + LABELS_AT;
    int32_t words[2] = {(int32_t)(SITE_VA + code - at), (int32_t)(SITE_VA + target - at - 4)};
    uint64_t key = SITE_VA + KEY + flags - at - 8;

    memcpy(b->s.im->bytes + LABELS_AT, words, sizeof words);
    memcpy(b->s.im->bytes + LABELS_AT + 8, &key, sizeof key);
}

static inline void build_with(struct books *b, unsigned label_flags)
{
    struct audit_config audit = {.findings_max = 10};
    struct scene *s = &b->s;

    memset(b, 0, sizeof *b);
    scene_begin(s, HARTS, FETCH_COHERENT);
    image_name(s->im, "_stext", 0);
    image_name(s->im, "_etext", 0x700);
    image_name(s->im, "ftrace_caller", CALLER);
    image_name(s->im, "ftrace_pages_start", PAGES_START);
    image_name(s->im, "ftrace_ops_list", OPS_LIST);
    image_name(s->im, "ftrace_list_end", LIST_END);
    image_name(s->im, "ftrace_disabled", DISABLED);
    image_name(s->im, "ftrace_enabled", ENABLED);
    image_name(s->im, "jump_label_mutex", MUTEX);
    image_name(s->im, "kprobe_table", PROBE_TABLE);
    image_name(s->im, "kprobes_all_disarmed", ALL_OFF);
    image_name(s->im, "__start___jump_table", LABELS_AT);
    image_name(s->im, "__stop___jump_table", LABELS_AT + JUMP_ENTRY_BYTES);
    put_btf(s->im->bytes + BTF_AT, structs, sizeof structs / sizeof *structs);
    put_entry(b, LABEL, TARGET, label_flags);
    scene_complete(s, 100, NULL);
    b->records = ftrace_records_new(s->w.cluster, &s->im->image, s->symbols, NULL);
    b->text = text_map_new(&s->im->image, s->symbols);
    b->labels = key_labels_new(s->w.cluster, text_map_labels(b->text));
    b->kprobes = kprobe_table_new(&s->im->image, s->symbols, NULL);
    audit.sites = s->t;
    audit.symbols = s->symbols;
    audit.log = s->log;
    audit.updates = s->updates;
    audit.cluster = s->w.cluster;
    audit.stream = &s->stream;
    audit.records = b->records;
    audit.labels = b->labels;
    audit.kprobes = b->kprobes;
    audit.text = b->text;
    s->audit = audit_new(&audit);
    store_word(b, PAGES_START, SITE_VA + PAGE);
    store_word(b, ENABLED, 1);
    store_word(b, PAGE + 8, SITE_VA + RECORDS);
    put_count(b, 2);
    put_ops(b, 0);
    put_record(b, 0, F, 0);
    put_record(b, 1, G, 0);
    put_site(b, F, false);
    put_site(b, G, false);
    store_word(b, LABEL, NOP);
}

static inline void build(struct books *b)
{
    build_with(b, 0);
}

static inline void wreck_books(struct books *b)
{
    audit_free(b->s.audit);
    b->s.audit = NULL;
    ftrace_records_free(b->records);
    key_labels_free(b->labels);
    kprobe_table_free(b->kprobes);
    text_map_free(b->text);
    wreck(&b->s);
}

static inline void release(struct books *b, enum kernel_lock lock)
{
    const struct ftrace_event e = {.kind = FTRACE_LOCK_RELEASED,
                                   .lock = {hart_of(&b->s, WRITER), lock, SITE_VA + F}};

    ftrace_emit(&b->s.stream, &e);
}

/* The message of the only finding, which is about a record; MESSAGE_NONE: there is none. */
static inline enum message told(const struct books *b)
{
    const struct finding *f;

    if (!audit_count(b->s.audit))
        return MESSAGE_NONE;
    assert_int_equal(audit_count(b->s.audit), 1);
    f = audit_get(b->s.audit, 0);
    assert_int_equal(f->rule, RULE_wrong_record);
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_WRONG)
            return f->facts[i].message;
    fail();
    return MESSAGE_NONE;
}

/* After a store to a site, so that all is compared whatever else has changed. */
static inline enum message compared(struct books *b)
{
    const struct code_write w = {.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                 .stamp = ++b->s.stamp,
                                 .pa = SITE_PA + F,
                                 .size = 4};
    uint32_t word;

    assert_true(bus_read(b->s.w.bus, w.pa, &word, sizeof word));
    pass_store(&b->s, w, word, word);
    release(b, LOCK_FTRACE);
    return told(b);
}

static inline void pass_debugger(struct books *b, uint64_t offset)
{
    const struct code_write w = {.who = {.kind = WRITER_DEBUGGER_FENCED},
                                 .stamp = ++b->s.stamp,
                                 .pa = SITE_PA + offset,
                                 .size = 4};

    pass_store(&b->s, w, NOP, NOP);
}

static inline void write_site(struct books *b, uint64_t offset, uint32_t new)
{
    struct code_write w = {.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                           .stamp = ++b->s.stamp,
                           .pa = SITE_PA + F + offset,
                           .size = 4};
    uint32_t old;

    assert_true(bus_read(b->s.w.bus, w.pa, &old, sizeof old));
    poke(&b->s.w, w.pa, new, 4);
    pass_store(&b->s, w, old, new);
}

#endif
