/*
 * store_order_late.c - what waits in a hart's buffer beside stores (store_order_priv.h): AMOs, sc
 * and loads, which are done when they leave it. Until then the register that they write has no
 * value, and an instruction that reads it, or writes it, makes them leave.
 *
 * So a store that comes later in the program, and that nothing orders, may leave first. An AMO and
 * an sc have one place in the order of writes, that at which they leave; a load takes its place
 * then, not before the one that it could have had when it was executed.
 */
#include <string.h>

#include "base/bits.h"
#include "cpu/hart_priv.h"
#include "cpu/store_order_priv.h"

/* ---- registers that have no value yet ---- */

static uint64_t bit_of(unsigned reg)
{
    return reg < VIEW_NONE ? UINT64_C(1) << reg : 0;
}

static bool writes_register(const struct hart *h, unsigned at, const struct selection *s)
{
    const struct buffered_store *w = &h->s.order->waiting[at];

    return w->kind != WAITS_STORE && bit_of(w->rd) & s->registers;
}

void store_order_bind(struct hart *h, const struct uop *u)
{
    uint64_t data = u->imm & ORDER_DATA ? 0 : bit_of(u->rs2);
    uint64_t wanted = u->imm & ORDER_BINDS ? UINT64_MAX
                                           : bit_of(u->rd) | bit_of(u->rs1) | data |
                                                 bit_of((uint32_t)u->imm >> ORDER_RS3_SHIFT);

    if (wanted & h->s.order->unbound)
        store_order_let_selected_leave(h, writes_register,
                                       &(struct selection){.registers = wanted});
}

uint64_t store_order_writer_of(const struct hart *h, unsigned reg)
{
    const struct hart_order *o = h->s.order;

    for (unsigned i = o->count; i-- > 0 && bit_of(reg) & o->unbound;)
        if (o->waiting[i].kind != WAITS_STORE && o->waiting[i].rd == reg)
            return o->waiting[i].number;
    return 0;
}

static void let_number_leave(struct hart *h, uint64_t number)
{
    const struct hart_order *o = h->s.order;

    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].number == number) {
            store_order_let_leave(h, i);
            return;
        }
}

uint64_t store_order_data(struct hart *h, uint64_t value)
{
    unsigned reg = h->s.order->insn.rs2;
    uint64_t number = store_order_writer_of(h, reg);

    if (!number)
        return value;
    let_number_leave(h, number);
    return h->s.x[reg];
}

/* Those of the bytes that stores write which wait, from the one at `from` on. */
static unsigned stored_bytes(const struct hart_order *o, unsigned from, uint64_t pa, unsigned size)
{
    unsigned mask = 0;

    for (unsigned i = from; i < o->count; i++)
        if (o->waiting[i].kind == WAITS_STORE && stores_overlap(&o->waiting[i], pa, size))
            mask |= bytes_in_word(o->waiting[i].pa, o->waiting[i].size);
    return mask & bytes_in_word(pa, size);
}

/* Whether stores that wait after it write all of those bytes that it accesses, too. */
static bool is_hidden(const struct hart_order *o, unsigned at, uint64_t pa, unsigned size)
{
    const struct buffered_store *s = &o->waiting[at];
    unsigned common = bytes_in_word(s->pa, s->size) & bytes_in_word(pa, size);

    return !(common & ~stored_bytes(o, at + 1, pa, size));
}

void store_order_let_data_come(struct hart *h, uint64_t pa, unsigned size)
{
    const struct hart_order *o = h->s.order;

    for (unsigned i = 0; o->late && i < o->count; i++)
        if (o->waiting[i].data && stores_overlap(&o->waiting[i], pa, size) &&
            !is_hidden(o, i, pa, size)) {
            let_number_leave(h, o->waiting[i].data);
            i = UINT32_MAX; /* begins again */
        }
}

uint32_t hart_late_registers(const struct hart *h)
{
    return h->s.order ? (uint32_t)h->s.order->unbound : 0;
}

unsigned hart_late_loads(const struct hart *h)
{
    const struct hart_order *o = h->s.order;
    unsigned count = 0;

    for (unsigned i = 0; o && o->late && i < o->count; i++)
        count += o->waiting[i].kind == WAITS_LOAD;
    return count;
}

