/*
 * store_order_insn.c - what instructions do to the order of memory: the rules of preserved program
 * order (vol. I, "RVWMO Memory Consistency Model", 18.1.3), named by their numbers.
 *
 * Instructions execute in program order, and a store is a new write when it leaves. So whatever a
 * load comes before, it comes before a later store of its hart: rules 1 (load to store), 8, 10, 11
 * and 13, and 9 where the second is a store, hold by themselves.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/codemap_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/isa/decode.h"
#include "cpu/ops.h"
#include "cpu/store_order_priv.h"

/* After this many instructions at most twice over, a hart's loads return what it could see. */
enum { READS_BEHIND_MAX = 1024 };

/* ---- operands ---- */

static const char *const format_texts[] = {
#define F(name, text, floating) [FORMAT_##name] = text,
#include "cpu/isa/format.def"
#undef F
};

/* The operand of that letter, an upper-case one for a floating-point register. */
static uint8_t operand(const char *text, char letter, unsigned reg, unsigned none)
{
    if (strchr(text, letter))
        return (uint8_t)(reg ? reg : none);
    if (strchr(text, letter - 'a' + 'A'))
        return (uint8_t)(VIEW_FLOAT + reg);
    return (uint8_t)none;
}

static bool is_control(unsigned op)
{
    return op == OP_lui || op == OP_auipc || op == OP_jal || op == OP_jalr;
}

static bool drains(unsigned op)
{
    return op == OP_sfence_vma || op == OP_sfence_w_inval || op == OP_wfi || op == OP_wrs_nto ||
           op == OP_wrs_sto || op_class(op) == CLASS_CBO || op_class(op) == CLASS_SHADOW;
}

/* Whether the instruction needs registers that are not among its operands here. */
static bool needs_all(unsigned op)
{
    return op == OP_jalr || op_class(op) == CLASS_SYSTEM || op_class(op) == CLASS_CBO ||
           op_class(op) == CLASS_FENCE_VMA || op_class(op) == CLASS_SHADOW;
}

static unsigned annotations_of(const struct insn *i)
{
    return (bit(i->word, 26) ? ORDER_ACQUIRES : 0) | (bit(i->word, 25) ? ORDER_RELEASES : 0);
}

static unsigned flags_of(const struct insn *i)
{
    switch (op_class(i->op)) {
    case CLASS_LOAD:
        if (!insn_is_annotated(i))
            return i->op == OP_lb || i->op == OP_lh || i->op == OP_lw ? ORDER_SIGNED : 0;
        return annotations_of(i);
    case CLASS_STORE: return ORDER_DATA | (insn_is_annotated(i) ? annotations_of(i) : 0);
    case CLASS_AMO: return ORDER_DATA | annotations_of(i) | (op_reads_rd(i->op) ? ORDER_BINDS : 0);
    case CLASS_VLOAD:
    case CLASS_VSTORE: return 0; /* store_order_begin_vector */
    case CLASS_CSR: return ORDER_COMPUTES | ORDER_CSR | ORDER_BINDS;
    default:
        return ORDER_COMPUTES | (needs_all(i->op) ? ORDER_BINDS : 0) |
               (drains(i->op) ? ORDER_DRAINS : 0) | (i->op == OP_cbo_zero ? ORDER_ZEROES : 0) |
               (op_floating(i->op) != FLOATING_X || i->op >= FIRST_VECTOR_OP ? ORDER_CSR : 0);
    }
}

void store_order_operands(const struct insn *i, struct uop *u)
{
    const char *text = format_texts[op_info(i->op)->format];
    unsigned rs3 = strchr(text, 'R') ? VIEW_FLOAT + ((uint32_t)i->imm >> IMM_RS3_SHIFT) : VIEW_NONE;

    u->rd = operand(text, 'd', i->rd, VIEW_SINK);
    u->rs1 = operand(text, 's', i->rs1, VIEW_NONE);
    u->rs2 = operand(text, 't', i->rs2, VIEW_NONE);
    if (is_control(i->op))
        u->rs1 = u->rs2 = VIEW_NONE; /* the result does not depend on them */
    u->imm = (int32_t)(flags_of(i) | rs3 << ORDER_RS3_SHIFT);
}

