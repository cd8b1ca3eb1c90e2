/*
 * test_state_rules.c - what the kernel believes of its code: records of ftrace against ops, filters
 * and sites; jump labels against their keys; and harts that run while several instructions change.
 */
#include "unit/ftrace_world.h"

#include "base/state_io.h"
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

struct described {
    const char *name;
    uint32_t size;
    struct {
        const char *name;
        uint32_t at;
    } members[5];
};

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

struct btf_text {
    char names[512];
    uint32_t types[256];
    unsigned names_used, types_used;
};

static uint32_t put_name(struct btf_text *b, const char *name)
{
    uint32_t at = b->names_used;

    memcpy(b->names + at, name, strlen(name) + 1);
    b->names_used += (unsigned)strlen(name) + 1;
    return at;
}

static void put_word(struct btf_text *b, uint32_t word)
{
    b->types[b->types_used++] = word;
}

static void put_struct(struct btf_text *b, const struct described *d)
{
    uint32_t count = 0;

    while (count < 5 && d->members[count].name)
        count++;
    put_word(b, put_name(b, d->name));
    put_word(b, 4u << 24 | count);
    put_word(b, d->size);
    for (uint32_t i = 0; i < count; i++) {
        put_word(b, put_name(b, d->members[i].name));
        put_word(b, 1);
        put_word(b, d->members[i].at * 8);
    }
}

static void put_btf(struct site_image *im)
{
    struct btf_text b = {.names_used = 1};
    uint32_t header[6] = {0x0001eb9f, 24, 0};
    uint8_t *at = im->bytes + BTF_AT;

    for (unsigned i = 0; i < 4; i++) /* an int */
        put_word(&b, i == 1 ? 1u << 24 : i == 2 ? 4 : i == 3 ? 32 : 0);
    for (size_t i = 0; i < sizeof structs / sizeof *structs; i++)
        put_struct(&b, &structs[i]);
    header[3] = header[4] = b.types_used * 4;
    header[5] = b.names_used;
    memcpy(at, header, sizeof header);
    memcpy(at + sizeof header, b.types, header[3]);
    memcpy(at + sizeof header + header[3], b.names, b.names_used);
}

/* ---- the kernel's memory ---- */

struct books {
    struct scene s;
    struct ftrace_records *records;
    struct key_labels *labels;
    struct kprobe_table *kprobes;
    struct text_map *text;
    uint64_t counted; /* breaches that the test has seen */
};

static void store_word(struct books *b, uint64_t offset, uint64_t value)
{
    poke(&b->s.w, SITE_PA + offset, value, 8);
}

static void put_site(struct books *b, uint64_t offset, bool on)
{
    uint32_t pair[2] = {NOP, NOP};

    if (on)
        call_pair(pair, offset, CALLER);
    store_word(b, offset, (uint64_t)pair[1] << 32 | pair[0]);
}

static void put_record(struct books *b, unsigned i, uint64_t site, uint64_t flags)
{
    store_word(b, RECORDS + RECORD_BYTES * i, SITE_VA + site);
    store_word(b, RECORDS + RECORD_BYTES * i + 8, flags);
}

static void put_count(struct books *b, unsigned count)
{
    store_word(b, PAGE + 16, count);
}

enum use { FILTER, NOTRACE };

/* A set of an ops: of one function, or empty (0). */
static void put_set(struct books *b, unsigned ops, enum use use, uint64_t function)
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
static void put_ops(struct books *b, unsigned count)
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

static void put_entry(struct books *b, uint64_t code, uint64_t target, unsigned flags)
{
    uint64_t at = SITE_VA + LABELS_AT;
    int32_t words[2] = {(int32_t)(SITE_VA + code - at), (int32_t)(SITE_VA + target - at - 4)};
    uint64_t key = SITE_VA + KEY + flags - at - 8;

    memcpy(b->s.im->bytes + LABELS_AT, words, sizeof words);
    memcpy(b->s.im->bytes + LABELS_AT + 8, &key, sizeof key);
}

