/*
 * native.c - see native_priv.h: copies stencils, fills their holes, and keeps the copies.
 *
 * Memory for code is one file without a name, mapped twice: to be written at one address, to be
 * executed at another one. Nothing in it is freed; when it is full, all of it is dropped, and
 * blocks are translated again when they are entered often again.
 */
#include "cpu/native_priv.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/limits.h"
#include "cpu/hart_priv.h"

#if (defined __x86_64__ || defined __aarch64__) && defined __linux__ && \
    !defined __SANITIZE_ADDRESS__ && !defined __clang__ && !defined NO_NATIVE

#include "cpu/native_host_priv.h"

/* ---- the tables that mk/stencils.py makes ---- */

struct stencil_hole {
    uint16_t at; /* byte of the stencil; the cold part follows the hot one */
    uint8_t fill, hole;
    int32_t addend;
};

struct stencil {
    uint32_t bytes;
    uint16_t hot, cold;
    uint32_t holes;
    uint16_t hole_count;
};

/* The operands that an operation has in registers for integers; an address is in its first source.
 */
enum { USES_D = 1, USES_A = 2, USES_C = 4, USES_ADDRESS = 8 };

/* The stencils of an operation. */
struct stencil_set {
    const uint16_t *places; /* by the places of its operands, 8 of each; 0: none; NULL: no table */
    uint16_t single;        /* with all operands in memory; 0: none */
    /* loads by the translation cache, by the place of the destination; NULL: it is none. The
     * stencils above are by the span, then. */
    const uint16_t *look_ups;
    uint8_t uses;
};

#include <stencils.inc> /* the build makes it: mk/emu.mk */

/* Places of operands, beside the pinned registers. */
enum { PLACE_MEMORY = 6, PLACE_NONE = 7, PLACES = 8 };

/* ---- memory for code ---- */

enum { ALIGNMENT = 16 };

struct native_code {
    uint8_t *write;         /* limits.native_bytes, to be written... */
    const uint8_t *execute; /* ... and the same to be executed */
    size_t used, begin;     /* begin: after what is common to all blocks */
    const uint8_t *enter, *leave, *none, *beside_1, *beside_2, *beside_4, *beside_8;
    bool fuses_floats; /* the host has the fused multiply-add */
    struct cluster *cluster;
    uint8_t places[REG_SINK + 1]; /* of the guest registers */
};