/* ---- before each instruction ---- */

static void compute(struct hart_order *o, const struct uop *u)
{
    uint64_t view = later(later(o->view[u->rs1], o->view[u->rs2]),
                          o->view[(uint32_t)u->imm >> ORDER_RS3_SHIFT]);

    if (u->imm & ORDER_CSR) {
        uint64_t csr = o->csr_view;

        raise_to(&o->csr_view, view);
        view = later(view, csr);
    }
    o->view[u->rd] = view;
}

/* Loads are not late for ever. */
static void move_on(struct hart *h, uint64_t insns)
{
    struct hart_order *o = h->s.order;

    if (!store_order_is_bounded(&h->cluster->config.chooser) ||
        h->cluster->config.stores == STORES_PROMPT)
        return;
    raise_to(&o->next_reads, o->seen);
    o->seen = h->cluster->order->now;
    o->seen_until = insns + READS_BEHIND_MAX;
}

/* The writes of a cbo.zero that comes next; if it traps, its bytes are as before. */
static void add_zeroes(struct hart *h)
{
    uint64_t va = align_down(h->s.x[h->s.order->insn.rs1 % VIEW_FLOAT], CACHE_BLOCK_BYTES), pa;

    if (hart_translate(h, va, ACCESS_STORE, &pa) &&
        ram_has(h->cluster->ram, pa, CACHE_BLOCK_BYTES)) {
        store_order_other_write(h->cluster, h, pa, CACHE_BLOCK_BYTES);
        h->s.order->writes = h->cluster->order->now;
    }
}

void store_order_before(struct hart *h, const struct uop *u)
{
    struct hart_order *o = h->s.order;
    uint64_t insns = hart_insns(h);

    if (UNLIKELY(o->unbound))
        store_order_bind(h, u);
    o->insn.rd = u->rd;
    o->insn.rs1 = u->rs1;
    o->insn.rs2 = u->rs2;
    o->insn.acquires = u->imm & ORDER_ACQUIRES;
    o->insn.releases = u->imm & ORDER_RELEASES;
    o->insn.is_signed = u->imm & ORDER_SIGNED;
    o->fetched = o->next_fetched;
    o->next_fetched = 0;
    if (insns >= o->due)
        store_order_let_due_leave(h, insns);
    if (insns >= o->seen_until)
        move_on(h, insns);
    if (o->waited) {
        o->waited = false;
        raise_to(&o->next_reads, h->cluster->order->now);
    }
    if (u->imm & ORDER_DRAINS)
        hart_let_stores_leave(h);
    if (u->imm & ORDER_ZEROES)
        add_zeroes(h);
    if (u->imm & ORDER_COMPUTES)
        compute(o, u);
}

void store_order_idles(struct hart *h)
{
    hart_let_stores_leave(h);
    h->s.order->waited = true;
}

/* ---- loads ---- */

/* What a load may return. */
struct outcome {
    uint64_t word;  /* the eight aligned bytes */
    uint64_t place; /* of the load */
    uint64_t seen;  /* the place of the newest write whose bytes are returned; 0: not kept */
};

enum { OUTCOMES_MAX = 16 };

/* The place of the newest write to these bytes that the hart has read or made (rules 1 and 2). */
static uint64_t coherent_from(const struct hart *h, const struct written_word *word, unsigned mask)
{
    uint64_t place = 0;

    for (unsigned i = 0; i < 8; i++)
        if (mask >> i & 1)
            raise_to(&place, word->seen[h->id * 8 + i]);
    return place;
}

/*
 * The place of a load that returns bytes of this write. An own store is seen before its place; but
 * the load is after what the store's address and data depend on (rule 12), and after an sc or AMO
 * (rule 3).
 */
