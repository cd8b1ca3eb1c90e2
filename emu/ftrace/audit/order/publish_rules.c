/*
 * publish_rules.c - the family of rules about the order of data (happens.h): it follows what the
 * harts execute.
 *
 * It needs the events of all instructions, which there are only while data is followed (struct
 * plan, data_from); which tasks change code it knows before. A store is published by the hart's
 * later store to code if another hart executes the new instruction and then loads the data; by a
 * later store of a pointer if another hart loads the pointer and computes the address of the data
 * from it; by the start of a hart if that hart loads it. The pairs of accesses that nothing orders
 * are kept for those who look for other orders (races.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/state_io.h"
#include "cpu/cluster.h"
#include "ftrace/audit/order/publish_priv.h"
#include "load/symbols.h"

enum { AQ_BIT = 26, RL_BIT = 25 };

static bool is_followed(const struct publish_rules *r)
{
    return cluster_records_insns(r->audit->config.cluster);
}

static uint64_t step_now(const struct publish_rules *r)
{
    return cluster_steps(r->audit->config.cluster);
}

/* ---- pairs that nothing orders ---- */

static bool is_before(const struct publish_rules *r, const struct data_access *other,
                      enum access_kind kind, bool as_store)
{
    const struct happening happening = {other->hart, other->number, kind};

    return !other->number || happens_is_before(r->happens, &happening, as_store);
}

/* Whether another order is possible: of two harts, or of two tasks of which one is in a tracer. */
static bool nothing_orders(const struct publish_rules *r, const struct data_access *other,
                           enum access_kind kind, const struct data_access *a, bool as_store)
{
    if (other->hart == a->hart)
        return other->number && other->task != a->task && (other->detour || a->detour) &&
               publish_is_patcher(r, other->detour ? a->task : other->task);
    return !is_before(r, other, kind, as_store);
}

