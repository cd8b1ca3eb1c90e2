/*
 * store_order_priv.h - the order of writes, the buffers of harts and their views (store_order.h).
 *
 * The model is the view-based one of Pulte, Pichon-Pharabod, Kang, Lee and Hur ("Promising-ARM /
 * RISC-V", PLDI 2019) without promises, with a buffer for each hart in front of it. A place in the
 * order of writes is the number of the write before it; a view is such a place.
 */
#ifndef CPU_STORE_ORDER_PRIV_H
#define CPU_STORE_ORDER_PRIV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "cpu/block_priv.h"
#include "cpu/choice.h"
#include "cpu/store_order.h"
#include "mem/ram.h"

struct state_io;

/* Small in a stress build, so that full buffers and forgotten writes are the common case. */
enum { STORES_WAITING_MAX = 32, WRITES_KEPT = 1024 };

/*
 * The registers that have a view: integer, floating point, then none, to read and to write; and
 * what the addresses and data of a vector load or store depend on, while it is executed. The view
 * of the vector registers is that of the CSRs.
 */
enum { VIEW_FLOAT = 32, VIEW_NONE = 64, VIEW_SINK, VIEW_VECTOR, VIEWS };

/* What waits in the buffer: an AMO reads and writes when it leaves, an sc may fail then. */
enum waits { WAITS_STORE, WAITS_AMO, WAITS_CONDITIONAL, WAITS_LOAD };

/* A store, or another access, in the buffer; it is within eight aligned bytes. */
struct buffered_store {
    uint64_t pa, value; /* the value stored; the operand of an AMO */
    uint32_t size;
    uint8_t kind;            /* enum waits */
    uint8_t rd;              /* what an AMO, sc or load writes; VIEW_SINK: nothing */
    uint16_t op;             /* of an AMO */
    bool is_signed;          /* a load that extends the sign */
    bool acquires, releases; /* an AMO, lr or sc, or a store of Zalasr */
    bool reserves;           /* an lr */
    bool broken;             /* an sc that fails: its lr returned an old value */
    uint64_t data;           /* the number of what waits and gives the value; 0: it has it */
    uint64_t lr;             /* an sc: the number of its lr, if that waited, too */
    uint64_t lr_pa;          /* an sc: the bytes that its lr has read */
    uint32_t lr_size;
    uint64_t before_lr; /* an sc: the number of the last store before its lr */
    uint64_t view;      /* of its address and its data */
    uint64_t number;
    uint64_t after;       /* the number of the last of the writes that a fence puts before it */
    uint64_t after_reads; /* the same for reads: loads and AMOs */
    uint64_t from;        /* a load: its place is not before this one; an sc: the place of its lr */
    uint64_t due;         /* instructions of the hart at which it leaves at the latest */
    struct writer who;
};

/* What an instruction reads and writes, in its UOP_ORDER: rd, rs1, rs2, and this in imm. */
enum order_flag {
    ORDER_COMPUTES = 1, /* rd depends on the sources */
    ORDER_CSR = 2,      /* and on the CSRs, and they on it */
    ORDER_DRAINS = 4,   /* no store waits when it begins */
    ORDER_ZEROES = 8,   /* cbo.zero */
    ORDER_ACQUIRES = 16,
    ORDER_RELEASES = 32,
    ORDER_SIGNED = 64, /* a load extends the sign */
    ORDER_BINDS = 128, /* needs all registers */
    ORDER_DATA = 256,  /* rs2 is the data of a store, AMO or sc */
    ORDER_RS3_SHIFT = 9
};

/* What a hart has. */
struct hart_order {
    struct buffered_store waiting[STORES_WAITING_MAX]; /* oldest first */
    unsigned count;
    unsigned late;    /* those of them that are no stores */
    uint64_t unbound; /* the registers that these will write */
    uint64_t number;  /* of the last store */
    uint64_t due;     /* the first of the stores' */
    /* Stores up to these numbers leave before later stores, and accesses to devices. */
    uint64_t before_store, before_output, before_input;
    /* The same for loads and AMOs that wait, before later stores, and later loads. */
    uint64_t reads_before_store, reads_before_load;
    uint64_t view[VIEWS];
    uint64_t csr_view;        /* of all CSRs together */
    uint64_t reads, writes;   /* the latest place of a load, and of a write, so far */
    uint64_t inputs, outputs; /* the same for accesses to devices */
    uint64_t annotated;       /* and for what has .aq or .rl */
    struct {
        bool holds, broken;
        uint64_t pa, from; /* of the lr; the newest place when it was done */
        uint64_t size;
        uint64_t lr;     /* the number of the lr, if it waits; 0: it is done */
        uint64_t before; /* the number of the last store before the lr */
    } reservation;       /* with late_registers */
    uint64_t next_reads; /* no later load has an earlier place */
    uint64_t seen,
        seen_until;   /* becomes next_reads at that instruction: loads are not late for ever */
    bool waited;      /* since its last instruction */
    bool load_waits;  /* the load that was just executed: its register is not written yet */
    uint64_t held;    /* what the instruction with this number stores waits; UINT64_MAX: none */
    uint64_t late_pc; /* loads by the instruction there are late; 0: none */
    /* Fetches return nothing that was overwritten up to fetch_floor; the place of the version that
     * was fetched for the next instruction, and for the present one. */
    uint64_t fetch_floor, next_fetched, fetched;
    struct {
        uint8_t rd, rs1, rs2; /* as numbers of views */
        bool acquires, releases, is_signed;
    } insn; /* the present instruction */
};

