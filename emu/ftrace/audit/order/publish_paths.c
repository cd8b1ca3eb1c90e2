/*
 * publish_paths.c - what a hart has come to by its instructions: a changed instruction, what that
 * leads to, and the context in which it is: a task, or an interrupt handler on a task's stack.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/cluster.h"
#include "ftrace/audit/order/publish_priv.h"

static uint64_t step_now(const struct publish_rules *r)
{
    return cluster_steps(r->audit->config.cluster);
}

/* ---- translations ---- */

void publish_forget_pages(struct publish_hart *p)
{
    for (unsigned i = 0; i <= ACCESS_FETCH; i++)
        for (unsigned n = 0; n < PAGES; n++)
            p->pages[i][n].pa = 0;
    p->plain_page = UINT64_MAX;
}

bool publish_translate(struct publish_rules *r, struct hart *h, uint64_t va, enum access access,
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
    p->branches = 0;
}

void publish_see_task(struct publish_rules *r, struct publish_hart *p, uint64_t task)
{
    if (task == p->task)
        return;
    p->task = task;
    p->context = context_of(r, task);
    p->branches = 0;
}

void publish_interrupted(struct publish_rules *r, struct hart *h)
{
    struct publish_hart *p = &r->harts[hart_id(h)];
    struct stopped_context stopped = {.task = hart_reg(h, REG_TP), .sp = hart_reg(h, REG_SP)};

    publish_see_task(r, p, stopped.task);
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

void publish_trap_returned(struct publish_rules *r, struct hart *h)
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

bool publish_is_of(const struct detour *d, const struct publish_hart *p)
{
    return d->task == p->task && d->context == p->context;
}

bool publish_is_in_detour(const struct publish_rules *r, const struct publish_hart *p)
{
    for (size_t i = 0; i < r->detours.len; i++)
        if (publish_is_of(&r->detours.at[i], p))
            return true;
    return false;
}

bool publish_is_in_tracer(const struct publish_rules *r, const struct publish_hart *p)
{
    for (size_t i = 0; i < r->detours.len; i++)
        if (r->detours.at[i].tracer && publish_is_of(&r->detours.at[i], p))
            return true;
    return false;
}

bool publish_is_patcher(const struct publish_rules *r, uint64_t task)
{
    return map_get(&r->patchers, task >> 1, &(uint64_t){0});
}

void publish_leave_detours(struct publish_rules *r, const struct publish_hart *p, struct hart *h,
                           uint64_t pc, const struct insn *i)
{
    uint64_t sp = hart_reg(h, REG_SP);
    bool returns = i->op == OP_jalr && i->rd == REG_ZERO && i->rs1 == REG_RA;

    for (size_t n = r->detours.len; n-- > 0;) {
        const struct detour *d = &r->detours.at[n];

        if (publish_is_of(d, p) && !d->breakpoint &&
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

void publish_note_patcher(struct publish_rules *r, const struct code_write *w)
{
    uint64_t task;

    if (w->who.kind != WRITER_HART)
        return;
    task = hart_reg(cluster_hart(r->audit->config.cluster, w->who.hart), REG_TP);
    if (!publish_is_patcher(r, task))
        map_put(&r->patchers, task >> 1, 1);
}

void publish_code_written(struct publish_rules *r, const struct code_write *w)
{
    struct hart *h;

    if (w->who.kind != WRITER_HART)
        return;
    h = cluster_hart(r->audit->config.cluster, w->who.hart);
    for (uint64_t pa = align_down(w->pa, WORD_BYTES); pa < w->pa + w->size; pa += WORD_BYTES)
        add_code(r, h, pa, w->who.pc);
}

/* Whether code was changed in the page of the instruction, or in one that looks alike. */
static bool is_in_changed_page(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t *pa)
{
    struct publish_hart *p = &r->harts[hart_id(h)];

    if (p->plain_page == pc / PAGE_BYTES && p->plain_count == r->code_count &&
        pc % PAGE_BYTES <= PAGE_BYTES - WORD_BYTES)
        return false;
    if (!publish_translate(r, h, pc, ACCESS_FETCH, pa))
        return false;
    if (r->code_pages[*pa / PAGE_BYTES % CODE_PAGES] |
        r->code_pages[(*pa + 2) / PAGE_BYTES % CODE_PAGES])
        return true;
    p->plain_page = pc / PAGE_BYTES;
    p->plain_count = r->code_count;
    return false;
}

/* Finds the newest change that the hart has fetched with the instruction, which is at pa. */
static void fetch_code(struct publish_rules *r, struct hart *h, uint64_t pa, const struct insn *i,
                       struct publisher *found)
{
    uint64_t at;

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

    return publish_translate(r, h, pc, ACCESS_FETCH, &pa) &&
           site_find(r->audit->config.sites, pa, 1) != NO_SITE;
}

/* Begins a detour, if there is one. An instruction that links, breaks, or was changed may lead to a
 * detour. */
static void look_closely(struct publish_rules *r, struct publish_hart *p, struct hart *h,
                         uint64_t pc, const struct insn *i, const struct publisher *fetched)
{
    bool links = (i->op == OP_jal || i->op == OP_jalr) && (i->rd == REG_RA || i->rd == REG_T0);
    struct detour d = {
        .back = links ? pc + i->size : 0, .breakpoint = ebreak_size(i->word) != 0, .why = *fetched};

    if (links && !d.why.by.number && p->last_end == pc)
        d.why = p->last_code; /* an auipc that was changed, and its jalr, which was not */
    d.tracer = d.breakpoint || (links && is_at_site(r, h, pc));
    if (links && !d.why.by.number && i->op == OP_jalr && p->known_origins >> i->rs1 & 1)
        d.why = p->origins[i->rs1];
    if (d.tracer || (d.why.by.number && (links || i->op == OP_jal)))
        enter_detour(r, p, h, d);
}

void publish_look_for_detour(struct publish_rules *r, struct publish_hart *p, struct hart *h,
                             uint64_t pc, const struct insn *i)
{
    static const struct publisher none = {0};
    struct publisher why;
    bool jumps = i->op == OP_jal || i->op == OP_jalr || ebreak_size(i->word);
    uint64_t pa;

    if (!r->code.len || !is_in_changed_page(r, h, pc, &pa)) {
        if (jumps)
            look_closely(r, p, h, pc, i, &none);
        p->last_code.by.number = 0;
        return;
    }
    why = none;
    fetch_code(r, h, pa, i, &why);
    if (jumps)
        look_closely(r, p, h, pc, i, &why);
    p->last_code = why;
    p->last_end = pc + i->size;
}