static uint64_t place_after(const struct hart *h, const struct past_write *w, unsigned mask,
                            uint64_t from)
{
    bool forwarded = w->hart == h->id && !w->atomic && (w->mask & mask) == mask;

    return later(from, forwarded ? w->view : w->place);
}

/*
 * What a load of the bytes, at a place not before `from`, may return: the newest first. Returns the
 * number of them.
 */
static unsigned find_outcomes(const struct hart *h, uint64_t pa, unsigned mask, uint64_t from,
                              struct outcome *out)
{
    const struct store_order *order = h->cluster->order;
    const struct written_word *word = store_order_word(order, pa);
    uint64_t value, number = word ? word->newest : 0, coherent;
    unsigned count = 0;

    memcpy(&value, ram_host(h->cluster->ram, align_down(pa, 8)), sizeof value);
    coherent = word ? coherent_from(h, word, mask) : 0;
    while (store_order_keeps(order, number) && count + 1 < OUTCOMES_MAX) {
        const struct past_write *w = store_order_kept(order, number);

        number = w->older;
        if (w->mask & mask) {
            out[count++] = (struct outcome){value, place_after(h, w, mask, from), w->place};
            if (w->place <= from || w->place <= coherent)
                return count;
        }
        value = w->old;
    }
    if (!store_order_keeps(order, number))
        out[count++] = (struct outcome){value, from, 0};
    return count;
}

static unsigned choose_outcome(const struct hart *h, unsigned count)
{
    if (count == 1)
        return 0;
    if (h->cluster->config.stores == STORES_DELAYED ||
        (h->s.order->late_pc && h->s.order->late_pc == hart_pc(h)))
        return count - 1;
    if (h->cluster->config.stores == STORES_PROMPT)
        return 0;
    return ask_chooser(&h->cluster->config.chooser, CHOICE_LOAD_VALUE, h->id, count,
                       store_order_draw(h, CHOICE_LOAD_VALUE));
}

static void note_seen(const struct hart *h, uint64_t pa, unsigned mask, uint64_t place)
{
    struct written_word *word = store_order_word(h->cluster->order, pa);

    for (unsigned i = 0; word && i < 8; i++)
        if (mask >> i & 1)
            raise_to(&word->seen[h->id * 8 + i], place);
}

/* Takes one of the outcomes: the value of the bytes at pa, and its place. */
static uint64_t take_outcome(const struct hart *h, uint64_t pa, unsigned size,
                             const struct outcome *taken, uint64_t *place)
{
    note_seen(h, pa, bytes_in_word(pa, size), taken->seen);
    *place = taken->place;
    return taken->word >> 8 * (pa % 8) & (~UINT64_C(0) >> (64 - 8 * size));
}

uint64_t store_order_read(const struct hart *h, uint64_t pa, unsigned size, uint64_t from,
                          uint64_t *place, bool *is_newest)
{
    struct outcome outcomes[OUTCOMES_MAX];
    unsigned count = find_outcomes(h, pa, bytes_in_word(pa, size), from, outcomes);

    unsigned taken = choose_outcome(h, count);

    *is_newest = !taken;
    return take_outcome(h, pa, size, &outcomes[taken], place);
}

/*
 * The earliest place of a load by this address, by rules 4, 5 and 9; and it is after the fetch of
 * its instruction.
 */
uint64_t store_order_earliest(const struct hart *h)
{
    const struct hart_order *o = h->s.order;

    return later(later(h->cluster->order->forgotten, o->next_reads),
                 later(o->view[o->insn.rs1], o->fetched));
}

/* Ztso: a load is before whatever comes later (an acquire-RCpc, vol. I, "Ztso"). */
static void has_read(struct hart *h, uint64_t place)
{
    struct hart_order *o = h->s.order;

    raise_to(&o->reads, place);
    o->view[o->insn.rd] = place;
    if (store_order_is_total(h))
        raise_to(&o->next_reads, place);
}

