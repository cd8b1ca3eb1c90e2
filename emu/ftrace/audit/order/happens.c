/*
 * happens.c - see happens.h.
 */
#include "ftrace/audit/order/happens.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/state_io.h"
#include "cpu/observer.h"

enum { REGISTERS = 32 };

/* The views of a hart: what comes before ... */
enum {
    BEFORE_LOADS,   /* its next loads */
    BEFORE_STORES,  /* its next stores */
    BEFORE_OUTPUTS, /* its next accesses to devices */
    LOADED,         /* what its loads so far came after, without the loads themselves */
    STORED,         /* the same of its stores */
    RELEASED,       /* what its accesses with .rl came after */
    OF_REGISTER,    /* the loads that a register's value comes from; REGISTERS of them */
    HART_VIEWS = OF_REGISTER + REGISTERS,
};

/* The access that was begun. */
struct begun {
    unsigned hart;
    struct ordered_access access;
};

struct happens {
    unsigned harts;
    size_t width;
    view_number *views; /* HART_VIEWS of each hart */
    uint32_t *counts;   /* ACCESS_KINDS of each hart: made */
    uint32_t *loaded;   /* of each hart: a bit for each register whose view is not empty */
    struct begun begun;
    view_number *load, *store; /* what comes before the load and the store that were begun */
};

/* Numbers that are compared and joined at once; a view has a multiple of them. */
enum { LANES = 4 };
typedef view_number lanes __attribute__((vector_size(LANES * sizeof(view_number)),
                                         aligned(sizeof(view_number)), may_alias));

size_t happens_width(const struct happens *h)
{
    return h->width;
}

static view_number *view_of(const struct happens *h, unsigned hart, unsigned which)
{
    return h->views + ((size_t)hart * HART_VIEWS + which) * h->width;
}

static uint32_t *count_of(const struct happens *h, unsigned hart, enum access_kind kind)
{
    return &h->counts[(size_t)hart * ACCESS_KINDS + kind];
}

static view_number *number_in(view_number *view, unsigned hart, enum access_kind kind)
{
    return &view[(size_t)hart * ACCESS_KINDS + kind];
}

uint32_t view_has(const view_number *view, unsigned hart, enum access_kind kind)
{
    return view[(size_t)hart * ACCESS_KINDS + kind];
}

static void clear(const struct happens *h, view_number *view)
{
    memset(view, 0, h->width * sizeof *view);
}

void happens_join(const struct happens *h, view_number *to, const view_number *from)
{
    for (size_t i = 0; i < h->width; i += LANES) {
        lanes a = *(const lanes *)&to[i], b = *(const lanes *)&from[i];
        lanes larger = (lanes)(a > b);

        *(lanes *)&to[i] = (a & larger) | (b & ~larger);
    }
}

static bool is_empty(const struct happens *h, const view_number *view)
{
    lanes any = {0};

    for (size_t i = 0; i < h->width; i += LANES)
        any |= *(const lanes *)&view[i];
    return !(any[0] | any[1] | any[2] | any[3]);
}

static void join_registers(const struct happens *h, view_number *to, unsigned hart,
                           uint32_t registers)
{
    for (registers &= h->loaded[hart]; registers; registers &= registers - 1)
        happens_join(h, to, view_of(h, hart, OF_REGISTER + (unsigned)__builtin_ctz(registers)));
}

static void set_registers(const struct happens *h, unsigned hart, uint32_t registers,
                          const view_number *view)
{
    registers &= ~UINT32_C(1);
    if (is_empty(h, view)) {
        h->loaded[hart] &= ~registers;
        return;
    }
    h->loaded[hart] |= registers;
    for (; registers; registers &= registers - 1)
        memcpy(view_of(h, hart, OF_REGISTER + (unsigned)__builtin_ctz(registers)), view,
               h->width * sizeof *view);
}

/* Adds all loads or stores of the hart so far, with what these came after. */
static void join_all(const struct happens *h, view_number *to, unsigned hart, enum access_kind kind)
{
    view_number *own = number_in(to, hart, kind);

    happens_join(h, to, view_of(h, hart, kind == ACCESS_OF_LOADS ? LOADED : STORED));
    if (*own < *count_of(h, hart, kind))
        *own = *count_of(h, hart, kind);
}

