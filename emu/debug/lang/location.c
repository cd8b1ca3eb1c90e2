/*
 * location.c - evaluates DWARF expressions in the selected frame.
 */
#include "debug/lang/location.h"

#include <dwarf.h>
#include <string.h>

enum { STACK_MAX = 64, STEPS_MAX = 10000 };

enum where { IN_MEMORY, IN_REGISTER, COMPUTED, AS_BYTES, NOWHERE };

struct piece {
    enum where where;
    uint64_t number; /* address, register, value */
    const void *bytes;
    uint64_t size;
};

struct machine_stack {
    struct language *l;
    Dwarf_Attribute *attr;
    const struct frame_scope *frame;
    uint64_t at[STACK_MAX];
    unsigned depth;
    struct piece now; /* the result of the operations so far; its number is the top of the stack */
    bool in_frame_base; /* while the frame base is evaluated, which cannot refer to itself */
    bool lost;          /* a register's value or a parameter's value at the call is not known */
};

/* Returns the number of a register by that of the debug information; -1: there is none. */
static int register_number(const struct language *l, uint64_t dwarf_register)
{
    const struct language_env *env = language_env(l);

    return env->dwarf_register && dwarf_register <= UINT32_MAX
               ? env->dwarf_register(env->ctx, (unsigned)dwarf_register)
               : -1;
}

static bool evaluate(struct machine_stack *m, const Dwarf_Op *ops, size_t count);

static bool push(struct machine_stack *m, uint64_t number)
{
    if (m->depth == STACK_MAX)
        return false;
    m->at[m->depth++] = number;
    return true;
}

static bool pop(struct machine_stack *m, uint64_t *number)
{
    if (!m->depth)
        return false;
    *number = m->at[--m->depth];
    return true;
}

static bool push_register(struct machine_stack *m, uint64_t dwarf_register, uint64_t offset)
{
    const struct language_env *env = language_env(m->l);
    int number = register_number(m->l, dwarf_register);
    uint64_t value = 0;

    if (number < 0 || !env->get_register(env->ctx, (unsigned)number, &value)) {
        m->lost = true;
        value = 0;
    }
    return push(m, value + offset);
}

/*
 * Pushes the frame base plus an offset. The base is an expression of the function, mostly the CFA.
 */
static bool push_frame_base(struct machine_stack *m, uint64_t offset)
{
    struct machine_stack inner = {.l = m->l, .frame = m->frame, .in_frame_base = true};
    struct blocks b;
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;

    if (m->in_frame_base || !debug_blocks(language_debug(m->l), m->frame->canonical, &b) ||
        !dwarf_attr_integrate(&b.at[0], DW_AT_frame_base, &attr) ||
        dwarf_getlocation_addr(&attr, m->frame->canonical, &ops, &count, 1) != 1)
        return false;
    inner.attr = &attr;
    if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
        if (!push_register(&inner, ops[0].atom - DW_OP_reg0, 0))
            return false;
    } else if (!evaluate(&inner, ops, count)) {
        return false;
    }
    m->lost |= inner.lost;
    return inner.depth && push(m, inner.at[inner.depth - 1] + offset);
}

static bool push_cfa(struct machine_stack *m)
{
    const struct language_env *env = language_env(m->l);
    uint64_t cfa = 0;

    if (!env->frame_address || !env->frame_address(env->ctx, &cfa))
        m->lost = true;
    return push(m, cfa);
}

/* Pushes the value that a register had when the function was entered. */
static bool push_entry_value(struct machine_stack *m, const Dwarf_Op *op)
{
    const struct language_env *env = language_env(m->l);
    Dwarf_Attribute inner;
    Dwarf_Op *ops;
    size_t count;
    uint64_t value = 0;

    if (dwarf_getlocation_attr(m->attr, op, &inner) != 0 ||
        dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1 || ops[0].atom < DW_OP_reg0 ||
        ops[0].atom > DW_OP_reg31 || !env->entry_register ||
        !env->entry_register(env->ctx, ops[0].atom - DW_OP_reg0, &value))
        m->lost = true;
    return push(m, value);
}

static bool load(struct machine_stack *m, uint64_t size)
{
    const struct language_env *env = language_env(m->l);
    uint64_t address, value = 0;

    if (!pop(m, &address) || size > sizeof value)
        return false;
    if (!m->lost && !env->load(env->ctx, address, &value, size))
        m->lost = true;
    return push(m, value);
}