static void build_with(struct books *b, unsigned label_flags)
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
    put_btf(s->im);
    put_entry(b, LABEL, TARGET, label_flags);
    scene_complete(s, 100, NULL);
    b->records = ftrace_records_new(s->w.cluster, &s->im->image, s->symbols, NULL);
    b->labels = key_labels_new(s->w.cluster, &s->im->image, s->symbols);
    b->kprobes = kprobe_table_new(&s->im->image, s->symbols, NULL);
    b->text = text_map_new(&s->im->image, s->symbols);
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

static void build(struct books *b)
{
    build_with(b, 0);
}

static void wreck_books(struct books *b)
{
    audit_free(b->s.audit);
    b->s.audit = NULL;
    ftrace_records_free(b->records);
    key_labels_free(b->labels);
    kprobe_table_free(b->kprobes);
    text_map_free(b->text);
    wreck(&b->s);
}

static void release(struct books *b, enum kernel_lock lock)
{
    const struct ftrace_event e = {.kind = FTRACE_LOCK_RELEASED,
                                   .lock = {hart_of(&b->s, WRITER), lock, SITE_VA + F}};

    ftrace_emit(&b->s.stream, &e);
}

/* The message of the only finding, which is about a record; MESSAGE_NONE: there is none. */
static enum message told(const struct books *b)
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
static enum message compared(struct books *b)
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

#define ON (RECORD_ENABLED | 1)

/* ---- records ---- */

static void records_that_agree_are_no_finding(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_ops(&b, 1);
    for (unsigned i = 0; i < 2; i++) {
        put_record(&b, i, i ? G : F, ON);
        put_site(&b, i ? G : F, true);
    }
    assert_int_equal(compared(&b), MESSAGE_NONE);
    store_word(&b, ENABLED, 0); /* by sysctl: counts stay, sites are off */
    put_record(&b, 0, F, 1);
    put_record(&b, 1, G, 1);
    put_site(&b, F, false);
    put_site(&b, G, false);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 0);
    wreck_books(&b);
}

static void a_count_is_the_number_of_ops_that_trace_the_function(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 2);
    put_record(&b, 0, F, RECORD_ENABLED | 2);
    put_record(&b, 1, G, RECORD_ENABLED | 2);
    put_site(&b, F, true);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_ops(&b, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    wreck_books(&b);
}

static void a_disagreement_is_reported_once(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    store_word(&b, PAGE + 16, 1);
    store_word(&b, PAGE + 16, 2);
    put_ops(&b, 1);
    put_record(&b, 1, G, ON);
    put_site(&b, G, true);
    put_record(&b, 0, F, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
    wreck_books(&b);
}

static void a_filter_chooses_functions_and_notrace_excludes_some(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 2);
    put_set(&b, 0, FILTER, F);
    put_set(&b, 1, NOTRACE, G);
    put_record(&b, 0, F, RECORD_ENABLED | 2);
    put_site(&b, F, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    put_set(&b, 1, NOTRACE, F);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

static void an_empty_filter_that_waits_for_a_module_chooses_nothing(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, SETS + 24, 1);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    store_word(&b, SETS + 24, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

static void an_ops_in_the_list_that_is_not_enabled_does_not_count(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 16, 2);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

/* The list of a set that has no end, and one with an address that no function has. */
static void a_set_that_is_damaged_is_left_out(void **state)
{
    const uint64_t entry = SETS + 48;
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, F);
    store_word(&b, entry, SITE_VA + entry);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, entry, 0);
    store_word(&b, entry + 16, UINT64_MAX);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

static void a_record_of_no_address_is_a_disagreement(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, RECORDS + RECORD_BYTES, UINT64_MAX);
    store_word(&b, RECORDS + RECORD_BYTES + 8, 1);
    release(&b, LOCK_FTRACE);
    assert_int_not_equal(audit_count(b.s.audit), 0);
    wreck_books(&b);
}

static void a_record_says_on_while_an_ops_traces_the_function(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, RECORD_ENABLED);
    put_site(&b, F, true);
    assert_int_equal(compared(&b), MESSAGE_RECORD_LEFT_ON);
    wreck_books(&b);
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, F);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_LEFT_OFF);
    wreck_books(&b);
}