/* ---- accesses ---- */

void happens_begin(struct happens *h, unsigned hart, const struct ordered_access *a)
{
    h->begun = (struct begun){hart, *a};
    memcpy(h->load, view_of(h, hart, BEFORE_LOADS), h->width * sizeof *h->load);
    memcpy(h->store, view_of(h, hart, BEFORE_STORES), h->width * sizeof *h->store);
    join_registers(h, h->load, hart, a->address);
    join_registers(h, h->store, hart, a->address | a->value);
    if (a->aq)
        happens_join(h, h->load, view_of(h, hart, RELEASED));
    if (a->rl)
        for (unsigned kind = 0; kind < ACCESS_KINDS; kind++) {
            join_all(h, h->load, hart, (enum access_kind)kind);
            join_all(h, h->store, hart, (enum access_kind)kind);
        }
}

bool happens_is_before(const struct happens *h, const struct happening *other, bool as_store)
{
    bool stores = !h->begun.access.loads || (h->begun.access.stores && as_store);

    return other->hart == h->begun.hart ||
           view_has(stores ? h->store : h->load, other->hart, other->kind) >= other->number;
}

bool happens_is_after_load(const struct happens *h, uint32_t number)
{
    return view_has(h->load, h->begun.hart, ACCESS_OF_LOADS) >= number;
}

/* Takes the view of the store that is read; what the hart does later may depend on it. */
static void make_load(struct happens *h, const view_number *read)
{
    const struct ordered_access *a = &h->begun.access;
    unsigned hart = h->begun.hart;
    uint32_t *count = count_of(h, hart, ACCESS_OF_LOADS);

    if (read)
        happens_join(h, h->load, read);
    ++*count;
    happens_join(h, view_of(h, hart, LOADED), h->load);
    set_registers(h, hart, a->target, h->load);
    if (!a->aq)
        return;
    for (unsigned to = BEFORE_LOADS; to <= BEFORE_OUTPUTS; to++)
        happens_join(h, view_of(h, hart, to), h->load);
}

/*
 * A view has the store itself only if it has all stores before it, so that one number says it.
 */
static void make_store(struct happens *h, view_number *left)
{
    unsigned hart = h->begun.hart;
    uint32_t *count = count_of(h, hart, ACCESS_OF_STORES);
    view_number *own = number_in(h->store, hart, ACCESS_OF_STORES);

    if (h->begun.access.loads)
        happens_join(h, h->store, h->load);
    if (*own == *count)
        ++*own;
    ++*count;
    happens_join(h, view_of(h, hart, STORED), h->store);
    if (left)
        memcpy(left, h->store, h->width * sizeof *left);
}

void happens_make(struct happens *h, const view_number *read, view_number *left)
{
    const struct ordered_access *a = &h->begun.access;
    unsigned hart = h->begun.hart;

    if (a->loads)
        make_load(h, read);
    if (a->stores)
        make_store(h, left);
    if (a->rl)
        happens_join(h, view_of(h, hart, RELEASED), a->stores ? h->store : h->load);
    if (!a->aq)
        return;
    /* What the acquire orders includes itself. */
    for (unsigned to = BEFORE_LOADS; to <= BEFORE_OUTPUTS; to++) {
        view_number *view = view_of(h, hart, to);

        if (a->stores &&
            view_has(view, hart, ACCESS_OF_STORES) + 1 == *count_of(h, hart, ACCESS_OF_STORES))
            ++*number_in(view, hart, ACCESS_OF_STORES);
    }
}

uint32_t happens_count(const struct happens *h, unsigned hart, enum access_kind kind)
{
    return *count_of(h, hart, kind);
}

/* ---- what orders them ---- */

static void order_after(const struct happens *h, unsigned hart, const view_number *before,
                        unsigned succ)
{
    if (succ & FENCE_SET_R)
        happens_join(h, view_of(h, hart, BEFORE_LOADS), before);
    if (succ & FENCE_SET_W)
        happens_join(h, view_of(h, hart, BEFORE_STORES), before);
    if (succ & FENCE_SET_O)
        happens_join(h, view_of(h, hart, BEFORE_OUTPUTS), before);
}

