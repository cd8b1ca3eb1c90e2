/*
 * publish_rules.c - the rule about data that is published by a change of code, or by a pointer that
 * an update stores, with nothing to order the data before it (happens.h).
 *
 * It needs the events of all instructions, which there are only while data is followed (struct
 * plan, data_from). A store is published by the hart's later store to code if another hart executes
 * the new instruction and then loads the data; by a later store of a pointer if another hart loads
 * the pointer and computes the address of the data from it; by the start of a hart if that hart
 * loads it. The pairs of accesses that nothing orders are kept for those who look for other orders
 * (races.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "cpu/decode.h"
#include "cpu/hart.h"
#include "cpu/isa.h"
#include "ftrace/audit/audit_priv.h"
#include "ftrace/audit/data_words.h"
#include "ftrace/audit/happens.h"
#include "ftrace/audit/races.h"
#include "load/symbols.h"
#include "mem/bus.h"

enum { REGISTERS = 32, AQ_BIT = 26, RL_BIT = 25 };
/* As many are kept. */
enum { CODE_MAX = 1 << 16, DETOURS_MAX = 32, CONTEXTS_MAX = 64, RACES_MAX = 4096, PAGES = 64 };
/* Sizes of caches and filters: powers of two. */
enum { DECODED = 4096, CODE_PAGES = 1024 };

/* A word of code that was changed; what came before is code_views[index * width]. */
struct code_store {
    struct data_access by;
    uint64_t pa;
    uint32_t value, unused;
};

/* What has published other data: a store to code, the store of a pointer, or the start of a hart.
 */
struct publisher {
    struct data_access by; /* number 0: nothing */
    uint64_t pa;           /* of code */
    uint64_t va, value;    /* of a pointer; va 0: it is none */
    uint32_t released;     /* up to which store its hart had all before it */
    uint32_t unused;
};

/* What a patched instruction leads to, or a call of what a pointer leads to. */
struct detour {
    uint64_t task, sp;
    uint64_t back; /* it ends there; 0: where the function returns */
    struct publisher why;
    uint32_t context;
    uint32_t breakpoint; /* 1: it ends with the return from the trap */
};

/* A context that an interrupt has stopped: it goes on where a trap returns to its stack. */
struct stopped_context {
    uint64_t task, sp;
    uint32_t context, unused;
};

struct page {
    uint64_t va, pa; /* with bit 0: valid */
};

/* A decoded instruction, with what is asked of it each time. */
struct decoded {
    uint32_t word; /* 0: none */
    uint32_t sources, targets;
    enum timing_class class;
    struct insn insn;
};

struct publish_hart {
    uint64_t task;
    uint32_t context;
    uint64_t last_end;                          /* where the instruction before ended */
    struct publisher last_code;                 /* the change of code that it fetched */
    struct publisher started;                   /* by the hart that started it */
    struct publisher origins[REGISTERS];        /* the pointers that registers' values come from */
    struct page pages[ACCESS_FETCH + 1][PAGES]; /* a cache of translations */
};

struct publish_rules {
    struct audit *audit;
    unsigned hart_count;
    struct decoder *decoder;
    struct decoded decoded[DECODED]; /* a cache */
    bool used;                       /* something was followed */
    struct happens *happens;
    struct data_words *words;
    struct publish_hart *harts;
    view_number *sent;        /* to each hart by interrupts */
    view_number *read, *left; /* while an event is handled */
    struct hart *running;     /* the hart of the last instruction */
    VEC_OF(struct code_store) code;
    VEC_OF(view_number) code_views;
    uint64_t code_count;         /* changes in all; the newest CODE_MAX are kept */
    struct map code_at;          /* word number -> the newest change */
    bool code_pages[CODE_PAGES]; /* by page number, modulo: some code there was changed */
    VEC_OF(struct detour) detours;
    VEC_OF(struct stopped_context) stopped;
    struct map contexts; /* task -> its context, if that is not 0 */
    uint32_t last_context;
    struct map patchers; /* tasks that have changed code */
    VEC_OF(struct race) races;
    struct map race_counts; /* pair -> how often, and the index of the last one kept */
    uint64_t races_left_out;
};

static bool is_followed(const struct publish_rules *r)
{
    return cluster_records_insns(r->audit->config.cluster);
}

static uint64_t step_now(const struct publish_rules *r)
{
    return cluster_steps(r->audit->config.cluster);
}

/* ---- translations ---- */

static void forget_pages(struct publish_hart *p)
{
    for (unsigned i = 0; i <= ACCESS_FETCH; i++)
        for (unsigned n = 0; n < PAGES; n++)
            p->pages[i][n].pa = 0;
}