static void a_site_is_as_its_record_says(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_ON);
    wreck_books(&b);
    build(&b);
    put_ops(&b, 1);
    put_set(&b, 0, FILTER, G);
    put_record(&b, 1, G, ON);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_OFF);
    wreck_books(&b);
}

static void a_site_with_a_breakpoint_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, G, (uint64_t)NOP << 32 | 0x00100073);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void records_are_in_ascending_order(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, G, 0);
    put_record(&b, 1, F, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_UNSORTED);
    wreck_books(&b);
}

static void a_site_has_one_record(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, G, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_TWICE);
    wreck_books(&b);
    build(&b);
    put_count(&b, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_MISSING);
    wreck_books(&b);
}

/* What is patched there is other code. */
static void a_record_has_the_address_of_a_site(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, G + SITE_BYTES, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_NO_SITE);
    assert_int_equal(compared(&b), MESSAGE_RECORD_NO_SITE);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1); /* once */
    wreck_books(&b);
    build(&b);
    put_count(&b, 3);
    put_record(&b, 2, TEXT_BYTES + 0x100, 0); /* no text: nothing is known of it */
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void all_records_have_the_same_instruction_of_their_sites(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 1, G + 4, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_INSIDE);
    wreck_books(&b);
    build(&b);
    put_record(&b, 0, F + 4, 0); /* no layout of this kind has the second one */
    put_record(&b, 1, G + 4, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_INSIDE);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    wreck_books(&b);
}

static void a_kernel_without_any_record_has_not_begun(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_count(&b, 0);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_record_of_memory_with_other_contents_is_one_of_freed_code(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    site_remove(b.s.t, site_find(b.s.t, SITE_PA + G, 1));
    assert_int_equal(compared(&b), MESSAGE_RECORD_OF_FREED);
    wreck_books(&b);
}

static void a_record_that_is_not_patched_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 1, G, RECORD_DISABLED | 3);
    put_site(&b, G, true);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void nothing_is_judged_when_the_kernel_has_given_up(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, DISABLED, 1);
    put_record(&b, 1, G, 1);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_list_without_an_end_is_counted_as_not_compared(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_ops(&b, 1);
    store_word(&b, OPS + 8, SITE_VA + OPS);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    put_ops(&b, 1);
    store_word(&b, SETS + 16, 1);
    store_word(&b, SETS + 32, SITE_VA + SETS + 48);
    store_word(&b, SETS + 48, 8); /* no memory is there */
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

static void a_release_after_which_all_is_the_same_is_not_a_reason_to_compare(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    release(&b, LOCK_FTRACE);
    store_word(&b, SETS, 0);
    put_ops(&b, 1);
    put_record(&b, 0, F, ON);
    put_record(&b, 1, G, ON);
    put_site(&b, F, true);
    put_site(&b, G, true);
    release(&b, LOCK_FTRACE);
    assert_int_equal(told(&b), MESSAGE_NONE);
    put_site(&b, G, false); /* without a store of a hart */
    release(&b, LOCK_FTRACE);
    assert_int_equal(told(&b), MESSAGE_NONE);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_OFF);
    wreck_books(&b);
}

static void what_was_reported_is_part_of_the_state(void **state)
{
    struct state_io io;
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    state_io_save(&io, 0);
    audit_state_io(&io, b.s.audit);
    put_record(&b, 1, G, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2);
    {
        struct state_io back;

        state_io_load(&back, io.saved.at, io.saved.len);
        audit_state_io(&back, b.s.audit);
        assert_int_equal(state_io_end(&back), STATE_OK);
        state_io_free(&back);
    }
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 2); /* only the second is told again */
    state_io_free(&io);
    wreck_books(&b);
}

/* A page of records that has no end, one whose list has none, and one after the other for ever. */
static void damaged_pages_are_left_out(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_record(&b, 0, F, 1);
    put_count(&b, UINT32_MAX);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    wreck_books(&b);
    build(&b);
    store_word(&b, PAGE, SITE_VA + PAGE);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, PAGE, SITE_VA + OPS);
    store_word(&b, OPS, SITE_VA + SETS);
    store_word(&b, SETS, SITE_VA + OPS);
    store_word(&b, OPS + 16, 0);
    store_word(&b, SETS + 16, 0);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    store_word(&b, SETS, 0); /* two pages without records */
    put_record(&b, 0, F, 1);
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    wreck_books(&b);
}