/* Compares the access that was begun with the last ones to the word. */
static void compare(struct publish_rules *r, struct hart *h, const struct data_access *a,
                    uint64_t pa, uint64_t va, const struct data_word *word,
                    const struct ordered_access *o)
{
    if (word->store->bytes & a->bytes &&
        nothing_orders(r, word->store, ACCESS_OF_STORES, a, !o->loads)) {
        races_add(r, pa, va, word->store, true, a, o->stores);
        if (o->loads && word->store->hart != a->hart)
            publish_judge_load(r, h, a, va, word, o->address);
    }
    if (!o->stores)
        return;
    for (unsigned i = 0; i < r->hart_count; i++)
        if (word->loads[i].bytes & a->bytes &&
            nothing_orders(r, &word->loads[i], ACCESS_OF_LOADS, a, true))
            races_add(r, pa, va, &word->loads[i], false, a, true);
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
    if (insn_is_annotated(i)) {
        o.aq = bit(i->word, AQ_BIT);
        o.rl = bit(i->word, RL_BIT);
    }
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

/* The value of the registers comes from what another hart has stored; NULL: it does not. */
static void set_origin(struct publish_hart *p, uint32_t targets, const struct publisher *o)
{
    targets &= ~UINT32_C(1);
    if (!o) {
        p->known_origins &= ~targets;
        return;
    }
    p->known_origins |= targets;
    for (; targets; targets &= targets - 1)
        p->origins[__builtin_ctz(targets)] = *o;
}

/* The words of an access. */
struct accessed {
    uint64_t pa, va;
    unsigned count;
    struct data_word words[2];
};

static void find_words(struct publish_rules *r, struct accessed *at, unsigned size)
{
    size_t known;

    at->count = size > WORD_BYTES ? 2 : 1;
    data_words_at(r->words, at->pa, &at->words[0]);
    if (at->count == 1)
        return;
    known = data_words_count(r->words);
    data_words_at(r->words, at->pa + WORD_BYTES, &at->words[1]);
    if (data_words_count(r->words) != known) /* adding the second one may have moved the first */
        data_words_at(r->words, at->pa, &at->words[0]);
}

/* The bytes of the word that an access of that size has, a bit each. */
static uint8_t bytes_of(uint64_t pa, unsigned size)
{
    return (uint8_t)(((1U << (size < WORD_BYTES ? size : WORD_BYTES)) - 1) << pa % WORD_BYTES);
}

/*
 * Whether the value that is loaded may be what publishes other data: a pointer that its hart has
 * not ordered after all its stores before; or, in a tracer, any value that a task has stored that
 * changes code.
 */
static bool may_publish(const struct publish_rules *r, const struct data_access *a,
                        const struct data_access *store, uint32_t released)
{
    if (!store->number || store->hart == a->hart)
        return false;
    return (a->size == sizeof(uint64_t) && released < store->number) ||
           (a->detour == DETOUR_TRACER && publish_is_patcher(r, store->task));
}

static void take_origin(const struct publish_rules *r, struct publish_hart *p,
                        const struct data_access *a, const struct accessed *at,
                        const struct ordered_access *o)
{
    const struct data_word *word = &at->words[0];
    uint32_t released = view_has(word->view, word->store->hart, ACCESS_OF_STORES);
    struct publisher why;

    if (!may_publish(r, a, word->store, released)) {
        set_origin(p, o->target, NULL);
        return;
    }
    why = (struct publisher){.by = *word->store,
                             .va = at->va,
                             .value = *word->value,
                             .released = released,
                             .load = happens_count(r->happens, a->hart, ACCESS_OF_LOADS) + 1,
                             .load_pc = a->pc,
                             .acquired = o->aq};
    set_origin(p, o->target, &why);
}

/* Makes the access that was begun, and leaves it in its words. */
static void make_access(struct publish_rules *r, const struct ordered_access *o,
                        struct data_access *a, struct accessed *at, uint64_t value)
{
    size_t width = happens_width(r->happens);

    memcpy(r->read, at->words[0].view, width * sizeof *r->read);
    if (at->count == 2)
        happens_join(r->happens, r->read, at->words[1].view);
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

static void on_access(struct publish_rules *r, struct publish_hart *p, struct hart *h, uint64_t pc,
                      const struct decoded *d)
{
    const struct insn *i = &d->insn;
    const struct ordered_access o = d->order;
    struct accessed at = {.va = hart_reg(h, i->rs1) +
                                (d->class == CLASS_AMO ? 0 : (uint64_t)(int64_t)i->imm)};
    struct data_access a = {.step = step_now(r),
                            .pc = pc,
                            .cycle = hart_cycles(h),
                            .task = p->task,
                            .number = 1,
                            .context = p->context,
                            .hart = hart_id(h),
                            .detour = publish_is_in_tracer(r, p)   ? DETOUR_TRACER
                                      : publish_is_in_detour(r, p) ? DETOUR_ANY
                                                                   : DETOUR_NONE,
                            .atomic = d->class == CLASS_AMO,

                            .size = d->size};

    if (at.va % a.size ||
        !publish_translate(r, h, at.va, o.stores ? ACCESS_STORE : ACCESS_LOAD, &at.pa)) {
        happens_compute(r->happens, a.hart, 0, o.target);
        set_origin(p, o.target, NULL);
        return;
    }
    a.masked = (a.detour || publish_is_patcher(r, a.task)) && hart_is_masked(h);
    find_words(r, &at, a.size);
    a.bytes = bytes_of(at.pa, a.size);
    happens_begin(r->happens, a.hart, &o);
    for (unsigned n = 0; n < at.count; n++)
        compare(r, h, &a, at.pa + n * WORD_BYTES, at.va + n * WORD_BYTES, &at.words[n], &o);
    if (o.loads)
        take_origin(r, p, &a, &at, &o);
    make_access(r, &o, &a, &at, hart_reg(h, i->rs2));
}

/* ---- instructions ---- */

static void on_branch(struct publish_rules *r, struct publish_hart *p, unsigned hart,
                      uint32_t sources)
{
    happens_branch(r->happens, hart, sources);
    for (sources &= p->known_origins; sources; sources &= sources - 1)
        p->branched[p->branches++ % BRANCHED_MAX] = p->origins[__builtin_ctz(sources)];
}

static void on_fence(struct publish_rules *r, struct publish_hart *p, unsigned hart,
                     const struct insn *i)
{
    unsigned sets = (unsigned)i->imm, pred = sets >> 4 & 15, succ = sets & 15;

    happens_fence(r->happens, hart, pred, succ, sets >> 8 == 8);
    if (pred & succ & FENCE_SET_R)
        p->loads_fenced = happens_count(r->happens, hart, ACCESS_OF_LOADS);
}

/* The functions of kernels that free memory. */
static void find_frees(struct publish_rules *r)
{
    static const char *const names[FREES] = {"kfree", "kvfree", "vfree"};

    for (unsigned i = 0; i < FREES; i++)
        if (!symbols_find(r->audit->config.symbols, names[i], &r->frees[i]))
            r->frees[i] = 0;
}

/* The hart is about to jump there. */
static void on_jump(struct publish_rules *r, struct hart *h, uint64_t pc, uint64_t target)
{
    for (unsigned i = 0; i < FREES; i++)
        if (target == r->frees[i] && target)
            publish_judge_free(r, h, pc, hart_reg(h, REG_A0));
}

static void on_compute(struct publish_rules *r, struct publish_hart *p, unsigned hart,
                       const struct decoded *d)
{
    uint32_t of = d->sources & p->known_origins;

    happens_compute(r->happens, hart, d->sources, d->targets);
    set_origin(p, d->targets, of ? &p->origins[__builtin_ctz(of)] : NULL);
}

static const struct decoded *decode(struct publish_rules *r, uint32_t word)
{
    struct decoded *d = &r->decoded[(word ^ word >> 12 ^ word >> 20) % DECODED];

    if (d->word == word)
        return d;
    if (!decoder_decode(cluster_decoder(r->audit->config.cluster), word, &d->insn)) {
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
    if (d->class == CLASS_LOAD || d->class == CLASS_STORE || d->class == CLASS_AMO) {
        d->order = order_of(&d->insn, d->class);
        d->size = (uint8_t)size_of(&d->insn);
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
    publish_see_task(r, p, hart_reg(h, REG_TP));
    if (r->detours.len)
        publish_leave_detours(r, p, h, e->pc, i);
    publish_look_for_detour(r, p, h, e->pc, i);
    switch (d->class) {
    case CLASS_LOAD:
    case CLASS_STORE:
    case CLASS_AMO: on_access(r, p, h, e->pc, d); break;
    case CLASS_FENCE: on_fence(r, p, hart_id(h), i); break;
    case CLASS_BRANCH: on_branch(r, p, hart_id(h), d->sources); break;
    case CLASS_JUMP:
        on_jump(r, h, e->pc, e->pc + (uint64_t)(int64_t)i->imm);
        on_compute(r, p, hart_id(h), d);
        break;
    case CLASS_JUMP_INDIRECT:
        on_jump(r, h, e->pc, hart_reg(h, i->rs1) + (uint64_t)(int64_t)i->imm);
        happens_branch(r->happens, hart_id(h), UINT32_C(1) << i->rs1);
        happens_compute(r->happens, hart_id(h), 0, d->targets);
        set_origin(p, d->targets, NULL);
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

    publish_forget_pages(&r->harts[hart_id(f->hart)]);
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
    publish_forget_pages(&r->harts[hart_id(t->hart)]);
    if (t->interrupt && t->from == PRIV_S)
        publish_interrupted(r, t->hart);
}

static void on_event(void *rules, const struct event *e)
{
    struct publish_rules *r = rules;

    if (e->kind == EVENT_CODE_WRITE)
        publish_note_patcher(r, &e->code_write);
    if (!is_followed(r))
        return;
    switch (e->kind) {
    case EVENT_INSN:
        r->running = e->insn.hart;
        on_insn(r, &e->insn);
        break;
    case EVENT_CODE_WRITE: publish_code_written(r, &e->code_write); break;
    case EVENT_FENCE_I:
    case EVENT_SFENCE_VMA: on_remote_fence(r, &e->fence); break;
    case EVENT_SATP: publish_forget_pages(&r->harts[hart_id(e->satp.hart)]); break;
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
        publish_forget_pages(&r->harts[hart_id(e->trap_return.hart)]);
        publish_trap_returned(r, e->trap_return.hart);
        break;
    default: break;
    }
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
    map_free(&r->race_counts);
    r->code_count = 0;
    memset(r->code_pages, 0, sizeof r->code_pages);
}

static void *create(struct audit *a)
{
    struct publish_rules *r = xcalloc(1, sizeof *r);

    r->audit = a;
    r->hart_count = cluster_hart_count(a->config.cluster);
    find_frees(r);
    begin(r);
    return r;
}

static void destroy(void *rules)
{
    struct publish_rules *r = rules;

    end(r);
    map_free(&r->patchers);
    free(r);
}

static void hart_state_io(struct state_io *io, struct publish_hart *p)
{
    STATE_IO(io, p->task);
    STATE_IO(io, p->context);
    STATE_IO(io, p->last_end);
    state_io_bytes(io, &p->last_code, sizeof p->last_code);
    state_io_bytes(io, &p->started, sizeof p->started);
    STATE_IO(io, p->known_origins);
    for (unsigned i = 0; i < REGISTERS; i++)
        if (!(p->known_origins >> i & 1))
            p->origins[i] = (struct publisher){0};
    state_io_bytes(io, p->origins, sizeof p->origins);
    state_io_bytes(io, p->branched, sizeof p->branched);
    STATE_IO(io, p->branches);
    STATE_IO(io, p->loads_fenced);
    publish_forget_pages(p);
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
    races_state_io(io, r);
    if (r->code_views.len != r->code.len * width)
        state_io_fail(io, STATE_OUT_OF_RANGE);
    for (size_t i = 0; i < r->code.len; i++)
        r->code_pages[r->code.at[i].pa / PAGE_BYTES % CODE_PAGES] = true;
    STATE_IO(io, r->code_count);
}

static void state_io(struct state_io *io, void *rules)
{
    struct publish_rules *r = rules;

    state_io_section(io, "publish-rules", 3);
    r->running = NULL;
    if (io->loading && r->used) {
        end(r);
        begin(r);
    }
    state_io_map(io, &r->patchers);
    STATE_IO(io, r->used);
    if (r->used)
        used_state_io(io, r);
}

const struct rule_family publish_family = {
    .create = create, .destroy = destroy, .event = on_event, .state_io = state_io};