/* ---- what must be done first ---- */

static bool is_of_kind(const struct hart *h, unsigned at, const struct selection *s)
{
    const struct buffered_store *w = &h->s.order->waiting[at];

    return s->kinds >> w->kind & 1 && w->number <= s->number;
}

static bool is_of_kind_there(const struct hart *h, unsigned at, const struct selection *s)
{
    return is_of_kind(h, at, s) && stores_overlap(&h->s.order->waiting[at], s->pa, s->size);
}

static bool releases(const struct hart *h, unsigned at, const struct selection *s)
{
    (void)s;
    return h->s.order->waiting[at].releases;
}

/* A load of bytes that are read again, and not from a store between the two (rule 2). */
static bool is_read_again(const struct hart *h, unsigned at, const struct selection *s)
{
    const struct hart_order *o = h->s.order;

    return o->waiting[at].kind == WAITS_LOAD && stores_overlap(&o->waiting[at], s->pa, s->size) &&
           !is_hidden(o, at, s->pa, s->size);
}

void store_order_let_readers_leave(struct hart *h, uint64_t number)
{
    const struct selection readers = {.kinds = 1U << WAITS_AMO | 1U << WAITS_LOAD,
                                      .number = number};

    if (h->s.order->late)
        store_order_let_selected_leave(h, is_of_kind, &readers);
}

void store_order_let_writers_leave(struct hart *h)
{
    const struct selection writers = {.kinds = 1U << WAITS_STORE | 1U << WAITS_AMO |
                                               1U << WAITS_CONDITIONAL,
                                      .number = UINT64_MAX};

    if (h->s.order->late)
        store_order_let_selected_leave(h, is_of_kind, &writers);
    else
        hart_let_stores_leave(h);
}

void store_order_let_annotated_leave(struct hart *h)
{
    store_order_let_selected_leave(h, releases, NULL);
}

void store_order_let_atomics_leave(struct hart *h, uint64_t pa, unsigned size)
{
    const struct selection atomics = {.pa = pa,
                                      .size = size,
                                      .kinds = 1U << WAITS_AMO | 1U << WAITS_CONDITIONAL,
                                      .number = UINT64_MAX};

    if (h->s.order->late)
        store_order_let_selected_leave(h, is_of_kind_there, &atomics);
}

static bool store_waits(const struct hart_order *o, uint64_t pa, unsigned size)
{
    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].kind == WAITS_STORE && stores_overlap(&o->waiting[i], pa, size))
            return true;
    return false;
}

bool store_order_begin_load(struct hart *h, uint64_t pa, unsigned size)
{
    struct hart_order *o = h->s.order;

    store_order_let_atomics_leave(h, pa, size);
    if (h->cluster->config.late_registers && !store_waits(o, pa, size) && o->insn.rd < VIEW_FLOAT &&
        !o->insn.acquires && !store_order_is_total(h)) {
        store_order_keep(h, &(struct buffered_store){.kind = WAITS_LOAD,
                                                     .pa = pa,
                                                     .size = size,
                                                     .rd = o->insn.rd,
                                                     .is_signed = o->insn.is_signed,
                                                     .who = hart_writer(h)});
        return false;
    }
    store_order_let_readers_leave(h, o->reads_before_load);
    if (o->late)
        store_order_let_selected_leave(h, is_read_again,
                                       &(struct selection){.pa = pa, .size = size});
    return true;
}

/* ---- lr and sc ---- */

void store_order_begin_reservation(struct hart *h, uint64_t pa, unsigned size)
{
    struct hart_order *o = h->s.order;

    o->reservation.holds = true;
    o->reservation.broken = false;
    o->reservation.pa = pa;
    o->reservation.size = size;
    o->reservation.from = h->cluster->order->now;
    o->reservation.lr = 0;
    o->reservation.before = o->number;
}