/* More than one part of a page is read at once. */
static void all_records_of_a_large_page_are_compared(void **state)
{
    enum { MANY = 200, AT = 0x4000 };
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, PAGE + 8, SITE_VA + AT);
    put_count(&b, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        store_word(&b, AT + RECORD_BYTES * i, i < 2 ? SITE_VA + (i ? G : F) : SITE_VA + AT + i);
        store_word(&b, AT + RECORD_BYTES * i + 8, i == MANY - 1);
    }
    assert_int_equal(compared(&b), MESSAGE_RECORD_COUNT);
    assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
    wreck_books(&b);
}

static void pass_debugger(struct books *b, uint64_t offset)
{
    const struct code_write w = {.who = {.kind = WRITER_DEBUGGER_FENCED},
                                 .stamp = ++b->s.stamp,
                                 .pa = SITE_PA + offset,
                                 .size = 4};

    pass_store(&b->s, w, NOP, NOP);
}

static void what_a_debugger_wrote_is_not_judged(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, G, true);
    pass_debugger(&b, G + 4);
    assert_int_equal(compared(&b), MESSAGE_NONE);
    pass_store(&b.s,
               (struct code_write){.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                   .stamp = ++b.s.stamp,
                                   .pa = SITE_PA + G,
                                   .size = 8},
               (uint64_t)NOP << 32 | NOP, 0);
    assert_int_equal(compared(&b), MESSAGE_RECORD_SITE_ON);
    wreck_books(&b);
}

/* ---- jump labels ---- */

static void keys_that_are_not_noted_are_counted(void **state)
{
    enum { KEYS = 1 << 12, MORE = 3 };
    struct books b;

    (void)state;
    build(&b);
    for (uint64_t i = 0; i < KEYS + MORE; i++) {
        const struct ftrace_event e = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + 8 * i}};

        ftrace_emit(&b.s.stream, &e);
        ftrace_emit(&b.s.stream, &e);
        if (i == KEYS - 1)
            assert_int_equal(audit_labels_left_out(b.s.audit), 0);
    }
    assert_int_equal(audit_labels_left_out(b.s.audit), 2 * MORE);
    wreck_books(&b);
}

static void labels_of_modules_that_are_not_kept_are_counted(void **state)
{
    enum { MAX = 1 << 18 };
    struct books b;

    (void)state;
    build(&b);
    for (uint64_t i = 0; i < MAX + 2; i++) {
        const struct jump_place place = {.pa = RAM_BASE + 4 * i, .key = SITE_VA + KEY};

        key_labels_add(b.labels, &place, 0);
    }
    assert_int_equal(key_labels_left_out(b.labels), 2);
    wreck_books(&b);
}

static void a_label_that_a_debugger_wrote_is_not_judged(void **state)
{
    const struct ftrace_event called = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + KEY}};
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    pass_debugger(&b, LABEL);
    ftrace_emit(&b.s.stream, &called);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(audit_count(b.s.audit), 0);
    pass_store(&b.s,
               (struct code_write){.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                                   .stamp = ++b.s.stamp,
                                   .pa = SITE_PA + LABEL,
                                   .size = 4},
               NOP, NOP);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(audit_count(b.s.audit), 1);
    wreck_books(&b);
}

static unsigned labels_told(struct books *b, bool called)
{
    const struct ftrace_event e = {.kind = FTRACE_KEY_CALLED, .key = {SITE_VA + KEY}};

    if (called)
        ftrace_emit(&b->s.stream, &e);
    release(b, LOCK_JUMP_LABEL);
    for (size_t i = 0; i < audit_count(b->s.audit); i++)
        assert_int_equal(audit_get(b->s.audit, i)->rule, RULE_wrong_label);
    return audit_count(b->s.audit) ? (unsigned)audit_get(b->s.audit, 0)->count : 0;
}