/*
 * Puts the bytes of stores that wait into the eight aligned ones, the newest store for each byte.
 * Returns those of `mask' that are from stores; *view: of these stores (rule 12).
 */
static unsigned forward(const struct hart_order *o, uint64_t pa, unsigned mask, uint64_t *word,
                        uint64_t *view)
{
    const uint64_t base = align_down(pa, 8);
    unsigned found = 0;

    for (unsigned i = o->count; i-- > 0 && found != mask;) {
        const struct buffered_store *s = &o->waiting[i];

        if (align_down(s->pa, 8) != base || s->kind != WAITS_STORE)
            continue;
        for (unsigned byte = 0; byte < s->size; byte++) {
            unsigned at = (unsigned)(s->pa - base) + byte;

            if (!(mask & ~found & 1U << at))
                continue;
            found |= 1U << at;
            *word = (*word & ~(UINT64_C(0xff) << 8 * at)) | (s->value >> 8 * byte & 0xff) << 8 * at;
            raise_to(view, s->view);
        }
    }
    return found;
}

/* Rules 6 and 7, before a load that acquires: it is done at once, as nothing later is before it. */
static void begin_annotated(struct hart *h)
{
    const struct hart_order *o = h->s.order;

    if (o->insn.releases)
        hart_let_stores_leave(h);
    else if (o->insn.acquires)
        store_order_let_annotated_leave(h);
}

/* Rules 5 and 7 for what comes after. */
static void end_atomic(struct hart *h, uint64_t place)
{
    struct hart_order *o = h->s.order;

    if (o->insn.acquires)
        raise_to(&o->next_reads, place);
    if (o->insn.acquires || o->insn.releases)
        raise_to(&o->annotated, place);
}

/* The earliest place of a load, with rules 6 and 7. */
static uint64_t earliest_annotated(const struct hart *h)
{
    const struct hart_order *o = h->s.order;
    uint64_t from = store_order_earliest(h);

    if (o->insn.acquires || o->insn.releases)
        from = later(from, o->annotated);
    if (o->insn.releases)
        from = later(from, later(o->reads, o->writes));
    return from;
}

/* A load: bytes that wait in the hart's buffer come from there, the others from memory. */
static void load_from_ram(struct hart *h, uint64_t pa, unsigned size, uint64_t *value)
{
    struct outcome outcomes[OUTCOMES_MAX], taken = {0};
    unsigned mask = bytes_in_word(pa, size), found;
    uint64_t forwarded = 0, view = 0;

    store_order_let_data_come(h, pa, size);
    found = forward(h->s.order, pa, mask, &forwarded, &view);
    taken.place = later(earliest_annotated(h), view);
    if (found != mask) {
        unsigned count = find_outcomes(h, pa, mask & ~found, taken.place, outcomes);

        taken = outcomes[choose_outcome(h, count)];
        note_seen(h, pa, mask & ~found, taken.seen);
        (void)forward(h->s.order, pa, found, &taken.word, &view);
    } else {
        taken.word = forwarded;
    }
    *value = taken.word >> 8 * (pa % 8) & (~UINT64_C(0) >> (64 - 8 * size));
    has_read(h, taken.place);
    end_atomic(h, taken.place);
}

static void tell_load(const struct hart *h, uint64_t pa, unsigned size)
{
    const struct ram *ram = h->cluster->ram;
    struct writer me;

    if (LIKELY(!ram->watched_loads) || !(ram_page_at(ram, pa)->flags & RAM_PAGE_WATCHED_LOADS))
        return;
    me = hart_writer(h);
    ram_tell_load(ram, pa, size, &me);
}

/* A load of the newest value, after which no load returns an older one. */
static bool load_newest(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    struct hart_order *o = h->s.order;

    hart_let_stores_leave(h);
    if (!hart_load(h, va, size, value))
        return false;
    has_read(h, h->cluster->order->now);
    o->next_reads = o->inputs = h->cluster->order->now;
    (void)hart_type_of_load(h, va, size);
    return true;
}