bool store_order_reserve_is_late(struct hart *h, uint64_t pa, unsigned size, bool is_io)
{
    struct hart_order *o = h->s.order;

    if (!h->cluster->config.late_registers || o->insn.acquires || o->insn.releases || is_io ||
        store_order_is_total(h) || store_waits(o, pa, size))
        return false;
    store_order_keep(h, &(struct buffered_store){.kind = WAITS_LOAD,
                                                 .pa = pa,
                                                 .size = size,
                                                 .rd = o->insn.rd,
                                                 .is_signed = true,
                                                 .reserves = true,
                                                 .who = hart_writer(h)});
    o->reservation.lr = o->number;
    return true;
}

/* By a seed the hart's own reservation counts; else whether others have written since the lr. */
bool store_order_take_reservation(struct hart *h, struct buffered_store *s)
{
    struct hart_order *o = h->s.order;
    uint64_t line = align_down(s->pa, CACHE_BLOCK_BYTES);
    bool holds = h->s.reserved && h->s.reserved_line == line;

    if (h->cluster->config.late_registers)
        holds = o->reservation.holds && align_down(o->reservation.pa, CACHE_BLOCK_BYTES) == line;
    s->lr = o->reservation.lr;
    s->lr_pa = o->reservation.pa;
    s->lr_size = (uint32_t)o->reservation.size;
    s->before_lr = o->reservation.before;
    s->from = o->reservation.from;
    s->broken = o->reservation.broken;
    o->reservation.holds = h->s.reserved = false;
    return holds;
}

/* An lr that waited is done: its sc knows now what it may succeed by. */
static void end_reserve(struct hart *h, const struct buffered_store *s, bool is_newest)
{
    struct hart_order *o = h->s.order;

    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].kind == WAITS_CONDITIONAL && o->waiting[i].lr == s->number) {
            o->waiting[i].lr = 0;
            o->waiting[i].from = h->cluster->order->now;
            o->waiting[i].broken = !is_newest;
        }
    if (o->reservation.lr != s->number)
        return;
    o->reservation.lr = 0;
    o->reservation.from = h->cluster->order->now;
    o->reservation.broken = !is_newest;
}

/* ---- they leave ---- */

/* A read has got its place: what is ordered after it is not before that. */
static void order_after(struct hart *h, const struct buffered_store *s, uint64_t place)
{
    struct hart_order *o = h->s.order;

    raise_to(&o->reads, place);
    if (s->number <= o->reads_before_load)
        raise_to(&o->next_reads, place);
    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].kind == WAITS_LOAD && s->number <= o->waiting[i].after_reads)
            raise_to(&o->waiting[i].from, place);
}

static void set_register(struct hart *h, const struct buffered_store *s, uint64_t value,
                         uint64_t place)
{
    struct hart_order *o = h->s.order;

    o->unbound &= ~bit_of(s->rd);
    if (s->rd >= VIEW_FLOAT)
        return;
    h->s.x[s->rd] = value;
    o->view[s->rd] = place;
    for (unsigned i = 0; i < o->count; i++)
        if (o->waiting[i].data == s->number) {
            o->waiting[i].data = 0;
            o->waiting[i].value = value;
            raise_to(&o->waiting[i].view, place);
        }
}

static void leave_load(struct hart *h, const struct buffered_store *s)
{
    uint64_t from = later(s->from, h->cluster->order->forgotten), place, value;
    bool is_newest;

    value = store_order_read(h, s->pa, s->size, from, &place, &is_newest);
    if (s->reserves)
        end_reserve(h, s, is_newest);
    if (s->is_signed)
        value = (uint64_t)sign_extend(value, s->size * 8);
    set_register(h, s, value, place);
    order_after(h, s, place);
}

/* The write of an AMO or sc, at the newest place. */
static void write_atomic(struct hart *h, const struct buffered_store *s, uint64_t value)
{
    struct cluster *c = h->cluster;
    struct hart_order *o = h->s.order;

    o->writes = ++c->order->now;
    store_order_add(c, s->pa, s->size,
                    &(struct past_write){.hart = (uint8_t)h->id, .atomic = true});
    c->store_reads = s->kind == WAITS_AMO;
    ram_write(c->ram, s->pa, &value, s->size, &s->who);
    c->store_reads = false;
    if (s->acquires)
        raise_to(&o->next_reads, o->writes); /* rule 5 */
    if (s->acquires || s->releases)
        raise_to(&o->annotated, o->writes); /* rule 7 */
}