static void a_label_is_a_jump_while_its_key_is_on(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, KEY, 2);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, KEY, 0);
    assert_int_equal(labels_told(&b, true), 1);
    assert_int_equal(labels_told(&b, true), 1); /* once */
    store_word(&b, LABEL, NOP);
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, KEY, UINT32_MAX); /* the first user turns it on */
    assert_int_equal(labels_told(&b, true), 2);
    wreck_books(&b);
}

static void a_label_of_the_other_sense_is_a_nop_while_its_key_is_on(void **state)
{
    struct books b;

    (void)state;
    build_with(&b, 1);
    store_word(&b, KEY, 1);
    assert_int_equal(labels_told(&b, true), 0);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

static void a_label_jumps_to_its_target(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(RA, TARGET - LABEL));
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, LABEL, 0xa081); /* c.j 0x40 */
    assert_int_equal(labels_told(&b, true), 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL + 4));
    assert_int_equal(labels_told(&b, true), 2);
    wreck_books(&b);
}

/* A hart may stand between two compressed nops when a jump is stored over both. */
static void a_label_is_one_nop_while_its_key_is_off(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, LABEL, 0x00010001);
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

/* The change of a key that needs no lock is judged at the next call, or at the end. */
static void a_label_is_judged_before_its_key_is_changed_again(void **state)
{
    struct books b;

    (void)state;
    for (unsigned held = 0; held < 2; held++) {
        build(&b);
        ftrace_emit(&b.s.stream,
                    &(struct ftrace_event){.kind = FTRACE_KEY_CALLED,
                                           .key = {SITE_VA + KEY, hart_of(&b.s, WRITER), 0}});
        assert_int_equal(audit_count(b.s.audit), 0);
        store_word(&b, KEY, 1);
        store_word(&b, MUTEX, held ? 0x5001 : 0);
        ftrace_emit(&b.s.stream,
                    &(struct ftrace_event){.kind = FTRACE_KEY_CALLED,
                                           .key = {SITE_VA + KEY, hart_of(&b.s, WRITER), 0}});
        assert_int_equal(audit_count(b.s.audit), !held);
        store_word(&b, MUTEX, 1); /* a flag */
        set_mode(&b.s, WRITER, PRIV_S, true);
        audit_end(b.s.audit, (struct run_end){.how = RUN_OVER});
        assert_int_equal(audit_get(b.s.audit, 0)->count, 1);
        wreck_books(&b);
    }
}

static void a_store_to_a_label_is_a_reason_to_compare(void **state)
{
    struct code_write w = {.who = {.kind = WRITER_HART, .hart = WRITER, .pc = CODE},
                           .stamp = 1,
                           .pa = SITE_PA + LABEL,
                           .size = 4};
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    release(&b, LOCK_JUMP_LABEL);
    assert_int_equal(labels_told(&b, false), 0);
    pass_store(&b.s, w, NOP, NOP);
    assert_int_equal(labels_told(&b, false), 1);
    wreck_books(&b);
}

static void a_key_whose_change_changed_nothing_is_found_later(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    assert_int_equal(labels_told(&b, false), 0);
    for (unsigned i = 0; i < 2000; i++)
        execute(&b.s, WRITER, NOP);
    assert_int_equal(labels_told(&b, false), 1);
    wreck_books(&b);
}

static struct jump_place place(unsigned i)
{
    return (struct jump_place){.va = SITE_VA + 0x400 + 4 * i,
                               .pa = SITE_PA + 0x400 + 4 * i,
                               .key = SITE_VA + KEY,
                               .target = SITE_VA + TARGET,
                               .entry = SITE_VA + LABELS_AT + 32};
}

static void labels_of_a_module_are_judged_when_its_loader_has_set_them(void **state)
{
    const struct jump_place p = place(0);
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    key_labels_add(b.labels, &p, 77);
    assert_int_equal(labels_told(&b, true), 0);
    hart_set_reg(hart_of(&b.s, WRITER), TP, 77);
    assert_int_equal(labels_told(&b, false), 1);
    key_labels_remove(b.labels, p.pa);
    assert_int_equal(key_labels_count(b.labels), 1);
    assert_int_equal(key_labels_key_at(b.labels, p.pa, 4), 0);
    assert_int_equal(key_labels_key_at(b.labels, SITE_PA + LABEL + 2, 2), SITE_VA + KEY);
    wreck_books(&b);
}