/* The physical address, of RAM. */
static bool translate(struct publish_rules *r, struct hart *h, uint64_t va, enum access access,
                      uint64_t *pa)
{
    struct page *page = &r->harts[hart_id(h)].pages[access][va / PAGE_BYTES % PAGES];

    if (!page->pa || page->va != va / PAGE_BYTES) {
        if (!hart_translate(h, va, access, pa) ||
            !bus_ram_at(cluster_bus(r->audit->config.cluster), *pa))
            return false;
        *page = (struct page){va / PAGE_BYTES, align_down(*pa, PAGE_BYTES) | 1};
    }
    *pa = align_down(page->pa, PAGE_BYTES) + va % PAGE_BYTES;
    return true;
}

/* ---- contexts: of tasks, and of interrupt handlers on their stacks ---- */

static uint32_t context_of(const struct publish_rules *r, uint64_t task)
{
    uint64_t context = 0;

    (void)map_get(&r->contexts, task, &context);
    return (uint32_t)context;
}

static void set_context(struct publish_rules *r, struct publish_hart *p, uint64_t task,
                        uint32_t context)
{
    if (context)
        map_put(&r->contexts, task, context);
    else
        map_remove(&r->contexts, task);
    p->task = task;
    p->context = context;
}

static void see_task(struct publish_rules *r, struct publish_hart *p, uint64_t task)
{
    if (task == p->task)
        return;
    p->task = task;
    p->context = context_of(r, task);
}

static void on_interrupt(struct publish_rules *r, struct hart *h)
{
    struct publish_hart *p = &r->harts[hart_id(h)];
    struct stopped_context stopped = {.task = hart_reg(h, REG_TP), .sp = hart_reg(h, REG_SP)};

    see_task(r, p, stopped.task);
    stopped.context = p->context;
    if (r->stopped.len == CONTEXTS_MAX) {
        for (size_t i = 1; i < r->stopped.len; i++)
            r->stopped.at[i - 1] = r->stopped.at[i];
        r->stopped.len--;
    }
    VEC_PUSH(&r->stopped, stopped);
    set_context(r, p, stopped.task, ++r->last_context);
}

static void end_breakpoint(struct publish_rules *r, struct hart *h)
{
    for (size_t i = r->detours.len; i-- > 0;) {
        struct detour *d = &r->detours.at[i];

        if (d->breakpoint && d->task == hart_reg(h, REG_TP) && d->sp == hart_reg(h, REG_SP)) {
            *d = r->detours.at[--r->detours.len];
            return;
        }
    }
}

static void on_trap_return(struct publish_rules *r, struct hart *h)
{
    uint64_t task = hart_reg(h, REG_TP), sp = hart_reg(h, REG_SP);

    end_breakpoint(r, h);
    for (size_t i = r->stopped.len; i-- > 0;) {
        struct stopped_context s = r->stopped.at[i];

        if (s.task != task || s.sp != sp)
            continue;
        r->stopped.at[i] = r->stopped.at[--r->stopped.len];
        set_context(r, &r->harts[hart_id(h)], task, s.context);
        return;
    }
}

/* ---- detours ---- */

static bool is_of(const struct detour *d, const struct publish_hart *p)
{
    return d->task == p->task && d->context == p->context;
}

static bool is_in_detour(const struct publish_rules *r, const struct publish_hart *p)
{
    for (size_t i = 0; i < r->detours.len; i++)
        if (is_of(&r->detours.at[i], p))
            return true;
    return false;
}

static void leave_detours(struct publish_rules *r, const struct publish_hart *p, struct hart *h,
                          uint64_t pc, const struct insn *i)
{
    uint64_t sp = hart_reg(h, REG_SP);
    bool returns = i->op == OP_jalr && i->rd == REG_ZERO && i->rs1 == REG_RA;

    for (size_t n = r->detours.len; n-- > 0;) {
        const struct detour *d = &r->detours.at[n];

        if (is_of(d, p) && !d->breakpoint &&
            (sp > d->sp || (sp == d->sp && (d->back ? pc == d->back : returns))))
            r->detours.at[n] = r->detours.at[--r->detours.len];
    }
}

static void enter_detour(struct publish_rules *r, const struct publish_hart *p, struct hart *h,
                         struct detour d)
{
    d.task = p->task;
    d.context = p->context;
    d.sp = hart_reg(h, REG_SP);
    if (r->detours.len == DETOURS_MAX) {
        for (size_t i = 1; i < r->detours.len; i++)
            r->detours.at[i - 1] = r->detours.at[i];
        r->detours.len--;
    }
    VEC_PUSH(&r->detours, d);
}

/* ---- changed code ---- */

static view_number *code_view(const struct publish_rules *r, uint64_t code)
{
    return &r->code_views.at[code * happens_width(r->happens)];
}