/* Cuts the top of the stack to the size of a base type. */
static bool convert(struct machine_stack *m, const Dwarf_Op *op)
{
    Dwarf_Die die;
    const struct type *type;
    struct debug_symbol s;
    uint64_t value;
    unsigned bits;

    if (dwarf_getlocation_die(m->attr, op, &die) != 0 ||
        !debug_symbol_of(language_debug(m->l), &die, &s))
        return true; /* the generic type: all bits stay */
    type = s.type;
    bits = (unsigned)type->size * 8;
    if (type->kind != TYPE_INT || !pop(m, &value))
        return false;
    if (bits && bits < 64)
        value = type->is_signed ? (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits))
                                : value & ((UINT64_C(1) << bits) - 1);
    return push(m, value);
}

static bool divide(uint64_t a, uint64_t b, bool remainder, uint64_t *out)
{
    if (!b)
        return false;
    if (remainder)
        *out = a % b;
    else
        *out = (int64_t)b == -1 ? -a : (uint64_t)((int64_t)a / (int64_t)b);
    return true;
}

static bool binary(struct machine_stack *m, unsigned atom)
{
    uint64_t a, b, c = 0;
    int64_t x, y;

    if (!pop(m, &b) || !pop(m, &a))
        return false;
    x = (int64_t)a;
    y = (int64_t)b;
    switch (atom) {
    case DW_OP_and: c = a & b; break;
    case DW_OP_or: c = a | b; break;
    case DW_OP_xor: c = a ^ b; break;
    case DW_OP_plus: c = a + b; break;
    case DW_OP_minus: c = a - b; break;
    case DW_OP_mul: c = a * b; break;
    case DW_OP_div:
    case DW_OP_mod:
        if (!divide(a, b, atom == DW_OP_mod, &c))
            m->lost = true;
        break;
    case DW_OP_shl: c = b < 64 ? a << b : 0; break;
    case DW_OP_shr: c = b < 64 ? a >> b : 0; break;
    case DW_OP_shra: c = (uint64_t)(x >> (b < 64 ? b : 63)); break;
    case DW_OP_eq: c = x == y; break;
    case DW_OP_ne: c = x != y; break;
    case DW_OP_lt: c = x < y; break;
    case DW_OP_le: c = x <= y; break;
    case DW_OP_gt: c = x > y; break;
    case DW_OP_ge: c = x >= y; break;
    default: return false;
    }
    return push(m, c);
}

static bool unary(struct machine_stack *m, const Dwarf_Op *op)
{
    uint64_t a;

    if (!pop(m, &a))
        return false;
    switch (op->atom) {
    case DW_OP_neg: return push(m, -a);
    case DW_OP_not: return push(m, ~a);
    case DW_OP_abs: return push(m, (int64_t)a < 0 ? -a : a);
    default: return push(m, a + op->number); /* DW_OP_plus_uconst */
    }
}

static bool shuffle(struct machine_stack *m, const Dwarf_Op *op)
{
    uint64_t a, b;

    switch (op->atom) {
    case DW_OP_drop: return pop(m, &a);
    case DW_OP_dup: return m->depth && push(m, m->at[m->depth - 1]);
    case DW_OP_over: return m->depth > 1 && push(m, m->at[m->depth - 2]);
    case DW_OP_pick: return op->number < m->depth && push(m, m->at[m->depth - 1 - op->number]);
    default: return pop(m, &b) && pop(m, &a) && push(m, b) && push(m, a); /* DW_OP_swap */
    }
}

static bool place(struct machine_stack *m, const Dwarf_Op *op)
{
    Dwarf_Block block;

    switch (op->atom) {
    case DW_OP_regx:
        m->now = (struct piece){.where = IN_REGISTER, .number = op->number};
        return true;
    case DW_OP_stack_value: m->now = (struct piece){.where = COMPUTED}; return true;
    case DW_OP_implicit_value:
        if (dwarf_getlocation_implicit_value(m->attr, op, &block) != 0)
            return false;
        m->now = (struct piece){.where = AS_BYTES, .bytes = block.data, .size = block.length};
        return true;
    default: m->now = (struct piece){.where = NOWHERE}; return true; /* implicit pointers */
    }
}

/* Executes one operation other than jumps. */
static bool operate(struct machine_stack *m, const Dwarf_Op *op)
{
    unsigned atom = op->atom;

    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return push(m, atom - DW_OP_lit0);
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
        return push_register(m, atom - DW_OP_breg0, op->number);
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        m->now = (struct piece){.where = IN_REGISTER, .number = atom - DW_OP_reg0};
        return true;
    }
    switch (atom) {
    case DW_OP_addr:
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts: return push(m, op->number);
    case DW_OP_bregx: return push_register(m, op->number, op->number2);
    case DW_OP_regval_type:
    case DW_OP_GNU_regval_type: return push_register(m, op->number, 0) && convert(m, op);
    case DW_OP_fbreg: return push_frame_base(m, op->number);
    case DW_OP_call_frame_cfa: return push_cfa(m);
    case DW_OP_entry_value:
    case DW_OP_GNU_entry_value: return push_entry_value(m, op);
    case DW_OP_deref: return load(m, 8);
    case DW_OP_deref_size: return load(m, op->number);
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type: return load(m, op->number) && convert(m, op);
    case DW_OP_convert:
    case DW_OP_GNU_convert:
    case DW_OP_reinterpret:
    case DW_OP_GNU_reinterpret: return convert(m, op);
    case DW_OP_neg:
    case DW_OP_not:
    case DW_OP_abs:
    case DW_OP_plus_uconst: return unary(m, op);
    case DW_OP_drop:
    case DW_OP_dup:
    case DW_OP_over:
    case DW_OP_pick:
    case DW_OP_swap: return shuffle(m, op);
    case DW_OP_regx:
    case DW_OP_stack_value:
    case DW_OP_implicit_value:
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer: return place(m, op);
    case DW_OP_nop: return true;
    default: return binary(m, atom);
    }
}