static void a_label_that_the_kernel_has_given_up_is_not_judged(void **state)
{
    const struct jump_place p = place(0);
    struct books b;

    (void)state;
    build(&b);
    store_word(&b, KEY, 1);
    store_word(&b, LABEL, JAL(ZERO, TARGET - LABEL));
    key_labels_add(b.labels, &p, 0);
    poke(&b.s.w, p.entry, p.va - p.entry, 4);
    poke(&b.s.w, p.entry + 8, p.key + 2 - (p.entry + 8), 8);
    assert_int_equal(labels_told(&b, true), 0);
    poke(&b.s.w, p.entry + 8, p.key - (p.entry + 8), 8);
    assert_int_equal(labels_told(&b, true), 1);
    wreck_books(&b);
}

static void labels_of_modules_are_part_of_the_state(void **state)
{
    const struct jump_place first = place(0), second = place(1);
    struct state_io io, back;
    struct books b;

    (void)state;
    build(&b);
    key_labels_add(b.labels, &first, 77);
    state_io_save(&io, 0);
    key_labels_state_io(&io, b.labels);
    key_labels_remove(b.labels, first.pa);
    key_labels_add(b.labels, &second, 0);
    state_io_load(&back, io.saved.at, io.saved.len);
    key_labels_state_io(&back, b.labels);
    assert_int_equal(state_io_end(&back), STATE_OK);
    assert_int_equal(key_labels_count(b.labels), 2);
    assert_int_equal(key_labels_get(b.labels, 1)->place.va, first.va);
    assert_int_equal(key_labels_get(b.labels, 1)->loader, 77);
    assert_int_equal(key_labels_key_at(b.labels, second.pa, 4), 0);
    state_io_free(&io);
    state_io_free(&back);
    wreck_books(&b);
}

/* ---- kprobes ---- */

enum { PLACE = 0x500, GONE_FLAG = 1, DISABLED_FLAG = 2, FTRACE_FLAG = 8 };

static uint64_t probe_at(unsigned i)
{
    return SITE_VA + PROBES + PROBE_STEP * i;
}

/* A probe of the place alone, as Linux has it. */
static void put_probe(struct books *b, unsigned i, unsigned flags)
{
    uint64_t offset = PROBES + PROBE_STEP * i;

    store_word(b, offset, 0);
    store_word(b, offset + 16, probe_at(i) + 16);
    store_word(b, offset + 24, probe_at(i) + 16);
    store_word(b, offset + 40, SITE_VA + PLACE);
    store_word(b, offset + 48, flags);
}

/* Probe 0 is in the table, and stands for the others, if there are any. */
static void build_probes(struct books *b, unsigned others)
{
    build(b);
    store_word(b, PROBE_TABLE + 8 * 5, probe_at(0));
    for (unsigned i = 0; i <= others; i++)
        put_probe(b, i, 0);
    for (unsigned i = 0; others && i <= others; i++)
        store_word(b, PROBES + PROBE_STEP * i + 16, probe_at((i + 1) % (others + 1)) + 16);
    store_word(b, PLACE, C_EBREAK);
}

static void let_time_pass(struct books *b)
{
    struct hart *h = hart_of(&b->s, WRITER);

    hart_advance(h, hart_cycles(h) + 1000 * 1000);
}

/* What is wrong with a kprobe; MESSAGE_NONE: nothing that was not said before. */
static enum message probe_told(struct books *b)
{
    const struct finding *f;
    uint64_t count = 0;

    let_time_pass(b);
    release(b, LOCK_KPROBE);
    for (size_t i = 0; i < audit_count(b->s.audit); i++)
        count += audit_get(b->s.audit, i)->count;
    if (count == b->counted)
        return MESSAGE_NONE;
    b->counted = count;
    f = audit_get(b->s.audit, audit_count(b->s.audit) - 1);
    assert_int_equal(f->rule, RULE_wrong_probe);
    for (unsigned i = 0; i < f->fact_count; i++)
        if (f->facts[i].label == LABEL_WRONG)
            return f->facts[i].message;
    return MESSAGE_NONE;
}