/* What the AMO makes of the old value; both, and the operand, are sign-extended. */
static uint64_t amo_result(unsigned op, uint64_t old, uint64_t arg)
{
    switch (op) {
    case OP_amoswap_b:
    case OP_amoswap_h:
    case OP_amoswap_w:
    case OP_amoswap_d: return arg;
    case OP_amoadd_b:
    case OP_amoadd_h:
    case OP_amoadd_w:
    case OP_amoadd_d: return old + arg;
    case OP_amoxor_b:
    case OP_amoxor_h:
    case OP_amoxor_w:
    case OP_amoxor_d: return old ^ arg;
    case OP_amoand_b:
    case OP_amoand_h:
    case OP_amoand_w:
    case OP_amoand_d: return old & arg;
    case OP_amoor_b:
    case OP_amoor_h:
    case OP_amoor_w:
    case OP_amoor_d: return old | arg;
    case OP_amomin_b:
    case OP_amomin_h:
    case OP_amomin_w:
    case OP_amomin_d: return (int64_t)old < (int64_t)arg ? old : arg;
    case OP_amomax_b:
    case OP_amomax_h:
    case OP_amomax_w:
    case OP_amomax_d: return (int64_t)old > (int64_t)arg ? old : arg;
    case OP_amominu_b:
    case OP_amominu_h:
    case OP_amominu_w:
    case OP_amominu_d: return old < arg ? old : arg;
    default: return old > arg ? old : arg; /* amomaxu */
    }
}

uint64_t store_order_amo(const struct buffered_store *s, const void *at)
{
    uint64_t old = 0;

    memcpy(&old, at, s->size);
    return amo_result(s->op, (uint64_t)sign_extend(old, s->size * 8),
                      (uint64_t)sign_extend(s->value, s->size * 8));
}

static void leave_amo(struct hart *h, const struct buffered_store *s)
{
    const uint8_t *at = ram_host(h->cluster->ram, s->pa);
    uint64_t old = 0;

    memcpy(&old, at, s->size);
    write_atomic(h, s, store_order_amo(s, at));
    set_register(h, s, (uint64_t)sign_extend(old, s->size * 8), h->s.order->writes);
    order_after(h, s, h->s.order->writes);
}

/* Whether no other hart has written to these bytes after that place. */
static bool is_unwritten(const struct hart *h, uint64_t pa, unsigned size, uint64_t from)
{
    const struct store_order *order = h->cluster->order;
    const struct written_word *word = store_order_word(order, pa);
    const unsigned mask = bytes_in_word(pa, size);
    uint64_t number = word ? word->newest : 0;

    for (; store_order_keeps(order, number); number = store_order_kept(order, number)->older) {
        const struct past_write *w = store_order_kept(order, number);

        if (w->place <= from)
            return true;
        if (w->hart != h->id && w->mask & mask)
            return false;
    }
    return order->forgotten <= from;
}

/*
 * The atomicity axiom speaks of the bytes that the lr has read. Those that the sc writes are in the
 * reservation set, too, if they are others.
 */
static bool is_unbroken(const struct hart *h, const struct buffered_store *s)
{
    return is_unwritten(h, s->lr_pa, s->lr_size, s->from) &&
           is_unwritten(h, s->pa, s->size, s->from);
}

static void leave_conditional(struct hart *h, const struct buffered_store *s)
{
    bool holds = !h->cluster->config.late_registers || (!s->broken && is_unbroken(h, s));

    if (holds)
        write_atomic(h, s, s->value);
    set_register(h, s, !holds, holds ? h->s.order->writes : 0);
}

void store_order_leave(struct hart *h, const struct buffered_store *s)
{
    switch (s->kind) {
    case WAITS_AMO: leave_amo(h, s); return;
    case WAITS_CONDITIONAL: leave_conditional(h, s); return;
    case WAITS_LOAD: leave_load(h, s); return;
    default: return;
    }
}