/* The place for a further change: that of the oldest, if there are too many. */
static size_t place_for_code(struct publish_rules *r)
{
    size_t at = r->code_count++ % CODE_MAX;
    uint64_t newest;

    if (r->code.len < CODE_MAX) {
        VEC_PUSH(&r->code, (struct code_store){0});
        for (size_t i = 0; i < happens_width(r->happens); i++)
            VEC_PUSH(&r->code_views, 0);
    } else if (map_get(&r->code_at, r->code.at[at].pa >> WORD_SHIFT, &newest) && newest == at) {
        map_remove(&r->code_at, r->code.at[at].pa >> WORD_SHIFT);
    }
    return at;
}

/* Notes a change of the word of code, by the store that the hart has just made. */
static void add_code(struct publish_rules *r, struct hart *h, uint64_t pa, uint64_t pc)
{
    const struct publish_hart *p = &r->harts[hart_id(h)];
    struct code_store s = {.by = {.step = step_now(r),
                                  .pc = pc,
                                  .cycle = hart_cycles(h),
                                  .task = p->task,
                                  .number = happens_count(r->happens, hart_id(h), ACCESS_OF_STORES),
                                  .context = p->context,
                                  .hart = hart_id(h)},
                           .pa = pa};
    size_t at;

    if (!bus_read(cluster_bus(r->audit->config.cluster), pa, &s.value, WORD_BYTES))
        return;
    at = place_for_code(r);
    map_put(&r->code_at, pa >> WORD_SHIFT, at);
    r->code_pages[pa / PAGE_BYTES % CODE_PAGES] = true;
    r->code.at[at] = s;
    memset(code_view(r, at), 0, happens_width(r->happens) * sizeof(view_number));
    happens_next_store(r->happens, hart_id(h), false, code_view(r, at));
}

static void on_code_write(struct publish_rules *r, const struct code_write *w)
{
    struct hart *h;

    if (w->who.kind != WRITER_HART)
        return;
    h = cluster_hart(r->audit->config.cluster, w->who.hart);
    map_put(&r->patchers, r->harts[w->who.hart].task >> 1, 1);
    for (uint64_t pa = align_down(w->pa, WORD_BYTES); pa < w->pa + w->size; pa += WORD_BYTES)
        add_code(r, h, pa, w->who.pc);
}

/* Finds the newest change that the hart has fetched with the instruction. */
static void fetch_code(struct publish_rules *r, struct hart *h, uint64_t pc, const struct insn *i,
                       struct publisher *found)
{
    uint64_t pa, at;

    *found = (struct publisher){0};
    if (!r->code.len || !translate(r, h, pc, ACCESS_FETCH, &pa) ||
        !(r->code_pages[pa / PAGE_BYTES % CODE_PAGES] |
          r->code_pages[(pa + 2) / PAGE_BYTES % CODE_PAGES]))
        return;
    for (unsigned n = 0; n < i->size; n += 2) {
        unsigned shift = (unsigned)((pa + n) % WORD_BYTES * 8);
        const struct code_store *c;

        if (!map_get(&r->code_at, (pa + n) >> WORD_SHIFT, &at))
            continue;
        c = &r->code.at[at];
        if ((uint16_t)(c->value >> shift) != (uint16_t)(i->word >> n * 8))
            continue;
        happens_receive(r->happens, hart_id(h), code_view(r, at));
        if (c->by.step >= found->by.step)
            *found = (struct publisher){
                .by = c->by,
                .pa = c->pa,
                .released = view_has(code_view(r, at), c->by.hart, ACCESS_OF_STORES)};
    }
}

static bool is_at_site(struct publish_rules *r, struct hart *h, uint64_t pc)
{
    uint64_t pa;

    return translate(r, h, pc, ACCESS_FETCH, &pa) &&
           site_find(r->audit->config.sites, pa, 1) != NO_SITE;
}

/* Begins a detour at the instruction, if it leads to one. */
static void look_for_detour(struct publish_rules *r, struct publish_hart *p, struct hart *h,
                            uint64_t pc, const struct insn *i)
{
    bool links = (i->op == OP_jal || i->op == OP_jalr) && (i->rd == REG_RA || i->rd == REG_T0);
    struct detour d = {.back = links ? pc + i->size : 0, .breakpoint = ebreak_size(i->word) != 0};
    struct publisher before = p->last_end == pc ? p->last_code : (struct publisher){0};

    fetch_code(r, h, pc, i, &d.why);
    p->last_code = d.why;
    p->last_end = pc + i->size;
    if (links && !d.why.by.number)
        d.why = before; /* an auipc that was changed, and its jalr, which was not */
    if (links && !d.why.by.number && i->op == OP_jalr)
        d.why = p->origins[i->rs1];
    if (d.breakpoint || (links && (d.why.by.number || is_at_site(r, h, pc))) ||
        (i->op == OP_jal && d.why.by.number))
        enter_detour(r, p, h, d);
}

/* ---- evidence ---- */