static void a_place_with_a_kprobe_has_a_breakpoint(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, EBREAK);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_LACKING);
    assert_int_equal(probe_told(&b), MESSAGE_NONE); /* once */
    store_word(&b, ALL_OFF, 1);
    store_word(&b, PLACE, EBREAK);
    assert_int_equal(probe_told(&b), MESSAGE_NONE); /* all are off: nothing is compared */
    assert_int_equal(audit_states_left_out(b.s.audit), 0);
    wreck_books(&b);
}

static void a_kprobe_that_is_off_or_of_ftrace_has_none(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    put_probe(&b, 0, DISABLED_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_LEFT);
    wreck_books(&b);
    build_probes(&b, 0);
    put_probe(&b, 0, FTRACE_FLAG);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    put_probe(&b, 0, GONE_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void a_kprobe_takes_its_breakpoint_with_it(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBE_TABLE + 8 * 5, 0);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_GONE);
    wreck_books(&b);
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBE_TABLE + 8 * 5, 0);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    wreck_books(&b);
}

static void several_kprobes_of_a_place_share_its_breakpoint(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 2);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBES + PROBE_STEP + 48, DISABLED_FLAG);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PROBES + 48, DISABLED_FLAG);
    store_word(&b, PLACE, NOP);
    assert_int_equal(probe_told(&b), MESSAGE_PROBE_SHARED);
    wreck_books(&b);
}

static void a_damaged_table_of_kprobes_is_left_out(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 1);
    store_word(&b, PROBES, probe_at(0)); /* its list has no end */
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 1);
    store_word(&b, PROBES, 0);
    store_word(&b, PROBES + PROBE_STEP + 16, probe_at(1) + 16); /* nor has that of its probes */
    hart_advance(hart_of(&b.s, WRITER), UINT64_C(1) << 40);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    assert_int_equal(audit_states_left_out(b.s.audit), 2);
    wreck_books(&b);
}

/* A comparison takes long beside what the hart has executed: the next one waits. */
static void many_kprobes_are_not_compared_each_time(void **state)
{
    struct books b;

    (void)state;
    build_probes(&b, 0);
    assert_int_equal(probe_told(&b), MESSAGE_NONE);
    store_word(&b, PLACE, NOP);
    release(&b, LOCK_KPROBE);
    assert_int_equal(audit_count(b.s.audit), 0);
    let_time_pass(&b);
    release(&b, LOCK_KPROBE);
    assert_int_equal(audit_count(b.s.audit), 1);
    wreck_books(&b);
}

/* ---- harts that run ---- */

static void write_site(struct books *b, uint64_t offset, uint32_t new)
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

static void set_other(struct books *b, enum privilege mode, bool interrupts)
{
    start_hart(hart_of(&b->s, OTHER));
    set_mode(&b->s, OTHER, mode, interrupts);
}

static void turn_on(struct books *b)
{
    uint32_t pair[2];

    call_pair(pair, F, CALLER);
    write_site(b, 0, pair[0]);
    write_site(b, 4, pair[1]);
}

static bool is_running(const struct books *b)
{
    bool found = false;

    for (size_t i = 0; i < audit_count(b->s.audit); i++)
        found |= audit_get(b->s.audit, i)->rule == RULE_harts_running;
    return found;
}

static void two_instructions_are_changed_while_another_hart_runs(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, true);
    turn_on(&b);
    assert_true(is_running(&b));
    wreck_books(&b);
    build(&b);
    set_other(&b, PRIV_U, false);
    turn_on(&b);
    assert_true(is_running(&b));
    wreck_books(&b);
}

static void harts_with_interrupts_off_are_stopped(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, false);
    turn_on(&b);
    assert_false(is_running(&b));
    wreck_books(&b);
}

static void one_instruction_may_be_replaced_while_harts_run(void **state)
{
    uint32_t pair[2];
    struct books b;

    (void)state;
    build(&b);
    put_site(&b, F, true);
    call_pair(pair, F, CALLER + 8);
    set_other(&b, PRIV_S, true);
    write_site(&b, 4, pair[1]);
    assert_false(is_running(&b));
    wreck_books(&b);
}