/*
 * ---- devices, and memory whose page makes it one (Svpbmt) ----
 *
 * Their accesses are done when they are executed, so all of them are in program order. For fences
 * they are input and output; with a page that says otherwise than the physical address, also loads
 * and stores of memory.
 */
static void has_input(struct hart *h, bool is_memory, uint64_t *value_view)
{
    struct hart_order *o = h->s.order;

    o->inputs = h->cluster->order->now;
    if (is_memory)
        has_read(h, o->inputs);
    *value_view = o->inputs;
}

static void before_output(struct hart *h, bool is_memory)
{
    const struct hart_order *o = h->s.order;

    store_order_let_leave_up_to(h, is_memory ? later(o->before_output, o->before_store)
                                             : o->before_output);
}

static void has_output(struct hart *h, bool is_memory)
{
    struct hart_order *o = h->s.order;

    o->outputs = h->cluster->order->now;
    if (is_memory)
        o->writes = o->outputs;
}

static bool load_from_device(struct hart *h, uint64_t va, unsigned size, bool is_memory,
                             uint64_t *value)
{
    struct hart_order *o = h->s.order;

    store_order_let_leave_up_to(h, o->before_input);
    if (!hart_load(h, va, size, value))
        return false;
    has_input(h, is_memory, &o->view[o->insn.rd]);
    return true;
}

/* RAM in a page of type IO: the newest value. */
static void load_as_device(struct hart *h, uint64_t pa, unsigned size, uint64_t *value)
{
    struct hart_order *o = h->s.order;

    store_order_let_leave_up_to(h, o->before_input);
    store_order_let_overlapping_leave(h, pa, size);
    *value = 0;
    memcpy(value, ram_host(h->cluster->ram, pa), size);
    note_seen(h, pa, bytes_in_word(pa, size), h->cluster->order->now);
    has_input(h, true, &o->view[o->insn.rd]);
}

bool store_order_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    enum memory_type type;
    uint64_t pa;

    h->s.order->load_waits = false;
    if (va % 8 + size > 8)
        return load_newest(h, va, size, value);
    if (!hart_reach_load(h, va, size, &pa, &type))
        return false;
    if (!ram_has(h->cluster->ram, pa, size))
        return load_from_device(h, va, size, type == MEMORY_NC, value);
    tell_load(h, pa, size);
    begin_annotated(h);
    if (UNLIKELY(type == MEMORY_IO))
        load_as_device(h, pa, size, value);
    else if (UNLIKELY(h->s.order->late || h->cluster->config.late_registers) &&
             !store_order_begin_load(h, pa, size))
        h->s.order->load_waits = true;
    else
        load_from_ram(h, pa, size, value);
    return true;
}

/* ---- stores ---- */

/* A store to more than eight aligned bytes: at once, and to all of them at one place. */
static bool store_at_once(struct hart *h, uint64_t va, unsigned size, uint64_t value)
{
    struct cluster *c = h->cluster;
    unsigned first = 8 - (unsigned)(va % 8);
    const struct past_write write = {.hart = (uint8_t)h->id, .atomic = true};
    enum memory_type type;
    uint64_t pa, second;

    hart_let_stores_leave(h);
    if (!hart_reach_store(h, va, first, &pa, &type) ||
        !hart_reach_store(h, va + first, size - first, &second, &type))
        return false;
    if (ram_has(c->ram, pa, first) && ram_has(c->ram, second, size - first)) {
        h->s.order->writes = ++c->order->now;
        store_order_add(c, pa, first, &write);
        store_order_add(c, second, size - first, &write);
    }
    return hart_store(h, va, size, value);
}

static bool store_to_device(struct hart *h, uint64_t va, unsigned size, bool is_memory,
                            uint64_t value)
{
    before_output(h, is_memory);
    if (!hart_store(h, va, size, value))
        return false;
    has_output(h, is_memory);
    return true;
}