static void fact_moment(struct finding *f, enum fact_label label, const struct data_access *by)
{
    struct fact *fact = audit_fact(f, label, FACT_MOMENT);

    fact->hart = by->hart;
    fact->pc = by->pc;
    fact->cycle = by->cycle;
    fact->step = by->step;
}

/* "0xffffffff800c6080 <fgraph_direct_gops+0x0> = 0x5, 8 bytes". */
static void fact_access(const struct audit *a, struct finding *f, uint64_t va, unsigned size,
                        uint64_t value)
{
    uint64_t offset = 0, shown = size < 8 ? value & ((UINT64_C(1) << size * 8) - 1) : value;
    const char *name = symbols_name_at(a->config.symbols, va, &offset);

    if (name)
        audit_fact_text(f, LABEL_DATA,
                        "0x%" PRIx64 " <%.60s+0x%" PRIx64 "> = 0x%" PRIx64 ", %u bytes", va, name,
                        offset, shown, size);
    else
        audit_fact_text(f, LABEL_DATA, "0x%" PRIx64 " = 0x%" PRIx64 ", %u bytes", va, shown, size);
}

static void report(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t va,
                   const struct data_word *word, const struct publisher *why, enum fact_label label)
{
    struct audit *a = r->audit;
    const struct data_access *store = word->store;
    uint32_t site = why->pa ? site_find(a->config.sites, why->pa, WORD_BYTES) : NO_SITE;
    const struct breach b = {
        .rule = RULE_unordered_publication,
        .hart = hart_id(h),
        .site = site,
        .pc = pc,
        .cycle = hart_cycles(h),
        .cause = audit_cause(RULE_unordered_publication, audit_function(a, store->pc))};
    struct finding *f = audit_add(a, &b);

    if (!f)
        return;
    audit_fact_site(f, site);
    audit_fact(f, LABEL_WRITTEN, FACT_STORE)->writer =
        (struct writer){WRITER_HART, store->hart, store->pc, store->cycle, store->step};
    fact_access(a, f, va, store->size, *word->value);
    fact_moment(f, label, &why->by);
    if (why->va)
        fact_access(a, f, why->va, why->by.size, why->value);
    audit_fact_moment(f, LABEL_READ, h, pc);
    audit_fact_message(f, LABEL_MISSING, MESSAGE_PUBLISHED);
    audit_fact_order(f);
}

/* ---- the judgement of a load ---- */

/*
 * Whether the hart of the store has published it later, without having ordered it before: it comes
 * before what publishes, and is not among those that this is known to come after.
 */
static bool publishes(const struct publisher *why, const struct data_access *store)
{
    return why->by.number && store->hart == why->by.hart && store->task == why->by.task &&
           store->context == why->by.context && store->number < why->by.number &&
           store->number > why->released;
}

/* What has published the store to the hart, by what it executes; NULL: nothing. */
static const struct publisher *by_detour(const struct publish_rules *r,
                                         const struct publish_hart *p,
                                         const struct data_access *store)
{
    for (size_t i = r->detours.len; i-- > 0;)
        if (is_of(&r->detours.at[i], p) && publishes(&r->detours.at[i].why, store))
            return &r->detours.at[i].why;
    return NULL;
}

/* The same, by the pointer that its address comes from: `address' are the registers. */
static const struct publisher *by_pointer(const struct publish_rules *r,
                                          const struct publish_hart *p,
                                          const struct data_access *store, uint32_t address)
{
    for (; address; address &= address - 1) {
        const struct publisher *why = &p->origins[__builtin_ctz(address)];

        if (publishes(why, store) &&
            (is_in_detour(r, p) || map_get(&r->patchers, why->by.task >> 1, &(uint64_t){0})))
            return why;
    }
    return NULL;
}

static void judge_load(struct publish_rules *r, struct hart *h, const struct data_access *load,
                       uint64_t va, const struct data_word *word, uint32_t address)
{
    const struct publish_hart *p = &r->harts[hart_id(h)];
    const struct data_access *store = word->store;
    const struct publisher *why;

    if (store->task == load->task || !(store->bytes & load->bytes))
        return;
    if ((why = by_detour(r, p, store)) != NULL)
        report(r, h, load->pc, va, word, why, why->va ? LABEL_PUBLISHED : LABEL_PATCHED);
    else if ((why = by_pointer(r, p, store, address)) != NULL)
        report(r, h, load->pc, va, word, why, LABEL_PUBLISHED);
    else if (publishes(&p->started, store))
        report(r, h, load->pc, va, word, &p->started, LABEL_STARTED);
}

/* ---- pairs that nothing orders ---- */

static struct race_access race_access(const struct data_access *a, bool store)
{
    return (struct race_access){.step = a->step,
                                .pc = a->pc,
                                .task = a->task,
                                .hart = a->hart,
                                .store = store,
                                .detour = a->detour};
}

