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
#include "cpu/native/native_pieces_priv.h"
#include "cpu/vector_priv.h"

#ifdef HAS_STENCILS

#include "cpu/native/native_host_priv.h"

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

#define STENCIL_BYTES
#include <stencils.inc> /* the build makes it: mk/emu.mk */

/* ---- memory for code ---- */

enum { ALIGNMENT = 16 };

struct native_code {
    uint8_t *write;         /* limits.native_bytes, to be written... */
    const uint8_t *execute; /* ... and the same to be executed */
    size_t used, begin;     /* begin: after what is common to all blocks */
    const uint8_t *enter, *leave, *none, *beside_1, *beside_2, *beside_4, *beside_8;
    bool fuses_floats, has_vectors; /* of the host: see struct translation */
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

/* ---- filling ---- */

static const struct stencil *stencil_of(const struct piece *p)
{
    return &stencils[p->stencil];
}

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

/* The bytes of a register group that a piece has. */
static uint64_t vector_offset(const struct translation *t, const struct piece *p, unsigned reg)
{
    return offsetof(struct hart, s.vector.v) + reg * t->block->hart->s.vector.vlenb +
           p->part * (unsigned)VECTOR_PART_BYTES;
}

static uint64_t immediate(const struct translation *t, const struct piece *p)
{
    if (vector_is(t->block->notes[p->op].kind))
        return p->part * (unsigned)VECTOR_PART_BYTES;
    return p->is_copy ? 0 : (uint64_t)(int64_t)t->block->ops[p->op].imm;
}

/* What the hole of a vector instruction is filled with. */
static uint64_t vector_operand(const struct translation *t, const struct piece *p, enum hole hole)
{
    const struct uop *u = &t->block->ops[p->op];

    switch (hole) {
    case HOLE_vd: return vector_offset(t, p, u->rd);
    case HOLE_v1: return vector_offset(t, p, u->rs1);
    case HOLE_v2: return vector_offset(t, p, u->rs2);
    case HOLE_scalar: return vector_immediate(u);
    case HOLE_vtype: return p->vtype;
    case HOLE_vl:
    case HOLE_vlmax: return p->vl;
    case HOLE_avl: return t->block->notes[p->op].kind == OP_vsetivli ? u->rs1 : p->vl;
    case HOLE_count: return vector_guarded(t->block, p->op, t->block->native_ops);
    default: abort();
    }
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
    case HOLE_imm: return immediate(t, p);
    case HOLE_at: return p->op;
    case HOLE_pc: return block_pc_of(b, p->op);
    case HOLE_next_pc: return b->pc + b->size;
    case HOLE_taken_pc: return block_target_of(b, p->op);
    case HOLE_block: return host_address(b);
    case HOLE_link_next: return host_address(&b->link[LINK_NEXT].to);
    case HOLE_link_taken: return host_address(&b->link[LINK_TAKEN].to);
    case HOLE_counter: return host_address(&b->counters[u->imm]);
    case HOLE_charge: return host_address(&b->charges[u->imm]);
    case HOLE_feed: return host_address(t->code->cluster->feed);
    case HOLE_nowhere: return host_address(NOWHERE);
    default: return vector_operand(t, p, hole);
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
    t.places = n->places;
    t.fuses_floats = n->fuses_floats;
    t.has_vectors = n->has_vectors;
    interpret(b);
    pieces_begin(&t);
    b->native_ops = b->uop_count;
    for (unsigned op = 0; op < b->uop_count; op++)
        if (!pieces_add_op(&t, op)) {
            if (op < worth_while(b, op))
                return;
            pieces_add(&t, STENCIL_exit, op);
            b->native_ops = (uint16_t)op;
            break;
        }
    b->native_last = (uint8_t)label_last(b, b->native_ops);
    own = t.count;
    pieces_add_rest(&t, own);
    far = t.count;
    pieces_add(&t,
               block_is_branch(b->notes[b->uop_count - 1].kind) &&
                       block_is_far(b, block_target_of(b, b->uop_count - 1U))
                   ? STENCIL_branch_far
                   : STENCIL_exit,
               b->uop_count - 1U);
    pieces_add(&t, STENCIL_native_exit, 0);
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

/* A block that is mostly entered with another configuration is soon translated for that. */
static void note_unguarded(struct block *b)
{
    enum { UNGUARDED_MAX = 64 };

    if (++b->unguarded < UNGUARDED_MAX)
        return;
    b->unguarded = 0;
    watch(b);
}

/* What is paid for of the block in which native code ends, and left to the engine. */
static uint32_t insns_left(const struct native_state *s)
{
    uint32_t all = block_insns(s->block);

    return s->at == NATIVE_ENTERS ? all : all - s->block->notes[s->at].insns_before;
}

const void *native_run(struct hart *h, struct block *b)
{
    struct native_state *s = &h->cache.native;
    uint32_t paid = (uint32_t)s->budget + block_insns(b);

    s->start = b->native;
    s->unguarded = false;
    call_native(h, h->cluster->native->enter);
    b = s->block;
    s->insns += paid - (uint32_t)s->budget - insns_left(s);
    if (s->at == NATIVE_ENTERS) {
        s->uop = b->ops;
        return b->ops[0].go;
    }
    if (UNLIKELY(s->unguarded))
        note_unguarded(b);
    else if (b->has_guard)
        h->s.vector.executed -= vector_guarded_left(b, s->at);
    s->uop = b->ops + s->at;
    s->last = h->s.x[s->at == b->native_ops ? b->native_last : label_last(b, s->at)];
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
        struct piece *p = pieces_add(&t, common[i], 0);

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
    n->has_vectors = host_has_vectors();
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
