/*
 * publish_judge.c - two rules about the order of data: data that are published by a change of code,
 * by a pointer or a flag that an update stores, or by the start of a hart, with nothing to order
 * the data before it or the load after it; and data that are freed while they may be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cpu/cluster.h"
#include "cpu/hart.h"
#include "ftrace/audit/order/publish_priv.h"
#include "load/lines.h"
#include "load/lines_data.h"
#include "load/symbols.h"

/* ---- evidence ---- */

enum { NAME_TEXT = 100, LINE_TEXT = 44, FILE_TEXT = 32 };

static void fact_moment(struct finding *f, enum fact_label label, const struct data_access *by)
{
    struct fact *fact = audit_fact(f, label, FACT_MOMENT);

    fact->hart = by->hart;
    fact->pc = by->pc;
    fact->cycle = by->cycle;
    fact->step = by->step;
}

/* The member, as the instruction at pc accesses it; false: its register has no known pointer. */
static bool name_by_pointer(const struct audit *a, uint64_t pc, char name[NAME_TEXT])
{
    struct hart *any = cluster_hart(a->config.cluster, 0);
    struct insn i;
    uint32_t word;

    return hart_peek_insn(any, pc, &word) && insn_decode(word, &i) &&
           lines_data_pointed(a->config.lines, pc, i.rs1,
                              op_class(i.op) == CLASS_AMO ? 0 : (uint64_t)(int64_t)i.imm, name,
                              NAME_TEXT);
}

/*
 * The address by which the kernel was linked, of one by which a hart without translation reads it;
 * any other as it is.
 */
static uint64_t linked_address(const struct audit *a, uint64_t va)
{
    const struct site *s =
        site_count(a->config.sites) ? site_get(a->config.sites, 0) : NULL; /* of the image */

    if (!s || va >= s->va || !bus_ram_at(cluster_bus(a->config.cluster), va))
        return va;
    return va + (s->va - s->pa);
}

/*
 * The name of data: " <global_ops+0x10 (func)>", " <op->func, struct ftrace_ops>". Those who have
 * accessed it know its type. Empty: there is none.
 */
static void name_data(const struct audit *a, uint64_t va, const uint64_t pcs[2],
                      char text[NAME_TEXT + LINE_TEXT])
{
    uint64_t offset = 0;
    const char *name = symbols_name_at(a->config.symbols, linked_address(a, va), &offset);
    char member[NAME_TEXT], symbol[LINE_TEXT + 1];
    bool known = false;

    text[0] = '\0';
    if (name)
        snprintf(symbol, sizeof symbol, "%s", name);
    for (unsigned i = 0; i < 2 && !known && pcs[i]; i++)
        known = name ? lines_data_member(a->config.lines, pcs[i], symbol, offset, member, NAME_TEXT)
                     : name_by_pointer(a, pcs[i], member);
    if (name)
        snprintf(text, NAME_TEXT + LINE_TEXT, " <%.40s+0x%" PRIx64 "%s%.60s%s>", symbol, offset,
                 known ? " (" : "", known ? member : "", known ? ")" : "");
    else if (known)
        snprintf(text, NAME_TEXT + LINE_TEXT, " <%s>", member);
}

/* "0xffffffff800c6080 <global_ops+0x0 (func)> = 0x5, 8 bytes". */
static void fact_access(const struct audit *a, struct finding *f, uint64_t va, unsigned size,
                        uint64_t value, uint64_t stored, uint64_t loaded)
{
    uint64_t shown = size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
    const uint64_t pcs[2] = {stored, loaded};
    char name[NAME_TEXT + LINE_TEXT];

    name_data(a, va, pcs, name);
    audit_fact_text(f, LABEL_DATA, "0x%" PRIx64 "%s = 0x%" PRIx64 ", %u bytes", va, name, shown,
                    size);
}

/* Where code is, shortly: "kernel/trace/fgraph.c:422", or "set_direct+0x10". */
static void name_line(const struct audit *a, uint64_t pc, char text[LINE_TEXT])
{
    struct line_place place;
    const char *file, *folder;

    if (!lines_at(a->config.lines, pc, &place)) {
        symbols_text_at(a->config.symbols, pc, text, LINE_TEXT);
        if (!text[0])
            snprintf(text, LINE_TEXT, "0x%" PRIx64, pc);
        return;
    }
    for (file = place.file; strlen(file) > FILE_TEXT && (folder = strchr(file, '/')) != NULL;)
        file = folder + 1;
    snprintf(text, LINE_TEXT, "%s:%u", file, place.line);
}