static uint64_t key_of_pair(const struct race *race)
{
    uint64_t key = race->first.pc * UINT64_C(0x9e3779b97f4a7c15) ^ race->second.pc;

    key = (key ^ key >> 31) * UINT64_C(0xbf58476d1ce4e5b9) + race->first.hart * 64 +
          race->second.hart;
    return key >> 1;
}

/* Keeps the first and the last pair of these instructions and harts. */
static void add_race(struct publish_rules *r, uint64_t pa, uint64_t va,
                     const struct data_access *first, bool first_stores,
                     const struct data_access *second, bool second_stores)
{
    const struct race race = {.pa = pa,
                              .va = va,
                              .first = race_access(first, first_stores),
                              .second = race_access(second, second_stores)};
    uint64_t key = key_of_pair(&race), at;

    if (first->task == second->task || (first->atomic && second->atomic))
        return;
    if (map_get(&r->race_counts, key, &at) && at & 1) {
        r->races.at[at >> 1] = race;
        return;
    }
    if (r->races.len == RACES_MAX) {
        r->races_left_out++;
        return;
    }
    map_put(&r->race_counts, key, r->races.len << 1 | (map_get(&r->race_counts, key, &at) ? 1 : 0));
    VEC_PUSH(&r->races, race);
}

static bool is_before(const struct publish_rules *r, const struct data_access *other,
                      enum access_kind kind, bool as_store)
{
    const struct happening happening = {other->hart, other->number, kind};

    return !other->number || happens_is_before(r->happens, &happening, as_store);
}

/* Compares the access that was begun with the last ones to the word. */
static void compare(struct publish_rules *r, struct hart *h, const struct data_access *a,
                    uint64_t pa, uint64_t va, const struct data_word *word,
                    const struct ordered_access *o)
{
    if (word->store->bytes & a->bytes && !is_before(r, word->store, ACCESS_OF_STORES, !o->loads)) {
        add_race(r, pa, va, word->store, true, a, o->stores);
        if (o->loads)
            judge_load(r, h, a, va, word, o->address);
    }
    if (!o->stores)
        return;
    for (unsigned i = 0; i < r->hart_count; i++)
        if (i != a->hart && word->loads[i].bytes & a->bytes &&
            !is_before(r, &word->loads[i], ACCESS_OF_LOADS, true))
            add_race(r, pa, va, &word->loads[i], false, a, true);
}

/* ---- accesses ---- */

static unsigned size_of(const struct insn *i)
{
    return 1U << (op_info(i->op)->match >> 12 & 3);
}

static struct ordered_access order_of(const struct insn *i, enum timing_class class)
{
    struct ordered_access o = {.address = UINT32_C(1) << i->rs1};

    if (class != CLASS_STORE)
        o.target = op_floating(i->op) == FLOATING_X ? UINT32_C(1) << i->rd : 0;
    o.loads = class == CLASS_LOAD;
    o.stores = class == CLASS_STORE;
    if (class == CLASS_AMO) {
        o.loads = i->op != OP_sc_w && i->op != OP_sc_d;
        o.stores = i->op != OP_lr_w && i->op != OP_lr_d;
        o.aq = bit(i->word, AQ_BIT);
        o.rl = bit(i->word, RL_BIT);
    }
    if (o.stores && op_floating(i->op) == FLOATING_X)
        o.value = UINT32_C(1) << i->rs2;
    return o;
}

/* The value of the register comes from a pointer that another hart has stored. */
static void set_origin(struct publish_hart *p, uint32_t targets, const struct publisher *o)
{
    for (targets &= ~UINT32_C(1); targets; targets &= targets - 1) {
        struct publisher *to = &p->origins[__builtin_ctz(targets)];

        if (to->by.number || o->by.number)
            *to = *o;
    }
}

/* The words of an access. */
struct accessed {
    uint64_t pa, va;
    unsigned count;
    struct data_word words[2];
};

static void find_words(struct publish_rules *r, struct accessed *at, unsigned size)
{
    at->count = size > WORD_BYTES ? 2 : 1;
    for (unsigned n = 0; n < at->count; n++)
        data_words_at(r->words, at->pa + n * WORD_BYTES, &at->words[n]);
    if (at->count == 2) /* adding the second one may have moved the first */
        data_words_at(r->words, at->pa, &at->words[0]);
}

/* The bytes of the word that an access of that size has, a bit each. */
static uint8_t bytes_of(uint64_t pa, unsigned size)
{
    return (uint8_t)(((1U << (size < WORD_BYTES ? size : WORD_BYTES)) - 1) << pa % WORD_BYTES);
}

