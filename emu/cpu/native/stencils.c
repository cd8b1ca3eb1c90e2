/*
 * stencils.c - what native code is made of (native_priv.h): each operation as a function, for each
 * place that its operands can have. Compiled, but never called: mk/stencils.py reads the object.
 *
 * A stencil's name is S_operation_DAB: where its destination and its first and second source are.
 * 0 to 5 is a pinned register, m the hart's memory, z the number zero, n nowhere. M_operation_DAB
 * is one of an operation that has few: operands that are pinned are copied to memory and back.
 * V_ is one for a width of elements (stencils_vector.inc).
 * C_operation_DAB is one whose sources may be exchanged. A_operation_DnC is a load by the span or a
 * store, T_operation_DnC the load by the translation cache: they take the address from S_address,
 * in front of them.
 *
 * The holes are symbols of no value; their addresses are what the code needs. A stencil ends with a
 * jump to hole_next, which is left out, as the next stencil follows. What is rare the compiler puts
 * into the cold section, and there is hole_exit, which gives the operation to the interpreter.
 */
#include "cpu/charge_priv.h"
#include "cpu/hart_priv.h"
#include "cpu/native_priv.h"

/* What is unlikely is to be in the cold section. */
#undef LIKELY
#undef UNLIKELY
#define LIKELY(x)   __builtin_expect_with_probability(!!(x), 1, 1.0)
#define UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 1.0)

/* ---- registers of the host ---- */

#ifdef __aarch64__
#define HOST_PINNED_0  "x19"
#define HOST_PINNED_1  "x20"
#define HOST_PINNED_2  "x21"
#define HOST_PINNED_3  "x22"
#define HOST_PINNED_4  "x23"
#define HOST_PINNED_5  "x24"
#define HOST_SPAN_HOST "x25"
#define HOST_HART      "x26" /* native_host_priv.h has it, too */
#define HOST_BUDGET    "x27"
#define HOST_SPAN_FROM "x28"
#else
#define HOST_PINNED_0  "r8"
#define HOST_PINNED_1  "r9"
#define HOST_PINNED_2  "r10"
#define HOST_PINNED_3  "r11"
#define HOST_PINNED_4  "r12"
#define HOST_PINNED_5  "r13"
#define HOST_SPAN_HOST "r14"
#define HOST_HART      "rbx"
#define HOST_BUDGET    "rbp"
#define HOST_SPAN_FROM "rsi"
#endif

register uint64_t pinned_0 __asm__(HOST_PINNED_0);
register uint64_t pinned_1 __asm__(HOST_PINNED_1);
register uint64_t pinned_2 __asm__(HOST_PINNED_2);
register uint64_t pinned_3 __asm__(HOST_PINNED_3);
register uint64_t pinned_4 __asm__(HOST_PINNED_4);
register uint64_t pinned_5 __asm__(HOST_PINNED_5);
register uint8_t *span_host __asm__(HOST_SPAN_HOST);
register struct hart *h __asm__(HOST_HART);
register int64_t budget __asm__(HOST_BUDGET);
register uint64_t span_from __asm__(HOST_SPAN_FROM);

/* ---- holes ---- */

/* Numbers of 32 bits: offsets in struct hart, and fields of struct uop. */
extern char hole_rd[], hole_rs1[], hole_rs2[], hole_fd[], hole_f1[], hole_f2[], hole_f3[],
    hole_imm[], hole_rs1_number[], hole_at[];
void hole_next(void);
void hole_far(void);
void hole_exit(void) __attribute__((cold));
/* The same in a function that is called inline, and would return a value. */
void hole_exit_inside(void) __asm__("hole_exit") __attribute__((cold, noreturn));
/* The same, with an address for the stencil there. */
void hole_next_address(uint64_t va) __asm__("hole_next");
void hole_other_address(uint64_t va) __asm__("hole_other") __attribute__((cold));
void hole_leave(void);
void hole_jump(void);
#ifdef __aarch64__
extern char hole_shift[];
#define HOLE_SHIFT NUMBER(hole_shift)
#else
/* This one has no symbol, so that the compiler shifts by a constant. It becomes a hole of 8 bits.
 */
enum { HOLE_SHIFT = 29 };
#endif

/*
 * beside_find(); cold, as those that call it are when they do. Each size has its own, because the
 * register of a second argument is span_from.
 */
uint8_t *hole_beside_1(uint64_t va) __attribute__((cold));
uint8_t *hole_beside_2(uint64_t va) __attribute__((cold));
uint8_t *hole_beside_4(uint64_t va) __attribute__((cold));
uint8_t *hole_beside_8(uint64_t va) __attribute__((cold));