enum { WRITER_IS_NO_HART = UINT8_MAX };

/* A write that has left, to some of eight aligned bytes. */
struct past_write {
    uint64_t place, pa;
    uint64_t old;   /* the eight bytes before it */
    uint64_t view;  /* of a store's address and data */
    uint64_t older; /* number of the previous one to the same bytes, if it is kept */
    uint8_t mask;   /* the bytes that it wrote */
    uint8_t hart;
    bool atomic; /* of an sc or AMO: a load of the own hart is not before it */
};

/* Eight aligned bytes to which a write is kept. */
struct written_word {
    uint64_t newest; /* number of the newest one */
    uint64_t seen[]; /* [hart][byte]: the place of the newest write that the hart has seen */
};

/* What the harts share. */
struct store_order {
    uint64_t now;              /* the place of the newest write */
    uint64_t forgotten;        /* the place of the newest one that is not kept */
    uint64_t first, next;      /* numbers of the kept ones; they begin with 1 */
    struct past_write *writes; /* a ring of WRITES_KEPT */
    struct map words;          /* pa -> struct written_word */
};

struct store_order *store_order_new(void);
void store_order_free(struct store_order *o);
struct hart_order *hart_order_new(void);
/* Reset or start of the hart: what waits leaves. */
void hart_order_reset(struct hart *h);

/* ---- places ---- */

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void raise_to(uint64_t *view, uint64_t place)
{
    *view = later(*view, place);
}

/* ---- store_order.c: the list of writes, and the buffers ---- */

struct past_write *store_order_kept(const struct store_order *o, uint64_t number);
/* Whether that number is of a write that is kept. */
bool store_order_keeps(const struct store_order *o, uint64_t number);
struct written_word *store_order_word(const struct store_order *o, uint64_t pa);

/*
 * Adds a write, which the caller makes afterwards, to up to eight aligned bytes; at the place
 * `order->now`, which the caller has moved.
 */
void store_order_add(struct cluster *c, uint64_t pa, unsigned size, const struct past_write *write);
/* Makes all kept writes too old to be undone by a load. */
void store_order_forget(struct cluster *c);

/* The bytes [pa, pa + size) as bits of the eight aligned ones that they are in. */
static inline uint8_t bytes_in_word(uint64_t pa, unsigned size)
{
    return (uint8_t)(((1U << size) - 1) << pa % 8);
}

static inline bool stores_overlap(const struct buffered_store *s, uint64_t pa, unsigned size)
{
    return s->pa < pa + size && pa < s->pa + s->size;
}

/* Lets stores leave: that one after those that must be before it; all up to a number. */
void store_order_let_leave(struct hart *h, unsigned at);
/*
 * Lets leave all that is selected, the oldest first; others that must be before them leave, too.
 * The selection has what `is_selected' wants to know.
 */
struct selection {
    uint64_t pa;
    unsigned size;
    uint64_t number;    /* up to this one */
    unsigned kinds;     /* of enum waits, a bit each */
    uint64_t registers; /* that it writes, a bit each */
};
typedef bool selects(const struct hart *h, unsigned at, const struct selection *s);
void store_order_let_selected_leave(struct hart *h, selects *is_selected,
                                    const struct selection *s);
void store_order_let_overlapping_leave(struct hart *h, uint64_t pa, unsigned size);
void store_order_let_leave_up_to(struct hart *h, uint64_t number);
void store_order_let_due_leave(struct hart *h, uint64_t insns);
/* With Ztso stores leave in program order, and loads are done in it. */
bool store_order_is_total(const struct hart *h);
/* Adds a store, having made room for it. */
void store_order_keep(struct hart *h, const struct buffered_store *store);
/* A random number for this instruction of the hart. */
uint64_t store_order_draw(const struct hart *h, enum choice_kind kind);
/* Whether nobody but the seed says when something is seen. */
static inline bool store_order_is_bounded(const struct chooser *c)
{
    return !c->choose;
}