static void take_origin(struct publish_hart *p, const struct data_access *a,
                        const struct accessed *at, uint32_t targets)
{
    const struct data_word *word = &at->words[0];
    struct publisher o = {0};

    if (word->store->number && word->store->hart != a->hart && a->size == sizeof(uint64_t)) {
        uint32_t released = view_has(word->view, word->store->hart, ACCESS_OF_STORES);

        if (released < word->store->number) /* else it came after all stores before it */
            o = (struct publisher){
                .by = *word->store, .va = at->va, .value = *word->value, .released = released};
    }
    set_origin(p, targets, &o);
}

/* Makes the access that was begun, and leaves it in its words. */
static void make_access(struct publish_rules *r, const struct ordered_access *o,
                        struct data_access *a, struct accessed *at, uint64_t value)
{
    size_t width = happens_width(r->happens);

    memset(r->read, 0, width * sizeof *r->read);
    for (unsigned n = 0; n < at->count; n++)
        for (size_t i = 0; i < width; i++)
            if (r->read[i] < at->words[n].view[i])
                r->read[i] = at->words[n].view[i];
    happens_make(r->happens, r->read, r->left);
    for (unsigned n = 0; n < at->count; n++) {
        struct data_word *word = &at->words[n];

        a->bytes = bytes_of(at->pa, a->size);
        a->number = happens_count(r->happens, a->hart, ACCESS_OF_LOADS);
        if (o->loads)
            word->loads[a->hart] = *a;
        if (!o->stores)
            continue;
        a->number = happens_count(r->happens, a->hart, ACCESS_OF_STORES);
        *word->store = *a;
        *word->value = value;
        memcpy(word->view, r->left, width * sizeof *word->view);
    }
}

static void on_access(struct publish_rules *r, struct hart *h, uint64_t pc, const struct insn *i)
{
    enum timing_class class = op_class(i->op);
    struct publish_hart *p = &r->harts[hart_id(h)];
    const struct ordered_access o = order_of(i, class);
    struct accessed at = {.va = hart_reg(h, i->rs1) +
                                (class == CLASS_AMO ? 0 : (uint64_t)(int64_t)i->imm)};
    struct data_access a = {.step = step_now(r),
                            .pc = pc,
                            .cycle = hart_cycles(h),
                            .task = p->task,
                            .number = 1,
                            .context = p->context,
                            .hart = hart_id(h),
                            .detour = is_in_detour(r, p),
                            .atomic = class == CLASS_AMO,
                            .size = (uint8_t)size_of(i)};

    if (at.va % a.size || !translate(r, h, at.va, o.stores ? ACCESS_STORE : ACCESS_LOAD, &at.pa)) {
        happens_compute(r->happens, a.hart, 0, o.target);
        set_origin(p, o.target, &(struct publisher){0});
        return;
    }
    find_words(r, &at, a.size);
    a.bytes = bytes_of(at.pa, a.size);
    happens_begin(r->happens, a.hart, &o);
    for (unsigned n = 0; n < at.count; n++)
        compare(r, h, &a, at.pa + n * WORD_BYTES, at.va + n * WORD_BYTES, &at.words[n], &o);
    if (o.loads)
        take_origin(p, &a, &at, o.target);
    make_access(r, &o, &a, &at, hart_reg(h, i->rs2));
}

/* ---- instructions ---- */

static void on_compute(struct publish_rules *r, struct publish_hart *p, unsigned hart,
                       const struct decoded *d)
{
    uint32_t sources = d->sources, targets = d->targets;
    const struct publisher *o = &p->origins[REG_ZERO];

    happens_compute(r->happens, hart, sources, targets);
    for (; sources && !o->by.number; sources &= sources - 1)
        o = &p->origins[__builtin_ctz(sources)];
    set_origin(p, targets, o);
}

static const struct decoded *decode(struct publish_rules *r, uint32_t word)
{
    struct decoded *d = &r->decoded[(word ^ word >> 12 ^ word >> 20) % DECODED];

    if (d->word == word)
        return d;
    if (!decoder_decode(r->decoder, word, &d->insn)) {
        d->word = 0;
        return NULL;
    }
    d->word = word;
    d->class = op_class(d->insn.op);
    d->sources = d->targets = 0;
    if (op_floating(d->insn.op) == FLOATING_X || d->class == CLASS_LOAD ||
        d->class == CLASS_STORE) {
        d->sources = op_sources(&d->insn);
        d->targets = op_targets(&d->insn);
    }
    return d;
}