/*
 * Whether a store there leaves at once: in a prompt machine any that is not held; and one to code,
 * unless a search decides. What is late of code is its fetch; and a change of code would end, for
 * an observer, before its last store.
 */
static bool is_prompt(const struct hart *h, uint64_t pa)
{
    if (h->s.order->held == hart_insns(h))
        return false;
    if (h->cluster->config.stores == STORES_PROMPT)
        return true;
    return store_order_is_bounded(&h->cluster->config.chooser) &&
           ram_page_at(h->cluster->ram, pa)->flags & RAM_PAGE_CODE;
}

bool store_order_store(struct hart *h, uint64_t va, unsigned size, uint64_t value)
{
    struct hart_order *o = h->s.order;
    enum memory_type type;
    uint64_t pa;

    if (va % 8 + size > 8)
        return store_at_once(h, va, size, store_order_data(h, value));
    if (!hart_reach_store(h, va, size, &pa, &type))
        return false;
    if (!ram_has(h->cluster->ram, pa, size))
        return store_to_device(h, va, size, type == MEMORY_NC, store_order_data(h, value));
    if (UNLIKELY(type == MEMORY_IO))
        before_output(h, true);
    store_order_keep(
        h, &(struct buffered_store){.pa = pa,
                                    .value = value,
                                    .size = size,
                                    .view = later(o->view[o->insn.rs1], o->view[o->insn.rs2]),
                                    .acquires = o->insn.acquires,
                                    .releases = o->insn.releases,
                                    .who = hart_writer(h)});
    /* one that acquires is before all that comes (rule 5) */
    if (UNLIKELY(type == MEMORY_IO) || is_prompt(h, pa) || o->insn.acquires)
        store_order_let_leave(h, o->count - 1);
    if (UNLIKELY(type == MEMORY_IO))
        has_output(h, true);
    return true;
}

/* ---- vectors: all registers have one view, so each element depends on all of them ---- */

void store_order_begin_vector(struct hart *h)
{
    struct hart_order *o = h->s.order;

    o->view[VIEW_VECTOR] = later(later(o->view[o->insn.rs1], o->view[o->insn.rs2]), o->csr_view);
    o->insn.rs1 = o->insn.rs2 = VIEW_VECTOR;
    o->insn.rd = VIEW_SINK;
}

bool store_order_load_element(struct hart *h, uint64_t va, unsigned size, uint64_t *value)
{
    struct hart_order *o = h->s.order;

    if (!store_order_load(h, va, size, value))
        return false;
    raise_to(&o->csr_view, o->view[VIEW_SINK]);
    return true;
}

/* ---- atomic operations ---- */

/* Ztso: an AMO acquires and releases. */
static void annotate_atomic(struct hart *h)
{
    struct hart_order *o = h->s.order;

    if (store_order_is_total(h))
        o->insn.acquires = o->insn.releases = true;
}

/* Rule 6 for what comes before; stores to the same bytes come before in any case (rule 1). */
static void begin_atomic(struct hart *h, uint64_t pa, unsigned size)
{
    if (h->s.order->insn.releases)
        hart_let_stores_leave(h);
    store_order_let_overlapping_leave(h, pa, size);
}

/* In a page of type IO an atomic operation is input and output, too. */
static void begin_io_atomic(struct hart *h, enum memory_type type)
{
    const struct hart_order *o = h->s.order;

    if (UNLIKELY(type == MEMORY_IO))
        store_order_let_leave_up_to(h, later(o->before_input, o->before_output));
}

static void end_io_atomic(struct hart *h, enum memory_type type)
{
    struct hart_order *o = h->s.order;

    if (UNLIKELY(type == MEMORY_IO))
        o->inputs = o->outputs = h->cluster->order->now;
}

/*
 * Whether an AMO or sc waits. One that acquires is done at once: nothing that comes later can be
 * before it. Where observers need the registers, only one that writes none waits.
 */