/* ---- store_order_late.c: what waits beside stores ---- */

/* Lets what the operands of an instruction need leave; its UOP_ORDER. */
void store_order_bind(struct hart *h, const struct uop *u);
/* Lets leave: loads and AMOs up to a number; all but loads; AMOs and sc there; those with .rl. */
void store_order_let_readers_leave(struct hart *h, uint64_t number);
void store_order_let_writers_leave(struct hart *h);
void store_order_let_atomics_leave(struct hart *h, uint64_t pa, unsigned size);
void store_order_let_annotated_leave(struct hart *h);
/* Lets what must be before a load leave; false: the load waits, too. */
bool store_order_begin_load(struct hart *h, uint64_t pa, unsigned size);
/* The number of what waits and will write that register; 0: nothing. */
uint64_t store_order_writer_of(const struct hart *h, unsigned reg);
/* The data of the present store, which are `value` unless they wait; then they come first. */
uint64_t store_order_data(struct hart *h, uint64_t value);
/* The data come of those stores that wait and that a load of these bytes returns. */
void store_order_let_data_come(struct hart *h, uint64_t pa, unsigned size);
/* An lr begins, which reserves; whether it waits. An sc that begins: whether it may succeed. */
void store_order_begin_reservation(struct hart *h, uint64_t pa, unsigned size);
bool store_order_reserve_is_late(struct hart *h, uint64_t pa, unsigned size, bool is_io);
bool store_order_take_reservation(struct hart *h, struct buffered_store *s);
/* What is no store leaves: it is not in the buffer any more. */
void store_order_leave(struct hart *h, const struct buffered_store *s);
/* What an AMO that waits makes of these bytes. */
uint64_t store_order_amo(const struct buffered_store *s, const void *at);

/* ---- store_order_insn.c: what instructions do ---- */

/* The operands of an instruction, for the operation in front of it. */
void store_order_operands(const struct insn *i, struct uop *u);

/* Called by the engine (engine_ordered.c). False: the exception is raised. */
void store_order_before(struct hart *h, const struct uop *u); /* at a UOP_ORDER */
bool store_order_load(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
bool store_order_store(struct hart *h, uint64_t va, unsigned size, uint64_t value);
/* A vector load or store begins, whose elements are loaded or stored as by the two above. */
void store_order_begin_vector(struct hart *h);
bool store_order_load_element(struct hart *h, uint64_t va, unsigned size, uint64_t *value);
bool store_order_reserve(struct hart *h, const struct uop *u, unsigned size);
bool store_order_conditional(struct hart *h, const struct uop *u, unsigned size);
bool store_order_atomic(struct hart *h, const struct uop *u, uint64_t va, unsigned size,
                        uint64_t operand);
bool store_order_compare_and_swap(struct hart *h, const struct uop *u, unsigned size);
/* The earliest place of a load by the present instruction. */
uint64_t store_order_earliest(const struct hart *h);
/* A load of memory whose place is not before `from`; *place: the one that it takes. */
uint64_t store_order_read(const struct hart *h, uint64_t pa, unsigned size, uint64_t from,
                          uint64_t *place, bool *is_newest);
void store_order_fence(struct hart *h, const struct uop *u);
void store_order_idles(struct hart *h); /* the hart begins to wait, or is turned off */

/* Before a write that is no store of an instruction: by a walk of `h`, or by no hart (NULL). */
void store_order_other_write(struct cluster *c, const struct hart *h, uint64_t pa, uint64_t size);

/*
 * The versions of the word of code at pa that the hart may fetch, the newest first; their stamps
 * are the places of the writes that made them. Returns their number.
 */
struct code_version;
unsigned store_order_versions(const struct hart *h, uint64_t pa, struct code_version *versions);
/* The next instruction was fetched as it was at this place. In program order: so are all later. */
void store_order_fetched(struct hart *h, uint64_t place, bool in_order);
/*
 * fence.i: what is fetched from now on is after the accesses that the hart has made, as far as it
 * has seen. Of another's request (by firmware): after all of now. With FETCH_APART it only makes
 * the hart's stores to code leave.
 */
void store_order_fence_i(struct hart *h, bool own);
/* With FETCH_APART: a page becomes code, so stores to it that a fence.i has left waiting leave. */
void store_order_let_page_leave(struct cluster *c, uint64_t pa);

/* Puts what waits in the hart's buffer over bytes of memory. */
void store_order_overlay(const struct hart *h, uint64_t pa, void *bytes, size_t size);

/* ---- store_order_state.c ---- */

void store_order_state_io(struct state_io *io, struct cluster *c);
void hart_order_state_io(struct state_io *io, struct hart *h);

#endif