static void on_insn(struct publish_rules *r, const struct insn_event *e)
{
    const struct decoded *d = decode(r, e->word);
    struct hart *h = e->hart;
    struct publish_hart *p = &r->harts[hart_id(h)];
    const struct insn *i;

    if (!d)
        return;
    i = &d->insn;
    r->used = true;
    see_task(r, p, hart_reg(h, REG_TP));
    if (r->detours.len)
        leave_detours(r, p, h, e->pc, i);
    look_for_detour(r, p, h, e->pc, i);
    switch (d->class) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_AMO: on_access(r, h, e->pc, i); break;
    case CLASS_FENCE:
        happens_fence(r->happens, hart_id(h), (unsigned)i->imm >> 4 & 15, (unsigned)i->imm & 15,
                      (unsigned)i->imm >> 8 == 8);
        break;
    case CLASS_BRANCH: happens_branch(r->happens, hart_id(h), d->sources); break;
    case CLASS_JUMP_INDIRECT:
        happens_branch(r->happens, hart_id(h), UINT32_C(1) << i->rs1);
        happens_compute(r->happens, hart_id(h), 0, d->targets);
        break;
    default: on_compute(r, p, hart_id(h), d); break;
    }
}

/* ---- messages between harts ---- */

static view_number *sent_to(const struct publish_rules *r, const struct hart *h)
{
    return &r->sent[hart_id(h) * happens_width(r->happens)];
}

/* A fence of another hart that firmware executes: the one that asks waits until it is done. */
static void on_remote_fence(struct publish_rules *r, const struct fence_event *f)
{
    size_t width = happens_width(r->happens);

    forget_pages(&r->harts[hart_id(f->hart)]);
    if (f->requester == hart_id(f->hart))
        return;
    memset(r->read, 0, width * sizeof *r->read);
    happens_send(r->happens, f->requester, r->read);
    happens_receive(r->happens, hart_id(f->hart), r->read);
    memset(r->read, 0, width * sizeof *r->read);
    happens_send(r->happens, hart_id(f->hart), r->read);
    happens_receive(r->happens, f->requester, r->read);
}

static void on_start(struct publish_rules *r, struct hart *h)
{
    struct publish_hart *p = &r->harts[hart_id(h)];
    struct hart *by = r->running;
    view_number *view = r->read;

    if (!by || by == h)
        return;
    memset(view, 0, happens_width(r->happens) * sizeof *view);
    happens_next_store(r->happens, hart_id(by), true, view);
    p->started.by =
        (struct data_access){.step = step_now(r),
                             .pc = hart_pc(by),
                             .cycle = hart_cycles(by),
                             .task = r->harts[hart_id(by)].task,
                             .context = r->harts[hart_id(by)].context,
                             .number = happens_count(r->happens, hart_id(by), ACCESS_OF_STORES) + 1,
                             .hart = hart_id(by)};
    p->started.released = view_has(view, hart_id(by), ACCESS_OF_STORES);
    happens_receive(r->happens, hart_id(h), view);
}

static void on_trap(struct publish_rules *r, const struct trap_event *t)
{
    forget_pages(&r->harts[hart_id(t->hart)]);
    if (t->interrupt && t->from == PRIV_S)
        on_interrupt(r, t->hart);
}

static void on_event(void *rules, const struct event *e)
{
    struct publish_rules *r = rules;

    if (!is_followed(r))
        return;
    switch (e->kind) {
    case EVENT_INSN:
        r->running = e->insn.hart;
        on_insn(r, &e->insn);
        break;
    case EVENT_CODE_WRITE: on_code_write(r, &e->code_write); break;
    case EVENT_FENCE_I:
    case EVENT_SFENCE_VMA: on_remote_fence(r, &e->fence); break;
    case EVENT_SATP: forget_pages(&r->harts[hart_id(e->satp.hart)]); break;
    case EVENT_IPI_SENT:
        if (e->ipi.sender)
            happens_send(r->happens, hart_id(e->ipi.sender), sent_to(r, e->ipi.hart));
        break;
    case EVENT_IPI_TAKEN:
        happens_receive(r->happens, hart_id(e->ipi.hart), sent_to(r, e->ipi.hart));
        break;
    case EVENT_HART_STARTED: on_start(r, e->started.hart); break;
    case EVENT_TRAP: on_trap(r, &e->trap); break;
    case EVENT_TRAP_RETURN:
        forget_pages(&r->harts[hart_id(e->trap_return.hart)]);
        on_trap_return(r, e->trap_return.hart);
        break;
    default: break;
    }
}

/* ---- for those who look for other orders ---- */

static enum race_rank rank_of(const struct publish_rules *r, const struct race *race)
{
    bool detour = race->first.detour || race->second.detour, update = false, other = false;
    const struct race_access *both[] = {&race->first, &race->second};

    for (unsigned i = 0; i < 2; i++)
        if (map_get(&r->patchers, both[i]->task >> 1, &(uint64_t){0})) {
            update = true;
            other |= both[!i]->detour;
        }
    if (other)
        return RACE_OF_DETOUR;
    return detour ? RACE_IN_DETOUR : update ? RACE_OF_UPDATE : RACE_OTHER;
}