static bool map_code(struct native_code *n)
{
    int fd = memfd_create("rvftrace native code", MFD_CLOEXEC);
    void *write, *execute;

    if (fd < 0)
        return false;
    if (ftruncate(fd, limits.native_bytes)) {
        close(fd);
        return false;
    }
    write = mmap(NULL, limits.native_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    execute = mmap(NULL, limits.native_bytes, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
    close(fd);
    if (write != MAP_FAILED && execute != MAP_FAILED) {
        n->write = write;
        n->execute = execute;
        return true;
    }
    if (write != MAP_FAILED)
        munmap(write, limits.native_bytes);
    if (execute != MAP_FAILED)
        munmap(execute, limits.native_bytes);
    return false;
}

static void unmap_code(struct native_code *n)
{
    munmap(n->write, limits.native_bytes);
    munmap((void *)(uintptr_t)n->execute, limits.native_bytes);
}

/* ---- what a block is made of ---- */

/* One copy of a stencil. Addresses are offsets in the memory for code. */
struct piece {
    uint16_t stencil;
    uint16_t op;  /* in the block */
    uint8_t reg;  /* the guest register to copy, for spill, fill and copies */
    bool is_copy; /* addi of 0 from `from' to `reg' */
    uint8_t from;
    uint32_t at, cold, next;
    uint32_t other; /* what a load does that finds nothing: a piece, until it has a place */
};

enum { PIECES_MAX = 640 };

/* What an integer register will hold, if the block is entered with the present registers. */
struct guess {
    uint64_t value;
    bool unknown;
};

struct translation {
    struct native_code *code;
    struct block *block;
    struct guess guesses[REG_SINK + 1];
    struct piece pieces[PIECES_MAX];
    unsigned count;
    bool full;
    uint32_t exit, far; /* where hole_exit and hole_far lead to */
    uint8_t *constants; /* where the next one is written, behind the code */
};

static const struct stencil *stencil_of(const struct piece *p)
{
    return &stencils[p->stencil];
}

static struct piece *add_piece(struct translation *t, unsigned stencil, unsigned op)
{
    struct piece *p = &t->pieces[t->count];

    if (t->count + 1 == PIECES_MAX)
        t->full = true;
    else
        t->count++;
    *p = (struct piece){.stencil = (uint16_t)stencil, .op = (uint16_t)op};
    return p;
}

static const uint16_t spills[PINNED] = {STENCIL_spill_0, STENCIL_spill_1, STENCIL_spill_2,
                                        STENCIL_spill_3, STENCIL_spill_4, STENCIL_spill_5};
static const uint16_t addresses[PLACE_MEMORY + 1] = {
    STENCIL_address_0, STENCIL_address_1, STENCIL_address_2, STENCIL_address_3,
    STENCIL_address_4, STENCIL_address_5, STENCIL_address_m};
static const uint16_t fills[PINNED] = {STENCIL_fill_0, STENCIL_fill_1, STENCIL_fill_2,
                                       STENCIL_fill_3, STENCIL_fill_4, STENCIL_fill_5};

static bool is_pinned(const struct translation *t, unsigned reg)
{
    return t->code->places[reg] < PINNED;
}

static void copy_register(struct translation *t, const uint16_t *stencil_by_place, unsigned op,
                          unsigned reg)
{
    if (is_pinned(t, reg))
        add_piece(t, stencil_by_place[t->code->places[reg]], op)->reg = (uint8_t)reg;
}

/* The number of the stencil for these places; 0: there is none. x0 may be the number zero. */
static unsigned find_stencil(const struct translation *t, const struct stencil_set *set, unsigned d,
                             unsigned a, unsigned c)
{
    const uint8_t *places = t->code->places;
    unsigned at_d = set->uses & USES_D ? places[d] : PLACE_NONE;
    unsigned at_a = set->uses & USES_A ? places[a] : PLACE_NONE;
    unsigned at_c = set->uses & USES_C ? places[c] : PLACE_NONE;
    const uint16_t *row = set->places + (size_t)at_d * PLACES * PLACES;

    if (set->uses & USES_A && !a && row[PLACE_NONE * PLACES + at_c])
        at_a = PLACE_NONE;
    if (set->uses & USES_C && !c && row[at_a * PLACES + PLACE_NONE])
        at_c = PLACE_NONE;
    return row[at_a * PLACES + at_c];
}

/* The operation with its operands in memory, and those that are pinned copied there and back. */
static void add_by_memory(struct translation *t, unsigned stencil, unsigned uses, unsigned op)
{
    const struct uop *u = &t->block->ops[op];

    if (uses & USES_A)
        copy_register(t, spills, op, u->rs1);
    if (uses & USES_C)
        copy_register(t, spills, op, u->rs2);
    add_piece(t, stencil, op);
    if (uses & USES_D)
        copy_register(t, fills, op, u->rd);
}

/* Copies the first source to the destination, for an operation over it. */
static void add_move(struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    unsigned stencil = find_stencil(t, &stencil_sets[OP_addi], u->rd, u->rs1, 0);
    struct piece *p = add_piece(t, stencil, op);

    p->is_copy = true;
    p->reg = u->rd;
    p->from = u->rs1;
}

static bool is_jump(unsigned kind)
{
    return kind == OP_jal || kind == OP_jalr || kind == OP_call || kind == OP_call_indirect;
}

static bool is_branch(unsigned kind)
{
    return kind >= OP_beq && kind <= OP_bgeu;
}

_Static_assert(OP_bgeu == OP_beq + 5, "the branches are in sequence");

static bool fuses_floats(unsigned kind)
{
    switch (kind) {
    case OP_fmadd_s:
    case OP_fmadd_d:
    case OP_fmsub_s:
    case OP_fmsub_d:
    case OP_fnmadd_s:
    case OP_fnmadd_d:
    case OP_fnmsub_s:
    case OP_fnmsub_d: return true;
    default: return false;
    }
}

static uint64_t pc_of(const struct block *b, unsigned op)
{
    return b->pc + b->ops[op].at * 2U;
}

static uint64_t target_of(const struct block *b, unsigned op)
{
    return pc_of(b, op) + (uint64_t)(int64_t)b->ops[op].imm;
}

/* Whether the block never has a link to this address (may_link in block.c). */
static bool is_far(const struct block *b, uint64_t target)
{
    return !same_page(b->pc, target) || b->pa_second;
}

/* The stencil of a jump to another page; 0: the operation is none. */
static unsigned far_stencil(const struct block *b, unsigned op)
{
    switch (b->notes[op].kind) {
    case OP_jal: return is_far(b, target_of(b, op)) ? STENCIL_far_jal : 0;
    case OP_call: return is_far(b, target_of(b, op)) ? STENCIL_far_call : 0;
    case UOP_END: return is_far(b, b->pc + b->size) ? STENCIL_far_uop_end : 0;
    default: return 0;
    }
}

/* ---- which way a load is likely to take ---- */

static void guess_registers(struct translation *t)
{
    for (unsigned i = 0; i < ARRAY_LEN(t->guesses); i++)
        t->guesses[i] = (struct guess){.value = t->block->hart->s.x[i]};
}

/* What is known after an operation. */
static void guess_after(struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    uint64_t imm = (uint64_t)(int64_t)u->imm;
    struct guess *d = &t->guesses[u->rd], *a = &t->guesses[u->rs1];

    switch (t->block->notes[op].kind) {
    case OP_addi: *d = (struct guess){a->value + imm, a->unknown}; break;
    case OP_auipc: *d = (struct guess){pc_of(t->block, op) + imm, false}; break;
    case OP_lui: *d = (struct guess){imm, false}; break;
    default:
        if (stencil_sets[t->block->notes[op].kind].uses & USES_D)
            d->unknown = true;
    }
}

/* Pointers that come from memory are expected to point to what the span holds. */
static bool expects_span(const struct translation *t, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    const struct span *span = t->block->hart->cache.loads;
    const struct guess *base = &t->guesses[u->rs1];

    if (!span->starts || base->unknown)
        return span->starts;
    return base->value + (uint64_t)(int64_t)u->imm - span->from < span->starts;
}

/* ---- operations ---- */

static unsigned stencil_by_places(const struct translation *t, const struct stencil_set *set,
                                  const struct uop *u)
{
    return set->places ? find_stencil(t, set, u->rd, u->rs1, u->rs2) : set->single;
}

/* The other way to do the load of operation `op`, which the block does by this stencil. */
static unsigned other_load(const struct translation *t, unsigned op, unsigned stencil)
{
    const struct uop *u = &t->block->ops[op];
    const struct stencil_set *set = &stencil_sets[t->block->notes[op].kind];
    unsigned look_up = set->look_ups[set->uses & USES_D ? t->code->places[u->rd] : PLACE_NONE];

    return stencil == look_up ? stencil_by_places(t, set, u) : look_up;
}

/* An access to memory: its address, and the access. */
static void add_access(struct translation *t, const struct stencil_set *set, unsigned op)
{
    const struct uop *u = &t->block->ops[op];
    unsigned stencil = stencil_by_places(t, set, u);

    add_piece(t, addresses[t->code->places[u->rs1]], op);
    if (set->look_ups && !expects_span(t, op))
        stencil = other_load(t, op, stencil);
    add_piece(t, stencil, op)->other = set->look_ups != NULL;
}

/* Adds the pieces of an operation. False: it is left to the interpreter, with all that follow. */
static bool add_op(struct translation *t, unsigned op)
{
    const struct block *b = t->block;
    const struct uop *u = &b->ops[op];
    unsigned kind = b->notes[op].kind, stencil = far_stencil(b, op);
    const struct stencil_set *set = &stencil_sets[kind];

    if ((is_jump(kind) && is_pinned(t, u->rd)) || (fuses_floats(kind) && !t->code->fuses_floats))
        return false;
    if (stencil) {
        add_piece(t, stencil, op);
        return true;
    }
    if (set->uses & USES_ADDRESS) {
        add_access(t, set, op);
        return true;
    }
    if (set->places) {
        stencil = find_stencil(t, set, u->rd, u->rs1, u->rs2);
        if (!stencil && set->uses == (USES_D | USES_A | USES_C)) {
            stencil = find_stencil(t, set, u->rd, u->rd, u->rs2);
            if (stencil)
                add_move(t, op);
        }
        if (stencil) {
            add_piece(t, stencil, op);
            return true;
        }
    }
    if (!set->single)
        return false;
    add_by_memory(t, set->single, set->uses, op);
    return true;
}

/* ---- filling ---- */

static uint64_t register_offset(unsigned reg)
{
    return offsetof(struct hart, s.x) + reg * sizeof(uint64_t);
}

static uint64_t float_offset(unsigned reg)
{
    return offsetof(struct hart, s.f) + reg * sizeof(uint64_t);
}

static uint64_t address(const struct native_code *n, uint32_t at)
{
    return (uintptr_t)(n->execute + at);
}

static uint64_t host_address(const void *p)
{
    return (uintptr_t)p;
}

/* What the hole of an instruction's operand is filled with. */
static uint64_t operand(const struct translation *t, const struct piece *p, enum hole hole)
{
    struct block *b = t->block;
    const struct uop *u = &b->ops[p->op];

    switch (hole) {
    case HOLE_rd: return register_offset(p->reg ? p->reg : u->rd);
    case HOLE_rs1: return register_offset(p->is_copy ? p->from : u->rs1);
    case HOLE_rs2: return register_offset(u->rs2);
    case HOLE_fd: return float_offset(u->rd);
    case HOLE_f1: return float_offset(u->rs1);
    case HOLE_f2: return float_offset(u->rs2);
    case HOLE_f3: return float_offset((uint32_t)u->imm >> IMM_RS3_SHIFT & 31);
    case HOLE_shift:
    case HOLE_imm: return p->is_copy ? 0 : (uint64_t)(int64_t)u->imm;
    case HOLE_at: return p->op;
    case HOLE_pc: return pc_of(b, p->op);
    case HOLE_next_pc: return b->pc + b->size;
    case HOLE_taken_pc: return target_of(b, p->op);
    case HOLE_block: return host_address(b);
    case HOLE_link_next: return host_address(&b->link[LINK_NEXT].to);
    case HOLE_link_taken: return host_address(&b->link[LINK_TAKEN].to);
    case HOLE_counter: return host_address(&b->counters[u->imm]);
    case HOLE_charge: return host_address(&b->charges[u->imm]);
    case HOLE_feed: return host_address(t->code->cluster->feed);
    case HOLE_nowhere: return host_address(NOWHERE);
    default: abort();
    }
}

/* What a hole is filled with: a place in the memory for code, or an operand. */
static uint64_t value(const struct translation *t, const struct piece *p, enum hole hole)
{
    const struct native_code *n = t->code;

    switch (hole) {
    case HOLE_self: return address(n, p->at);
    case HOLE_cold: return address(n, p->cold);
    case HOLE_literal: return address(n, 0);
    case HOLE_next:
    case HOLE_jump: return address(n, p->next);
    case HOLE_other: return address(n, p->other);
    case HOLE_exit: return address(n, t->exit);
    case HOLE_far: return address(n, t->far);
    case HOLE_leave: return host_address(n->leave);
    case HOLE_beside_1: return host_address(n->beside_1);
    case HOLE_beside_2: return host_address(n->beside_2);
    case HOLE_beside_4: return host_address(n->beside_4);
    case HOLE_beside_8: return host_address(n->beside_8);
    default: return operand(t, p, hole);
    }
}

static void fill(struct translation *t, const struct piece *p, const struct stencil_hole *hole)
{
    const struct stencil *s = stencil_of(p);
    uint32_t at = hole->at < s->hot ? p->at + hole->at : p->cold + hole->at - s->hot;
    uint64_t v = value(t, p, (enum hole)hole->hole) + (uint64_t)(int64_t)hole->addend;

    host_fill(t->code->write + at, address(t->code, at), (enum fill)hole->fill, v, &t->constants);
}

static void write_piece(struct translation *t, const struct piece *p)
{
    const struct stencil *s = stencil_of(p);

    memcpy(t->code->write + p->at, stencil_bytes + s->bytes, s->hot);
    memcpy(t->code->write + p->cold, stencil_bytes + s->bytes + s->hot, s->cold);
    for (unsigned i = 0; i < s->hole_count; i++)
        fill(t, p, &stencil_holes[s->holes + i]);
}

/* Writes what has got its place, from `from` on, and the constants behind it. */
static void write_pieces(struct translation *t, size_t from)
{
    struct native_code *n = t->code;

    t->constants = n->write + n->used;
    for (unsigned i = 0; i < t->count; i++)
        write_piece(t, &t->pieces[i]);
    n->used = align_up((size_t)(t->constants - n->write), ALIGNMENT);
    host_publish(n->write + from, n->execute + from, n->used - from);
}

/* Gives pieces [from, to) their places; `at` is the first one's. Returns the end. */
static uint32_t place_hot(struct translation *t, unsigned from, unsigned to, uint32_t at)
{
    for (struct piece *p = t->pieces + from; p < t->pieces + to; p++) {
        p->at = at;
        at += stencil_of(p)->hot;
        p->next = at;
    }
    return at;
}

static uint32_t place_cold(struct translation *t, unsigned from, unsigned to, uint32_t at)
{
    for (struct piece *p = t->pieces + from; p < t->pieces + to; p++) {
        p->cold = at;
        at += stencil_of(p)->cold;
    }
    return at;
}

/*
 * The pieces after the block's own: loads by the other of their two ways, with jumps back, and what
 * is to be done where that fails, too; what a branch without a link does; the exit.
 */
static void add_rest(struct translation *t, unsigned own)
{
    for (unsigned i = 0; i < own; i++) {
        struct piece *p = &t->pieces[i], *other;

        if (!p->other)
            continue;
        p->other = t->count;
        other = add_piece(t, other_load(t, p->op, p->stencil), p->op);
        add_piece(t, STENCIL_native_jump, i);
        other->other = t->count;
        add_piece(t, STENCIL_exit, p->op);
    }
}

static void place(struct translation *t, unsigned own, unsigned far)
{
    uint32_t at = place_hot(t, 0, own, (uint32_t)t->code->used);

    at = place_cold(t, 0, own, at);
    at = place_hot(t, own, t->count, at);
    at = place_cold(t, own, t->count, at);
    t->far = t->pieces[far].at;
    t->exit = t->pieces[t->count - 1].at;
    for (unsigned i = 0; i < t->count; i++)
        if (t->pieces[i].other)
            t->pieces[i].other = t->pieces[t->pieces[i].other].at;
    for (unsigned i = own; i < t->count; i++)
        if (t->pieces[i].stencil == STENCIL_native_jump)
            t->pieces[i].next = t->pieces[t->pieces[i].op].next;
    t->code->used = align_up(at, ALIGNMENT);
}

/* At most. */
static size_t bytes_of_piece(const struct stencil *s)
{
    size_t sum = (size_t)s->hot + s->cold;

    for (unsigned i = 0; i < s->hole_count; i++)
        sum += host_constant_bytes((enum fill)stencil_holes[s->holes + i].fill);
    return sum;
}

static size_t bytes_of(const struct translation *t)
{
    size_t sum = 0;

    for (unsigned i = 0; i < t->count; i++)
        sum += bytes_of_piece(stencil_of(&t->pieces[i]));
    return sum;
}

/* ---- blocks ---- */

static void interpret(struct block *b)
{
    b->native = b->hart->cluster->native->none;
    b->ops[0].go = b->first_go = b->decoded_go;
}

static void watch(struct block *b)
{
    b->native = b->hart->cluster->native->none;
    b->warmth = limits.native_warmth;
    b->ops[0].go = b->first_go = engine_label(b->hart, UOP_WARM, SOURCES_fresh);
}

void native_watch(struct block *b)
{
    if (!b->hart->cluster->native || b->hart->cache.run != engine_run)
        return;
    if (b->hart->cluster->config.engine == ENGINE_TRANSLATED)
        native_translate(b);
    else
        watch(b);
}

void native_drop(struct block *b)
{
    if (!b->hart->cluster->native)
        return;
    b->native = b->hart->cluster->native->none;
    b->first_go = b->decoded_go;
}

/* Drops all native code: its memory is full. */
static void drop_all(struct native_code *n)
{
    for (size_t i = 0; i < n->cluster->harts.len; i++) {
        struct map *blocks = &n->cluster->harts.at[i]->cache.blocks;

        for (size_t slot = 0; slot < blocks->cap; slot++) {
            if (blocks->slots[slot].key == UINT64_MAX)
                continue;
            for (struct block *b = (struct block *)(uintptr_t)blocks->slots[slot].value; b;
                 b = b->same_pa)
                if (b->native != n->none)
                    watch(b);
        }
    }
    n->used = n->begin;
}

/*
 * The number of operations from which on native code pays although the interpreter must execute
 * operation `op` and what follows: never, if something follows, as where a probe calls its owner.
 */
static unsigned worth_while(const struct block *b, unsigned op)
{
    enum { WAY_IN_AND_OUT = 6 };

    if (b->hart->cluster->config.engine == ENGINE_TRANSLATED)
        return 1;
    return op + 1U < b->uop_count ? UINT_MAX : WAY_IN_AND_OUT;
}

void native_translate(struct block *b)
{
    struct native_code *n = b->hart->cluster->native;
    struct translation t;
    unsigned own, far;
    size_t bytes;

    t.code = n;
    t.block = b;
    t.count = 0;
    t.full = false;
    interpret(b);
    guess_registers(&t);
    for (unsigned op = 0; op < b->uop_count; guess_after(&t, op++))
        if (!add_op(&t, op)) {
            if (op < worth_while(b, op))
                return;
            add_piece(&t, STENCIL_exit, op);
            break;
        }
    own = t.count;
    add_rest(&t, own);
    far = t.count;
    add_piece(&t,
              is_branch(b->notes[b->uop_count - 1].kind) &&
                      is_far(b, target_of(b, b->uop_count - 1U))
                  ? STENCIL_branch_far
                  : STENCIL_exit,
              b->uop_count - 1U);
    add_piece(&t, STENCIL_native_exit, 0);
    bytes = bytes_of(&t) + 2 * ALIGNMENT;
    if (t.full || bytes > HOST_BLOCK_MAX || bytes > limits.native_bytes - n->begin)
        return;
    if (bytes > limits.native_bytes - n->used)
        drop_all(n);
    b->native = n->execute + n->used;
    bytes = n->used;
    place(&t, own, far);
    write_pieces(&t, bytes);
    b->ops[0].go = b->first_go = engine_label(b->hart, UOP_NATIVE, SOURCES_fresh);
}

/* ---- in and out ---- */

const void *native_run(struct hart *h, struct block *b)
{
    struct native_state *s = &h->cache.native;

    s->start = b->native;
    call_native(h, h->cluster->native->enter);
    b = s->block;
    if (s->at == NATIVE_ENTERS) {
        s->uop = b->ops;
        return b->ops[0].go;
    }
    s->uop = b->ops + s->at;
    s->last = h->s.x[label_last(b, s->at)];
    return s->at ? s->uop->go : b->decoded_go;
}

/* ---- creation ---- */

static void add_common(struct native_code *n)
{
    static const uint16_t common[] = {STENCIL_native_enter,    STENCIL_native_leave,
                                      STENCIL_native_none,     STENCIL_native_beside_1,
                                      STENCIL_native_beside_2, STENCIL_native_beside_4,
                                      STENCIL_native_beside_8};
    const uint8_t **const at[] = {&n->enter,    &n->leave,    &n->none,    &n->beside_1,
                                  &n->beside_2, &n->beside_4, &n->beside_8};
    static const uint8_t pinned[PINNED] = NATIVE_PINNED;
    struct translation t = {.code = n};

    memcpy(n->write, stencil_literals, sizeof stencil_literals);
    n->used = align_up(sizeof stencil_literals, ALIGNMENT);
    for (unsigned i = 0; i < ARRAY_LEN(common); i++) {
        struct piece *p = add_piece(&t, common[i], 0);

        p->at = (uint32_t)n->used;
        p->cold = p->at + stencil_of(p)->hot;
        *at[i] = n->execute + p->at;
        n->used = align_up(p->cold + stencil_of(p)->cold, ALIGNMENT);
    }
    write_pieces(&t, 0);
    n->begin = n->used;
    memset(n->places, PLACE_MEMORY, sizeof n->places);
    for (unsigned i = 0; i < PINNED; i++)
        n->places[pinned[i]] = (uint8_t)i;
}

struct native_code *native_new(struct cluster *c, const char **why)
{
    struct native_code *n = xcalloc(1, sizeof *n);

    n->cluster = c;
    if (!map_code(n)) {
        free(n);
        *why = "this host permits no memory that can be executed";
        return NULL;
    }
    n->fuses_floats = host_fuses_floats();
    add_common(n);
    return n;
}

void native_free(struct native_code *n)
{
    if (!n)
        return;
    unmap_code(n);
    free(n);
}

#else

struct native_code *native_new(UNUSED struct cluster *c, const char **why)
{
    *why = "this build has no stencils for the host's processor";
    return NULL;
}

void native_free(UNUSED struct native_code *n) {}

void native_watch(UNUSED struct block *b) {}

void native_drop(UNUSED struct block *b) {}

void native_translate(UNUSED struct block *b) {}

const void *native_run(UNUSED struct hart *h, UNUSED struct block *b)
{
    return NULL;
}

#endif