/* Returns the index of the operation that a jump leads to; `count`: the end. */
static size_t jump_target(const Dwarf_Op *ops, size_t count, size_t i)
{
    uint64_t offset = ops[i].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[i].number;

    for (i = 0; i < count; i++)
        if (ops[i].offset == offset)
            break;
    return i;
}

static bool evaluate(struct machine_stack *m, const Dwarf_Op *ops, size_t count)
{
    unsigned steps = 0;
    uint64_t taken;

    for (size_t i = 0; i < count;) {
        if (++steps > STEPS_MAX)
            return false;
        if (ops[i].atom == DW_OP_skip) {
            i = jump_target(ops, count, i);
        } else if (ops[i].atom == DW_OP_bra) {
            if (!pop(m, &taken))
                return false;
            i = taken ? jump_target(ops, count, i) : i + 1;
        } else {
            if (!operate(m, &ops[i]))
                return false;
            i++;
        }
    }
    return true;
}

/* ---- the value of a piece ---- */

/* Returns where a piece is, after its operations. */
static struct piece finished(struct machine_stack *m, bool any)
{
    struct piece p = m->now;

    if (!any || (p.where != IN_REGISTER && p.where != AS_BYTES && (!m->depth || m->lost)))
        p.where = NOWHERE;
    else if (p.where == IN_MEMORY || p.where == COMPUTED)
        p.number = m->at[m->depth - 1];
    m->now = (struct piece){.where = IN_MEMORY};
    m->depth = 0;
    m->lost = false;
    return p;
}

static struct value value_in_register(struct language *l, struct type *type, unsigned number,
                                      uint64_t size)
{
    const struct language_env *env = language_env(l);
    uint64_t word = 0;
    bool known = env->get_register(env->ctx, number, &word);
    struct value v = value_of_bytes(l, type, &word, size < sizeof word ? size : sizeof word);

    v.place = VALUE_IN_REGISTER;
    v.number = number;
    v.lost = !known;
    return v;
}

/* A value in the first bytes of a vector register. False: it is another register, or too short. */
static bool value_in_vector(struct language *l, struct type *type, unsigned number, uint64_t size,
                            struct value *v)
{
    const struct language_env *env = language_env(l);
    unsigned bytes;
    const uint8_t *from = env->get_vector ? env->get_vector(env->ctx, number, &bytes) : NULL;

    if (!from || size > bytes)
        return false;
    *v = value_of_bytes(l, type, from, size);
    v->place = VALUE_IN_REGISTER;
    v->number = number;
    return true;
}

static struct value value_of_piece(struct language *l, struct type *type, const struct piece *p)
{
    uint64_t size = type_size(language_types(l), type);
    struct value v;
    int number;

    switch (p->where) {
    case IN_MEMORY: return value_at(type, p->number);
    case COMPUTED: return value_of_bytes(l, type, &p->number, size < 8 ? size : 8);
    case AS_BYTES:
        return p->size < size ? value_lost(type) : value_of_bytes(l, type, p->bytes, size);
    case IN_REGISTER:
        number = register_number(l, p->number);
        if (number >= 0 && value_in_vector(l, type, (unsigned)number, size, &v))
            return v;
        if (number >= 0 && size <= 8)
            return value_in_register(l, type, (unsigned)number, size);
        break;
    default: break;
    }
    return value_lost(type);
}

/* Copies the contents of a piece; false: they are unknown. */
static bool copy_piece(struct language *l, const struct piece *p, uint8_t *to, uint64_t size)
{
    struct type *byte = type_int(language_types(l), 1, false);
    struct value v = value_of_piece(l, type_array_of(language_types(l), byte, size), p);

    if (v.lost || !value_fetch(l, &v) || v.size < size)
        return false;
    memcpy(to, v.bytes, size);
    return true;
}