/* What is missing: one of the two fences that are needed, or both. */
struct missing {
    bool at_writer, at_reader;
};

static void fact_missing(const struct audit *a, struct finding *f, const char *what, uint32_t hart,
                         const char *between, uint64_t first, uint64_t second)
{
    char one[LINE_TEXT], other[LINE_TEXT];

    name_line(a, first, one);
    name_line(a, second, other);
    audit_fact_text(f, LABEL_MISSING, "%s on hart %u, between the %s at %s and %s", what, hart,
                    between, one, other);
}

static void report(struct publish_rules *r, struct hart *h, const struct data_access *load,
                   uint64_t va, const struct data_word *word, const struct publisher *why,
                   enum fact_label label, struct missing missing)
{
    struct audit *a = r->audit;
    const struct data_access *store = word->store;
    uint32_t site = why->pa ? site_find(a->config.sites, why->pa, WORD_BYTES) : NO_SITE;
    const struct breach b = {
        .rule = RULE_unordered_publication,
        .hart = hart_id(h),
        .site = site,
        .pc = load->pc,
        .cycle = hart_cycles(h),
        .cause = audit_cause(RULE_unordered_publication,
                             audit_function(a, missing.at_writer ? store->pc : load->pc))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer =
        (struct writer){WRITER_HART, store->hart, store->pc, store->cycle, store->step};
    fact_access(a, f, va, store->size, *word->value, store->pc, load->pc);
    fact_moment(f, label, &why->by);
    if (why->va)
        fact_access(a, f, why->va, why->by.size, why->value, why->by.pc, why->load_pc);
    audit_fact_moment(f, LABEL_READ, h, load->pc);
    if (missing.at_writer)
        fact_missing(a, f,
                     label == LABEL_STARTED ? "fence rw,rw (smp_mb())"
                                            : "fence w,w (smp_wmb()) or a release",
                     store->hart, label == LABEL_STARTED ? "store and the start" : "stores",
                     store->pc, why->by.pc);
    if (missing.at_reader)
        fact_missing(a, f, "fence r,r (smp_rmb()) or an acquire", load->hart, "loads", why->load_pc,
                     load->pc);
    audit_fact_order(f);
}

/* ---- the judgement of a load ---- */

/* Whether the store was made before what publishes it, by the same task. */
static bool precedes(const struct publisher *why, const struct data_access *store)
{
    return why->by.number && store->hart == why->by.hart && store->task == why->by.task &&
           store->context == why->by.context && store->number < why->by.number;
}

/*
 * Whether the hart of the store has published it later, without having ordered it before: it is not
 * among those that what publishes is known to come after.
 */
static bool publishes(const struct publisher *why, const struct data_access *store)
{
    return precedes(why, store) && store->number > why->released;
}

/* What has published the store to the hart, by what it executes; NULL: nothing. */
static const struct publisher *by_detour(const struct publish_rules *r,
                                         const struct publish_hart *p,
                                         const struct data_access *store)
{
    for (size_t i = r->detours.len; i-- > 0;)
        if (publish_is_of(&r->detours.at[i], p) && publishes(&r->detours.at[i].why, store))
            return &r->detours.at[i].why;
    return NULL;
}

/* The same, by the pointer that its address comes from: `address' are the registers. */
static const struct publisher *by_pointer(const struct publish_rules *r,
                                          const struct publish_hart *p,
                                          const struct data_access *store, uint32_t address)
{
    for (address &= p->known_origins; address; address &= address - 1) {
        const struct publisher *why = &p->origins[__builtin_ctz(address)];

        if (publishes(why, store) && why->by.size == sizeof(uint64_t) &&
            (publish_is_in_detour(r, p) || publish_is_patcher(r, why->by.task)))
            return why;
    }
    return NULL;
}

/*
 * Stores or loads between which and a flag is a fence that is meant for them: it is one side of an
 * order that the other side lacks.
 */
enum { STORES_NEAR = 4, LOADS_NEAR = 16 };

/* Whether the writer has put a fence between the data and the flag, right before the flag. */
static bool is_released(const struct publisher *flag, const struct data_access *store)
{
    return flag->by.number == flag->released && store->number <= flag->released;
}

/* Whether the reader has put a fence right after the load of the flag. */
static bool is_acquired(const struct publish_rules *r, const struct publish_hart *p,
                        const struct publisher *flag, uint32_t hart)
{
    return (flag->acquired || p->loads_fenced == flag->load) &&
           happens_count(r->happens, hart, ACCESS_OF_LOADS) - flag->load < LOADS_NEAR;
}

/*
 * A flag or a count by which the task has branched, in a tracer, and which a task that changes code
 * stores right after the data. A branch orders no later load, so both sides need a fence: the
 * reader lacks its own if the writer has one, and the other way round. With none the two have
 * nothing to do with each other, as far as one can tell.
 */
static const struct publisher *by_branch(const struct publish_rules *r,
                                         const struct publish_hart *p,
                                         const struct data_access *store, uint32_t hart,
                                         struct missing *missing)
{
    for (unsigned i = 0; i < p->branches && i < BRANCHED_MAX; i++) {
        const struct publisher *flag = &p->branched[i];
        bool acquired = is_acquired(r, p, flag, hart);

        if (!precedes(flag, store) || flag->by.number - store->number > STORES_NEAR ||
            !publish_is_patcher(r, flag->by.task) || !publish_is_in_tracer(r, p))
            continue;
        *missing = (struct missing){.at_writer = acquired && publishes(flag, store),
                                    .at_reader = is_released(flag, store) && !flag->acquired &&
                                                 !happens_is_after_load(r->happens, flag->load)};
        if (missing->at_writer || missing->at_reader)
            return flag;
    }
    return NULL;
}

void publish_judge_load(struct publish_rules *r, struct hart *h, const struct data_access *load,
                        uint64_t va, const struct data_word *word, uint32_t address)
{
    const struct publish_hart *p = &r->harts[hart_id(h)];
    const struct data_access *store = word->store;
    const struct missing writer = {.at_writer = true};
    const struct publisher *why;
    struct missing missing;

    if (store->task == load->task || !(store->bytes & load->bytes))
        return;
    if ((why = by_detour(r, p, store)) != NULL) {
        report(r, h, load, va, word, why, why->va ? LABEL_PUBLISHED : LABEL_PATCHED, writer);
    } else if ((why = by_pointer(r, p, store, address)) != NULL) {
        report(r, h, load, va, word, why, LABEL_PUBLISHED, writer);
    } else if (publishes(&p->started, store)) {
        report(r, h, load, va, word, &p->started, LABEL_STARTED, writer);
    } else if ((why = by_branch(r, p, store, load->hart, &missing)) != NULL) {
        report(r, h, load, va, word, why, LABEL_PUBLISHED, missing);
    }
}

/* ---- the judgement of a function that frees memory ---- */

static void report_free(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t va,
                        const struct data_access *load)
{
    struct audit *a = r->audit;
    const struct breach b = {.rule = RULE_freed_while_read,
                             .hart = hart_id(h),
                             .site = NO_SITE,
                             .pc = pc,
                             .cycle = hart_cycles(h),
                             .cause = audit_cause(RULE_freed_while_read, audit_function(a, pc))};
    const uint64_t pcs[2] = {load->pc, 0};
    struct finding *f = audit_add(a, &b);
    char name[NAME_TEXT + LINE_TEXT];

    if (!f)
        return;
    fact_moment(f, LABEL_READ, load);
    name_data(a, va, pcs, name);
    audit_fact_text(f, LABEL_DATA, "0x%" PRIx64 "%s, %u bytes", va, name, load->size);
    audit_fact_moment(f, LABEL_FREED, h, pc);
    audit_fact_message(f, LABEL_MISSING, MESSAGE_GRACE_PERIOD);
    audit_fact_order(f);
}

void publish_judge_free(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t va)
{
    struct data_word word;
    uint64_t pa;

    if (va % WORD_BYTES || !publish_translate(r, h, va, ACCESS_STORE, &pa) ||
        !data_words_find(r->words, pa, &word))
        return;
    happens_begin(r->happens, hart_id(h), &(struct ordered_access){.stores = true});
    for (unsigned i = 0; i < r->hart_count; i++) {
        const struct data_access *load = &word.loads[i];
        const struct happening happening = {load->hart, load->number, ACCESS_OF_LOADS};

        if (i != hart_id(h) && load->number && load->detour == DETOUR_TRACER &&
            load->task != r->harts[hart_id(h)].task &&
            !happens_is_before(r->happens, &happening, true))
            report_free(r, h, pc, va, load);
    }
}