static bool is_late(const struct hart *h, uint64_t pa, enum memory_type type)
{
    const struct hart_order *o = h->s.order;

    return !o->insn.acquires && !store_order_is_total(h) && type != MEMORY_IO &&
           !is_prompt(h, pa) && (o->insn.rd == VIEW_SINK || h->cluster->config.late_registers);
}

/* An AMO or sc gets into the buffer, and out of it if it is not late. */
static void do_atomic(struct hart *h, struct buffered_store *s, enum memory_type type)
{
    struct hart_order *o = h->s.order;

    begin_io_atomic(h, type);
    if (o->insn.acquires)
        store_order_let_annotated_leave(h);
    s->rd = o->insn.rd;
    s->acquires = o->insn.acquires;
    s->releases = o->insn.releases;
    s->view = later(o->view[o->insn.rs1], o->view[o->insn.rs2]);
    s->who = hart_writer(h);
    store_order_keep(h, s);
    if (is_late(h, s->pa, type))
        return;
    store_order_let_leave(h, o->count - 1);
    end_io_atomic(h, type);
}

bool store_order_atomic(struct hart *h, const struct uop *u, uint64_t va, unsigned size,
                        uint64_t operand)
{
    const struct block *b = h->cache.block;
    struct buffered_store s = {
        .kind = WAITS_AMO, .size = size, .value = operand, .op = b->notes[u - b->ops].kind};
    enum memory_type type;

    if (!hart_reach_atomic(h, va, size, &s.pa, &type))
        return false;
    annotate_atomic(h);
    do_atomic(h, &s, type);
    return true;
}

/*
 * It never waits: all of the hart's stores leave first, and it is before all that comes, as if it
 * had .aq and .rl. That is permitted; what is not shown is a compare and swap that is late.
 */
bool store_order_compare_and_swap(struct hart *h, const struct uop *u, unsigned size)
{
    struct cluster *c = h->cluster;
    struct hart_order *o = h->s.order;
    struct writer who = hart_writer(h);
    uint64_t va = h->s.x[u->rs1], pa, bytes[2] = {0, 0};
    enum memory_type type;

    if (!hart_reach_atomic(h, va, size, &pa, &type))
        return false;
    hart_let_stores_leave(h);
    memcpy(bytes, ram_host(c->ram, pa), size);
    hart_compare_and_swap(h, u, size, bytes);
    store_order_other_write(c, h, pa, size);
    o->writes = c->order->now;
    c->store_reads = true;
    for (unsigned at = 0; at < size; at += 8)
        ram_write(c->ram, pa + at, &bytes[at / 8], size < 8 ? size : 8, &who);
    c->store_reads = false;
    raise_to(&o->next_reads, o->writes);
    raise_to(&o->annotated, o->writes);
    end_io_atomic(h, type);
    if (u->rd == REG_SINK)
        return true;
    o->view[u->rd] = o->writes;
    if (size == 16)
        o->view[u->rd + 1] = o->writes;
    return true;
}

static bool end_reserve(struct hart *h, const struct uop *u, uint64_t value, unsigned size,
                        uint64_t place)
{
    has_read(h, place);
    end_atomic(h, place);
    h->s.x[u->rd] = (uint64_t)sign_extend(value, size * 8);
    return true;
}

/* The other bytes of an lr that has some from its hart's buffer, at a place not before `*place'. */
static void reserve_others(struct hart *h, uint64_t pa, unsigned found, unsigned mask,
                           uint64_t *word, uint64_t *place)
{
    struct hart_order *o = h->s.order;
    struct outcome outcomes[OUTCOMES_MAX];
    unsigned taken = choose_outcome(h, find_outcomes(h, pa, mask & ~found, *place, outcomes));
    uint64_t view = 0;

    note_seen(h, pa, mask & ~found, outcomes[taken].seen);
    *word = outcomes[taken].word;
    *place = outcomes[taken].place;
    (void)forward(o, pa, found, word, &view);
    o->reservation.broken |= taken != 0;
}