static void a_breakpoint_may_be_set_while_harts_run(void **state)
{
    struct books b;

    (void)state;
    build(&b);
    set_other(&b, PRIV_S, true);
    write_site(&b, 4, 0x00100073);
    write_site(&b, 4, NOP);
    assert_false(is_running(&b));
    wreck_books(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_that_agree_are_no_finding),
        cmocka_unit_test(a_count_is_the_number_of_ops_that_trace_the_function),
        cmocka_unit_test(a_disagreement_is_reported_once),
        cmocka_unit_test(a_filter_chooses_functions_and_notrace_excludes_some),
        cmocka_unit_test(an_empty_filter_that_waits_for_a_module_chooses_nothing),
        cmocka_unit_test(an_ops_in_the_list_that_is_not_enabled_does_not_count),
        cmocka_unit_test(a_set_that_is_damaged_is_left_out),
        cmocka_unit_test(a_record_of_no_address_is_a_disagreement),
        cmocka_unit_test(a_record_says_on_while_an_ops_traces_the_function),
        cmocka_unit_test(a_site_is_as_its_record_says),
        cmocka_unit_test(a_site_with_a_breakpoint_is_not_judged),
        cmocka_unit_test(records_are_in_ascending_order),
        cmocka_unit_test(a_site_has_one_record),
        cmocka_unit_test(a_record_has_the_address_of_a_site),
        cmocka_unit_test(all_records_have_the_same_instruction_of_their_sites),
        cmocka_unit_test(a_kernel_without_any_record_has_not_begun),
        cmocka_unit_test(a_record_of_memory_with_other_contents_is_one_of_freed_code),
        cmocka_unit_test(a_record_that_is_not_patched_is_not_judged),
        cmocka_unit_test(nothing_is_judged_when_the_kernel_has_given_up),
        cmocka_unit_test(a_list_without_an_end_is_counted_as_not_compared),
        cmocka_unit_test(a_release_after_which_all_is_the_same_is_not_a_reason_to_compare),
        cmocka_unit_test(what_was_reported_is_part_of_the_state),
        cmocka_unit_test(damaged_pages_are_left_out),
        cmocka_unit_test(all_records_of_a_large_page_are_compared),
        cmocka_unit_test(what_a_debugger_wrote_is_not_judged),
        cmocka_unit_test(keys_that_are_not_noted_are_counted),
        cmocka_unit_test(labels_of_modules_that_are_not_kept_are_counted),
        cmocka_unit_test(a_label_that_a_debugger_wrote_is_not_judged),
        cmocka_unit_test(a_place_with_a_kprobe_has_a_breakpoint),
        cmocka_unit_test(a_kprobe_that_is_off_or_of_ftrace_has_none),
        cmocka_unit_test(a_kprobe_takes_its_breakpoint_with_it),
        cmocka_unit_test(several_kprobes_of_a_place_share_its_breakpoint),
        cmocka_unit_test(a_damaged_table_of_kprobes_is_left_out),
        cmocka_unit_test(many_kprobes_are_not_compared_each_time),
        cmocka_unit_test(a_label_is_a_jump_while_its_key_is_on),
        cmocka_unit_test(a_label_of_the_other_sense_is_a_nop_while_its_key_is_on),
        cmocka_unit_test(a_label_jumps_to_its_target),
        cmocka_unit_test(a_label_is_one_nop_while_its_key_is_off),
        cmocka_unit_test(a_label_is_judged_before_its_key_is_changed_again),
        cmocka_unit_test(a_store_to_a_label_is_a_reason_to_compare),
        cmocka_unit_test(a_key_whose_change_changed_nothing_is_found_later),
        cmocka_unit_test(labels_of_a_module_are_judged_when_its_loader_has_set_them),
        cmocka_unit_test(a_label_that_the_kernel_has_given_up_is_not_judged),
        cmocka_unit_test(labels_of_modules_are_part_of_the_state),
        cmocka_unit_test(two_instructions_are_changed_while_another_hart_runs),
        cmocka_unit_test(harts_with_interrupts_off_are_stopped),
        cmocka_unit_test(one_instruction_may_be_replaced_while_harts_run),
        cmocka_unit_test(a_breakpoint_may_be_set_while_harts_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