static struct value value_of_pieces(struct language *l, struct type *type,
                                    const struct piece *pieces, unsigned count)
{
    uint64_t size = type_size(language_types(l), type), at = 0;
    uint8_t *bytes;

    if (size > VALUE_BYTES_MAX)
        return value_lost(type);
    bytes = language_alloc(l, size + 8);
    for (unsigned i = 0; i < count && at < size; i++) {
        uint64_t part = pieces[i].size < size - at ? pieces[i].size : size - at;

        if (!copy_piece(l, &pieces[i], bytes + at, part))
            return value_lost(type);
        at += part;
    }
    return at < size ? value_lost(type) : value_of_bytes(l, type, bytes, size);
}

static struct value read_location(struct language *l, struct type *type, Dwarf_Attribute *attr,
                                  const struct frame_scope *frame, const Dwarf_Op *ops,
                                  size_t count)
{
    enum { PIECES_MAX = 16 };
    struct machine_stack m = {.l = l, .attr = attr, .frame = frame};
    struct piece pieces[PIECES_MAX], whole;
    unsigned found = 0;
    size_t start = 0;

    for (size_t i = 0; i < count; i++) {
        if (ops[i].atom != DW_OP_piece)
            continue;
        if (found == PIECES_MAX || !evaluate(&m, ops + start, i - start))
            return value_lost(type);
        pieces[found] = finished(&m, i > start);
        pieces[found++].size = ops[i].number;
        start = i + 1;
    }
    if (found)
        return value_of_pieces(l, type, pieces, found);
    if (!evaluate(&m, ops, count))
        return value_lost(type);
    whole = finished(&m, count != 0);
    return value_of_piece(l, type, &whole);
}

static bool constant(struct language *l, struct debug_symbol *s, struct value *out)
{
    Dwarf_Attribute attr;
    Dwarf_Sword number;
    Dwarf_Block block;

    if (!dwarf_attr_integrate(&s->die, DW_AT_const_value, &attr))
        return false;
    if (dwarf_formsdata(&attr, &number) == 0)
        *out = value_of_int(l, s->type, (uint64_t)number);
    else if (dwarf_formblock(&attr, &block) == 0)
        *out = block.length < type_size(language_types(l), s->type)
                   ? value_lost(s->type)
                   : value_of_bytes(l, s->type, block.data, block.length);
    else
        return false;
    return true;
}

bool variable_read(struct language *l, struct debug_symbol *s, struct value *out)
{
    const struct language_env *env = language_env(l);
    struct frame_scope frame = {.pc = 0};
    Dwarf_Attribute attr;
    Dwarf_Op *ops;
    size_t count;

    if (s->fixed) {
        *out = value_at(s->type, s->address);
        return true;
    }
    if (env->frame)
        env->frame(env->ctx, &frame);
    *out = value_lost(s->type);
    if (constant(l, s, out) || !dwarf_attr_integrate(&s->die, DW_AT_location, &attr))
        return true;
    if (!frame.pc)
        return language_fail(l, "No frame selected.");
    if (dwarf_getlocation_addr(&attr, frame.canonical, &ops, &count, 1) == 1)
        *out = read_location(l, s->type, &attr, &frame, ops, count);
    return true;
}

bool location_call_value(struct language *l, Dwarf_Attribute *expression, uint64_t *value)
{
    const struct language_env *env = language_env(l);
    struct frame_scope frame = {.pc = 0};
    struct machine_stack m = {.l = l, .attr = expression, .frame = &frame};
    Dwarf_Op *ops;
    size_t count;

    if (env->frame)
        env->frame(env->ctx, &frame);
    if (!frame.pc || dwarf_getlocation(expression, &ops, &count) != 0 ||
        !evaluate(&m, ops, count) || m.lost || !m.depth)
        return false;
    *value = m.at[m.depth - 1];
    return true;
}

bool variable_at_entry(struct language *l, struct debug_symbol *s, struct value *out)
{
    const struct language_env *env = language_env(l);
    struct frame_scope frame = {.pc = 0};
    uint64_t size = type_size(language_types(l), s->type), number;
    struct blocks b;
    Dwarf_Attribute attr;
    Dwarf_Addr low;
    Dwarf_Op *ops;
    size_t count;

    env->frame(env->ctx, &frame);
    if (!env->entry_register || !debug_blocks(language_debug(l), frame.canonical, &b) ||
        dwarf_entrypc(&b.at[0], &low) != 0 ||
        !dwarf_attr_integrate(&s->die, DW_AT_location, &attr) ||
        dwarf_getlocation_addr(&attr, low, &ops, &count, 1) != 1 || count != 1 ||
        ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31 || size > sizeof number ||
        !env->entry_register(env->ctx, ops[0].atom - DW_OP_reg0, &number))
        return false;
    *out = value_of_bytes(l, s->type, &number, size);
    return true;
}