/*
 * Whether a search wants an lr to return what waits in its hart's buffer. Else the store leaves
 * first. *word: the eight aligned bytes; *place: of the load.
 */
static bool reserve_is_forwarded(struct hart *h, uint64_t pa, unsigned size, uint64_t *word,
                                 uint64_t *place)
{
    const struct hart_order *o = h->s.order;
    const struct chooser *chooser = &h->cluster->config.chooser;
    unsigned mask = bytes_in_word(pa, size), found;
    uint64_t view = 0;

    if (store_order_is_bounded(chooser) || o->insn.releases)
        return false;
    found = forward(o, pa, mask, word, &view);
    if (!found || !ask_chooser(chooser, CHOICE_LOAD_VALUE, h->id, 2, 0))
        return false;
    *place = later(store_order_earliest(h), view);
    if (o->insn.acquires)
        raise_to(place, o->annotated);
    if (found != mask)
        reserve_others(h, pa, found, mask, word, place);
    return true;
}

/* An lr that returns an older value reserves nothing. */
bool store_order_reserve(struct hart *h, const struct uop *u, unsigned size)
{
    struct hart_order *o = h->s.order;
    struct outcome outcomes[OUTCOMES_MAX];
    uint64_t from, pa, value, place, va = h->s.x[u->rs1];
    enum memory_type type;
    unsigned count, taken = 0;

    if (!hart_load_reserved(h, va, size, &value))
        return false;
    type = hart_type_of_load(h, va, size);
    pa = h->s.reserved_line + va % CACHE_BLOCK_BYTES;
    begin_io_atomic(h, type);
    if (o->insn.acquires || o->insn.releases)
        store_order_let_annotated_leave(h);
    store_order_let_readers_leave(h, o->reads_before_load);
    store_order_let_atomics_leave(h, pa, size);
    store_order_let_data_come(h, pa, size);
    store_order_begin_reservation(h, pa, size);
    if (store_order_reserve_is_late(h, pa, size, type == MEMORY_IO)) {
        h->s.reserved = false;
        return true;
    }
    value = 0;
    if (type != MEMORY_IO && reserve_is_forwarded(h, pa, size, &value, &place))
        return end_reserve(h, u, value >> 8 * (pa % 8), size, place);
    begin_atomic(h, pa, size);
    from = later(earliest_annotated(h), type == MEMORY_IO ? h->cluster->order->now : 0);
    count = find_outcomes(h, pa, bytes_in_word(pa, size), from, outcomes);
    if (h->cluster->config.stores == STORES_RANDOM)
        taken = choose_outcome(h, count);
    if (taken) {
        h->s.reserved = false;
        o->reservation.broken = true;
    }
    value = take_outcome(h, pa, size, &outcomes[taken], &place);
    (void)end_reserve(h, u, value, size, place);
    end_io_atomic(h, type);
    return true;
}

bool store_order_conditional(struct hart *h, const struct uop *u, unsigned size)
{
    struct buffered_store s = {.kind = WAITS_CONDITIONAL, .size = size, .value = h->s.x[u->rs2]};
    struct hart_order *o = h->s.order;
    uint64_t va = h->s.x[u->rs1];
    enum memory_type type;
    bool holds;

    if (!hart_reach_atomic(h, va, size, &s.pa, &type))
        return false;
    holds = store_order_take_reservation(h, &s);
    /* It may fail at any time; where the seed decides, it does not, so that loops come to an end.
     */
    if (holds && h->cluster->config.stores == STORES_RANDOM &&
        !store_order_is_bounded(&h->cluster->config.chooser))
        holds = !ask_chooser(&h->cluster->config.chooser, CHOICE_CONDITIONAL, h->id, 2, 0);
    if (holds) {
        do_atomic(h, &s, type);
        return true;
    }
    o->view[o->insn.rd] = 0;
    h->s.x[u->rd] = 1;
    return true;
}