void happens_fence(struct happens *h, unsigned hart, unsigned pred, unsigned succ, bool tso)
{
    if (pred & FENCE_SET_R) {
        clear(h, h->load);
        join_all(h, h->load, hart, ACCESS_OF_LOADS);
        order_after(h, hart, h->load, succ);
    }
    if (pred & FENCE_SET_W) {
        clear(h, h->store);
        join_all(h, h->store, hart, ACCESS_OF_STORES);
        order_after(h, hart, h->store, tso ? succ & ~(unsigned)FENCE_SET_R : succ);
    }
}

void happens_compute(struct happens *h, unsigned hart, uint32_t sources, uint32_t targets)
{
    if (!(sources & h->loaded[hart])) {
        h->loaded[hart] &= ~targets;
        return;
    }
    clear(h, h->load);
    join_registers(h, h->load, hart, sources);
    set_registers(h, hart, targets, h->load);
}

void happens_branch(struct happens *h, unsigned hart, uint32_t sources)
{
    if (!(sources & h->loaded[hart]))
        return;
    join_registers(h, view_of(h, hart, BEFORE_STORES), hart, sources);
    join_registers(h, view_of(h, hart, BEFORE_OUTPUTS), hart, sources);
}

void happens_send(const struct happens *h, unsigned hart, view_number *view)
{
    for (unsigned kind = 0; kind < ACCESS_KINDS; kind++)
        join_all(h, view, hart, (enum access_kind)kind);
    for (unsigned from = BEFORE_LOADS; from <= BEFORE_OUTPUTS; from++)
        happens_join(h, view, view_of(h, hart, from));
}

void happens_next_store(const struct happens *h, unsigned hart, bool outputs, view_number *view)
{
    happens_join(h, view, view_of(h, hart, BEFORE_STORES));
    if (outputs)
        happens_join(h, view, view_of(h, hart, BEFORE_OUTPUTS));
}

void happens_receive(struct happens *h, unsigned hart, const view_number *view)
{
    for (unsigned to = BEFORE_LOADS; to <= BEFORE_OUTPUTS; to++)
        happens_join(h, view_of(h, hart, to), view);
}

/* ---- life ---- */

struct happens *happens_new(unsigned harts)
{
    struct happens *h = xcalloc(1, sizeof *h);

    h->harts = harts;
    h->width = ((size_t)harts * ACCESS_KINDS + LANES - 1) / LANES * LANES;
    h->views = xcalloc((size_t)harts * HART_VIEWS * happens_width(h), sizeof *h->views);
    h->counts = xcalloc((size_t)harts * ACCESS_KINDS, sizeof *h->counts);
    h->loaded = xcalloc(harts, sizeof *h->loaded);
    h->load = xcalloc(happens_width(h), sizeof *h->load);
    h->store = xcalloc(happens_width(h), sizeof *h->store);
    return h;
}

void happens_free(struct happens *h)
{
    if (!h)
        return;
    free(h->views);
    free(h->counts);
    free(h->loaded);
    free(h->load);
    free(h->store);
    free(h);
}

/* What the views of other registers hold is of no meaning, and must not differ between two saves.
 */
static void clear_empty(struct happens *h)
{
    for (unsigned hart = 0; hart < h->harts; hart++)
        for (unsigned reg = 0; reg < REGISTERS; reg++)
            if (!(h->loaded[hart] >> reg & 1))
                clear(h, view_of(h, hart, OF_REGISTER + reg));
}

/* No access is begun between two events, so what was begun is not saved. */
void happens_state_io(struct state_io *io, struct happens *h)
{
    state_io_section(io, "happens", 2);
    STATE_IO_SAME(io, h->harts);
    clear_empty(h);
    for (unsigned i = 0; i < h->harts; i++)
        STATE_IO(io, h->loaded[i]);
    for (size_t i = 0; i < (size_t)h->harts * HART_VIEWS * happens_width(h); i++)
        STATE_IO(io, h->views[i]);
    for (size_t i = 0; i < (size_t)h->harts * ACCESS_KINDS; i++)
        STATE_IO(io, h->counts[i]);
}