const struct race *audit_races(const struct audit *a, size_t *count)
{
    struct publish_rules *r = a->rules[FAMILY_publish];

    for (size_t i = 0; i < r->races.len; i++)
        r->races.at[i].rank = rank_of(r, &r->races.at[i]);
    *count = r->races.len;
    return r->races.at;
}

uint64_t audit_races_left_out(const struct audit *a)
{
    const struct publish_rules *r = a->rules[FAMILY_publish];

    return r->races_left_out;
}

/* ---- the family ---- */

/* Begins as if nothing had been followed yet. */
static void begin(struct publish_rules *r)
{
    size_t width;

    r->happens = happens_new(r->hart_count);
    width = happens_width(r->happens);
    r->words = data_words_new(r->hart_count, width);
    r->sent = xcalloc(r->hart_count * width, sizeof *r->sent);
    r->read = xcalloc(width, sizeof *r->read);
    r->left = xcalloc(width, sizeof *r->left);
    r->harts = xcalloc(r->hart_count, sizeof *r->harts);
}

static void end(struct publish_rules *r)
{
    happens_free(r->happens);
    data_words_free(r->words);
    free(r->sent);
    free(r->read);
    free(r->left);
    free(r->harts);
    VEC_FREE(&r->code);
    VEC_FREE(&r->code_views);
    VEC_FREE(&r->detours);
    VEC_FREE(&r->stopped);
    VEC_FREE(&r->races);
    map_free(&r->code_at);
    map_free(&r->contexts);
    map_free(&r->patchers);
    map_free(&r->race_counts);
    r->code_count = 0;
    memset(r->code_pages, 0, sizeof r->code_pages);
}

static void *create(struct audit *a)
{
    struct publish_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->hart_count = cluster_hart_count(a->config.cluster);
    r->decoder = decoder_new(cluster_extensions(a->config.cluster));
    begin(r);
    return r;
}

static void destroy(void *rules)
{
    struct publish_rules *r = rules;

    end(r);
    decoder_free(r->decoder);
    free(r);
}

static void hart_state_io(struct state_io *io, struct publish_hart *p)
{
    STATE_IO(io, p->task);
    STATE_IO(io, p->context);
    STATE_IO(io, p->last_end);
    state_io_bytes(io, &p->last_code, sizeof p->last_code);
    state_io_bytes(io, &p->started, sizeof p->started);
    state_io_bytes(io, p->origins, sizeof p->origins);
    forget_pages(p);
}

static void race_state_io(struct state_io *io, struct race *race)
{
    struct race_access *both[] = {&race->first, &race->second};

    STATE_IO(io, race->pa);
    STATE_IO(io, race->va);
    for (unsigned i = 0; i < 2; i++) {
        STATE_IO(io, both[i]->step);
        STATE_IO(io, both[i]->pc);
        STATE_IO(io, both[i]->task);
        STATE_IO(io, both[i]->hart);
        STATE_IO(io, both[i]->store);
        STATE_IO(io, both[i]->detour);
    }
}

static void used_state_io(struct state_io *io, struct publish_rules *r)
{
    size_t width = happens_width(r->happens);

    happens_state_io(io, r->happens);
    data_words_state_io(io, r->words);
    for (unsigned i = 0; i < r->hart_count; i++)
        hart_state_io(io, &r->harts[i]);
    for (size_t i = 0; i < r->hart_count * width; i++)
        STATE_IO(io, r->sent[i]);
    STATE_IO_PLAIN_VEC(io, &r->code, (size_t)CODE_MAX);
    STATE_IO_PLAIN_VEC(io, &r->code_views, CODE_MAX * width);
    state_io_map(io, &r->code_at);
    STATE_IO_PLAIN_VEC(io, &r->detours, (size_t)DETOURS_MAX);
    STATE_IO_PLAIN_VEC(io, &r->stopped, (size_t)CONTEXTS_MAX);
    state_io_map(io, &r->contexts);
    STATE_IO(io, r->last_context);
    state_io_map(io, &r->patchers);
    STATE_IO_VEC(io, &r->races, (size_t)RACES_MAX, race_state_io);
    state_io_map(io, &r->race_counts);
    STATE_IO(io, r->races_left_out);
    if (r->code_views.len != r->code.len * width)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < r->code.len; i++)
        r->code_pages[r->code.at[i].pa / PAGE_BYTES % CODE_PAGES] = true;
    STATE_IO(io, r->code_count);
}

static void state_io(struct state_io *io, void *rules)
{
    struct publish_rules *r = rules;

    state_io_section(io, "publish-rules", 1);
    r->running = NULL;
    if (io->loading && r->used) {
        end(r);
        begin(r);
    }
    STATE_IO(io, r->used);
    if (r->used)
        used_state_io(io, r);
}

const struct rule_family publish_family = {
    .create = create, .destroy = destroy, .event = on_event, .state_io = state_io};