#define NUMBER(hole) ((int64_t)(intptr_t)(hole))
/* Numbers of 64 bits. */
#ifdef __aarch64__
#define WIDE_NUMBER(hole) "adr %0, " hole
#else
#define WIDE_NUMBER(hole) "movabsq $" hole ", %0"
#endif
#define WIDE(hole)                                         \
    (__extension__({                                       \
        uint64_t wide_;                                    \
        __asm__(WIDE_NUMBER("hole_" #hole) : "=r"(wide_)); \
        wide_;                                             \
    }))
#define WIDE_POINTER(type, hole) ((type)(uintptr_t)WIDE(hole))

/* Gives the present operation to the interpreter. What a call or return has done to the
 * return-address stack is undone. */
#define EXIT()                                              \
    do {                                                    \
        if (pushed)                                         \
            top = (top - pushed) & (RETURN_STACK_SIZE - 1); \
        h->cache.native.at = (uint32_t)(uintptr_t)hole_at;  \
        hole_exit();                                        \
        return;                                             \
    } while (0)

#define top h->cache.native.top
enum { pushed = 0 };

/* ---- floating point in software is left to the interpreter ---- */

#include "cpu/isa/float.h"

#define LEFT_OUT(type) \
    (__extension__({   \
        LEAVE_OUT();   \
        (type)0;       \
    }))
/* In the functions of headers, which return values. */
#define LEAVE_OUT()                                        \
    do {                                                   \
        h->cache.native.at = (uint32_t)(uintptr_t)hole_at; \
        hole_exit_inside();                                \
    } while (0)
#define float_add(...)            LEFT_OUT(uint64_t)
#define float_sub(...)            LEFT_OUT(uint64_t)
#define float_mul(...)            LEFT_OUT(uint64_t)
#define float_div(...)            LEFT_OUT(uint64_t)
#define float_sqrt(...)           LEFT_OUT(uint64_t)
#define float_fma(...)            LEFT_OUT(uint64_t)
#define float_convert(...)        LEFT_OUT(uint64_t)
#define float_to_int(...)         LEFT_OUT(uint64_t)
#define float_from_int(...)       LEFT_OUT(uint64_t)
#define float_to_int_modular(...) LEFT_OUT(uint64_t)
#define float_round(...)          LEFT_OUT(uint64_t)
#define float_eq(...)             LEFT_OUT(bool)
#define float_lt(...)             LEFT_OUT(bool)
#define float_le(...)             LEFT_OUT(bool)
#define float_min(...)            LEFT_OUT(uint64_t)
#define float_max(...)            LEFT_OUT(uint64_t)
#define float_class(...)          LEFT_OUT(uint64_t)
#define float_constant(...)       LEFT_OUT(uint64_t)
/* A host without this has no native code of the operations that need it (native.c). */
#define __builtin_cpu_supports(feature) true

#include "cpu/engine_priv.h"

#undef __builtin_cpu_supports
#undef LEAVE_OUT
#define LEAVE_OUT()                EXIT()
#define hart_note_fence(hart, op)  EXIT()
#define block_link(from, slot, to) EXIT()
/* No block can be paid for less than this one, so a return to it is left to the interpreter. */
#undef NOWHERE
#define NOWHERE NULL

/* ---- what exec.h and operations.inc need ---- */

/* Where a destination is. */
enum place { place_0, place_1, place_2, place_3, place_4, place_5, place_m, place_n };
#define IF_PLACE(place, n, value, other) __builtin_choose_expr((place) == (n), value, other)
#define DESTINATION(place)                                      \
    IF_PLACE(                                                   \
        place, 0, pinned_0,                                     \
        IF_PLACE(place, 1, pinned_1,                            \
                 IF_PLACE(place, 2, pinned_2,                   \
                          IF_PLACE(place, 3, pinned_3,          \
                                   IF_PLACE(place, 4, pinned_4, \
                                            IF_PLACE(place, 5, pinned_5, MEMORY(hole_rd)))))))
#define MEMORY(hole) (*(uint64_t *)(void *)((char *)h + NUMBER(hole)))

#define RD          DESTINATION(place_d)
#define S1          s1
#define S2          s2
#define IMM         imm
#define PC          WIDE(pc)
#define NEXT_PC     WIDE(next_pc)
#define TAKEN_PC    WIDE(taken_pc)
#define XREG(reg)   ((reg) == REG_SP ? pinned_4 : h->s.x[reg])
#define span_starts h->cache.native.span_starts
#define tlb         h->cache.tlb
#define feed        WIDE_POINTER(struct feed *, feed)
enum { by_same_base, unwritten = 0 };

/*
 * What a load tries before it is left to the interpreter. By one of the two it is a stencil, and
 * hole_other is the stencil that does it by the other one, away from the block's hot path.
 */
enum loads { LOADS_BY_BOTH, LOADS_BY_SPAN, LOADS_BY_LOOK_UP };
enum { loads = LOADS_BY_BOTH };
#define TRY_LOAD(va, type, destination, convert)                                 \
    {                                                                            \
        if (loads == LOADS_BY_SPAN) {                                            \
            if (LIKELY(at < span_starts)) {                                      \
                destination = convert(AT_HOST(type, span_host + at));            \
                break;                                                           \
            }                                                                    \
            BARRIER(at);                                                         \
            hole_other_address(at + span_from);                                  \
            return;                                                              \
        } else if (loads == LOADS_BY_LOOK_UP) {                                  \
            slot = tlb_slot(S1);                                                 \
            if (TLB_HIT(load, S1, type)) {                                       \
                destination = convert(AT_HOST(type, tlb->load.host[slot] + at)); \
                break;                                                           \
            }                                                                    \
            BARRIER(slot);                                                       \
            hole_other_address(VA_AGAIN(load));                                  \
            return;                                                              \
        }                                                                        \
    }
#define TRY_STORE(va, type, value)
/* The address is computed from memory again: without the barrier, the fast path would keep the
 * page. */
#define MISSED_STORE(type, value)                 \
    {                                             \
        uint8_t *host_;                           \
        BARRIER(slot);                            \
        host_ = BESIDE(type, VA_AGAIN(store));    \
        if (host_) {                              \
            AT_HOST(type, host_) = (type)(value); \
            break;                                \
        }                                         \
    }
#define MISSED_ATOMIC(type, expression)          \
    if (!(va % sizeof(type))) {                  \
        uint8_t *host_ = BESIDE(type, va);       \
        if (host_) {                             \
            old = AT_HOST(type, host_);          \
            AT_HOST(type, host_) = (expression); \
            RD = (uint64_t)(int64_t)old;         \
            break;                               \
        }                                        \
    }
#define MISSED_CONDITIONAL(type)           \
    if (!(va % sizeof(type))) {            \
        uint8_t *host_ = BESIDE(type, va); \
        if (host_) {                       \
            CONDITIONAL_AT(type, host_);   \
            break;                         \
        }                                  \
    }
#define BESIDE(type, va)                     \
    (sizeof(type) == 1   ? hole_beside_1(va) \
     : sizeof(type) == 2 ? hole_beside_2(va) \
     : sizeof(type) == 4 ? hole_beside_4(va) \
                         : hole_beside_8(va))
#define ON_LOADED()
#define ON_LOAD(va, size)
#define ON_AMO(va, size)
#define ON_RESERVE(va, size)
#define ON_CONDITIONAL(va, size)
#define ON_FLOAT_DIVIDE(is_root, format, a, b)
#define ON_FLOAT_DIVIDED()
#define ON_JUMP(target, before)
#define ON_JUMP_INDIRECT(target)
#define ON_CALL(return_pc, target)
#define ON_RETURN(target)
#define ON_FENCE()
#define ON_MULTIPLY(a, b)
#define ON_DIVIDE(a, b, is_signed, kind)
#define FEED_CYCLE() ((uint32_t)(h->s.cycles - (uint64_t)(budget >> CYCLES_SHIFT)))
#define FORMAT_h     FLOAT_H
#define FORMAT_s     FLOAT_S
#define FORMAT_d     FLOAT_D

#define SYNC() EXIT()
#define NEXT_UNLESS_ASKED
#define LEAVE_AFTER_THIS

typedef void native_entry(struct block *b);
#define GO_TO(block) ((native_entry *)(uintptr_t)(block)->native)(block)

/* Pays for the block `to`, or leaves the jump to the interpreter. */
#define PAY(to)                            \
    do {                                   \
        budget -= (int64_t)(to)->cost;     \
        if (UNLIKELY(budget < 0)) {        \
            BARRIER(budget);               \
            budget += (int64_t)(to)->cost; \
            EXIT();                        \
        }                                  \
    } while (0)
#define ENTER()   \
    do {          \
        PAY(b);   \
        GO_TO(b); \
        return;   \
    } while (0)

#define LINK_AT(slot)                                                 \
    ((slot) == LINK_TAKEN ? WIDE_POINTER(struct block **, link_taken) \
                          : WIDE_POINTER(struct block **, link_next))
/* A branch without a link tries the jump cache first (branch_far). */
#define FOLLOW(slot)                                        \
    do {                                                    \
        struct block *to = *LINK_AT(slot);                  \
        budget -= (int64_t)to->cost;                        \
        if (UNLIKELY(budget < 0)) {                         \
            BARRIER(budget);                                \
            budget += (int64_t)to->cost;                    \
            if (slot == LINK_TAKEN && to == NOWHERE_HERE) { \
                hole_far();                                 \
                return;                                     \
            }                                               \
            EXIT();                                         \
        }                                                   \
        GO_TO(to);                                          \
        return;                                             \
    } while (0)
#define NOWHERE_HERE WIDE_POINTER(struct block *, nowhere)
#define BRANCH(condition)       \
    do {                        \
        if (condition)          \
            FOLLOW(LINK_TAKEN); \
        else                    \
            FOLLOW(LINK_NEXT);  \
    } while (0)

/* The stencils of jumps have a destination, too, and enter next_block. */
#define FOLLOW_AFTER(slot, before)        \
    do {                                  \
        if (is_far) {                     \
            JUMP_AFTER(TAKEN_PC, before); \
        } else {                          \
            next_block = *LINK_AT(slot);  \
            PAY(next_block);              \
            before;                       \
            goto jump;                    \
        }                                 \
    } while (0)
#define JUMP_AFTER(target, before)                                      \
    do {                                                                \
        uint64_t target_ = (target);                                    \
        const struct jump_entry *e = jump_slot(h->cache.jump, target_); \
        if (UNLIKELY(e->pc != target_))                                 \
            EXIT();                                                     \
        next_block = e->block;                                          \
        PAY(next_block);                                                \
        before;                                                         \
        goto jump;                                                      \
    } while (0)

#include "cpu/operations.inc"

/* What the compiler knows of a number that was shifted by HOLE_SHIFT it must not use. */
#undef SEXT32
#define SEXT32(v)                     \
    (__extension__({                  \
        int32_t word_ = (int32_t)(v); \
        BARRIER(word_);               \
        (uint64_t)(int64_t) word_;    \
    }))

/* ---- stencils ---- */

#undef FD
#undef F1
#undef F2
#undef F3
#define FD MEMORY(hole_fd)
#define F1 MEMORY(hole_f1)
#define F2 MEMORY(hole_f2)
#define F3 MEMORY(hole_f3)

/* Where a source is; without a copy, which the compiler would make of a global variable. */
#define SOURCE_0(name, hole) register const uint64_t name __asm__(HOST_PINNED_0)
#define SOURCE_1(name, hole) register const uint64_t name __asm__(HOST_PINNED_1)
#define SOURCE_2(name, hole) register const uint64_t name __asm__(HOST_PINNED_2)
#define SOURCE_3(name, hole) register const uint64_t name __asm__(HOST_PINNED_3)
#define SOURCE_4(name, hole) register const uint64_t name __asm__(HOST_PINNED_4)
#define SOURCE_5(name, hole) register const uint64_t name __asm__(HOST_PINNED_5)
#define SOURCE_m(name, hole) const uint64_t name = MEMORY(hole)
#define SOURCE_z(name, hole) const uint64_t name = 0

#define LOCALS(imm_is, d, a, c)                                             \
    UNUSED enum { place_d = place_##d };                                    \
    UNUSED SOURCE_##a(s1, hole_rs1);                                        \
    UNUSED SOURCE_##c(s2, hole_rs2);                                        \
    const struct uop fields = {.imm = (int32_t)NUMBER(hole_imm),            \
                               .rs1 = (uint8_t)(uintptr_t)hole_rs1_number}; \
    UNUSED const struct uop *const u = &fields;                             \
    UNUSED const int64_t imm = imm_is;                                      \
    UNUSED uint64_t *const x = h->s.x;                                      \
    UNUSED unsigned slot

/* The body of an operation within a block. */
#define UNUSED_LABELS \
    raised:           \
    UNUSED;           \
    do_illegal:       \
    UNUSED;           \
    do_probe:         \
    UNUSED;           \
    EXIT();
#define BODY(...)    \
    {                \
        __VA_ARGS__; \
    }                \
    hole_next();     \
    return;          \
    UNUSED_LABELS

#define STENCIL(name, d, a, c, imm_is, ...) \
    void name(void);                        \
    void name(void)                         \
    {                                       \
        LOCALS(imm_is, d, a, c);            \
        BODY(__VA_ARGS__)                   \
    }

/* An access to memory; the stencil in front of it has computed the address, which is s1. */
#define ACCESS(name, d, c, loads_by, ...)    \
    void name(uint64_t s1);                  \
    void name(uint64_t s1)                   \
    {                                        \
        UNUSED enum { place_d = place_##d }; \
        UNUSED enum { loads = loads_by };    \
        UNUSED SOURCE_##c(s2, hole_rs2);     \
        UNUSED const struct uop *u;          \
        UNUSED const int64_t imm = 0;        \
        UNUSED uint64_t *const x = h->s.x;   \
        UNUSED uint64_t slot;                \
        BODY(__VA_ARGS__)                    \
    }

/* A jump at the end of a block. */
#define JUMP_STENCIL(name, d, a, far, push, ...)                                   \
    void name(void);                                                               \
    void name(void)                                                                \
    {                                                                              \
        UNUSED enum { is_far = far, pushed = push };                               \
        UNUSED struct block *next_block, *b = WIDE_POINTER(struct block *, block); \
        LOCALS(NUMBER(hole_imm), d, a, z);                                         \
                                                                                   \
        __VA_ARGS__;                                                               \
    jump:                                                                          \
        GO_TO(next_block);                                                         \
    }

/* For each place: of a destination, of a source, of one that may be x0. */
#define EACH_PINNED(M, ...) \
    M(0, __VA_ARGS__)       \
    M(1, __VA_ARGS__)       \
    M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(5, __VA_ARGS__)
#define DESTINATIONS(M, ...) EACH_PINNED(M, __VA_ARGS__) M(m, __VA_ARGS__)
#define SOURCES_1(M, ...) \
    M(0, __VA_ARGS__)     \
    M(1, __VA_ARGS__)     \
    M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(5, __VA_ARGS__) M(m, __VA_ARGS__)
#define SOURCES_2(M, ...) \
    M(0, __VA_ARGS__)     \
    M(1, __VA_ARGS__)     \
    M(2, __VA_ARGS__) M(3, __VA_ARGS__) M(4, __VA_ARGS__) M(5, __VA_ARGS__) M(m, __VA_ARGS__)
#define SOURCES_1_OR_ZERO(M, ...) SOURCES_1(M, __VA_ARGS__) M(z, __VA_ARGS__)
#define SOURCES_2_OR_ZERO(M, ...) SOURCES_2(M, __VA_ARGS__) M(z, __VA_ARGS__)

#define IMM_HOLE NUMBER(hole_imm)

/* destination; destination and first source; all three */
#define ONE_d(d, name)            STENCIL(S_##name##_##d##nn, d, z, z, IMM_HOLE, DO_##name)
#define TWO_a(a, d, name, imm_is) STENCIL(S_##name##_##d##a##n, d, a, z, imm_is, DO_##name)
#define TWO_d(d, name, imm_is)    SOURCES_1(TWO_a, d, name, imm_is)
#define LOAD_d(d, name)                                        \
    ACCESS(A_##name##_##d##nn, d, z, LOADS_BY_SPAN, DO_##name) \
    ACCESS(T_##name##_##d##nn, d, z, LOADS_BY_LOOK_UP, DO_##name)
#define TWO_z_d(d, name, imm_is) SOURCES_1_OR_ZERO(TWO_a, d, name, imm_is)
#define THREE(d, a, c, name)     STENCIL(S_##name##_##d##a##c, d, a, c, IMM_HOLE, DO_##name)
#define THREE_c(c, a, d, name)   THREE(d, a, c, name)
#define THREE_a(a, d, name)      SOURCES_2(THREE_c, a, d, name)
#define STORE_c(c, name)         ACCESS(A_##name##_nn##c, n, c, LOADS_BY_BOTH, DO_##name)
#define BRANCH_c(c, a, name)     STENCIL(S_##name##_n##a##c, n, a, c, IMM_HOLE, DO_##name)
#define BRANCH_a(a, name)        SOURCES_2_OR_ZERO(BRANCH_c, a, name)
#define JUMP(name, d, push)                                        \
    JUMP_STENCIL(S_##name##_##d##nn, d, z, false, push, DO_##name) \
    JUMP_STENCIL(S_far_##name##_##d##nn, d, z, true, push, DO_##name)
#define INDIRECT_a(a, name, d, push) \
    JUMP_STENCIL(S_##name##_##d##a##n, d, a, false, push, DO_##name)
#define TO_INT_d(d, name, ...) STENCIL(S_##name##_##d##nn, d, z, z, IMM_HOLE, __VA_ARGS__)
#define OF_INT_a(a, name)      STENCIL(S_##name##_n##a##n, n, a, z, IMM_HOLE, DO_##name)

#define PLACES_U(name)      DESTINATIONS(ONE_d, name)
#define PLACES_I(name)      STENCIL(M_##name##_mmn, m, m, z, IMM_HOLE, DO_##name)
#define PLACES_SHIFT(name)  STENCIL(M_##name##_mmn, m, m, z, IMM_HOLE, DO_##name)
#define PLACES_SHIFTW(name) PLACES_SHIFT(name)
#define PLACES_UNARY(name)  PLACES_SHIFT(name)
#define PLACES_LOAD(name)   DESTINATIONS(LOAD_d, name)
#define PLACES_S(name)      SOURCES_1_OR_ZERO(STORE_c, name)
#define PLACES_B(name)      SOURCES_1(BRANCH_a, name)
/* No pinned register is one for return addresses. */
#define PLACES_J(name)         JUMP(name, m, 0)
#define PLACES_JALR(name)      SOURCES_1(INDIRECT_a, name, m, 0)
#define PLACES_R(name)         STENCIL(M_##name##_mmm, m, m, m, IMM_HOLE, DO_##name)
#define PLACES_AMO(name)       PLACES_R(name)
#define PLACES_LR(name)        PLACES_R(name)
#define PLACES_ALOAD(name)     PLACES_R(name)
#define PLACES_ASTORE(name)    STENCIL(M_##name##_nmm, n, m, m, IMM_HOLE, DO_##name)
#define PLACES_FENCE(name)     STENCIL(S_##name##_nnn, n, z, z, IMM_HOLE, DO_##name)
#define PLACES_PREFETCH(name)  PLACES_FENCE(name)
#define PLACES_FLOAD(name)     LOAD_d(n, name)
#define PLACES_FSTORE(name)    ACCESS(A_##name##_nnn, n, z, LOADS_BY_BOTH, DO_##name)
#define PLACES_F1_RM(name)     PLACES_FENCE(name)
#define PLACES_F1_EXACT(name)  PLACES_FENCE(name)
#define PLACES_FTO(name)       DESTINATIONS(TO_INT_d, name, DO_##name)
#define PLACES_FTO_RTZ(name)   PLACES_FTO(name)
#define PLACES_FOF(name)       SOURCES_1(OF_INT_a, name)
#define PLACES_FOF_RM(name)    PLACES_FOF(name)
#define PLACES_FOF_EXACT(name) PLACES_FOF(name)
/* They are rare, or end a block and change what the engine must know: interpreted. */
#define PLACES_CAS(name)
#define PLACES_CAS_PAIRS(name)
#define PLACES_SSAMOSWAP(name)
#define PLACES_SSPUSH(name)
#define PLACES_SSPOPCHK(name)
#define PLACES_SSRDP(name)
#define PLACES_LPAD(name)
#define PLACES_MOP_R(name)
#define PLACES_MOP_RR(name)
#define PLACES_CBO(name)
#define PLACES_CSR(name)
#define PLACES_CSRI(name)
#define PLACES_NONE(name)
#define PLACES_SFENCE(name)

/* The same for the rows of several formats: registers of numbers alone, or with an integer one. */
#define FLOAT_OP(name, f)        STENCIL(S_##name##_##f##_nnn, n, z, z, IMM_HOLE, DO_##name(FORMAT_##f))
#define FLOAT_TO_INT_OP(name, f) DESTINATIONS(TO_INT_d, name##_##f, DO_##name(FORMAT_##f))
#define PLACES_F_FR(name, f)     FLOAT_OP(name, f)
#define PLACES_F_FR_RM(name, f)  FLOAT_OP(name, f)
#define PLACES_F_FR4_RM(name, f) FLOAT_OP(name, f)
#define PLACES_F_F1_RM(name, f)  FLOAT_OP(name, f)
#define PLACES_F_FLI(name, f)
#define PLACES_F_FCMP(name, f) FLOAT_TO_INT_OP(name, f)
#define PLACES_F_FTO(name, f)
#define PLACES_F_FTO_RM(name, f) FLOAT_TO_INT_OP(name, f)

/* A loop with more numbers than the host has registers for. */
#undef DO_clmul
#undef DO_clmulr
#undef DO_clmulh
#define DO_clmul  EXIT()
#define DO_clmulr EXIT()
#define DO_clmulh EXIT()

#define I(ext, name, match, mask, format, class)    PLACES_##format(name)
#define F(ext, name, f, match, mask, format, class) PLACES_F_##format(name, f)
#define C(ext, name, match, mask, format, base)
/* Those that have stencils are in stencils_vector.inc. */
#define V(ext, name, match, mask, format, class)
#include "cpu/isa/insn.def"
#undef I
#undef C
#undef V

/*
 * These are frequent, so they take operands from every place. A pinned destination is one of the
 * sources, as in most of the host's instructions; native.c copies the first source there otherwise.
 */
#define OVER_FIRST(d, c, name)  THREE(d, d, c, name)
#define OVER_SECOND(d, a, name) THREE(d, a, d, name)
#define PLACES_THREE(name)      \
    SOURCES_1(THREE_a, m, name) \
    PINNED_AND_PLACE(OVER_FIRST, name) PINNED_AND_OTHER(OVER_SECOND, name)
/*
 * The same of an operation whose sources may be exchanged: of two pinned sources one order is
 * enough, and mk/stencils.py gives it to the other, too.
 */
#define BOTH_d(d, a, c, name)   STENCIL(C_##name##_##d##a##c, d, a, c, IMM_HOLE, DO_##name)
#define OVER_EITHER(d, c, name) BOTH_d(d, d, c, name)
#define TO_MEMORY(a, c, name)   BOTH_d(m, a, c, name)
#define FROM_MEMORY(c, name)    BOTH_d(m, m, c, name)
#define INTO_MEMORY(a, name)    BOTH_d(m, a, m, name)
#define OVER_MEMORY(d, name)    BOTH_d(d, m, d, name)
#define PLACES_COMMUTING(name)     \
    PINNED_PAIRS(TO_MEMORY, name)  \
    SOURCES_1(FROM_MEMORY, name)   \
    EACH_PINNED(INTO_MEMORY, name) \
    PINNED_AND_PLACE(OVER_EITHER, name) EACH_PINNED(OVER_MEMORY, name)
/* clang-format off */
#define PINNED_AND_PLACE(M, name) \
    M(0, 0, name) M(0, 1, name) M(0, 2, name) M(0, 3, name) M(0, 4, name) M(0, 5, name) M(0, m, name) \
    M(1, 0, name) M(1, 1, name) M(1, 2, name) M(1, 3, name) M(1, 4, name) M(1, 5, name) M(1, m, name) \
    M(2, 0, name) M(2, 1, name) M(2, 2, name) M(2, 3, name) M(2, 4, name) M(2, 5, name) M(2, m, name) \
    M(3, 0, name) M(3, 1, name) M(3, 2, name) M(3, 3, name) M(3, 4, name) M(3, 5, name) M(3, m, name) \
    M(4, 0, name) M(4, 1, name) M(4, 2, name) M(4, 3, name) M(4, 4, name) M(4, 5, name) M(4, m, name) \
    M(5, 0, name) M(5, 1, name) M(5, 2, name) M(5, 3, name) M(5, 4, name) M(5, 5, name) M(5, m, name)
/* The same but for equal ones. */
#define PINNED_AND_OTHER(M, name) \
    M(0, 1, name) M(0, 2, name) M(0, 3, name) M(0, 4, name) M(0, 5, name) M(0, m, name) \
    M(1, 0, name) M(1, 2, name) M(1, 3, name) M(1, 4, name) M(1, 5, name) M(1, m, name) \
    M(2, 0, name) M(2, 1, name) M(2, 3, name) M(2, 4, name) M(2, 5, name) M(2, m, name) \
    M(3, 0, name) M(3, 1, name) M(3, 2, name) M(3, 4, name) M(3, 5, name) M(3, m, name) \
    M(4, 0, name) M(4, 1, name) M(4, 2, name) M(4, 3, name) M(4, 5, name) M(4, m, name) \
    M(5, 0, name) M(5, 1, name) M(5, 2, name) M(5, 3, name) M(5, 4, name) M(5, m, name)
/* Two of them in order. */
#define PINNED_PAIRS(M, name) \
    M(0, 0, name) M(0, 1, name) M(0, 2, name) M(0, 3, name) M(0, 4, name) M(0, 5, name) \
    M(1, 1, name) M(1, 2, name) M(1, 3, name) M(1, 4, name) M(1, 5, name) \
    M(2, 2, name) M(2, 3, name) M(2, 4, name) M(2, 5, name) \
    M(3, 3, name) M(3, 4, name) M(3, 5, name) \
    M(4, 4, name) M(4, 5, name) \
    M(5, 5, name)
/* clang-format on */

PLACES_COMMUTING(add)
PLACES_THREE(sub)
PLACES_COMMUTING(and)
PLACES_COMMUTING(or)
PLACES_COMMUTING(xor)
PLACES_THREE(srl)
PLACES_THREE(sltu)
PLACES_COMMUTING(addw)
PLACES_THREE(subw)
PLACES_COMMUTING(mul)
PLACES_COMMUTING(mulw)
DESTINATIONS(TWO_z_d, addi, IMM_HOLE)
DESTINATIONS(TWO_z_d, addiw, IMM_HOLE)
DESTINATIONS(TWO_z_d, andi, IMM_HOLE)
DESTINATIONS(TWO_z_d, xori, IMM_HOLE)
DESTINATIONS(TWO_z_d, sltiu, IMM_HOLE)
DESTINATIONS(TWO_d, slli, HOLE_SHIFT)
DESTINATIONS(TWO_d, srli, HOLE_SHIFT)
DESTINATIONS(TWO_d, srai, HOLE_SHIFT)
DESTINATIONS(TWO_d, slliw, HOLE_SHIFT)
DESTINATIONS(TWO_d, srliw, HOLE_SHIFT)
DESTINATIONS(TWO_d, sraiw, HOLE_SHIFT)

DESTINATIONS(ONE_d, read_csr)
DESTINATIONS(ONE_d, read_sstatus)
PLACES_I(write_csr)
PLACES_I(write_csr_even)
PLACES_I(write_stvec)
PLACES_I(write_sstatus)
PLACES_I(set_sstatus)
PLACES_I(clear_sstatus)

JUMP(call, m, 1)
SOURCES_1(INDIRECT_a, call_indirect, m, 1)
SOURCES_1(INDIRECT_a, ret, n, -1)

#define UOP(name, ...) STENCIL(S_##name##_nnn, n, z, z, IMM_HOLE, __VA_ARGS__)
UOP(nop, DO_nop)
UOP(exit, EXIT())
UOP(uop_float, CHECK_FLOAT())
UOP(uop_counter, ++**WIDE_POINTER(uint64_t **, counter))
UOP(uop_charge, const struct block_charge *c = WIDE_POINTER(struct block_charge *, charge);
    charge_add(c->tally, c->cost, 1))
UOP(uop_feed, FEED_HIT())
UOP(uop_feed_ra, FEED_RA(); FEED_HIT())
UOP(uop_feed_tp, feed_interrupt_now(feed))

void S_uop_end_nnn(void);
void S_uop_end_nnn(void)
{
    FOLLOW(LINK_NEXT);
}

/* The end of a block at the end of its page. */
JUMP_STENCIL(S_far_uop_end_nnn, n, z, true, 0, JUMP_AFTER(NEXT_PC, ))

/* A taken branch to another page; its operation is still to be done. */
JUMP_STENCIL(S_branch_far_nnn, n, z, true, 0, JUMP_AFTER(TAKEN_PC, ))

/* The address of an access. */
#define ADDRESS_a(a, name)                     \
    void S_address_##a##nn(void);              \
    void S_address_##a##nn(void)               \
    {                                          \
        LOCALS(IMM_HOLE, n, a, z);             \
                                               \
        hole_next_address(S1 + (uint64_t)IMM); \
    }
SOURCES_1(ADDRESS_a, )

#include "cpu/native/stencils_vector.inc"

/* Between a pinned register and its place in the hart. */
#define COPY_d(d, name)                                               \
    STENCIL(S_spill_##d##nn, d, z, z, IMM_HOLE, MEMORY(hole_rd) = RD) \
    STENCIL(S_fill_##d##nn, d, z, z, IMM_HOLE, RD = MEMORY(hole_rd))
DESTINATIONS(COPY_d, )

/* ---- the ways in and out ---- */

static const uint8_t pinned_numbers[PINNED] = NATIVE_PINNED;
#define GUEST(n) h->s.x[pinned_numbers[n]]

void S_native_enter_nnn(void);
void S_native_enter_nnn(void)
{
    pinned_0 = GUEST(0);
    pinned_1 = GUEST(1);
    pinned_2 = GUEST(2);
    pinned_3 = GUEST(3);
    pinned_4 = GUEST(4);
    pinned_5 = GUEST(5);
    budget = h->cache.native.budget;
    span_from = h->cache.loads->from;
    span_host = h->cache.loads->host;
    span_starts = h->cache.loads->starts;
    ((void (*)(void))(uintptr_t)h->cache.native.start)();
}

void S_native_leave_nnn(void);
void S_native_leave_nnn(void)
{
    GUEST(0) = pinned_0;
    GUEST(1) = pinned_1;
    GUEST(2) = pinned_2;
    GUEST(3) = pinned_3;
    GUEST(4) = pinned_4;
    GUEST(5) = pinned_5;
    h->cache.native.budget = budget;
    ((void (*)(void))(uintptr_t)h->cache.native.leave)();
}

/* A block without native code was entered. */
void S_native_none_nnn(struct block *b);
void S_native_none_nnn(struct block *b)
{
    h->cache.native.block = b;
    h->cache.native.at = NATIVE_ENTERS;
    hole_leave();
}

/* Called by stores whose page has no translation. */
#define BESIDE_STENCIL(size)                                 \
    uint8_t *S_native_beside_##size##_nnn(uint64_t va);      \
    uint8_t *S_native_beside_##size##_nnn(uint64_t va)       \
    {                                                        \
        return beside_find(&h->cache.beside, tlb, va, size); \
    }
BESIDE_STENCIL(1)
BESIDE_STENCIL(2)
BESIDE_STENCIL(4)
BESIDE_STENCIL(8)

/* From a load by the other of its two ways back. */
void S_native_jump_nnn(void);
void S_native_jump_nnn(void)
{
    hole_jump();
}

/* Each block has its own: an operation of it is left to the interpreter. */
void S_native_exit_nnn(void);
void S_native_exit_nnn(void)
{
    h->cache.native.block = WIDE_POINTER(struct block *, block);
    hole_leave();
}
